"""Streaming of one motion segment in short chunks, with supervision of the joints.

Every chunk ends at rest about a second ahead, so the arms hold if the node dies. If a chunk ran out or a message was
late, the motion continues from where the arm is.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from action_node.cancel_latch import CancelSign
from action_node.config import ActionConfig
from action_node.motion.motion_plan import MotionSegment
from action_node.retreat import path_of
from action_node.stop.joint_path import Array, JointPath
from action_node.stop.joint_sample import JointSample
from action_node.stop.valve import HOLD_AGE_S, HOLD_S, NOW, Arms, Valve
from action_node.stream_end import StreamEnded
from lucca_core.codes import ReasonCode

SOFT_STOP_S = 0.3
"""Least time of a soft stop, in s."""
MOST_SLIPS, CLEARLY = 4, 0.3
STILL = 0.02
"""Largest distance that counts as standing still: in rad, or for a hand as a fraction of `JointTravel.unit`."""
THERE = 0.05
"""Largest distance from its goal, in the same unit, at which a hand that should open need not move."""
REST_S, ARM_REST_S, OWN_PACE_REST_S = 0.15, 0.3, 0.5
"""How long the joints of a hand, an arm or a hand at its own pace are seen to stay before they count as at rest. The
last may be slow, and its driver may report the end while it still moves."""
CLOCK_STEP_S = 0.1
"""A clock that goes back by more than this throws an arm back along its path, as its controller follows the clock."""
TWO_PLACES = 'joint states contradict each other, as of two publishers or a broken encoder'


class SegmentStream:
    """Streams one segment."""

    def __init__(
        self,
        arms: Arms,
        valve: Valve,
        config: ActionConfig,
        segment: MotionSegment,
        *,
        watched: Sequence[str] = (),
        cancelled: CancelSign | None,
        deadline_s: float,
        watch: Callable[[float, Mapping[str, float]], None] | None,
        progress: Callable[[float], None] | None,
        sent: Callable[[], None] | None,
    ) -> None:
        self._arms = arms
        self._valve = valve
        self._config = config
        self._name = segment.name
        self._controller = segment.controller
        self._joints = tuple(segment.joints)
        self._watched = watched
        self._path = path_of(segment)
        self._tight = valve.follows_tightly(segment.controller)
        self._own_pace = valve.moves_at_own_pace(segment.controller)
        self._opens = self._own_pace and valve.opens(self._joints, self._path)
        self._unit = valve.units(self._joints)
        # Longer than half a horizon, an arm would brake before the next chunk comes.
        self._brake_s = min(valve.brake_s(segment.controller, self._joints, self._path), config.horizon_s / 2)
        self._rest_s = OWN_PACE_REST_S if self._own_pace else ARM_REST_S if self._tight else REST_S
        self._cancelled = cancelled
        self._deadline_s = deadline_s
        self._watch = watch
        self._progress = progress
        self._on_sent = sent
        self._start_s = 0.0
        self._sent_until_s: float | None = None
        self._rests_at_s = 0.0
        self._sent_at_s = 0.0
        self._done_s = 0.0
        self._total_s = self._path.duration_s
        self._began_at = self._path.positions[0]
        self._before: list[JointSample] = []
        self._slips, self._slipped_s = 0, 0.0
        self._slipped_at: Array | None = None

    @property
    def under_way(self) -> bool:
        """Whether the arm may be moving along the segment, or has moved along it."""
        return self._sent_until_s is not None

    def run(self) -> None:
        """Streams the segment to its end.

        Raises:
            StreamEnded, MotionError: the segment was not completed.
        """
        last_s = self._arms.now_s()
        while True:
            now_s = self._arms.now_s()
            if now_s < last_s - CLOCK_STEP_S:
                raise StreamEnded(ReasonCode.HARDWARE_FAULT, f'the clock went back from {last_s:.3f} to {now_s:.3f} s')
            last_s = now_s
            sample = self._sample()
            self._end_early(now_s)
            if fault := self._arms.driver_fault():
                raise StreamEnded(ReasonCode.HARDWARE_FAULT, f'{fault}, in {self._name}')
            self._send(now_s, sample)
            if self._watch is not None:
                self._watch(sample.stamp_s, sample.positions)
            if self._arrived(now_s, sample):
                self._valve.rests(self._controller)
                return
            self._keep(sample)
            self._arms.wait_until(now_s + self._config.tick_s, lambda: self._valve.stopped)

    def _sample(self) -> JointSample:
        sample = self._arms.joints()
        if sample is None:
            raise StreamEnded(ReasonCode.HARDWARE_FAULT, 'no joint states were received')
        age_s = self._arms.silence_s(sample)
        if not age_s <= self._config.joints_silence_s:
            raise StreamEnded(ReasonCode.HARDWARE_FAULT, f'joint states have been silent for {age_s:.2f} s')
        missing = [name for name in self._joints if not np.isfinite(sample.positions.get(name, np.nan))]
        missing += [name for name in sample.broken(self._watched) if name not in missing]
        if missing:
            raise StreamEnded(
                ReasonCode.HARDWARE_FAULT,
                f'joint states lack a finite position of {", ".join(missing)}, in {self._name}',
            )
        if said := sample.contradicting({*self._joints, *self._watched}):
            raise StreamEnded(ReasonCode.HARDWARE_FAULT, f'{TWO_PLACES}: {said}, in {self._name}')
        return sample

    def _end_early(self, now_s: float) -> None:
        if self._valve.stopped:
            raise StreamEnded(ReasonCode.STOPPED, f'the robot was stopped in {self._name}')
        if now_s > self._deadline_s:
            raise StreamEnded(ReasonCode.TIMEOUT, f'the motion took too long, in {self._name}')
        if self._cancelled is not None and self._cancelled.is_set:
            self._soft_stop(now_s)
            raise StreamEnded(ReasonCode.CANCELLED, f'cancelled in {self._name}')

    def _soft_stop(self, now_s: float) -> None:
        """Brings the arm to rest a little further along its collision-free path.

        Raises:
            StreamEnded: there was a stop, or the arm did not come to rest.
        """
        if self._sent_until_s is None:
            return
        if self._own_pace:
            self._rest_where_it_is(now_s)
            return
        if self._off(self._sample()) > self._config.slip_tolerance_rad:
            self._hold_behind(now_s)
            return
        at_s = now_s - self._start_s
        end_s = min(max(at_s, 0.0) + max(SOFT_STOP_S, self._brake_s + self._config.lead_s), self._sent_until_s)
        if at_s < end_s:
            self._send_chunk(at_s, end_s)
        end, _ = self._path.at(self._path.resting_time(end_s, self._brake_s))
        until_s = now_s
        patience_s = self._start_s + end_s + self._config.arrival_timeout_s
        self._before = []
        while until_s < patience_s:
            until_s = max(until_s + self._config.tick_s, self._start_s + end_s)
            self._arms.wait_until(until_s, lambda: self._valve.stopped)
            if self._valve.stopped:
                raise StreamEnded(ReasonCode.STOPPED, f'the robot was stopped in {self._name}')
            sample = self._sample()
            # An arm that has not received the chunk yet may pass through the place, so it must also stay there.
            there = self._distance(sample, end) <= self._config.arrival_tolerance_rad
            if not self._tight or (there and self._still(sample)):
                return
            self._keep(sample)
        # The chunk may still be on its way; only a hold, which comes after it, is sure to be the last command.
        raise self._did_not_rest()

    def _rest_where_it_is(self, now_s: float) -> None:
        """Stops a hand at its own pace where it is measured. A place further along its path may be behind it."""
        here = self._measured(self._sample())
        path = JointPath(np.array([HOLD_S]), here[None, :], np.zeros((1, len(self._joints))))
        self._valve.send(self._controller, self._joints, path, NOW)
        self._await_rest(now_s, now_s + HOLD_S + self._config.arrival_timeout_s)
        self._valve.rests(self._controller)

    def _hold_behind(self, now_s: float) -> None:
        """Holds an arm that is not where it was told to be. Further along its path, it would be thrown far ahead."""
        if self._valve.hold():
            raise self._did_not_rest()
        until_s = self._valve.holds_until_s(now_s)
        self._await_rest(until_s, until_s + self._config.arrival_timeout_s)

    def _await_rest(self, until_s: float, patience_s: float) -> None:
        """Returns once the joints rest after `until_s`; raises StreamEnded on a stop, a fault or after `patience_s`."""
        self._before = []
        while until_s < patience_s:
            until_s += self._config.tick_s
            self._arms.wait_until(until_s, lambda: self._valve.stopped)
            if self._valve.stopped:
                raise StreamEnded(ReasonCode.STOPPED, f'the robot was stopped in {self._name}')
            sample = self._sample()
            if fault := self._arms.driver_fault():
                raise StreamEnded(ReasonCode.HARDWARE_FAULT, f'{fault}, in {self._name}, which was cancelled')
            if not (self._own_pace and self._arms.report_expected(self._controller)) and self._still(sample):
                return
            self._keep(sample)
        raise self._did_not_rest()

    def _did_not_rest(self) -> StreamEnded:
        return StreamEnded(
            ReasonCode.HARDWARE_FAULT,
            f'{self._controller} did not come to rest where it should in {self._name}, which was cancelled; it is held',
        )

    def _send(self, now_s: float, sample: JointSample) -> None:
        """Sends the next chunk when it is due."""
        config = self._config
        if self._sent_until_s is None:
            self._check_start(sample)
            self._began_at = self._measured(sample)
            now_s = self._arms.now_s()  # the checks took time, and no command may arrive behind its own start
            self._start_s = now_s + config.lead_s
        else:
            at_s = now_s - self._start_s
            ran_out = at_s > self._sent_until_s < self._path.duration_s
            # An arm that is braking once this arrives would have to jump to go on at full speed; it rests first.
            brakes_at_s = self._sent_until_s - self._brake_s
            goes_on = at_s + config.lead_s <= brakes_at_s and self._sent_until_s < self._path.duration_s
            due = ran_out or (goes_on and now_s - self._sent_at_s >= config.refresh_s)
            lost = at_s > self._path.duration_s + config.lead_s + config.refresh_s and self._unheard(sample)
            if not (due or lost):
                return
            # It would be thrown back to where it was then, or is far behind; if nothing else comes, it rests.
            if (ran_out or lost or self._off(sample) > config.slip_tolerance_rad) and (
                self._age_s(sample) > HOLD_AGE_S or not self._go_on_from_where_it_is(now_s, sample, lost=lost)
            ):
                return
        at_s = now_s - self._start_s
        until_s = min(max(at_s + config.lead_s + config.horizon_s, 0.0), self._path.duration_s)
        self._send_chunk(at_s, until_s)
        self._sent_until_s, self._rests_at_s = until_s, self._path.resting_time(until_s, self._brake_s)
        self._sent_at_s = now_s
        if self._on_sent is not None:
            self._on_sent()
            self._on_sent = None

    def _send_chunk(self, from_s: float, to_s: float) -> None:
        self._valve.send(self._controller, self._joints, self._path.chunk(from_s, to_s, self._brake_s), self._start_s)

    def _go_on_from_where_it_is(self, now_s: float, sample: JointSample, *, lost: bool) -> bool:
        """Continues from the arm's place after a chunk ran out or was lost; False if it is too far back for a chunk."""
        config = self._config
        # If the joints or the messages were late, the arm is not there but on its way, and must not be thrown back.
        at_s = min(now_s - self._start_s, self._rests_at_s)
        back_s = self._path.time_from(at_s, self._measured(sample)) if self._tight else 0.0
        if self._tight:
            reached_s, off_rad = self._nearest(sample, self._rests_at_s)
            if off_rad > config.tracking_tolerance_rad:
                raise StreamEnded(
                    ReasonCode.HARDWARE_FAULT,
                    f'{self._controller} is {off_rad:.2f} rad away from its path in {self._name}; it is held',
                )
        else:
            reached_s = 0.0 if lost else self._rests_at_s
        if back_s > config.lead_s + config.horizon_s:
            if now_s <= self._start_s + self._rests_at_s + config.arrival_timeout_s:
                return False
            raise StreamEnded(ReasonCode.HARDWARE_FAULT, f'{self._controller} stays far behind in {self._name}; held')
        if self._slipped_at is None or self._distance(sample, self._slipped_at) > STILL:
            self._slips, self._slipped_s = 0, now_s
        if self._slips >= MOST_SLIPS or now_s - self._slipped_s > config.arrival_timeout_s:
            raise StreamEnded(
                ReasonCode.HARDWARE_FAULT,
                f'{self._controller} does not follow {self._name}: it was asked {self._slips} times within '
                f'{now_s - self._slipped_s:.1f} s to go on from the same place; is it active, are its joints measured?',
            )
        self._slips += 1
        self._slipped_at = self._measured(sample)
        self._done_s += reached_s
        self._path = self._path.resumed(reached_s, config.resume_s)
        self._start_s = now_s + max(config.lead_s, back_s)
        return True

    def _age_s(self, sample: JointSample) -> float:
        """Age of the oldest measurement of these joints, in s."""
        return self._arms.silence_s(sample) + sample.stamp_s - self._measured_s(sample)

    def _check_start(self, sample: JointSample) -> None:
        off_rad = self._distance(sample, self._path.positions[0])
        if self._tight and off_rad > self._config.tracking_tolerance_rad:
            raise StreamEnded(
                ReasonCode.HARDWARE_FAULT, f'{self._name} begins {off_rad:.2f} rad away from where the arm is; not sent'
            )

    def _arrived(self, now_s: float, sample: JointSample) -> bool:
        at_s = now_s - self._start_s
        if self._progress is not None:
            self._progress(min(1.0, (self._done_s + min(max(at_s, 0.0), self._rests_at_s)) / max(self._total_s, 1e-9)))
        if at_s < self._path.duration_s:
            return False
        if self._followed(sample):
            return True
        if at_s > self._path.duration_s + self._config.arrival_timeout_s:
            raise StreamEnded(ReasonCode.HARDWARE_FAULT, self._why_not_there(sample))
        return False

    def _why_not_there(self, sample: JointSample) -> str:
        if self._own_pace and self._arms.report_expected(self._controller):
            return f'{self._controller} did not report the end of {self._name}'
        if self._opens and self._arms.report_stalled(self._controller):
            return f'{self._controller} stalled before the end of {self._name}'
        if not self._tight:
            return f'{self._controller} came neither to the end of {self._name} nor to rest'
        off_rad = self._distance(sample, self._path.positions[-1])
        return (
            f'{self._controller} stayed {off_rad:.2f} rad away from the end of {self._name}; '
            f'within {self._config.arrival_tolerance_rad:g} would be right'
        )

    def _followed(self, sample: JointSample) -> bool:
        """Whether the joints have completed the path.

        An object may keep a hand from its goal, so a hand only has to have moved and come to rest. A hand that moves at
        its own pace may be later than its path: it has to rest near its goal, too, and its driver has to have said so.
        """
        end = self._path.positions[-1]
        if self._tight:
            return self._distance(sample, end) <= self._config.arrival_tolerance_rad
        near = self._distance(sample, end) < CLEARLY
        moved = self._distance(sample, self._began_at) > STILL
        if self._own_pace:
            return self._reported(near=near, moved=moved) and self._still(sample)
        return near or (moved and self._still(sample))

    def _reported(self, *, near: bool, moved: bool) -> bool:
        """Whether the driver of a hand at its own pace has reported an end that the joints agree with.

        An object may keep a hand from closing, but nothing may keep it from opening, or it takes the object along.
        """
        if self._arms.report_expected(self._controller):
            return False
        stalled = self._arms.report_stalled(self._controller)
        if self._opens:
            began_there = self._far(self._began_at, self._path.positions[-1]) < THERE
            return near and not stalled and (moved or began_there)
        return moved or (near and not stalled)

    def _still(self, sample: JointSample) -> bool:
        """Whether the joints have stayed where they are for `_rest_s`, however many measurements there were."""
        earlier = [item for item in self._before if self._measured_s(item) < self._measured_s(sample)]
        if not earlier or self._measured_s(sample) - self._measured_s(earlier[0]) < self._rest_s:
            return False
        # Fingers may creep along what they hold. If measurements are rare, more of that lies between two of them.
        return all(
            self._distance(sample, self._measured(item)) < STILL * self._rests_between(item, sample) for item in earlier
        )

    def _rests_between(self, earlier: JointSample, later: JointSample) -> float:
        """How many times `_rest_s` lies between two measurements of a hand, at least 1."""
        return 1.0 if self._tight else max(1.0, (self._measured_s(later) - self._measured_s(earlier)) / self._rest_s)

    def _unheard(self, sample: JointSample) -> bool:
        """Whether the last chunk seems lost: an arm is not at the end, or a hand has not moved."""
        if self._tight:
            return not self._followed(sample)
        return not self._followed(sample) and self._distance(sample, self._began_at) <= STILL

    def _nearest(self, sample: JointSample, until_s: float) -> tuple[float, float]:
        """Time, up to `until_s`, at which the path is nearest to the measured joints, and its distance in rad."""
        times = np.arange(max(0.0, until_s - 2 * self._config.horizon_s), until_s, self._config.tick_s / 2)
        times = np.append(times, until_s)
        distances = [self._distance(sample, self._path.at(float(time_s))[0]) for time_s in times]
        best = int(np.argmin(distances))
        return float(times[best]), distances[best]

    def _off(self, sample: JointSample) -> float:
        """Distance in rad of an arm from its planned place at the time of the measurement; 0 for a hand."""
        if not self._tight:
            return 0.0
        at_s = min(self._measured_s(sample) - self._start_s, self._rests_at_s)
        return self._distance(sample, self._path.at(at_s)[0])

    def _distance(self, sample: JointSample, wanted: Array) -> float:
        return self._far(self._measured(sample), wanted)

    def _far(self, place: Array, other: Array) -> float:
        """Largest distance of a joint, in rad or as a fraction of `JointTravel.unit`; see STILL."""
        return float((np.abs(place - other) / self._unit).max())

    def _keep(self, sample: JointSample) -> None:
        """Keeps the measurements of the last `_rest_s`, and the one before."""
        if self._before and self._measured_s(sample) == self._measured_s(self._before[-1]):
            return
        since_s = self._measured_s(sample) - self._rest_s
        recent = [item for item in self._before if self._measured_s(item) > since_s]
        self._before = [*self._before[: len(self._before) - len(recent)][-1:], *recent, sample]

    def _measured_s(self, sample: JointSample) -> float:
        return sample.measured_s(self._joints)

    def _measured(self, sample: JointSample) -> Array:
        return np.array([sample.positions[name] for name in self._joints])
