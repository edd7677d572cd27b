"""Counts of WAV recordings of other people after which the robot would act, ask back, or stop.

What it does depends on what was said before, so each recording is judged as the first that the robot hears, as heard by
an attentive robot, as heard after a question, and together with the others of its folder, one after another.
"""

import json
import logging
import multiprocessing
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.protocol.speech import Samples
from lucca_lab.voice.noise import silence
from lucca_lab.voice.outcomes_file import all_settings, kept_outcomes
from lucca_lab.voice.situations import HeardUtterance, Situation, react_to
from lucca_lab.voice.trials import Ear, config_for, has_effect, make_ear
from speech_node.audio import FULL_SCALE, RATE_HZ, resampled, to_samples
from speech_node.config import SpeechConfig
from speech_node.hearing.reaction_policy import ReactionKind, ReactionPolicy
from speech_node.interfaces import Intent, IntentKind, Transcript

_log = logging.getLogger(__name__)
_UNSIGNED_ZERO = 128
_CONFIDENCE = 0.95
_AROUND_S = 0.5
"""Silence (s) added around a recording for stop words: many recordings are cut at the end of the word, while a
microphone goes on."""
BETWEEN_S = 0.5
"""Pause between two recordings that are heard one after another, in s."""


class RecordingKind(StrEnum):
    """What the recordings contain: talk, which should have no effect, or commands."""

    TALK = 'talk'
    COMMANDS = 'commands'


@dataclass(frozen=True, slots=True)
class RecordingOutcome:
    """The outcome of one file, `audio_s` long.

    It is the first that the robot hears, except for `..._attentive`; `confirmed`: it is taken for a yes after a
    question. `stops` counts the stop words that the spotter heard and the utterances that the transcriber took for
    nothing but a stop.
    """

    file: str
    audio_s: float
    acted: bool
    asked: bool
    acted_attentive: bool
    asked_attentive: bool
    confirmed: bool
    stops: int
    heard: tuple[HeardUtterance, ...]

    @classmethod
    def from_json(cls, read: dict[str, Any]) -> 'RecordingOutcome':
        """The outcome that `dataclasses.asdict` has made this of."""
        return cls(**read | {'heard': tuple(_utterance(**one) for one in read['heard'])})


def _utterance(transcript: dict[str, Any], start_s: float, end_s: float) -> HeardUtterance:
    intent = transcript['intent']
    meant = None if intent is None else Intent(**intent | {'kind': IntentKind(intent['kind'])})
    return HeardUtterance(Transcript(**transcript | {'intent': meant}), start_s, end_s)


@dataclass(frozen=True, slots=True)
class RecordingsReport:
    """The number of files that were heard, and of those after which the robot acted, asked, or stopped.

    Each file is the first that the robot hears, except for `..._attentive`; `confirmed` counts those that are taken for
    a yes after a question, and `acted_in_turn` those that are acted on if a folder's files are heard one after another.
    """

    files: int
    acted: int
    asked: int
    acted_attentive: int
    asked_attentive: int
    confirmed: int
    acted_in_turn: int
    stops: int

    def as_json(self) -> dict[str, Any]:
        """The counts, and upper bounds (95 % confidence) on the shares of files with acts and with stops."""
        bounded = ('acted', 'acted_attentive', 'confirmed', 'acted_in_turn', 'stops')
        at_most = {name: round(upper_bound(getattr(self, name), self.files), 4) for name in bounded}
        return asdict(self) | {f'{name}_at_most': share for name, share in at_most.items()}


def upper_bound(events: int, trials: int) -> float:
    """The one-sided 95 % upper bound on a share after so many events in so many trials (Clopper and Pearson)."""
    from scipy.stats import beta

    return float(beta.ppf(_CONFIDENCE, events + 1, trials - events)) if events < trials else 1.0


Heard = Iterator[RecordingOutcome | str]
"""Outcomes, or why a file cannot be read."""
Watched = Callable[[Heard, int], Heard]


def hear_recordings(
    folder: Path,
    transcriber: str = '',
    *,
    processes: int = 1,
    outcomes_file: Path | None = None,
    watched: Watched = lambda found, _: found,
) -> RecordingsReport:
    """Passes every WAV file of a folder through the node's hearing and the stop spotter, each on its own.

    Args:
        folder: searched, with its subfolders, for WAV files of any width, rate and number of channels. Files that
            cannot be read are left out, with a warning.
        transcriber: spec; by default, the configured one. A free transcript counts as acted on if the coordinator
            begins a task; a command of the book counts as soon as it is understood.
        processes: number of files that are heard at a time.
        outcomes_file: gets one line of JSON for each file as soon as it was heard. Files that it has from an earlier
            run are not heard again.
        watched: passes on the outcomes, of which there are so many, and may show how far it is.

    Raises:
        ConfigError: there is no WAV file, or the spec is unknown.
        StackError: `outcomes_file` is of another folder, other settings or another state of `speech_node`.
        LuccaError: no file can be read, or the transcriber cannot be loaded.
    """
    files = sorted(path for path in folder.rglob('*') if path.suffix.lower() == '.wav' and path.is_file())
    if not files:
        raise ConfigError('there is no *.wav in it', file=str(folder))
    known: dict[str, RecordingOutcome] = {}
    if outcomes_file is not None:
        about = {'folder': str(folder.resolve())} | all_settings(transcriber)
        kept = map(RecordingOutcome.from_json, kept_outcomes(outcomes_file, about))
        known = {one.file: one for one in kept}
    left = [file for file in files if _name(file, folder) not in known]
    for outcome in watched(_heard(left, folder, transcriber, processes), len(left)):
        if isinstance(outcome, str):
            _log.warning('left out: %s', outcome)
            continue
        known[outcome.file] = outcome
        if outcomes_file is not None:
            with outcomes_file.open('a', encoding='utf-8') as opened:
                opened.write(json.dumps(asdict(outcome)) + '\n')
    found = [known[name] for file in files if (name := _name(file, folder)) in known]
    if not found:
        raise SpeechError(f'none of the {len(files)} files in {folder} can be read as WAV')
    return RecordingsReport(
        len(found),
        sum(one.acted for one in found),
        sum(one.asked for one in found),
        sum(one.acted_attentive for one in found),
        sum(one.asked_attentive for one in found),
        sum(one.confirmed for one in found),
        sum(acted_in_turn(files, config_for(transcriber)) for files in _folders(found)),
        sum(one.stops > 0 for one in found),
    )


def acted_in_turn(files: Sequence[RecordingOutcome], config: SpeechConfig) -> int:
    """After how many files the robot acts, if it hears one after another, with `BETWEEN_S` between them."""
    policy, begin_s, acted = ReactionPolicy(config), 0.0, 0
    for one in files:
        decided = zip(one.heard, react_to(policy, one.heard, begin_s), strict=True)
        acted += any(said.kind is ReactionKind.PASS and has_effect(heard.transcript) for heard, said in decided)
        begin_s += one.audio_s + BETWEEN_S
    return acted


def _folders(found: Sequence[RecordingOutcome]) -> list[list[RecordingOutcome]]:
    folders: dict[Path, list[RecordingOutcome]] = {}
    for one in found:
        folders.setdefault(Path(one.file).parent, []).append(one)
    return list(folders.values())


def read_recording(file: Path) -> Samples:
    """Reads a WAV file of integers or floating-point numbers of any width, and converts it to 16 kHz mono.

    Raises:
        SpeechError: the file cannot be read, or its rate is out of range.
    """
    from scipy.io import wavfile

    try:
        with warnings.catch_warnings():
            # Warnings about chunks without sound, or about the unknown length in a stream, are harmless.
            warnings.simplefilter('ignore', wavfile.WavFileWarning)
            rate_hz, values = wavfile.read(file)
    except Exception as error:  # scipy raises whatever errors its parser meets
        raise SpeechError(f'{file} cannot be read as WAV: {type(error).__name__}: {error}') from error
    mono = values.astype(np.float64).reshape(len(values), -1).mean(axis=1) if len(values) else np.zeros(0)
    if values.dtype.kind == 'f':
        mono = np.nan_to_num(mono) * FULL_SCALE
    elif values.dtype == np.uint8:
        mono = (mono - _UNSIGNED_ZERO) * (FULL_SCALE / _UNSIGNED_ZERO)
    else:
        mono = mono * (FULL_SCALE / (np.iinfo(values.dtype).max + 1.0))
    return resampled(to_samples(mono), int(rate_hz))


def _name(file: Path, folder: Path) -> str:
    return str(file.relative_to(folder))


def _heard(files: Sequence[Path], folder: Path, transcriber: str, processes: int) -> Heard:
    """The outcome of each file, in order; for a file that cannot be read, the reason as text."""
    hear = partial(_hear, transcriber, folder)
    if processes == 1 or not files:
        yield from map(hear, files)
        return
    # A multiprocessing.Pool does not allow its processes to have children, and transcribers are child processes.
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context('spawn')) as pool:
        yield from pool.map(hear, files)


def _hear(transcriber: str, folder: Path, file: Path) -> RecordingOutcome | str:
    ear = _ear(transcriber)
    try:
        samples = read_recording(file)
    except SpeechError as error:
        return str(error)
    heard = ear.utterances(samples)
    first, attentive, asked = (ear.effect(heard, situation) for situation in Situation)
    return RecordingOutcome(
        file=_name(file, folder),
        audio_s=len(samples) / RATE_HZ,
        acted=first.acted,
        asked=first.asked,
        acted_attentive=attentive.acted,
        asked_attentive=attentive.asked,
        confirmed=asked.confirmed,
        stops=ear.stops(np.concatenate([silence(_AROUND_S), samples, silence(_AROUND_S)])) + first.stops,
        heard=tuple(heard),
    )


@cache
def _ear(transcriber: str) -> Ear:
    """One ear for each process, since its model takes a second to load."""
    return make_ear(transcriber)
