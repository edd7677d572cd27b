"""The gate between text and motion: permits an action call only if every rule is known to hold (fails closed).

It judges data only: the call, the action's declared preconditions, the actions allowed for the task, the snapshot, and
the prohibitions that hold. It never reads a task's prose, so no text, seen or heard, can widen what is allowed. The
words of a prohibition can only narrow it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from lucca_core.codes import ReasonCode
from lucca_core.errors import ConfigError, MotionError, RefusalError
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.prohibitions import NOTHING_PROHIBITED, KeptProhibitions
from lucca_core.protocol.snapshots import HAND, TABLE, Snapshot, TableObject
from lucca_language.prohibitions import is_prohibited, why_prohibited
from lucca_memory.procedural import ActionSpec, Confirm, Motion, Precondition


class Reach(Protocol):
    """A quick check whether any arm can reach what an action needs. If unsure, it agrees, and planning decides."""

    def out_of_reach(self, spec: ActionSpec, target: TableObject, snapshot: Snapshot) -> str:
        """Why no arm can carry out `spec` on `target`, and what would be possible; empty if an arm may be able to."""
        ...


class Anywhere:
    """A `Reach` that finds nothing out of reach, for tables without geometry."""

    def out_of_reach(self, spec: ActionSpec, target: TableObject, snapshot: Snapshot) -> str:
        """Always ''."""
        return ''


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The data by which a call is judged.

    `arms_clear` is false while an arm is over the table or a hand holds something, for example after a crash during a
    motion. The arms are then brought home first, and the call is judged again with `arms_clear` true.
    """

    snapshot: Snapshot
    allowed_actions: frozenset[str]
    confirmed_by: str = ''
    stopped: bool = False
    busy: bool = False
    arms_clear: bool = True
    prohibitions: KeptProhibitions = NOTHING_PROHIBITED


@dataclass(frozen=True, slots=True)
class Permit:
    """A permitted call, with its action spec and its target in the snapshot by which it was judged."""

    call: ActionCall
    spec: ActionSpec
    target: TableObject


@dataclass(frozen=True, slots=True)
class _Case:
    spec: ActionSpec
    target: TableObject
    situation: Situation


class Gate:
    """Judges calls by the robot's action specs.

    Raises:
        ConfigError: an action declares a precondition that the gate cannot check.
    """

    def __init__(self, actions: Mapping[str, ActionSpec], reach: Reach) -> None:
        self._actions = MappingProxyType(dict(actions))
        self._reach = reach
        self._checks: dict[str, Callable[[_Case], None]] = {
            Precondition.ON_TABLE: _on_table,
            Precondition.HAND_FREE: _hand_free,
            Precondition.CONTAINER_PRESENT: _container_present,
            Precondition.REACHABLE: self._reachable,
        }
        for spec in self._actions.values():
            for name in spec.preconditions:
                if name not in self._checks:
                    raise ConfigError(
                        f'action {spec.name!r} has precondition {str(name)!r}, which the gate cannot check; '
                        f'it checks {", ".join(map(str, self._checks))}'
                    )
            if spec.confirm not in (Confirm.NEVER, Confirm.ALWAYS):
                raise ConfigError(f'action {spec.name!r} has confirm {spec.confirm!r}; it is never or always')

    def spec_of(self, call: ActionCall) -> ActionSpec:
        """Returns the action spec that a call names.

        Raises:
            RefusalError: `unknown_action`.
        """
        spec = self._actions.get(call.name)
        if spec is None:
            raise RefusalError(
                ReasonCode.UNKNOWN_ACTION, f'no action {call.name!r}; there are {_listed(self._actions)}'
            )
        return spec

    def check(self, call: ActionCall, situation: Situation) -> Permit:
        """Permits a call or raises.

        Raises:
            RefusalError: with the first reason found, in the order of the checks below.
            MotionError: `stopped` or `unreachable`, which count as outcomes rather than refusals.
        """
        if situation.stopped:
            raise MotionError(ReasonCode.STOPPED, 'the robot was stopped; it moves again after a reset')
        spec = self.spec_of(call)
        if call.name not in situation.allowed_actions:
            raise RefusalError(
                ReasonCode.NOT_ALLOWED_FOR_TASK,
                f'{call.name} is not allowed for this task; allowed are {_listed(situation.allowed_actions)}',
            )
        target = situation.snapshot.object_named(call.argument)
        if target is None:
            names = [item.name for item in situation.snapshot]
            raise RefusalError(
                ReasonCode.UNKNOWN_OBJECT, f'no object is named {call.argument!r}; seen are {_listed(names)}'
            )
        if situation.arms_clear and not target.visible:
            raise RefusalError(
                ReasonCode.NOT_VISIBLE, f'{target.name} is not seen now; it was last in {target.container}'
            )
        case = _Case(spec, target, situation)
        check_prohibitions(spec, target, situation.prohibitions)
        _not_a_container_in_use(case)
        for name in spec.preconditions:
            self._checks[name](case)
        if spec.confirm is not Confirm.NEVER and not situation.confirmed_by.strip():
            raise RefusalError(ReasonCode.NOT_CONFIRMED, f'{call.name} needs a person to confirm each one')
        if situation.busy:
            raise RefusalError(ReasonCode.BUSY, 'another action is being carried out')
        return Permit(call, spec, target)

    def _reachable(self, case: _Case) -> None:
        why = self._reach.out_of_reach(case.spec, case.target, case.situation.snapshot)
        if why:
            raise MotionError(ReasonCode.UNREACHABLE, f'{case.spec.name} is not possible: {why}')


def check_prohibitions(spec: ActionSpec, target: TableObject, kept: KeptProhibitions) -> None:
    """Checks that no prohibition rules out an action. Pointing moves no object, so it is never prohibited.

    Raises:
        RefusalError: `prohibited`; says which prohibition it is and how to lift it, or that prohibitions are not known.
    """
    if kept.fault:
        raise RefusalError(ReasonCode.PROHIBITED, kept.fault)
    if spec.motion is Motion.POINT:
        return
    for prohibition in kept.prohibitions:
        if meant := is_prohibited(prohibition, target, spec.effect.container):
            raise RefusalError(ReasonCode.PROHIBITED, why_prohibited(prohibition, target.name, meant))


def _on_table(case: _Case) -> None:
    place = case.target.container
    # While the arms are not clear, an object in a hand counts as on the table, because clearing puts it there.
    if place == TABLE or (place == HAND and not case.situation.arms_clear):
        return
    raise RefusalError(
        ReasonCode.PRECONDITION,
        f'{case.target.name} must lie on the table for {case.spec.name}; '
        f'it is in {place}, and nothing is taken out of it',
    )


def _not_a_container_in_use(case: _Case) -> None:
    """A bowl on the table is also an object. It must not be moved while it holds something, or put into itself."""
    target, spec = case.target, case.spec
    own = case.situation.snapshot.as_container(target)
    if own is None or spec.motion is Motion.POINT:
        return
    if spec.effect.container == target.name:
        raise RefusalError(ReasonCode.PRECONDITION, f'{target.name} cannot be put into itself')
    if own.contents:
        raise RefusalError(
            ReasonCode.PRECONDITION,
            f'{target.name} holds {_listed(list(own.contents))}; it is not moved with things in it',
        )


def _hand_free(case: _Case) -> None:
    if not case.situation.arms_clear:
        return
    held = [item.name for item in case.situation.snapshot if item.container == HAND]
    if held:
        raise RefusalError(
            ReasonCode.PRECONDITION, f'the hand must be free for {case.spec.name}; it holds {_listed(held)}'
        )


def _container_present(case: _Case) -> None:
    name = case.spec.effect.container
    if case.situation.snapshot.container_named(name) is None:
        seen = [item.name for item in case.situation.snapshot.containers]
        raise RefusalError(
            ReasonCode.PRECONDITION, f'{case.spec.name} needs {name!r}, which is not seen; seen are {_listed(seen)}'
        )


def _listed(names: 'Mapping[str, object] | frozenset[str] | list[str]') -> str:
    return ', '.join(sorted(names)) or 'none'
