"""A robot of fakes for each test."""

import sys
from pathlib import Path

import pytest

from lucca_memory.procedural import ActionSpec, load_actions

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))
from robots import Robot, make_robot


@pytest.fixture
def robot() -> Robot:
    return make_robot()


@pytest.fixture
def actions() -> dict[str, ActionSpec]:
    return dict(load_actions())
