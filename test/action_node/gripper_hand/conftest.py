"""A robot with a hand of the interface `gripper_command`."""

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from robots import Robot

if TYPE_CHECKING:
    from grippers import GripperTable


@pytest.fixture(autouse=True)
def control_msgs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No registry carries control_msgs: its goal stands here as plain values with the fields of its definition."""

    def goal() -> SimpleNamespace:
        return SimpleNamespace(command=SimpleNamespace(position=0.0, max_effort=0.0))

    for name in ('control_msgs', 'control_msgs.action'):
        module = ModuleType(name)
        vars(module)['GripperCommand'] = SimpleNamespace(Goal=goal)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def table() -> 'GripperTable':
    from grippers import GripperTable

    return GripperTable()


@pytest.fixture
def robot(table: 'GripperTable') -> Robot:
    from grippers import gripper_robot

    return gripper_robot(table)
