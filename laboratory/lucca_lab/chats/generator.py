"""A generator of long chats with an assistant: mostly small talk, with some facts that are asked for later.

People state facts about themselves in passing, next to a request. Some facts are stated again later with a new value,
in any wording and with no mark of a change. There are similar sentences about other people, and the assistant sometimes
repeats values. Only the speaker, the subject and the time tell which value is current.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal

from lucca_core.yaml_file import load_yaml

Split = Literal['develop', 'report']
Kind = Literal['told', 'updated', 'before', 'several', 'advised']
SPLITS: tuple[Split, ...] = ('develop', 'report')
KINDS: tuple[Kind, ...] = ('told', 'updated', 'before', 'several', 'advised')
"""What is asked for: a fact that was said once; one that was updated; its former value; several facts together; what
the assistant recommended."""

START = datetime(2025, 3, 3, 8, 0, tzinfo=UTC)
SESSIONS = 30
TALK_TURNS = (3, 6)
UPDATED_SLOTS = 7
"""The number of a chat's slots that are updated; they get two values, or three."""

_THIRD_VALUE = 0.3
_SAID_AGAIN = 0.25
_ECHOED = 0.4
_REQUEST_FIRST = 0.5
_NEAR = 2
"""Number of sentences about other people for each slot."""


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One turn: what the person said and what the assistant answered."""

    number: int
    session: int
    time: datetime
    utterance: str
    answer: str

    @property
    def said(self) -> str:
        """The name of the person's line."""
        return f'{self.number}u'

    @property
    def answered(self) -> str:
        """The name of the assistant's line."""
        return f'{self.number}a'


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """A question with the names of the lines that answer it, and of lines with a former answer."""

    text: str
    kind: Kind
    evidence: frozenset[str]
    outdated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Chat:
    """All sessions of one person with the assistant, and the questions asked afterwards."""

    chat_id: str
    person: str
    turns: tuple[ChatTurn, ...]
    questions: tuple[ChatQuestion, ...]

    @property
    def end(self) -> datetime:
        """The time of the last turn."""
        return self.turns[-1].time


@dataclass(slots=True)
class _Planned:
    """A turn without its place in the chat yet. `slot` and `value` say which fact it states, if any."""

    session: int
    order: float
    utterance: str
    answer: str
    slot: str = ''
    value: int = -1


@dataclass(slots=True)
class _Plan:
    turns: list[_Planned] = field(default_factory=list)
    asks: list[Callable[[dict[tuple[str, int], list[ChatTurn]]], ChatQuestion]] = field(default_factory=list)


def generate(split: Split, seed: int) -> Chat:
    """Generates one chat. The same arguments always give the same one.

    Raises:
        ValueError: there is no such split.
    """
    if split not in SPLITS:
        raise ValueError(f'split must be one of {SPLITS}, got {split!r}')
    words, rng = _vocabulary(), random.Random(f'{split}/{seed}')
    return _Draw(words, words[split], rng).chat(f'{split}-{seed}')


class _Draw:
    def __init__(self, common: dict[str, Any], words: dict[str, Any], rng: random.Random) -> None:
        self._common, self._words, self._rng = common, words, rng
        self._plan = _Plan()

    def chat(self, chat_id: str) -> Chat:
        rng = self._rng
        names = list(self._words['slots'])
        updated = set(rng.sample(names, UPDATED_SLOTS))
        for name in names:
            self._slot(name, self._words['slots'][name], updated=name in updated)
        for name, several in self._words['many'].items():
            self._several(name, several)
        for advised in self._words['advised']:
            self._advised(advised)
        for session in range(SESSIONS):
            self._talk(session)
        turns, places = self._in_order()
        questions = tuple(ask(places) for ask in self._plan.asks)
        return Chat(chat_id, rng.choice(self._words['names']), turns, questions)

    def _slot(self, name: str, slot: dict[str, Any], *, updated: bool) -> None:
        rng = self._rng
        count = (3 if rng.random() < _THIRD_VALUE else 2) if updated else 1
        values = rng.sample(slot['values'], count + 1)
        others, values = values[-1:], values[:-1]
        # Each value holds from its session on; different values of a slot are never told in the same session.
        begins = sorted(rng.sample(range(SESSIONS - 1), count))
        says = rng.sample(slot['say'], len(slot['say']))
        for number, (value, begin) in enumerate(zip(values, begins, strict=True)):
            end = begins[number + 1] if number + 1 < count else SESSIONS
            self._tell(name, number, slot, says[number % len(says)].format(v=value), value, begin)
            if end - begin > 1 and rng.random() < _SAID_AGAIN:
                again = says[(number + 1) % len(says)].format(v=value)
                self._tell(name, number, slot, again, value, rng.randrange(begin + 1, end))
        for sentence in rng.sample(slot['near'], min(_NEAR, len(slot['near']))):
            value = rng.choice(values + others)
            self._tell(f'{name} of others', -1, slot, sentence.format(v=value), value, rng.randrange(SESSIONS))
        last = count - 1

        def ask(places: dict[tuple[str, int], list[ChatTurn]]) -> ChatQuestion:
            old = frozenset(turn.said for number in range(last) for turn in places[name, number])
            holds = frozenset(turn.said for turn in places[name, last])
            return ChatQuestion(question, 'updated' if updated else 'told', holds, old)

        def ask_before(places: dict[tuple[str, int], list[ChatTurn]]) -> ChatQuestion:
            old = frozenset(turn.said for number in range(last) for turn in places[name, number])
            return ChatQuestion(past, 'before', old)

        question = rng.choice(slot['ask'])
        self._plan.asks.append(ask)
        if updated and slot['past']:
            past = rng.choice(slot['past'])
            self._plan.asks.append(ask_before)

    def _several(self, name: str, several: dict[str, Any]) -> None:
        rng = self._rng
        values = rng.sample(several['values'], rng.randint(2, len(several['values'])))
        says = rng.sample(several['say'], len(several['say']))
        for number, (value, session) in enumerate(zip(values, rng.sample(range(SESSIONS), len(values)), strict=True)):
            self._tell(name, number, several, says[number].format(v=value), value, session)

        def ask(places: dict[tuple[str, int], list[ChatTurn]]) -> ChatQuestion:
            told = frozenset(turn.said for number in range(len(values)) for turn in places[name, number])
            return ChatQuestion(question, 'several', told)

        question = rng.choice(several['ask'])
        self._plan.asks.append(ask)

    def _advised(self, advised: dict[str, Any]) -> None:
        rng, thing = self._rng, advised['thing']
        places_named = rng.sample(advised['places'], 2)
        names = rng.sample(advised['names'], 2)
        sessions = rng.sample(range(SESSIONS), 2)
        key = f'{thing} advised'
        for number, (place, name, session) in enumerate(zip(places_named, names, sessions, strict=True)):
            wish = rng.choice(
                ['Is there a good {t} near {p}?', 'I am looking for a {t} at {p}.', 'Which {t} is best by {p}?']
            )
            answer = [rng.choice(self._common['openings']), f'Try {name}.', rng.choice(advised['about'])]
            answer.append(rng.choice(self._common['closings']))
            self._add(session, wish.format(t=thing, p=place), ' '.join(answer), key, number)

        def ask(places: dict[tuple[str, int], list[ChatTurn]]) -> ChatQuestion:
            return ChatQuestion(question, 'advised', frozenset(turn.answered for turn in places[key, 0]))

        form = rng.choice(
            ['Which {t} near {p} did you recommend?', 'What was the name of the {t} at {p} that you told me about?']
        )
        question = form.format(t=thing, p=places_named[0])
        self._plan.asks.append(ask)

    def _talk(self, session: int) -> None:
        rng = self._rng
        subject = rng.choice(self._words['talk'])
        possible = [(ask, topic) for topic in rng.sample(subject['topics'], 2) for ask in subject['ask']]
        for ask, topic in rng.sample(possible, rng.randint(*TALK_TURNS)):
            told = rng.sample(subject['tell'], rng.randint(2, 4))
            answer = [rng.choice(self._common['openings']), *told, rng.choice(self._common['closings'])]
            self._add(session, ask.format(t=topic), ' '.join(answer).format(t=topic))

    def _tell(self, slot: str, number: int, spec: dict[str, Any], sentence: str, value: str, session: int) -> None:
        rng = self._rng
        parts = [sentence[0].upper() + sentence[1:], rng.choice(spec['requests'])]
        if rng.random() < _REQUEST_FIRST:
            parts.reverse()
        answer = [rng.choice(self._common['replies']), rng.choice(self._common['closings'])]
        if rng.random() < _ECHOED:
            echo = rng.choice(self._common['echoes']).format(v=value)
            answer.insert(0, echo[0].upper() + echo[1:])
        self._add(session, ' '.join(parts), ' '.join(answer), slot, number)

    def _add(self, session: int, utterance: str, answer: str, slot: str = '', value: int = -1) -> None:
        self._plan.turns.append(_Planned(session, self._rng.random(), utterance, answer, slot, value))

    def _in_order(self) -> tuple[tuple[ChatTurn, ...], dict[tuple[str, int], list[ChatTurn]]]:
        turns: list[ChatTurn] = []
        places: dict[tuple[str, int], list[ChatTurn]] = {}
        clock = self._clock()
        time = START
        for number, planned in enumerate(sorted(self._plan.turns, key=lambda turn: (turn.session, turn.order))):
            if not turns or turns[-1].session != planned.session:
                time = next(clock)
            else:
                time += timedelta(minutes=self._rng.randint(1, 4))
            turn = ChatTurn(number, planned.session, time, planned.utterance, planned.answer)
            turns.append(turn)
            places.setdefault((planned.slot, planned.value), []).append(turn)
        return tuple(turns), places

    def _clock(self) -> Iterator[datetime]:
        time = START
        while True:
            yield time
            time += timedelta(days=self._rng.randint(2, 9), hours=self._rng.randint(-2, 2))


@cache
def _vocabulary() -> dict[str, Any]:
    return load_yaml(Path(__file__).with_name('vocabulary.yaml'))
