"""Attack on the action gate: an independent rule table must agree with it on random situations."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from action_node.gate.gate import Gate, Situation
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError, RefusalError
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import HAND, TABLE, Container, Snapshot, TableObject
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_memory.procedural import ActionSpec, Confirm, Motion, Precondition, load_actions

_WORDS = ('pear', 'pear 2', 'Pear', 'pear ', 'plum', 'red cube', 'box 1', '')
_PLACES = (TABLE, TABLE, TABLE, HAND, 'box 1', 'bowl', 'tower', 'Table', '')
_PEOPLE = ('', ' ', 'Ada', '\t')


class _GateArms:
    """Arms that reach only the objects with the given names."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def out_of_reach(self, spec: ActionSpec, target: TableObject, snapshot: Snapshot) -> str:
        return '' if target.name in self._names else f'{target.name} is too far away'


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    known = dict(load_actions())

    def trial(chance: random.Random) -> Counts:
        actions = _actions(known, chance)
        reached = _some(_WORDS, chance, 0.8)
        call = ActionCall(chance.choice((*known, 'fly_to', '')), chance.choice(_WORDS))
        situation = _situation(tuple(known), chance)
        try:
            permit = Gate(actions, _GateArms(reached)).check(call, situation)
        except (RefusalError, MotionError) as refusal:
            found: str = refusal.code
        else:
            found = 'passes'
            if (
                permit.target not in situation.snapshot.objects
                or permit.call != call
                or permit.spec != actions[call.name]
            ):
                raise Broken(f'{call} passes as another call: {permit}')
        expected = reference(actions, call, situation, reached)
        if found != expected:
            raise Broken(f'{call} {found}, should be {expected}: {situation}')
        return {found: 1}

    yield trial


def reference(
    actions: Mapping[str, ActionSpec], call: ActionCall, situation: Situation, reached: frozenset[str]
) -> str:
    """The expected result for a call: the code of the first condition that does not hold, or `passes`."""
    objects = {item.name: item for item in situation.snapshot.objects}
    spec, target = actions.get(call.name), objects.get(call.argument)
    needs = tuple(map(str, spec.preconditions)) if spec else ()
    clear = situation.arms_clear
    held = any(item.container == HAND for item in objects.values())
    places = {TABLE} if clear else {TABLE, HAND}
    there = {item.name for item in situation.snapshot.containers}
    holds = {
        Precondition.ON_TABLE: target is not None and target.container in places,
        Precondition.HAND_FREE: not clear or not held,
        Precondition.CONTAINER_PRESENT: spec is not None and spec.effect.container in there,
        Precondition.REACHABLE: call.argument in reached,
    }
    # A bowl on the table is an object and a container. It cannot be moved while it holds things, or put into itself.
    carries = (
        spec is not None
        and spec.motion is not Motion.POINT
        and target is not None
        and target.container == TABLE
        and target.name in there
        and (spec.effect.container == target.name or any(item.container == target.name for item in objects.values()))
    )
    table = [
        (not situation.stopped, ReasonCode.STOPPED),
        (spec is not None, ReasonCode.UNKNOWN_ACTION),
        (call.name in situation.allowed_actions, ReasonCode.NOT_ALLOWED_FOR_TASK),
        (target is not None, ReasonCode.UNKNOWN_OBJECT),
        (target is not None and (target.visible or not clear), ReasonCode.NOT_VISIBLE),
        (not carries, ReasonCode.PRECONDITION),
        *((holds[Precondition(need)], _CODE_OF.get(Precondition(need), ReasonCode.PRECONDITION)) for need in needs),
        (
            spec is not None and (spec.confirm is Confirm.NEVER or situation.confirmed_by.strip() != ''),
            ReasonCode.NOT_CONFIRMED,
        ),
        (not situation.busy, ReasonCode.BUSY),
    ]
    return next((str(code) for held_good, code in table if not held_good), 'passes')


_CODE_OF = {Precondition.REACHABLE: ReasonCode.UNREACHABLE}


def _actions(known: Mapping[str, ActionSpec], chance: random.Random) -> dict[str, ActionSpec]:
    """Most of the robot's actions, with random preconditions in random order."""
    every = list(Precondition)
    return {
        name: replace(
            spec,
            preconditions=tuple(chance.sample(every, chance.randint(0, len(every)))),
            confirm=chance.choice((Confirm.NEVER, Confirm.NEVER, Confirm.ALWAYS)),
        )
        for name, spec in known.items()
        if chance.random() < 0.9
    }


def _situation(names: tuple[str, ...], chance: random.Random) -> Situation:
    objects = tuple(
        TableObject(
            object_id=f'id {name}',
            name=name,
            label=name,
            container=chance.choice(_PLACES),
            visible=chance.random() < 0.85,
        )
        for name in _some(tuple(word for word in _WORDS if word), chance, 0.7)
    )
    containers = tuple(
        Container(name=name, contents=tuple(item.name for item in objects if item.container == name))
        for name in sorted(_some(('box 1', 'box 2', 'bowl', 'tower'), chance, 0.7))
    )
    return Situation(
        snapshot=Snapshot(objects=objects, containers=containers),
        allowed_actions=_some((*names, 'fly_to', ''), chance, 0.8),
        confirmed_by=chance.choice(_PEOPLE),
        stopped=chance.random() < 0.1,
        busy=chance.random() < 0.2,
        arms_clear=chance.random() < 0.7,
    )


def _some(names: tuple[str, ...], chance: random.Random, share: float) -> frozenset[str]:
    return frozenset(name for name in names if chance.random() < share)


PART = Attack(
    name='gate',
    promise='The gate lets pass what a second judge lets pass, and refuses the rest with the reason that it gives.',
    open=_open,
    sample=2000,
    count=100_000,
)
