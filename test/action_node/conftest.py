"""A robot with a fake table, planner and memory behind the real executor."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from action_node.config import ActionConfig
from action_node.executor import ActionExecutor
from action_node.gate import Gate
from action_node.seams import Parts
from action_node.stop_marker import StopMarker
from action_node.values import ActionRequest, ActionResult, CancelLatch
from lucca_memory.procedural import ActionSpec, load_actions

sys.path.insert(0, str(Path(__file__).parent))
from fakes import FakeBody, FakePlanner, FakeRecorder, FakeTable


@dataclass
class Robot:
    table: FakeTable
    planner: FakePlanner
    recorder: FakeRecorder
    executor: ActionExecutor
    actions: tuple[str, ...]
    marker: StopMarker | None = None

    def request(self, text: str, **changes: object) -> ActionRequest:
        values: dict[str, object] = {
            'text': text,
            'task': 'sorting',
            'allowed_actions': self.actions,
            'snapshot': self.table.snapshot(),
            **changes,
        }
        return ActionRequest(**values)  # type: ignore[arg-type]

    def do(self, text: str, cancelled: CancelLatch | None = None, **changes: object) -> ActionResult:
        return self.executor.execute(self.request(text, **changes), cancelled or CancelLatch(), lambda *_: None)

    @property
    def log(self) -> list[tuple[str, str, int]]:
        return [(item.kind, item.code, item.intent_id) for item in self.recorder.entries]

    def restarted(self) -> 'Robot':
        """The same table and memory, with a new executor that knows nothing."""
        return make_robot(self.table, self.recorder, marker=self.marker)


def make_robot(
    table: FakeTable | None = None,
    recorder: FakeRecorder | None = None,
    config: ActionConfig | None = None,
    marker: StopMarker | None = None,
) -> Robot:
    actions = load_actions()
    table = table or FakeTable()
    if not table.objects:
        table.put('pear', 0.0)
        table.put('apple', 1.0)
    recorder, planner = recorder or FakeRecorder(), FakePlanner()
    parts = Parts(
        gate=Gate(actions),
        body=FakeBody(),
        arms=table,
        planner=planner,
        perception=table,
        recorder=recorder,
        config=config or ActionConfig(outcome_timeout_s=0.4),
        marker=marker,
    )
    executor = ActionExecutor(parts, stopped=marker is not None and marker.is_set())
    return Robot(table, planner, recorder, executor, tuple(actions), marker)


@pytest.fixture
def robot() -> Robot:
    return make_robot()


@pytest.fixture
def new_robot() -> Callable[..., Robot]:
    return make_robot


@pytest.fixture
def actions() -> dict[str, ActionSpec]:
    return dict(load_actions())
