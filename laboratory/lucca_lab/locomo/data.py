"""Reads LoCoMo dialogues from files in their original format."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.json_text import parse_json

CATEGORIES = {1: 'multi-hop', 2: 'temporal', 3: 'open-domain', 4: 'single-hop'}
"""Those that are scored; 5 (adversarial) asks for what was never said."""

_SESSION = re.compile(r'session_(\d+)')
# Some lists of evidence hold several names in one entry, or one with a colon too many.
_EVIDENCE = re.compile(r'D:?(\d+):0*(\d+)')


@dataclass(frozen=True, slots=True)
class SaidLine:
    """One turn of a dialogue, as LoCoMo calls it: what one speaker said."""

    dia_id: str
    session: int
    speaker: str
    text: str
    time: datetime


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """A question with the lines in which its answer is."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class LocomoDialogue:
    """A dialogue over many sessions, and what is asked about it."""

    sample_id: str
    lines: tuple[SaidLine, ...]
    questions: tuple[LocomoQuestion, ...]

    @property
    def scored(self) -> tuple[LocomoQuestion, ...]:
        """Questions of the scored categories that name evidence."""
        return tuple(asked for asked in self.questions if asked.category in CATEGORIES and asked.evidence)

    @property
    def end(self) -> datetime:
        """When its last session was."""
        return self.lines[-1].time


def load_dialogues(folder: Path) -> tuple[LocomoDialogue, ...]:
    """All dialogues of the `*.json` files of a folder, by name of file and place in it.

    Raises:
        ConfigError: there is none, or a file is not in LoCoMo's format.
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
    known = {line.dia_id for line in lines}
    if not lines:
        raise ValueError('a dialogue has no lines')
    questions = [
        LocomoQuestion(str(entry['question']), int(entry['category']), _evidence(entry.get('evidence', ())) & known)
        for entry in sample['qa']
    ]
    return LocomoDialogue(str(sample['sample_id']), tuple(lines), tuple(questions))


def _text(line: Mapping[str, Any]) -> str:
    caption = line.get('blip_caption')
    return f'{line["text"]} [shared image: {caption}]' if caption else str(line['text'])


def _time(text: str) -> datetime:
    return datetime.strptime(text, '%I:%M %p on %d %B, %Y').replace(tzinfo=UTC)


def _evidence(entries: object) -> frozenset[str]:
    texts = entries if isinstance(entries, list) else [entries]
    return frozenset(f'D{match[1]}:{match[2]}' for text in texts for match in _EVIDENCE.finditer(str(text)))
