"""Dialogues from files in LoCoMo's format, with a few optional fields for other sets of dialogues."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.json_text import parse_json

ADVERSARIAL = 5
"""The category of questions about things that were never said; they are not scored."""

CATEGORIES = {1: 'multi-hop', 2: 'temporal', 3: 'open-domain', 4: 'single-hop'}
"""LoCoMo's scored categories."""

_ASKER, _ASSISTANT = 'user', 'assistant'
"""Speakers of a talk with an assistant, in lower case: the user, who asks afterwards, and the assistant."""

_TIMES = ('%I:%M %p on %d %B, %Y', '%Y-%m-%d', '%Y-%m-%dT%H:%M', '%Y-%m-%dT%H:%M:%S', '%Y/%m/%d (%a) %H:%M')

_SESSION = re.compile(r'session_(\d+)')
# Some lists of evidence have several names in one entry, or a name with an extra colon.
_EVIDENCE = re.compile(r'D:?(\d+):0*(\d+)')


@dataclass(frozen=True, slots=True)
class SaidLine:
    """One turn of a dialogue: what one speaker said. `dia_id` is its name in LoCoMo."""

    dia_id: str
    session: int
    speaker: str
    text: str
    time: datetime


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """A question with the lines that have its answer.

    Attributes:
        category: LoCoMo's number; 0 if there is none.
        kind: the kind of question, as the set names it; otherwise the name of the category.
        evidence: names of the lines that have the answer.
        outdated: names of lines with a former answer that no longer holds.
        before: only sessions with a lower number are known when it is asked; 0 means all sessions.
        answer: the expected answer; empty if the set has none.
    """

    text: str
    category: int
    evidence: frozenset[str]
    kind: str = ''
    outdated: frozenset[str] = frozenset()
    before: int = 0
    answer: str = ''

    @property
    def current(self) -> frozenset[str]:
        """The evidence that still holds."""
        return self.evidence - self.outdated


@dataclass(frozen=True, slots=True)
class LocomoDialogue:
    """A dialogue over many sessions, and the questions about it."""

    sample_id: str
    lines: tuple[SaidLine, ...]
    questions: tuple[LocomoQuestion, ...]

    @property
    def scored(self) -> tuple[LocomoQuestion, ...]:
        """Questions with evidence, except adversarial ones."""
        return tuple(asked for asked in self.questions if asked.category != ADVERSARIAL and asked.evidence)

    @property
    def with_assistant(self) -> bool:
        """Whether a user talks with an assistant, as people do with the robot. The questions are then the user's."""
        return {line.speaker.lower() for line in self.lines} <= {_ASKER, _ASSISTANT}

    def is_assistant(self, line: SaidLine) -> bool:
        """Whether the assistant said a line."""
        return self.with_assistant and line.speaker.lower() == _ASSISTANT

    @property
    def end(self) -> datetime:
        """The time of the last session."""
        return self.lines[-1].time


def load_dialogues(folder: Path) -> tuple[LocomoDialogue, ...]:
    """Reads all dialogues in the `*.json` files of a folder, in order of file name.

    Raises:
        ConfigError: there are none, or a file is not in LoCoMo's format.
    """
    dialogues = []
    for file in sorted(folder.glob('*.json')):
        try:
            samples = parse_json(file.read_text(encoding='utf-8'))
            dialogues += [_dialogue(sample) for sample in (samples if isinstance(samples, list) else [samples])]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f'this is not in the format of LoCoMo: {error!r}', file=str(file)) from error
    if not dialogues:
        raise ConfigError('there is no *.json file with dialogues in it', file=str(folder))
    return tuple(dialogues)


def _dialogue(sample: Mapping[str, Any]) -> LocomoDialogue:
    conversation = sample['conversation']
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    lines = [
        SaidLine(
            line['dia_id'], number, line['speaker'], _text(line), _time(conversation[f'session_{number}_date_time'])
        )
        for number in numbers
        for line in conversation[f'session_{number}']
    ]
    known = frozenset(line.dia_id for line in lines)
    if not lines:
        raise ValueError('a dialogue has no lines')
    questions = tuple(_question(entry, known) for entry in sample['qa'])
    return LocomoDialogue(str(sample['sample_id']), tuple(lines), questions)


def _question(entry: Mapping[str, Any], known: frozenset[str]) -> LocomoQuestion:
    category = int(entry.get('category') or 0)
    return LocomoQuestion(
        text=str(entry['question']),
        category=category,
        evidence=_named(entry.get('evidence') or (), known),
        kind=str(entry.get('kind') or CATEGORIES.get(category, 'other')),
        outdated=_named(entry.get('outdated') or (), known),
        before=int(entry.get('before') or 0),
        answer=str(entry.get('answer') or ''),
    )


def _text(line: Mapping[str, Any]) -> str:
    caption = line.get('blip_caption')
    return f'{line["text"]} [shared image: {caption}]' if caption else str(line['text'])


def _time(text: str) -> datetime:
    for form in _TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f'the date of a session should look like "1:56 pm on 8 May, 2023" or 2023-05-08, got {text!r}')


def _named(entries: object, known: frozenset[str]) -> frozenset[str]:
    """The known lines that a list names. LoCoMo's own lists have unusual spellings."""
    texts = [str(text) for text in (entries if isinstance(entries, list | tuple) else [entries])]
    spelled = {f'D{match[1]}:{match[2]}' for text in texts if text not in known for match in _EVIDENCE.finditer(text)}
    return known.intersection([*texts, *spelled])
