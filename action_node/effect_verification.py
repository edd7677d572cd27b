"""Judges an action's effect independently of the planner: by snapshots, or by the joints for pointing.

Lasting effects are judged from snapshots. Pointing leaves no trace, so it is judged from the measured joints during the
motion, by where the ray of the index finger passes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from action_node.body import Body
from action_node.config import ActionConfig
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE, Snapshot, TableObject
from lucca_memory.procedural import Effect, EffectKind

Joints = Mapping[str, float]
"""Joint positions by joint name, in rad."""


class EffectStatus(StrEnum):
    """Whether an effect was seen."""

    SEEN = 'seen'
    NOT_SEEN = 'not_seen'
    UNDECIDED = 'undecided'


@dataclass(frozen=True, slots=True)
class EffectJudgement:
    """The conclusion about an effect, with a message. `code` is done, effect_not_seen or grasp_failed."""

    sight: EffectStatus
    code: ReasonCode
    message: str


def judge_lasting(
    effect: Effect, target: TableObject, before: Snapshot, after: Snapshot, moved_m: float
) -> EffectJudgement:
    """Judges the effects `contained` and `given` by the snapshots before and after the motion.

    Args:
        effect: the intended effect.
        target: the object as it was in `before`.
        before: the snapshot that the motion was planned on.
        after: a snapshot taken after the motion.
        moved_m: an object displaced by less than this counts as not moved.
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
        return EffectJudgement(EffectStatus.NOT_SEEN, ReasonCode.GRASP_FAILED, f'{target.name} never left its place')
    return _not_seen(f'{target.name} is in {found.container}, not in {effect.container}')


def judge_settled(effect: Effect, name: str, now: Snapshot, *, arms_clear: bool) -> EffectJudgement:
    """Judges an open intent from one snapshot, without knowledge of the motion.

    Args:
        effect: the intended effect.
        name: the object's name.
        now: the present snapshot.
        arms_clear: whether both arms are at home with empty hands; if not, they may hold or hide the object.
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
    """Watches the measured joints for an index finger that points at an object for some time.

    Args:
        body: gives the pointing rays.
        arms: the arms to watch.
        target_m: centre of the object in the world frame.
        radius_m: largest distance of the ray from the centre.
        dwell_s: least time without a break.
    """

    def __init__(
        self,
        body: Body,
        arms: tuple[str, ...],
        target_m: tuple[float, float, float],
        radius_m: float,
        dwell_s: float,
    ) -> None:
        self._body = body
        self._arms = arms
        self._target = np.asarray(target_m)
        self._radius_m = radius_m
        self._dwell_s = dwell_s
        self._since_s: dict[str, float] = {}
        self.seen = False
        self.nearest_m = math.inf

    def watch(self, now_s: float, joints: Joints) -> None:
        """Adds a sample of the measured joints at ROS time `now_s`."""
        for arm in self._arms:
            origin, direction = self._body.pointing_ray(arm, joints)
            miss_m = ray_distance(origin, direction, self._target)
            self.nearest_m = min(self.nearest_m, miss_m)
            if miss_m > self._radius_m:
                self._since_s.pop(arm, None)
            elif now_s - self._since_s.setdefault(arm, now_s) >= self._dwell_s:
                self.seen = True

    def judgement(self, name: str) -> EffectJudgement:
        """The judgement on what was seen so far."""
        if self.seen:
            return _seen(f'the finger pointed at {name}')
        return _not_seen(f'no finger stayed on {name}; the nearest passed {self.nearest_m:.3f} m beside it')


def ray_distance(origin: NDArray[np.float64], direction: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    """Distance in m of a point from a ray; for a point behind the ray's origin, the distance from the origin."""
    offset = point - origin
    along = max(0.0, float(offset @ direction))
    return float(np.linalg.norm(offset - along * direction))


def pointing_radius_m(target: TableObject, config: ActionConfig) -> float:
    """Largest distance from an object's centre at which a finger still points at the object."""
    return max(config.pointing_tolerance_m, 0.5 * max(target.size_m))


def _judge_given(target: TableObject, found: TableObject | None) -> EffectJudgement:
    if found is None:
        return _seen(f'{target.name} is not on the table any more')
    if found.container == USERS_SIDE:
        return _seen(f"{target.name} is at the user's side")
    if found.container == TABLE and not found.visible:
        return _undecided(f'{target.name} is hidden')
    return _not_seen(f"{target.name} is still in {found.container}, not at the user's side")


def _shows_something(now: Snapshot) -> bool:
    """False for a snapshot from a camera that is covered or has just started."""
    return any(item.visible for item in now) or any(
        item.visible and item.name not in (HAND, USERS_SIDE) for item in now.containers
    )


def _under_new_id(target: TableObject, before: Snapshot, after: Snapshot) -> TableObject | None:
    """An object of the same label, and preferably attributes, that appeared when the target's id vanished."""
    known = {item.object_id for item in before}
    likely = [item for item in after if item.label == target.label and item.object_id not in known]
    alike = [item for item in likely if item.attributes == target.attributes]
    return next(iter(alike or likely), None)


def _distance(one: TableObject, other: TableObject) -> float:
    return math.dist(one.pose_world.position_m, other.pose_world.position_m)


def _seen(message: str) -> EffectJudgement:
    return EffectJudgement(EffectStatus.SEEN, ReasonCode.DONE, message)


def _not_seen(message: str) -> EffectJudgement:
    return EffectJudgement(EffectStatus.NOT_SEEN, ReasonCode.EFFECT_NOT_SEEN, message)


def _undecided(message: str) -> EffectJudgement:
    return EffectJudgement(EffectStatus.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN, message)
