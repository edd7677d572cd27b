"""Facts that people tell in training talk: how they are told, asked for, and answered."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lucca_core.yaml_file import load_yaml

_SLOT = re.compile(r'\{(\w+)\}')
_TO_YOU = (
    (r"\bI am\b|\bI'm\b", 'you are'),
    (r'\bI was\b', 'you were'),
    (r"\bI've\b", 'you have'),
    (r"\bI can't\b", 'you cannot'),
    (r'\bI\b', 'you'),
    (r'\b[Mm]yself\b', 'yourself'),
    (r'\b[Mm]y\b', 'your'),
    (r'\bme\b', 'you'),
    (r'\b[Oo]ur\b', 'your'),
    (r'\b[Ww]e\b', 'you'),
)
_WHO = ('dentist', 'doctor', 'teacher', 'boss', 'hairdresser', 'landlord', 'neighbour')


@cache
def talk_words() -> dict[str, Any]:
    """The words of the training talk."""
    return dict(load_yaml(Path(__file__).with_name('talk_words.yaml')))


@dataclass(frozen=True, slots=True)
class ToldFact:
    """Something told. `text`: as the person says it, with a full stop; `topic`: what it is about, in their words."""

    text: str
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    topic: str
    mood: str = ''


def to_you(text: str) -> str:
    """What somebody says of themselves, as it is told to them: `my dog` becomes `your dog`."""
    for pattern, instead in _TO_YOU:
        text = re.sub(pattern, instead, text)
    return text


def draw_fact(chance: random.Random) -> ToldFact:
    """Draws a fact: an attribute of somebody, or an event."""
    words = talk_words()
    return _attribute(words, chance) if chance.random() < 0.4 else _event(words, chance)


def near_fact(fact: ToldFact, chance: random.Random) -> ToldFact:
    """Draws another fact that sounds much the same and does not answer the questions of the first one."""
    for _ in range(60):
        other = draw_fact(chance)
        shares = set(fact.topic.split()) & set(other.topic.split()) - {'my', 'the', 'a', 'in', 'at', 'of', 'was', 'I'}
        if shares and other.topic != fact.topic:
            return other
    return other_fact(fact, chance)


def other_fact(fact: ToldFact, chance: random.Random) -> ToldFact:
    """Draws a fact about something else."""
    while True:
        other = draw_fact(chance)
        if other.topic != fact.topic and not set(_content(other.text)) & set(_content(' '.join(fact.questions))):
            return other


def _content(text: str) -> list[str]:
    return [word for word in re.findall(r'[a-z]{4,}', text.lower()) if word not in ('what', 'when', 'where', 'with')]


def _attribute(words: dict[str, Any], chance: random.Random) -> ToldFact:
    row = chance.choice(words['attributes'])
    name, value = chance.choice(row['names']), chance.choice(row['values'])
    owner = 'my' if chance.random() < 0.65 else f"{chance.choice(words['others'])}'s"
    whole = f'{owner} {name}'
    if row.get('article'):
        return _of_job(owner, value)
    if row.get('colour'):
        told = chance.choice(
            (f'{whole} is {value}', f'I have bought {whole} in {value}' if owner == 'my' else f'{whole} is {value}')
        )
        told = f'{whole} is {value}'
        coloured = (f'what colour is {whole}?', f'which color does {whole} have?', f'is {whole} {value}?')
        return _fact(told, coloured, (f'{whole} is {value}.',), f'{whole} colour')
    if row.get('called'):
        told = chance.choice(
            (f'{whole} is called {value}', f"{whole}'s name is {value}", f'{value} is the name of {whole}')
        )
        named = (
            f'what is {whole} called?',
            f'what is the name of {whole}?',
            f"what's {whole}'s name?",
            f'who is {value}?',
        )
        return _fact(told, named, (f'{whole} is called {value}.', f'the name of {whole} is {value}.'), f'{whole} name')
    told = chance.choice((f'{whole} is {value}', f'{whole} is {value}', f'{value} is {whole}'))
    asked = [f'what is {whole}?', f"what's {whole}?", f'which is {whole}?']
    if row.get('date'):
        asked = [f'when is {whole}?', f'on which day is {whole}?', f'what is the date of {whole}?']
    elif any(word in name for word in _WHO):
        asked = [f'who is {whole}?', f"what is {whole}'s name?", f'how is {whole} called?']
    elif name.startswith('favo'):
        kind = name.split(' ', 1)[1]
        who = 'do I' if owner == 'my' else f'does {owner.removesuffix(chr(39) + "s")}'
        asked += [f'which {kind} {who} like best?', f'what {kind} {who} prefer?']
    return _fact(told, tuple(asked), (f'{whole} is {value}.', f'{value} is {whole}.'), whole)


def _of_job(owner: str, value: str) -> ToldFact:
    article = 'an' if value[0] in 'aeiou' else 'a'
    if owner == 'my':
        answers = (f'You are {article} {value}.', f'You work as {article} {value}.')
        return ToldFact(
            f'I work as {article} {value}.',
            ('what is my job?', 'what do I do for a living?', 'what do I work as?'),
            answers,
            'my job',
        )
    who = owner.removesuffix("'s")
    told = to_you(f'{who} is {article} {value}.')
    asked = (f'what is the job of {who}?', f'what does {who} do?', f"what is {who}'s job?")
    return ToldFact(f'{who} is {article} {value}.', asked, (_upper(told),), f'{who} job')


def _fact(told: str, asked: Sequence[str], answers: Sequence[str], topic: str) -> ToldFact:
    return ToldFact(f'{told}.', tuple(asked), tuple(_upper(to_you(item)) for item in answers), topic)


def _event(words: dict[str, Any], chance: random.Random) -> ToldFact:
    row = chance.choice(words['events'])
    drawn: dict[str, str] = {}

    def fill(text: str) -> str:
        def one(match: re.Match[str]) -> str:
            slot = match.group(1)
            if slot not in drawn:
                drawn[slot] = str(chance.choice(words['slots'][slot]))
            return drawn[slot]

        return _SLOT.sub(one, text)

    told = fill(row['say'])
    questions = tuple(fill(text) for text in row['ask'])
    answer = _upper(to_you(fill(row['answer'])))
    # The topic tells events of one kind apart by all that was drawn.
    return ToldFact(
        _upper(told),
        questions,
        (answer,),
        ' '.join((row['say'].replace('{', '').replace('}', ''), *drawn.values())),
        row.get('mood', ''),
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
