"""The overhead of one action: wall time before and after its motion, without planning, homing and snapshots."""

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class ActionTiming:
    """Wall times of one action, in s. `answered_s`: time of the model's answer since the epoch, or 0 if unknown."""

    answered_s: float
    began_s: float = field(default_factory=time.time)
    first_sent_s: float | None = None
    moved_before_s: float = 0.0
    planning_s: float = 0.0
    planned_before_s: float = 0.0
    ended_s: float | None = None
    waited_s: float = 0.0
    waited_before_s: float = 0.0

    def sent(self) -> None:
        """Notes that the first trajectory of the action itself was sent."""
        if self.first_sent_s is None:
            self.first_sent_s = time.time()
            self.planned_before_s = self.planning_s

    def ended(self) -> None:
        """Notes that the last motion of the action has ended."""
        self.ended_s, self.waited_before_s = time.time(), self.waited_s

    @property
    def overhead_before_s(self) -> float:
        """Time from the model's answer to the first trajectory, without planning and bringing the arms home before."""
        if self.first_sent_s is None:
            return 0.0
        spent_s = self.first_sent_s - (self.answered_s or self.began_s)
        return max(0.0, spent_s - self.planned_before_s - self.moved_before_s)

    def overhead_after_s(self) -> float:
        """Time from the motion's end until now, without waiting for snapshots."""
        if self.ended_s is None:
            return 0.0
        return max(0.0, time.time() - self.ended_s - (self.waited_s - self.waited_before_s))
