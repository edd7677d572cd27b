"""The grasp of a plan as a frame, for displays in other programs."""

from collections.abc import Callable
from dataclasses import dataclass

from action_node.motion.motion_plan import MotionPlan
from lucca_core.protocol.snapshots import Pose


@dataclass(frozen=True, slots=True)
class GraspFrame:
    """The hand's tool frame where a plan grasps an object: z out of the hand, x along the fingers.

    `name`: name of the frame. `parent`: the frame in which `pose` is given.
    """

    name: str
    parent: str
    pose: Pose


ShowGrasp = Callable[[GraspFrame | None], None]
"""Shows a frame from now on in place of the one before; None shows none.

It returns at once and never raises, so that no motion waits for a display.
"""


def shown_nowhere(frame: GraspFrame | None) -> None:
    """A `ShowGrasp` that does nothing, for use without displays."""


def grasp_frame(plan: MotionPlan, object_id: str, world_frame: str) -> GraspFrame | None:
    """The frame `grasp/ID` of a plan for an object; None if the plan grasps nothing."""
    return None if plan.grasp is None else GraspFrame(f'grasp/{object_id}', world_frame, plan.grasp)
