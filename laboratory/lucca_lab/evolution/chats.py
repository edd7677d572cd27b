"""A generator of long chats in which facts are mentioned in passing and change weeks later.

They differ from the scenarios of `lucca eval forgetting`: one speaker in the first person, several sentences in a
message, subordinate clauses, everyday counts, places and people, and an assistant who answers. The generator is
independent of how updates are detected.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from lucca_core.yaml_file import load_yaml
from lucca_lab.evolution.dialogue import EvolutionDialogue, Probe, Said

FILE = Path(__file__).with_name('chats.yaml')
FRESH = Path(__file__).with_name('chats_fresh.yaml')
"""Attributes and carrier sentences of the `fresh` split; the rest of the talk is from `FILE`."""
SPLITS = {
    'train': slice(0, None, 2),
    'validation': slice(0, None, 2),
    'test': slice(1, None, 2),
    'fresh': slice(0, None),
}
"""Which attributes are mentioned. Those of the test split and of the fresh split are in no other split."""
START = datetime(2025, 3, 3, 18, 0, tzinfo=UTC)
SESSIONS = 30
MESSAGES = 6
"""Number of messages of the person in a session."""
UPDATED = 0.6
"""The probability that an attribute changes. Half of those change once more."""
REPEATED = 0.5
"""The probability that a value is said again while it holds."""


@dataclass(frozen=True, slots=True)
class _Fact:
    fact_id: str
    value: str
    cue: str
    session: int


def chats(split: str, seed: int, number: int) -> Iterator[EvolutionDialogue]:
    """Four random chats per `number`. The split decides what is mentioned, but not how messages are formed."""
    for at in range(4 * number):
        yield _chat(f'{split}-chat-{seed}-{at}', split)


def _chat(name: str, split: str) -> EvolutionDialogue:
    chance = random.Random(name)
    words = _vocabulary(split)
    facts: list[_Fact] = []
    probes: list[Probe] = []
    lines: list[list[str]] = [[] for _ in range(SESSIONS)]
    single, several = (words[kind][SPLITS[split]] for kind in ('single', 'many'))
    for number, entry in enumerate((*single, *several)):
        many = number >= len(single)
        drawn = _drawn(f'{number}', entry, many, chance)
        facts += drawn
        probes.append(_probe(entry['ask'], drawn, many))
        for place, fact in enumerate(drawn):
            until = SESSIONS if many or place + 1 == len(drawn) else drawn[place + 1].session
            for session in _tellings(fact.session, until, chance):
                lines[session].append(_told(chance.choice(entry['say']).format(v=fact.value), words, chance))
    said = tuple(_said(lines, words, chance))
    return EvolutionDialogue(name, said, tuple(probes), START + timedelta(days=3 * SESSIONS), _rule(facts))


def _drawn(prefix: str, entry: Mapping[str, Any], many: bool, chance: random.Random) -> list[_Fact]:
    count = 3 if many else 1 + (chance.random() < UPDATED) * (1 + (chance.random() < 0.5))
    values = [str(value) for value in chance.sample(entry['value'], count)]
    sessions = sorted(chance.sample(range(SESSIONS - 1), count))
    return [
        _Fact(f'{prefix}.{place}', value, entry['cue'], session)
        for place, (value, session) in enumerate(zip(values, sessions, strict=True))
    ]


def _probe(ask: str, drawn: Sequence[_Fact], many: bool) -> Probe:
    ids = [fact.fact_id for fact in drawn]
    if many or len(ids) == 1:
        return Probe(ask, '', tuple(ids), '', ())
    return Probe(ask, f'Before that: {ask[0].lower()}{ask[1:]}', (ids[-1],), ids[-2], tuple(ids[:-1]))


def _tellings(session: int, until: int, chance: random.Random) -> list[int]:
    again = chance.random() < REPEATED and until - session > 1
    return [session, chance.randint(session + 1, until - 1)] if again else [session]


def _told(fact: str, words: Mapping[str, Any], chance: random.Random) -> str:
    carrier = chance.choice(words['carriers'])
    return str(carrier.format(f=fact, F=fact[0].upper() + fact[1:]))


def _said(lines: Sequence[Sequence[str]], words: Mapping[str, Any], chance: random.Random) -> Iterator[Said]:
    """Messages of several sentences (a request, small talk, and what is mentioned), each followed by an answer."""
    for session, told in enumerate(lines):
        messages: list[list[str]] = [[] for _ in range(MESSAGES)]
        for line in told:
            chance.choice(messages).append(line)
        for place, mentioned in enumerate(messages):
            sentences = [*mentioned, chance.choice(words['requests'])]
            if chance.random() < 0.5:
                sentences.append(chance.choice(words['small_talk']))
            chance.shuffle(sentences)
            time = START + timedelta(days=3 * session, minutes=2 * place)
            yield Said(' '.join(sentences), 'user', time, f'{session}:{place}:user')
            yield Said(chance.choice(words['replies']), 'assistant', time, f'{session}:{place}:assistant')


def _rule(facts: Sequence[_Fact]) -> Any:
    """The rule by which a text states a fact: one of its sentences has the value and the cue."""
    patterns = [
        (fact.fact_id, re.compile(rf'(?<![\w$]){re.escape(fact.value.casefold())}(?![\w:])'), fact.cue)
        for fact in facts
    ]

    @cache
    def facts_in(text: str) -> frozenset[str]:
        sentences = [sentence.casefold() for sentence in re.split(r'(?<=[.!?])\s+(?=[A-Z])', _unbroken(text))]
        return frozenset(
            fact_id
            for fact_id, pattern, cue in patterns
            for sentence in sentences
            if cue in sentence and pattern.search(sentence.replace('.~', '. '))
        )

    return facts_in


def _unbroken(text: str) -> str:
    return re.sub(r'\b(Dr|Mr|Ms)\. ', r'\1.~', text)


@cache
def _vocabulary(split: str) -> Mapping[str, Any]:
    return {**load_yaml(FILE), **(load_yaml(FRESH) if split == 'fresh' else {})}
