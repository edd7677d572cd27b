"""A robot of fakes for each test, and for those over DDS a node with fakes around it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lucca_memory.procedural import ActionSpec, load_actions

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))
from robots import Robot, make_robot

if TYPE_CHECKING:
    from node_rig import Rig


@pytest.fixture
def robot() -> Robot:
    return make_robot()


@pytest.fixture
def actions() -> dict[str, ActionSpec]:
    return dict(load_actions())


@pytest.fixture
def new_rig() -> Iterator[Callable[..., 'Rig']]:
    # Most tests of this folder need no ROS, and shall run without it.
    from node_rig import rigs_of_one_test

    with rigs_of_one_test() as make:
        yield make


@pytest.fixture
def rig(new_rig: Callable[..., 'Rig']) -> 'Rig':
    return new_rig()
