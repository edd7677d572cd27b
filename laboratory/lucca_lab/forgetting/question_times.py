"""When people ask: all at once about one affair, or again only after a long silence."""

import random
from collections.abc import Sequence

from lucca_lab.forgetting.scenario import Fact

Asked = tuple[int, Fact]
"""The session of a question, and the fact that it asks for."""


def in_bursts(asked: Sequence[Asked], bursts: int, sessions: int, chance: random.Random) -> list[Asked]:
    """Moves the questions about each affair into as many random sessions.

    A question for whose value none of them comes in time stays where it is.
    """
    drawn = {thread: chance.sample(range(sessions), min(bursts, sessions)) for thread in _threads(asked)}
    moved = []
    for session, fact in asked:
        in_time = [at for at in drawn[fact.slot.thread] if fact.session < at <= _latest(fact, sessions)]
        moved.append((chance.choice(sorted(in_time)) if in_time else session, fact))
    return moved


def after_silence(asked: Sequence[Asked], silent: int, sessions: int, chance: random.Random) -> list[Asked]:
    """Moves the questions of the `silent` sessions after the first one about an affair to a time after them.

    A question for which that is too late is left out.
    """
    first = {
        thread: min(session for session, fact in asked if fact.slot.thread == thread) for thread in _threads(asked)
    }
    moved = []
    for session, fact in asked:
        begin = first[fact.slot.thread]
        over, latest = begin + silent + 1, _latest(fact, sessions)
        if not begin < session < over:
            moved.append((session, fact))
        elif over <= latest:
            moved.append((chance.randint(over, latest), fact))
    return moved


def _threads(asked: Sequence[Asked]) -> list[int]:
    return sorted({fact.slot.thread for _, fact in asked})


def _latest(fact: Fact, sessions: int) -> int:
    """The last session in which the fact holds."""
    return sessions - 1 if fact.last_session is None else fact.last_session - 1
