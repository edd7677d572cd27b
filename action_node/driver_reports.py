"""Reports of drivers with action interfaces on their goals, and which of them mean a protective stop.

A joint trajectory controller of ros2_control aborts a goal when the next one replaces it. It rejects goals that it does
not accept, and aborts goals that leave its tolerances. Replacement is how motions are streamed; the other cases end the
motion.
"""

import threading
from dataclasses import dataclass
from enum import StrEnum

TRAJECTORY_ERRORS = {
    -1: 'invalid goal',
    -2: 'invalid joints',
    -3: 'old header timestamp',
    -4: 'path tolerance violated',
    -5: 'goal tolerance violated',
}
"""Error codes of control_msgs/FollowJointTrajectory, by the names in its definition."""
_TOLERANCES = frozenset({-4, -5})


class GoalEnd(StrEnum):
    """How a goal ended: a final state of ROS actions, or `REJECTED` if it was not accepted."""

    SUCCEEDED = 'succeeded'
    CANCELED = 'canceled'
    ABORTED = 'aborted'
    REJECTED = 'rejected'


@dataclass(frozen=True, slots=True)
class GoalReport:
    """A driver's report at the end of a goal. `stalled`: something keeps a gripper from moving further."""

    end: GoalEnd
    error_code: int = 0
    text: str = ''
    stalled: bool = False


class DriverReports:
    """Collects the reports of all controllers. `fault` is the first report that a driver has stopped by itself.

    Safe to call from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}
        self._reported: dict[str, int] = {}
        self._stalled: set[str] = set()
        self._fault = ''

    @property
    def fault(self) -> str:
        """Which controller stopped by itself, and why; '' if none has since `forget`."""
        return self._fault

    def expected(self, controller: str) -> bool:
        """Whether a controller still has to report on the last goal that was sent to it since `forget`."""
        with self._lock:
            return self._reported.get(controller, 0) < self._newest.get(controller, 0)

    def stalled(self, controller: str) -> bool:
        """Whether the report on the last goal that was sent to a controller since `forget` says that it stalled."""
        with self._lock:
            return controller in self._stalled

    def sent(self, controller: str) -> int:
        """Counts a goal that is sent to a controller, and returns its number."""
        with self._lock:
            self._newest[controller] = self._newest.get(controller, 0) + 1
            self._stalled.discard(controller)
            return self._newest[controller]

    def ended(self, controller: str, number: int, report: GoalReport) -> None:
        """Takes the report on a goal."""
        with self._lock:
            self._reported[controller] = max(number, self._reported.get(controller, 0))
            newest = number == self._newest.get(controller)
            if newest and report.stalled:
                self._stalled.add(controller)
            why = why_stopped(report, newest=newest)
            if why and not self._fault:
                self._fault = f'{controller} stopped by itself: {why}'

    def forget(self) -> None:
        """Clears the fault. Reports on goals sent before do not count any more, because their motions are over."""
        with self._lock:
            self._newest = {name: number + 1 for name, number in self._newest.items()}
            self._reported = dict(self._newest)
            self._stalled.clear()
            self._fault = ''


def why_stopped(report: GoalReport, *, newest: bool) -> str:
    """Why a report means that a driver stopped by itself; '' if it does not.

    Args:
        report: the report on one goal.
        newest: false if a later goal has been sent, which replaces this one.
    """
    if report.end in (GoalEnd.SUCCEEDED, GoalEnd.CANCELED) and report.error_code == 0:
        # Canceled by a person with another client; this node cancels no goals.
        return '' if report.end is GoalEnd.SUCCEEDED or not newest else 'the motion was canceled by another client'
    if report.stalled:
        return ''
    named = TRAJECTORY_ERRORS.get(report.error_code, f'error {report.error_code}' if report.error_code else '')
    if not newest and report.error_code not in _TOLERANCES:
        return ''
    said = ', '.join(part for part in (named, report.text) if part)
    if report.end is GoalEnd.REJECTED:
        return f'it rejected the motion ({said or "is the controller active?"})'
    return f'it {report.end} the motion ({said or "without a reason"})'
