"""Copies of a stop: one message that arrives at several subscriptions is one stop."""

from dataclasses import dataclass, field

COPY_S = 2.0
"""Longest time after the first arrival of a stop at which a further arrival counts as its copy, in s of wall time."""
_KEPT = 32


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message at one subscription, with the times (ns of wall time, 0 if unknown) of its sending and its arrival."""

    subscription: int
    sent_ns: int
    received_ns: int


@dataclass(slots=True)
class _CarriedOut:
    received_ns: int
    subscriptions: set[int] = field(default_factory=set)


class StopCopies:
    """Tells the copies of stops that were carried out from further stops. For one thread.

    A copy was sent at the same nanosecond, arrives soon after the first, and at a subscription that has not had that
    message yet. Whatever is in doubt is a further stop.
    """

    def __init__(self) -> None:
        self._carried_out: dict[int, _CarriedOut] = {}

    def is_copy(self, arrival: Arrival) -> bool:
        """Whether a stop that was carried out arrives once more. Each subscription brings at most one copy of it."""
        first = self._carried_out.get(arrival.sent_ns)
        if first is None or not arrival.received_ns or arrival.subscription in first.subscriptions:
            return False
        if abs(arrival.received_ns - first.received_ns) > COPY_S * 1e9:
            return False
        first.subscriptions.add(arrival.subscription)
        return True

    def note(self, arrival: Arrival) -> None:
        """Notes a stop that was carried out. Without both of its times, its copies cannot be told apart."""
        if not (arrival.sent_ns and arrival.received_ns):
            return
        self._carried_out.pop(arrival.sent_ns, None)
        self._carried_out[arrival.sent_ns] = _CarriedOut(arrival.received_ns, {arrival.subscription})
        while len(self._carried_out) > _KEPT:
            del self._carried_out[next(iter(self._carried_out))]
