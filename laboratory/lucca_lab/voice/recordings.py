"""Counts after how many WAV recordings of other people the robot would act, ask back, or stop."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.outcomes import End
from lucca_lab.understanding.stack import stack_on_table
from lucca_lab.understanding.talk import CONTAINERS, OBJECTS
from lucca_lab.voice.trials import Ear, Kind
from speech_node.audio import read_wav
from speech_node.components import make_transcriber
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands


class RecordingKind(StrEnum):
    """What the recordings hold: talk, of which nothing should come, or commands."""

    TALK = 'talk'
    COMMANDS = 'commands'


@dataclass(frozen=True, slots=True)
class RecordingsReport:
    """How many files there are, and after how many the robot acted, asked, or stopped."""

    files: int
    acted: int
    asked: int
    stops: int

    def as_json(self) -> dict[str, Any]:
        """The four counts."""
        return asdict(self)


def hear_recordings(folder: Path, transcriber: str = '') -> RecordingsReport:
    """Every `*.wav` of a folder, each on its own, through the node's hearing and the stop spotter.

    Args:
        folder: with WAV files, also in folders in it.
        transcriber: spec; the configured one unless given. Of free transcripts counts what the coordinator makes of
            them; the commands of a fixed book count as acted on when they are understood.

    Raises:
        ConfigError: there is no such file, or the spec is unknown.
        LuccaError: a file cannot be read, or the transcriber cannot be loaded.
    """
    files = sorted(path for path in folder.rglob('*') if path.suffix.lower() == '.wav')
    if not files:
        raise ConfigError('there is no *.wav in it', file=str(folder))
    config = replace(SpeechConfig(), transcriber=transcriber) if transcriber else SpeechConfig()
    free = config.transcriber != SpeechConfig().transcriber
    book = load_commands()
    model = make_transcriber(config, None if free else book)
    ear = Ear(book, model, config)
    outcomes = [
        (ear.hear(read_wav(file), Kind.TALK, None), ear.hear(read_wav(file), Kind.NO_STOP, None)) for file in files
    ]
    if free:
        said = list(_understood([heard.heard for heard, _ in outcomes]))
        acted, asked = (sum(part) for part in zip(*said, strict=True))
    else:
        acted, asked = (sum(getattr(heard, name) for heard, _ in outcomes) for name in ('acted', 'asked'))
    return RecordingsReport(len(files), acted, asked, sum(spotted.stops > 0 for _, spotted in outcomes))


def _understood(texts: list[str]) -> Iterator[tuple[bool, bool]]:
    """For each text, whether a robot at a table begins a task by it, and whether it asks back."""
    with stack_on_table(sample_objects(OBJECTS), CONTAINERS) as robot:
        for text in texts:
            outcome = robot.say(text) if text.strip() else None
            yield (outcome is not None and bool(outcome.started)), (outcome is not None and outcome.end is End.ASKED)
