"""Whether an action's effect has come about, from what is perceived after the motion; the planner has no say in it.

Lasting effects are judged from snapshots. Pointing leaves nothing behind: it is witnessed from the measured joints while
the arm moves, by where the ray of the index finger passes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from action_node.config import ActionConfig
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE, Snapshot, TableObject
from lucca_memory.procedural import Effect, EffectKind

Joints = Mapping[str, float]
"""Joint positions by joint name, in rad."""


class Pointing(Protocol):
    """Where an index finger points."""

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms that can point."""
        ...

    def pointing_ray(self, arm: str, joints: Joints) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Tip of the finger and unit direction, in the world frame, shapes (3,)."""
        ...


class Sight(StrEnum):
    """What a snapshot says about an effect."""

    SEEN = 'seen'
    NOT_SEEN = 'not_seen'
    UNDECIDED = 'undecided'


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was concluded about an effect, and how to say it. `code` is done, effect_not_seen or grasp_failed."""

    sight: Sight
    code: ReasonCode
    message: str


def judge_lasting(effect: Effect, target: TableObject, before: Snapshot, after: Snapshot, moved_m: float) -> Judgement:
    """Judges `contained` and `given` by the snapshots before and after the motion.

    Args:
        effect: what was to come about.
        target: the object as it was in `before`.
        before: what the motion was planned on.
        after: a frame taken after the motion.
        moved_m: an object displaced by less than this never left its place.
    """
    found = after.object_with_id(target.object_id) or _under_new_id(target, before, after)
    if effect.kind is EffectKind.GIVEN:
        return _judge_given(target, found)
    if effect.kind is not EffectKind.CONTAINED:
        raise ValueError(f'{effect.kind!r} leaves nothing on the table to judge')
    if found is None:
        return _undecided(f'{target.name} is not seen any more')
    if found.container == effect.container:
        return _seen(f'{target.name} is in {effect.container}')
    if found.container == TABLE and not found.visible:
        return _undecided(f'{target.name} is hidden')
    if found.container == TABLE and _distance(found, target) < moved_m:
        return Judgement(Sight.NOT_SEEN, ReasonCode.GRASP_FAILED, f'{target.name} never left its place')
    return _not_seen(f'{target.name} is in {found.container}, not in {effect.container}')


def judge_settled(effect: Effect, name: str, now: Snapshot, *, arms_clear: bool) -> Judgement:
    """Judges an open intent from one snapshot, with nothing known about the motion.

    Args:
        effect: what was to come about.
        name: the object's.
        now: the snapshot.
        arms_clear: both arms rest at home with nothing in a hand; else what is not seen may be held, or behind an arm.
    """
    found = now.object_named(name)
    if effect.kind is EffectKind.GIVEN:
        if found is None and not arms_clear:
            return _undecided(f'{name} is not seen, and the arms are not clear')
        if found is None and not _shows_something(now):
            return _undecided(f'nothing at all is seen, {name} neither')
        if found is None:
            return _seen(f'{name} is not on the table any more')
        return _judge_given(found, found)
    if found is None:
        return _undecided(f'{name} is not seen')
    if found.container == effect.container:
        return _seen(f'{name} is in {effect.container}')
    if found.container == TABLE and not found.visible:
        return _undecided(f'{name} is hidden')
    return _not_seen(f'{name} is in {found.container}, not in {effect.container}')


class PointingWitness:
    """Watches the measured joints for an index finger that stays on an object.

    Args:
        pointing: where the fingers point.
        arms: the arms to watch.
        target_m: centre of the object, world frame.
        radius_m: the ray has to pass within this of the centre.
        dwell_s: for so long without a break.
    """

    def __init__(
        self,
        pointing: Pointing,
        arms: tuple[str, ...],
        target_m: tuple[float, float, float],
        radius_m: float,
        dwell_s: float,
    ) -> None:
        self._pointing = pointing
        self._arms = arms
        self._target = np.asarray(target_m)
        self._radius_m = radius_m
        self._dwell_s = dwell_s
        self._since_s: dict[str, float] = {}
        self.seen = False
        self.nearest_m = math.inf

    def watch(self, now_s: float, joints: Joints) -> None:
        """Takes one sample of the measured joints at ROS time `now_s`."""
        for arm in self._arms:
            origin, direction = self._pointing.pointing_ray(arm, joints)
            miss_m = ray_distance(origin, direction, self._target)
            self.nearest_m = min(self.nearest_m, miss_m)
            if miss_m > self._radius_m:
                self._since_s.pop(arm, None)
            elif now_s - self._since_s.setdefault(arm, now_s) >= self._dwell_s:
                self.seen = True

    def judgement(self, name: str) -> Judgement:
        """What was seen up to now."""
        if self.seen:
            return _seen(f'the finger pointed at {name}')
        return _not_seen(f'no finger stayed on {name}; the nearest passed {self.nearest_m:.3f} m beside it')


def ray_distance(origin: NDArray[np.float64], direction: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    """Distance in m between a point and a ray that begins at `origin`; behind the origin it is that to the origin."""
    offset = point - origin
    along = max(0.0, float(offset @ direction))
    return float(np.linalg.norm(offset - along * direction))


def pointing_radius_m(target: TableObject, config: ActionConfig) -> float:
    """How far beside its centre a finger may point and still mean the object."""
    return max(config.pointing_tolerance_m, 0.5 * max(target.size_m))


def _judge_given(target: TableObject, found: TableObject | None) -> Judgement:
    if found is None:
        return _seen(f'{target.name} is not on the table any more')
    if found.container == USERS_SIDE:
        return _seen(f"{target.name} is at the user's side")
    if found.container == TABLE and not found.visible:
        return _undecided(f'{target.name} is hidden')
    return _not_seen(f"{target.name} is still in {found.container}, not at the user's side")


def _shows_something(now: Snapshot) -> bool:
    """False for the frame of a camera that is covered, or has just begun."""
    return any(item.visible for item in now) or any(
        item.visible and item.name not in (HAND, USERS_SIDE) for item in now.containers
    )


def _under_new_id(target: TableObject, before: Snapshot, after: Snapshot) -> TableObject | None:
    """An object of the same label and attributes that came up when the target's id vanished."""
    known = {item.object_id for item in before}
    likely = [item for item in after if item.label == target.label and item.object_id not in known]
    alike = [item for item in likely if item.attributes == target.attributes]
    return next(iter(alike or likely), None)


def _distance(one: TableObject, other: TableObject) -> float:
    return math.dist(one.pose_world.position_m, other.pose_world.position_m)


def _seen(message: str) -> Judgement:
    return Judgement(Sight.SEEN, ReasonCode.DONE, message)


def _not_seen(message: str) -> Judgement:
    return Judgement(Sight.NOT_SEEN, ReasonCode.EFFECT_NOT_SEEN, message)


def _undecided(message: str) -> Judgement:
    return Judgement(Sight.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN, message)
