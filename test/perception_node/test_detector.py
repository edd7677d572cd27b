"""The fake detector gives what it was told and remembers what it was asked."""

from lucca_core.protocol.snapshots import Pose
from perception_node.detector import Detection, FakeDetector

PEAR = Detection(
    label='pear',
    score=0.9,
    attributes=('green',),
    pose_world=Pose((0, 0, 0)),
    size_m=(1, 1, 1),
    alternatives=(('can', 0.4),),
)
BOX = Detection(label='box 1', score=1.0, pose_world=Pose((0, 0, 0)), size_m=(1, 1, 1), is_container=True)


def test_frames_are_given_in_turn_and_the_last_for_ever():
    fake = FakeDetector((PEAR, BOX), (BOX,))
    ask = (None, None, None, ('pear',), None)
    assert fake.detect(*ask) == (PEAR, BOX)
    assert fake.detect(*ask) == (BOX,)
    assert fake.detect(*ask) == (BOX,)
    assert fake.asked == [('pear',)] * 3


def test_only_what_is_asked_for_is_given():
    assert FakeDetector((PEAR, BOX)).detect(None, None, None, ('can',), None) == (BOX,)
    assert FakeDetector().detect(None, None, None, ('can',), None) == ()


def test_a_detection_scores_the_labels_it_might_be():
    assert (PEAR.score_of('pear'), PEAR.score_of('can'), PEAR.score_of('cup')) == (0.9, 0.4, 0.0)
    assert (PEAR.colour, BOX.colour) == ('green', '')
