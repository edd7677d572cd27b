"""Laws that the log of a task must satisfy, whatever the goals and the model's outputs were."""

from collections.abc import Iterator, Mapping, Sequence

from action_node.gate.call_parser import parse_action
from action_node.gate.gate import Anywhere, Gate, Situation
from lucca_core.errors import MotionError, RefusalError
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.snapshots import TABLE, Container, Pose, Snapshot, TableObject
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.replay import LogReplay
from lucca_memory.procedural import ActionSpec, TaskSpec


def log_faults(entries: Sequence[Entry], task: TaskSpec, actions: Mapping[str, ActionSpec]) -> list[str]:
    """All faults of a log at rest: every motion must be allowed, on a seen object, closed, and done only once."""
    return [
        *_not_allowed(entries, task, Gate(actions, Anywhere())),
        *_not_closed(entries),
        *_repeated(entries, task, actions),
    ]


def _not_allowed(entries: Sequence[Entry], task: TaskSpec, gate: Gate) -> Iterator[str]:
    """Intents of other tasks, about objects that are not on the table, or refused by the gate on the same snapshot."""
    allowed = frozenset(task.actions)
    for entry in entries:
        if entry.kind is not EntryKind.INTENT:
            continue
        # These checks do not rely on the gate alone, which may have the very fault that is looked for.
        there = [item for item in entry.seen if item.object_id == entry.object_id and item.name == entry.object_name]
        if entry.action.partition('(')[0].lstrip('<') not in allowed:
            yield f'intent {entry.entry_id} {entry.action} is not allowed for {task.name}'
        if [item.container for item in there] != [TABLE]:
            yield f'intent {entry.entry_id} {entry.action} is about nothing that is seen on the table'
        try:
            name = parse_action(entry.action).name
            permit = gate.check(
                ActionCall(name, entry.object_name), Situation(snapshot=_seen(entry), allowed_actions=allowed)
            )
        except (RefusalError, MotionError) as error:
            yield f'intent {entry.entry_id} {entry.action} of {task.name} passes no gate: {error.code} {error}'
        else:
            if permit.target.object_id != entry.object_id:
                yield f'intent {entry.entry_id} {entry.action} is about {entry.object_id}, seen as {permit.target}'


def _not_closed(entries: Sequence[Entry]) -> Iterator[str]:
    """Intents without exactly one outcome, and intents that were open at the same time."""
    open_id = 0
    for entry in entries:
        if entry.kind is EntryKind.INTENT:
            if open_id:
                yield f'intent {entry.entry_id} {entry.action} came while {open_id} was open'
            open_id = entry.entry_id
        elif entry.kind is EntryKind.OUTCOME and entry.intent_id:
            if entry.intent_id != open_id:
                yield f'outcome {entry.entry_id} is of intent {entry.intent_id}; open was {open_id or "none"}'
            open_id = 0
    if open_id:
        yield f'intent {open_id} has no outcome'


def _repeated(entries: Sequence[Entry], task: TaskSpec, actions: Mapping[str, ActionSpec]) -> Iterator[str]:
    """Effects that were produced again while they still held.

    Pointing leaves nothing to see. If a task also has other actions, only the model can know that pointing was done.
    """
    passing_only = all(not actions[name].effect.lasts for name in task.actions if name in actions)
    log = LogReplay()
    for entry in entries:
        before = log.state.repeated
        log.add(entry)
        if log.state.repeated > before and (passing_only or actions[parse_action(entry.action).name].effect.lasts):
            yield f'{entry.action} was done again, says entry {entry.entry_id}'


def _seen(entry: Entry) -> Snapshot:
    return Snapshot(
        objects=tuple(
            TableObject(
                object_id=item.object_id,
                name=item.name,
                label=item.label,
                container=item.container,
                pose_world=Pose(item.position_m),
            )
            for item in entry.seen
        ),
        containers=tuple(Container(name=name, contents=held) for name, held in entry.contents),
    )
