"""One trial of the voice experiment: a spoken sentence through the listening pipeline, and its outcome.

The audio takes the node's path: chunks, stop spotter or voice activity, segments, transcriber, dialogue. Only the
microphone is replaced, by a program that speaks and white noise. Each trial has its own seed, so that results do not
depend on the order, the number of processes or interruptions.
"""

import functools
import random
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from lucca_core.protocol.speech import Samples
from lucca_core.stop_command import STOP_WORDS
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table
from lucca_lab.understanding.talk import CONTAINERS, OBJECTS
from lucca_lab.voice.sentences import UNHEARD_TALK, UNHEARD_WORDS, commands, reported, talk
from lucca_lab.voice.situations import HeardEffect, HeardUtterance, Situation, effect
from lucca_lab.voice.stop_training import spoken
from lucca_lab.voice.stop_voices import (
    FINAL_SPEEDS,
    FINAL_VOICES,
    FRESH_SPEEDS,
    FRESH_VOICES,
    LAST_SPEEDS,
    LAST_VOICES,
    LATER_SPEEDS,
    LATER_VOICES,
    OTHER_SPEEDS,
    OTHER_VOICES,
    RECORDED_SPEEDS,
    RECORDED_VOICES,
    SPARE_SPEEDS,
    SPARE_VOICES,
)
from speech_node.audio import CHUNK, RATE_HZ
from speech_node.components import book_for, make_transcriber
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import CommandBook, load_commands
from speech_node.hearing.listener import Event, Listener, StopHeard
from speech_node.hearing.pocketsphinx_transcriber import PocketsphinxTranscriber
from speech_node.hearing.stop_spotter import NetworkStopSpotter
from speech_node.hearing.voice_activity import SileroActivity
from speech_node.interfaces import Chunk, Intent, Transcriber, Transcript, UtteranceAudio

VOICES = ('en-us', 'en-us+f3', 'en-us+klatt2')
"""Voices with targets; further voices are only reported. Confidence was fitted on none of them."""
FURTHER_VOICES = ('en-us+m3', 'en-gb')
GROUPS = {
    'other': (OTHER_VOICES, OTHER_SPEEDS),
    'fresh': (FRESH_VOICES, FRESH_SPEEDS),
    'later': (LATER_VOICES, LATER_SPEEDS),
    'last': (LAST_VOICES, LAST_SPEEDS),
    'final': (FINAL_VOICES, FINAL_SPEEDS),
    'spare': (SPARE_VOICES, SPARE_SPEEDS),
    'recorded': (RECORDED_VOICES, RECORDED_SPEEDS),
}
"""Voices and speeds that take turns in one row. Recognisers of commands were chosen on all but the last three."""
SPEEDS = (120, 140, 160)
TARGET_AT_DB = {35.0: 0.95, 20.0: 0.85}
MOST_ACTED, MOST_ASKED, MOST_FALSE_STOPS, STOPS_HEARD = 2, 20, 4, 0.97


class Kind(StrEnum):
    """The kind of a sentence and its expected effect.

    A command is understood; talk has no effect, nor has a command that is only reported or denied; a stop word stops,
    while talk and commands do not (`NO_STOP`). Stop spotter and recogniser are independent, so each trial runs only one
    of them.
    """

    COMMAND = 'command'
    TALK = 'talk'
    REPORTED = 'reported'
    STOP = 'stop'
    NO_STOP = 'no-stop'


@dataclass(frozen=True, slots=True)
class Trial:
    """One sentence, said once. `row` is its line in the table, and `number` its place in this line."""

    row: str
    number: int
    kind: Kind
    text: str
    voice: str
    words_per_minute: int
    snr_db: float
    seed: int

    @property
    def key(self) -> str:
        """A name for the trial in a file of outcomes."""
        return f'{self.row} #{self.number}: {self.text}'


@dataclass(frozen=True, slots=True)
class SpeechOutcome:
    """The outcome of a trial. `right`: the effect was the one that `Kind` expects.

    `acted` and `asked` say what happens if nothing was said before; those that end in `_attentive`, if the robot is
    attentive; `confirmed` and `declined` whether the sentence is taken for a yes or a no if the robot has just asked.
    """

    right: bool
    acted: bool
    asked: bool
    stops: int
    heard: str
    confidence: float
    acted_attentive: bool = False
    asked_attentive: bool = False
    confirmed: bool = False
    declined: bool = False


@dataclass
class Row:
    """One line of the table: how many sentences were said, and how many had each outcome.

    `acted` and `asked` count sentences of which each is the first that the robot hears; `confirmed` those that it takes
    for a yes to a question. The others are about an attentive robot: `by_question` counts commands that it asks about,
    `surely` those on which it acts, and `wrong` sentences after which it acts, but not on what was said. A no needs no
    certainty: nothing is done then.
    """

    name: str
    said: int = 0
    right: int = 0
    by_question: int = 0
    surely: int = 0
    acted: int = 0
    asked: int = 0
    acted_attentive: int = 0
    asked_attentive: int = 0
    wrong: int = 0
    confirmed: int = 0
    stops: int = 0
    target: str = ''
    kept: bool | None = None
    misses: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of right outcomes."""
        return self.right / self.said if self.said else 0.0

    def text(self) -> str:
        """The line as text."""
        mark = {True: 'kept', False: 'MISSED', None: ''}[self.kept]
        return (
            f'{self.name:<40} said {self.said:4d}  right {self.right:4d} ({100 * self.share:5.1f} %)  '
            f'acted {self.acted:4d}  asked {self.asked:3d}  attentive: by question {self.by_question:3d}  '
            f'surely {self.surely:4d}  acted {self.acted_attentive:4d}  wrong {self.wrong:3d}  '
            f'asked {self.asked_attentive:3d}  taken for a yes {self.confirmed:3d}  stops {self.stops:3d}  '
            f'{self.target} {mark}'
        )


class Ear:
    """The node's hearing without the node: it determines the effect of a sound."""

    def __init__(
        self,
        book: CommandBook,
        transcriber: Transcriber,
        config: SpeechConfig,
    ) -> None:
        self._book = book
        self._transcriber = transcriber
        self._config = config
        self._activity = SileroActivity()
        self._spotter = functools.cache(NetworkStopSpotter)

    def run(self, trial: Trial) -> SpeechOutcome:
        """Says a trial's sentence and hears it."""
        noise = np.random.default_rng([trial.seed, zlib.crc32(trial.key.encode())])
        sound = spoken(trial.text, trial.voice, trial.words_per_minute, trial.snr_db, noise)
        intent = self._book.intent_of(trial.text) if trial.kind is Kind.COMMAND else None
        return self.hear(sound, trial.kind, intent)

    def hear(self, samples: Samples, kind: Kind, intent: Intent | None) -> SpeechOutcome:
        """The outcome of a sound. Each sound is heard from a fresh state."""
        if kind in (Kind.STOP, Kind.NO_STOP):
            stops = self.stops(samples)
            return SpeechOutcome((stops > 0) == (kind is Kind.STOP), False, False, stops, '', 0.0)
        heard = self.utterances(samples)
        situations = Situation.FIRST, Situation.ATTENTIVE, Situation.ASKED
        first, attentive, answered = (self.effect(heard, situation) for situation in situations)
        confidence = max((one.transcript.confidence for one in heard), default=0.0)
        # An answer such as "yes" does nothing by itself, but it was understood, and this counts.
        understood = [
            one.transcript.intent for one in heard if one.transcript.confidence >= self._config.ask_confidence
        ]
        meant = next((found for found in understood if found is not None), None)
        return SpeechOutcome(
            meant == intent if kind is Kind.COMMAND else not (attentive.acted or first.asked),
            first.acted,
            first.asked,
            0,
            ' / '.join(one.transcript.text for one in heard),
            confidence,
            attentive.acted,
            attentive.asked,
            answered.confirmed,
            answered.declined,
        )

    def utterances(self, samples: Samples) -> list[HeardUtterance]:
        """The utterances in a sound."""
        self._activity.reset()
        listener = Listener(self._config, self._activity, None, None)
        return [
            HeardUtterance(self._transcriber.transcribe(event.samples), event.start_s, event.end_s)
            for event in _events(listener, samples)
            if isinstance(event, UtteranceAudio)
        ]

    def effect(self, heard: Sequence[HeardUtterance], situation: Situation) -> HeardEffect:
        """What the robot does about the utterances of a sound in a situation."""
        return effect(self._config, heard, situation, has_effect)

    def stops(self, samples: Samples) -> int:
        """How often a stop word is heard in a sound."""
        spotter = self._spotter()
        spotter.reset()
        listener = Listener(self._config, _NoActivity(), spotter, None)
        return sum(isinstance(event, StopHeard) for event in _events(listener, samples))


def _events(listener: Listener, samples: Samples) -> list[Event]:
    return [event for chunk in _chunks(samples) for event in listener.hear(chunk)] + listener.flush()


class _NoActivity:
    """Voice activity that never hears anybody, for trials with only the stop spotter."""

    def probability(self, samples: Samples) -> float:
        return 0.0

    def reset(self) -> None:
        """Does nothing, since there is no state."""


def make_ear(transcriber: str = '') -> Ear:
    """The ear of the default settings, or with another transcriber.

    A grammar is recognised in this process; other transcribers have their own process. What they pass on that is no
    command is told to a coordinator at a table.

    Raises:
        ConfigError: the spec is unknown.
        SpeechError: the transcriber cannot be loaded.
    """
    config = config_for(transcriber)
    book = load_commands()
    if config.hears_only_commands:
        return Ear(book, PocketsphinxTranscriber(book, certain=config.act_confidence), config)
    return Ear(book, make_transcriber(config, book_for(config)), config)


def has_effect(transcript: Transcript) -> bool:
    """Whether a transcript that is passed on has an effect: a command, or free speech on which a task is begun."""
    return transcript.intent is not None or begins_a_task(transcript.text)


def config_for(transcriber: str) -> SpeechConfig:
    """The default settings, or those with another transcriber."""
    return replace(SpeechConfig(), transcriber=transcriber) if transcriber else SpeechConfig()


@functools.cache
def begins_a_task(text: str) -> bool:
    """Whether a robot at a table with its usual objects begins a task when it is told this text."""
    with stack_on_table(sample_objects(OBJECTS), CONTAINERS) as robot:
        return bool(robot.say(text).started)


def trials(*, count: int, seed: int, snrs_db: Sequence[float], voices: Sequence[str]) -> list[Trial]:
    """All trials: ordinary talk, stop words, sentences without a stop, then commands by noise and voice.

    Talk and stop words use voices, speeds and sentences on which nothing was trained or chosen. `voices` may hold names
    of `GROUPS`, whose voices take turns.
    """
    book = load_commands()
    said = [sentence for sentence, _ in commands(book, random.Random(seed), count)]
    told = reported(book, random.Random(seed), count)
    talked = talk(random.Random(seed), count)
    quiet = talk(random.Random(seed), count, UNHEARD_TALK, UNHEARD_WORDS)
    return [
        *_in_turn('ordinary talk, 35 and 20 dB', Kind.TALK, talked, (35.0, 20.0), seed),
        *_in_turn('commands that nobody gives, 35 and 20 dB', Kind.REPORTED, told, (35.0, 20.0), seed),
        *(
            trial
            for word in STOP_WORDS
            for trial in _in_turn(
                f'"{word}", 20 dB', Kind.STOP, [word] * (count if word == 'stop' else count // 4), (20.0,), seed
            )
        ),
        *_in_turn('ordinary talk, none a stop, 35 and 20 dB', Kind.NO_STOP, quiet, (35.0, 20.0), seed),
        *_in_turn('commands, none a stop, 20 dB', Kind.NO_STOP, said, (20.0,), seed),
        *(
            Trial(
                f'commands, {voice}, {snr_db:g} dB', number, Kind.COMMAND, text, voice, SPEEDS[number % 3], snr_db, seed
            )
            for snr_db in snrs_db
            for voice in voices
            if voice not in GROUPS
            for number, text in enumerate(said)
        ),
        *(
            trial
            for group in voices
            if group in GROUPS
            for trial in _in_turn(
                f'commands, {group} voices, {" and ".join(f"{snr_db:g}" for snr_db in snrs_db)} dB',
                Kind.COMMAND,
                said,
                snrs_db,
                seed,
                group,
            )
        ),
    ]


def _in_turn(
    row: str, kind: Kind, texts: Sequence[str], snrs_db: Sequence[float], seed: int, group: str = 'fresh'
) -> Iterator[Trial]:
    voices, speeds = GROUPS[group]
    for number, text in enumerate(texts):
        voice, speed = voices[number % len(voices)], speeds[number // len(voices) % len(speeds)]
        snr_db = snrs_db[number // (len(voices) * len(speeds)) % len(snrs_db)]
        yield Trial(row, number, kind, text, voice, speed, snr_db, seed)


def table(planned: Sequence[Trial], outcomes: Mapping[str, SpeechOutcome]) -> list[Row]:
    """A row for each line with outcomes, in the planned order. Only complete rows are compared with their targets."""
    rows: dict[str, Row] = {}
    wanted: dict[str, list[Trial]] = {}
    for trial in planned:
        wanted.setdefault(trial.row, []).append(trial)
        outcome = outcomes.get(trial.key)
        if outcome is None:
            continue
        row = rows.setdefault(trial.row, Row(trial.row))
        row.said += 1
        row.right += outcome.right
        row.by_question += outcome.right and outcome.asked_attentive
        sure = outcome.declined or outcome.confidence >= SpeechConfig().act_confidence
        row.surely += outcome.right and not outcome.asked_attentive and sure
        row.acted += outcome.acted
        row.asked += outcome.asked
        row.acted_attentive += outcome.acted_attentive
        row.asked_attentive += outcome.asked_attentive
        row.wrong += outcome.acted_attentive and not outcome.right
        row.confirmed += outcome.confirmed
        row.stops += outcome.stops > 0
        if not outcome.right:
            row.misses.append(f'{trial.text} ({trial.voice}, {trial.words_per_minute}, {trial.snr_db:g} dB): {outcome}')
    for row in rows.values():
        _judge(row, wanted[row.name])
    return list(rows.values())


def _judge(row: Row, said: Sequence[Trial]) -> None:
    first, whole = said[0], row.said == len(said)
    if first.kind is Kind.NO_STOP:
        row.target = f'stops <= {MOST_FALSE_STOPS} of 200'
        kept = 200 * row.stops <= MOST_FALSE_STOPS * row.said
    elif first.kind is Kind.REPORTED:
        row.target = f'acted <= {MOST_ACTED} of 200'
        kept = 200 * row.acted_attentive <= MOST_ACTED * row.said
    elif first.kind is Kind.TALK:
        row.target = f'acted <= {MOST_ACTED}, asked <= {MOST_ASKED} of 200'
        most = ((row.acted_attentive, MOST_ACTED), (row.asked, MOST_ASKED))
        kept = all(200 * found <= allowed * row.said for found, allowed in most)
    else:
        least = None
        if first.kind is Kind.STOP and first.text == 'stop':
            least = STOPS_HEARD
        elif first.kind is Kind.COMMAND and first.voice in VOICES:
            least = TARGET_AT_DB.get(first.snr_db)
        if least is None:
            return
        row.target, kept = f'>= {least:.0%}', row.share >= least
    row.kept = kept if whole else None


def _chunks(samples: Samples) -> Iterator[Chunk]:
    for start in range(0, len(samples) - CHUNK + 1, CHUNK):
        yield Chunk(samples[start : start + CHUNK], (start + CHUNK) / RATE_HZ)
