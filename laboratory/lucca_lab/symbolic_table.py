"""A table without geometry: objects, containers and arms as data behind the coordinator's interfaces.

Actions take time only on the table's own clock. Their effects are those declared in the action specifications. Parser,
gate and log are the real ones, so what fails here fails on the robot too. Failures can be injected into any action.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from action_node.gate.call_parser import parse_action
from action_node.gate.gate import Anywhere, Gate, Permit, Situation
from coordinator_node.interfaces import Flag
from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault, MotionError, RefusalError, StackError
from lucca_core.protocol.actions import ActionCall, ActionRequest, ActionResult
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.retrieved import OpenIntent
from lucca_core.protocol.snapshots import TABLE, USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_memory.procedural import ActionSpec, EffectKind

_FRAME_S = 0.1
_ACTION_S = 5.0


class EntrySink(Protocol):
    """The receiver of intents and outcomes: the worker."""

    def record(self, request: EntryRequest) -> int:
        """Records an entry and returns its number once it is stored.

        Raises:
            MemoryFault: nothing was recorded.
        """
        ...


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of one action. If `code` is None, the action node dies; `effect` tells whether its effect occurs."""

    code: ReasonCode | None
    effect: bool = False


def sample_objects(descriptions: Iterable[str]) -> tuple[TableObject, ...]:
    """Objects on the table from texts such as `apple (red)`. The second `pear` is named `pear 2`."""
    counts: Counter[str] = Counter()
    objects = []
    for number, description in enumerate(descriptions):
        label, _, rest = description.partition(' (')
        counts[label] += 1
        attributes = tuple(item.strip() for item in rest.rstrip(')').split(',') if item.strip())
        objects.append(
            TableObject(
                object_id=f'object-{number}',
                name=label if counts[label] == 1 else f'{label} {counts[label]}',
                label=label,
                attributes=attributes,
                pose_world=Pose((0.25 + 0.12 * (number % 4), -0.5 + 0.12 * (number // 4), 0.83)),
            )
        )
    return tuple(objects)


def sample_places(names: Iterable[str]) -> tuple[Container, ...]:
    """Places in a row behind the sample objects, and the user's side."""
    places = (
        Container(name=name, position_world_m=(0.7, -0.4 + 0.25 * number, 0.8)) for number, name in enumerate(names)
    )
    return (*places, Container(name=USERS_SIDE, position_world_m=(0.95, 0.0, 0.8), size_m=(0.3, 2.0, 0.0)))


class SymbolicTable:
    """The table, its eyes and its arms: an ActionInterface and PerceptionInterface. Not for several threads at once."""

    def __init__(
        self,
        objects: Sequence[TableObject],
        containers: Sequence[str],
        actions: Mapping[str, ActionSpec],
        sink: EntrySink,
        *,
        inject: Callable[[int, ActionCall], Failure | None] = lambda number, call: None,
        witness: Callable[[ActionRequest, ActionCall, Snapshot], None] = lambda request, call, table: None,
        gate: Gate | None = None,
        geometry: Sequence[Container] = (),
    ) -> None:
        """
        Args:
            objects: the objects, with ids, unique names and attributes.
            containers: names of places that can hold objects.
            geometry: where some of these places are, and how large.
            actions: what the arms can do.
            sink: keeps intents and outcomes.
            inject: called before each action that passed the gate, with its number from 0; may return a failure.
            witness: called with each action that moves something: the request, the call, and the table before.
            gate: judges the actions; by default, a new one.
        """
        self._objects = {item.object_id: item for item in objects}
        self._containers: dict[str, list[str]] = {name: [] for name in containers}
        self._geometry = {place.name: place for place in geometry}
        self._actions = actions
        self._gate = gate or Gate(actions, Anywhere())
        self._sink = sink
        self._inject = inject
        self._witness = witness
        self._now_s = 1.0
        self._count = 0
        self.performed: list[str] = []
        """Calls of actions that had their effect, in order."""

    def now_s(self) -> float:
        """The time on the table's clock (s)."""
        return self._now_s

    def fresh(self, newer_than_s: float, timeout_s: float, *, cancelled: Flag) -> Snapshot:
        """The current table, one frame later."""
        self._now_s = max(self._now_s, newer_than_s) + _FRAME_S
        return self.snapshot()

    def snapshot(self) -> Snapshot:
        """The current table."""
        names = {item.object_id: item.name for item in self._objects.values()}
        containers = tuple(
            replace(self._geometry.get(name, Container(name=name)), contents=tuple(names[item] for item in held))
            for name, held in self._containers.items()
        )
        objects = tuple(replace(item, last_seen_s=self._now_s) for item in self._objects.values())
        return Snapshot(stamp_s=self._now_s, objects=objects, containers=containers)

    def contents(self) -> dict[str, tuple[str, ...]]:
        """Names of the objects in each container, in the order in which they were put there."""
        return {item.name: item.contents for item in self.snapshot().containers}

    def put(self, name: str, container: str = TABLE) -> None:
        """Moves an object as somebody else would: into a container, or back onto the table."""
        self._place(self._named(name), container)

    def execute(self, request: ActionRequest, *, cancelled: Flag) -> ActionResult:
        """Executes one action at once; see `ActionInterface`."""
        try:
            permit = self._gate.check(
                parse_action(request.text),
                Situation(snapshot=request.snapshot, allowed_actions=frozenset(request.allowed_actions)),
            )
        except (RefusalError, MotionError) as error:
            return ActionResult(code=error.code, message=str(error))
        intent_id = outcome_id = attempts = 0
        try:
            intent_id = self._record(request, permit, EntryKind.INTENT)
            attempts = 1
            code = ReasonCode.CANCELLED if cancelled() else self._move(request, permit)
            message = '' if code is ReasonCode.DONE else f'{permit.call} was made to fail'
            outcome_id = self._record(request, permit, EntryKind.OUTCOME, intent_id=intent_id, code=code)
        except MemoryFault as error:
            code, message = ReasonCode.HARDWARE_FAULT, str(error)
        return ActionResult(
            code=code,
            message=message,
            action=str(permit.call),
            object_id=permit.target.object_id,
            intent_id=intent_id,
            outcome_id=outcome_id,
            attempts=attempts,
            duration_s=_ACTION_S,
        )

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot, *, cancelled: Flag) -> ActionResult:
        """Judges an open intent by the place of its object; see `ActionInterface`."""
        call = parse_action(intent.action)
        effect = self._actions[call.name].effect
        item = self._objects.get(intent.object_id)
        there = effect.kind is EffectKind.GIVEN if item is None else item.container != TABLE
        code = ReasonCode.DONE if there and effect.lasts else ReasonCode.EFFECT_NOT_SEEN
        outcome = EntryRequest(
            task=task,
            kind=EntryKind.OUTCOME,
            snapshot=self.snapshot(),
            action=intent.action,
            object_id=intent.object_id,
            object_name=intent.object_name,
            intent_id=intent.intent_id,
            code=str(code),
            uncertain=not effect.lasts,
        )
        try:
            outcome_id = self._sink.record(outcome)
        except MemoryFault as error:
            return ActionResult(code=ReasonCode.HARDWARE_FAULT, message=str(error), action=intent.action)
        return ActionResult(code=code, action=intent.action, intent_id=intent.intent_id, outcome_id=outcome_id)

    def _move(self, request: ActionRequest, permit: Permit) -> ReasonCode:
        self._witness(request, permit.call, self.snapshot())
        failure = self._inject(self._count, permit.call)
        self._count += 1
        self._now_s += _ACTION_S
        if failure is None or failure.effect:
            self._bring_about(permit)
        if failure is None:
            return ReasonCode.DONE
        if failure.code is None:
            raise StackError('the action node went away')
        return failure.code

    def _bring_about(self, permit: Permit) -> None:
        effect = permit.spec.effect
        self.performed.append(str(permit.call))
        if effect.kind is EffectKind.GIVEN and effect.container not in self._containers:
            self._place(permit.target, TABLE)
            del self._objects[permit.target.object_id]
        elif effect.kind is EffectKind.GIVEN or effect.kind is EffectKind.CONTAINED:
            self._place(permit.target, effect.container)

    def _place(self, item: TableObject, container: str) -> None:
        for held in self._containers.values():
            if item.object_id in held:
                held.remove(item.object_id)
        if container != TABLE:
            self._containers[container].append(item.object_id)
        self._objects[item.object_id] = replace(item, container=container)

    def _named(self, name: str) -> TableObject:
        found = next((item for item in self._objects.values() if item.name == name), None)
        if found is None:
            raise ValueError(f'no object is named {name!r}; there are {[item.name for item in self._objects.values()]}')
        return found

    def _record(
        self, request: ActionRequest, permit: Permit, kind: EntryKind, *, intent_id: int = 0, code: str = ''
    ) -> int:
        return self._sink.record(
            EntryRequest(
                task=request.task,
                kind=kind,
                snapshot=request.snapshot if kind is EntryKind.INTENT else self.snapshot(),
                action=str(permit.call),
                object_id=permit.target.object_id,
                object_name=permit.target.name,
                intent_id=intent_id,
                code=str(code),
                attempts=0 if kind is EntryKind.INTENT else 1,
                duration_s=0.0 if kind is EntryKind.INTENT else _ACTION_S,
            )
        )
