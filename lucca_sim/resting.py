"""What rests may sleep: MuJoCo leaves it where it is until something awake touches it. This keeps awake what does not rest."""

import mujoco
import numpy as np
from numpy.typing import NDArray

# MuJoCo counts an awake body's steps of rest up from here (below zero); at -1 it may sleep, from 0 on it does.
_JUST_AWAKE = -(1 + mujoco.mjMINAWAKE)


class Resting:
    """Which bodies may begin to count as resting.

    MuJoCo counts for each body by itself. A cube that a hand holds still, or that leans on a finger, would be at the end of
    its count when the hand lets go, and sleep in mid-air. Here nothing counts that is linked, by touch or by a weld, to the
    robot or to something that moves.

    Args:
        model: the world.
        bodies: numbers of the bodies that may sleep; all others that move are the robot's.
    """

    def __init__(self, model: mujoco.MjModel, bodies: NDArray[np.int_]) -> None:
        self._robot = np.ones(model.ntree, bool)
        self._robot[model.body_treeid[bodies]] = False

    def keep_awake(self, data: mujoco.MjData) -> None:
        """Begins the counts anew of what is linked to something that does not rest. Call it more often than every
        `mjMINAWAKE` steps."""
        islands, counts = data.tree_island, data.tree_asleep
        busy = islands[(islands >= 0) & (self._robot | (counts == _JUST_AWAKE))]
        if len(busy):
            counts[np.isin(islands, busy) & (counts < 0)] = _JUST_AWAKE
