"""Conversations of several turns with a robot at a table that many tests share."""

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table

PLACES = ('box 1', 'box 2', 'bowl', 'tower', USERS_SIDE)
OBJECTS = (
    *('apple (red)', 'banana (yellow)', 'pear (green)', 'cup (cyan)', 'can (red)'),
    *('red cube', 'blue cube', 'green cube'),
)


def conversation(*texts):
    """What came of each text, said by Ana."""
    with stack_on_table(sample_objects(OBJECTS), PLACES) as robot:
        return [robot.say(text, 'Ana') for text in texts]
