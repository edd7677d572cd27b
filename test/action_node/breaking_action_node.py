"""The action node as a process of its own, with a planner that breaks off in an unexpected way."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from fakes import FakeBody
from node_rig import QUICK
from rclpy.parameter import Parameter

from action_node.gate.gate import Anywhere
from action_node.node import ActionNode
from lucca_ros.lifecycle import run_node


class BreakingPlanner:
    """Plans nothing."""

    def plan(self, *_: Any) -> Any:
        raise RuntimeError('no joints')

    plan_clear = plan


def make_node() -> ActionNode:
    return ActionNode(
        lambda config: FakeBody(),
        lambda config, motion_config: BreakingPlanner(),
        lambda config, motion_config: Anywhere(),
        parameter_overrides=[Parameter(name, value=value) for name, value in QUICK.items()],
    )


if __name__ == '__main__':
    sys.exit(run_node(make_node))
