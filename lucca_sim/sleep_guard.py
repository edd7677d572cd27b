"""Protection from putting objects to sleep too early in MuJoCo, such as one that a hand still holds."""

import mujoco
import numpy as np
from numpy.typing import NDArray

# MuJoCo counts the steps that an awake body rests, up from this negative value. At -1 it may put the body to sleep;
# from 0 on, the body sleeps.
_JUST_AWAKE = -(1 + mujoco.mjMINAWAKE)


class SleepGuard:
    """Keeps bodies awake that are in contact with the robot or with anything that moves.

    MuJoCo counts the resting steps of each body on its own. A cube that a hand holds still, or that leans on a finger,
    would have a full count when the hand lets go, and would sleep in mid-air. The guard resets the count of every body
    that is linked, by touch or by a weld, to the robot or to a moving body.

    Args:
        model: the world.
        bodies: ids of the bodies that may sleep; all other moving bodies belong to the robot.
    """

    def __init__(self, model: mujoco.MjModel, bodies: NDArray[np.int_]) -> None:
        self._robot = np.ones(model.ntree, bool)
        self._robot[model.body_treeid[bodies]] = False

    def keep_awake(self, data: mujoco.MjData) -> None:
        """Resets the counts of bodies linked to a moving one. Call it more often than every `mjMINAWAKE` steps."""
        islands, counts = data.tree_island, data.tree_asleep
        busy = islands[(islands >= 0) & (self._robot | (counts == _JUST_AWAKE))]
        if len(busy):
            counts[np.isin(islands, busy) & (counts < 0)] = _JUST_AWAKE
