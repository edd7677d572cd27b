"""The priority of processes that only watch the robot."""

import os

_NICENESS = 10


def give_way_to_nodes() -> None:
    """Lowers the priority of this process, so that on a busy computer the robot's nodes run first."""
    os.setpriority(os.PRIO_PROCESS, 0, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
