"""A robot with a fake table, planner and memory behind the real executor."""

from collections.abc import Callable
from dataclasses import dataclass

from fakes import ARM_JOINT, HAND_JOINT, HOME, FakeBody, FakePlanner, FakeReach, FakeRecorder, FakeTable

from action_node.body import Body
from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from action_node.executor import ActionExecutor
from action_node.gate.gate import Gate
from action_node.interfaces import ActionComponents
from action_node.shown_grasp import ShowGrasp, shown_nowhere
from action_node.stop.stop_marker import StopMarker
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.prohibitions import NOTHING_PROHIBITED, KeptProhibitions
from lucca_memory.procedural import load_actions

PEAR = 'id pear'


@dataclass
class Robot:
    table: FakeTable
    planner: FakePlanner
    recorder: FakeRecorder
    executor: ActionExecutor
    actions: tuple[str, ...]
    reach: FakeReach
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

    def place(self, object_id: str = PEAR) -> str:
        """Where an object is, as the table knows, whatever is seen."""
        return self.table.objects[object_id].container

    @property
    def at_home(self) -> bool:
        positions = self.table.positions
        return abs(positions[ARM_JOINT] - HOME) < 0.15 and positions[HAND_JOINT] < 0.5

    def freeze(self) -> None:
        """From now on the last frame is the newest."""
        last = self.table.snapshot()
        self.table.latest = lambda: last

    def restarted(self) -> 'Robot':
        """The same table and memory, with a new executor that knows nothing."""
        return make_robot(self.table, self.recorder, marker=self.marker)


def make_robot(
    table: FakeTable | None = None,
    recorder: FakeRecorder | None = None,
    config: ActionConfig | None = None,
    marker: StopMarker | None = None,
    *,
    body: Body | None = None,
    planner: FakePlanner | None = None,
    show_grasp: ShowGrasp = shown_nowhere,
    prohibitions: Callable[[], KeptProhibitions] = lambda: NOTHING_PROHIBITED,
) -> Robot:
    actions = load_actions()
    table = table or FakeTable()
    if not table.objects:
        table.put('pear', 0.0)
        table.put('apple', 1.0)
    recorder, planner, reach = recorder or FakeRecorder(), planner or FakePlanner(), FakeReach()
    parts = ActionComponents(
        gate=Gate(actions, reach),
        body=body or FakeBody(),
        arms=table,
        planner=lambda: planner,
        perception=table,
        recorder=recorder,
        config=config or ActionConfig(outcome_timeout_s=0.4),
        marker=marker,
        show_grasp=show_grasp,
        prohibitions=prohibitions,
        known_prohibitions=prohibitions,
    )
    executor = ActionExecutor(parts, stopped=marker is not None and marker.is_set())
    return Robot(table, planner, recorder, executor, tuple(actions), reach, marker)
