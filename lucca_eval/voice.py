"""How well the robot understands what is said: spoken commands, ordinary talk, stop words, in voices, speeds and noise.

Everything goes through the path that the node has: chunks, voice activity, stop spotter, segments, transcriber, dialogue.
Only the microphone is replaced by espeak-ng and white noise.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from lucca_eval.stop_training import OTHER_SPEEDS, OTHER_VOICES, spoken
from lucca_eval.voice_sentences import commands, talk
from speech_node.activity import SileroActivity
from speech_node.audio import CHUNK, RATE_HZ, Samples
from speech_node.commands import STOP_WORDS, CommandBook, Intent, load_commands
from speech_node.config import SpeechConfig
from speech_node.dialogue import Dialogue, What
from speech_node.listening import Listener, StopHeard
from speech_node.pocketsphinx_transcriber import PocketsphinxTranscriber
from speech_node.ports import Chunk, Segment, Transcriber
from speech_node.spotter import NetworkStopSpotter

VOICES = ('en-us', 'en-us+f3', 'en-us+klatt2')
"""Those that the targets are for; the further ones are only reported."""
FURTHER_VOICES = ('en-us+m3', 'en-gb')
SPEEDS = (120, 140, 160)
TARGET_AT_DB = {35.0: 0.95, 20.0: 0.85}
MOST_ACTED, MOST_ASKED, MOST_FALSE_STOPS, STOPS_HEARD = 2, 20, 4, 0.97


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one thing said. `meant`: what was passed on, or what the question was about."""

    acted: bool
    asked: bool
    meant: Intent | None
    stops: int
    heard: str
    confidence: float


@dataclass
class Row:
    """One line of the table: how many were said, and how many of them came out in which way."""

    name: str
    said: int = 0
    right: int = 0
    by_question: int = 0
    acted: int = 0
    asked: int = 0
    stops: int = 0
    target: str = ''
    kept: bool | None = None
    misses: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Right ones of those said."""
        return self.right / self.said if self.said else 0.0

    def text(self) -> str:
        """The line."""
        mark = {True: 'kept', False: 'MISSED', None: ''}[self.kept]
        return (
            f'{self.name:<40} said {self.said:4d}  right {self.right:4d} ({100 * self.share:5.1f} %)  '
            f'by question {self.by_question:3d}  acted {self.acted:4d}  asked {self.asked:3d}  stops {self.stops:3d}  '
            f'{self.target} {mark}'
        )


class Ear:
    """The node's hearing without the node: what becomes of a sound."""

    def __init__(self, book: CommandBook, transcriber: Transcriber, config: SpeechConfig) -> None:
        self._book = book
        self._transcriber = transcriber
        self._config = config
        self._activity = SileroActivity()
        self._spotter = NetworkStopSpotter()

    def hear(self, samples: Samples) -> Outcome:
        """What a sound leads to. Each sound begins anew: nothing is left of the one before."""
        self._activity.reset()
        self._spotter.reset()
        listener = Listener(self._config, self._activity, self._spotter, None)
        dialogue = Dialogue(self._config, self._book)
        events = [event for chunk in _chunks(samples) for event in listener.hear(chunk)] + listener.flush()
        acted = asked = False
        meant: Intent | None = None
        heard, confidence = [], 0.0
        for segment in (event for event in events if isinstance(event, Segment)):
            transcript = self._transcriber.transcribe(segment.samples)
            heard.append(transcript.text)
            confidence = max(confidence, transcript.confidence)
            reaction = dialogue.react(transcript, segment.start_s)
            acted = acted or reaction.what is What.PASS
            asked = asked or reaction.what is What.ASK
            intent = self._book.intent_of(transcript.text)
            # Answers do nothing by themselves; that they were understood counts all the same.
            if reaction.what in (What.PASS, What.ASK) or confidence >= self._config.ask_confidence:
                meant = meant or intent
        stops = sum(isinstance(event, StopHeard) for event in events)
        return Outcome(acted, asked, meant, stops, ' / '.join(heard), confidence)


def measure(
    *, count: int, seed: int, snrs_db: Sequence[float], voices: Sequence[str], config: SpeechConfig | None = None
) -> Iterator[Row]:
    """The rows of the table, each as soon as it is there: ordinary talk, stop words, then commands by voice and noise."""
    config = config or SpeechConfig()
    book = load_commands()
    ear = Ear(book, PocketsphinxTranscriber(book), config)
    noise = np.random.default_rng(seed)
    yield _talk_row(ear, talk(random.Random(seed), count), noise)
    yield from _stop_rows(config, count, noise)
    said = commands(book, random.Random(seed), count)
    for snr_db in snrs_db:
        for voice in voices:
            yield _command_row(ear, said, voice, snr_db, noise)


def _talk_row(ear: Ear, sentences: Sequence[str], noise: np.random.Generator) -> Row:
    row = Row('ordinary talk, all voices, 35 and 20 dB')
    everyone = (*VOICES, *FURTHER_VOICES)
    for number, sentence in enumerate(sentences):
        sound = spoken(
            sentence, everyone[number % len(everyone)], SPEEDS[number // 5 % 3], (35.0, 20.0)[number // 15 % 2], noise
        )
        outcome = ear.hear(sound)
        row.said += 1
        row.acted += outcome.acted
        row.asked += outcome.asked
        row.stops += outcome.stops > 0
        row.right += not (outcome.acted or outcome.asked or outcome.stops)
        if outcome.acted or outcome.asked or outcome.stops:
            row.misses.append(f'{sentence}: {outcome}')
    row.target = f'acted <= {MOST_ACTED}, asked <= {MOST_ASKED}, stops <= {MOST_FALSE_STOPS}'
    row.kept = row.acted <= MOST_ACTED and row.asked <= MOST_ASKED and row.stops <= MOST_FALSE_STOPS
    return row


def _stop_rows(config: SpeechConfig, count: int, noise: np.random.Generator) -> Iterator[Row]:
    """Each stop word, in voices and at speeds that the spotter was not trained on, at 20 dB."""
    spotter = NetworkStopSpotter()
    for word in STOP_WORDS:
        row = Row(f'"{word}", new voices and speeds, 20 dB')
        for number in range(count if word == 'stop' else count // 4):
            voice = OTHER_VOICES[number % len(OTHER_VOICES)]
            sound = spoken(word, voice, OTHER_SPEEDS[number // len(OTHER_VOICES) % 3], 20.0, noise)
            spotter.reset()
            highest = max(spotter.hear(chunk.samples) for chunk in _chunks(sound))
            row.said += 1
            row.right += highest >= config.stop_probability
            if highest < config.stop_probability:
                row.misses.append(f'{voice}: {highest:.2f}')
        row.stops = row.right
        row.target = f'>= {STOPS_HEARD:.0%}' if word == 'stop' else ''
        row.kept = row.share >= STOPS_HEARD if word == 'stop' else None
        yield row


def _command_row(
    ear: Ear, said: Sequence[tuple[str, Intent]], voice: str, snr_db: float, noise: np.random.Generator
) -> Row:
    row = Row(f'commands, {voice}, {snr_db:g} dB')
    for number, (sentence, intent) in enumerate(said):
        outcome = ear.hear(spoken(sentence, voice, SPEEDS[number % 3], snr_db, noise))
        right = outcome.meant == intent
        row.said += 1
        row.right += right
        row.by_question += right and outcome.asked
        row.acted += outcome.acted
        row.asked += outcome.asked
        row.stops += outcome.stops > 0
        if not right or outcome.stops:
            row.misses.append(f'{sentence}: {outcome}')
    if voice in VOICES and snr_db in TARGET_AT_DB:
        row.target = f'>= {TARGET_AT_DB[snr_db]:.0%}'
        row.kept = row.share >= TARGET_AT_DB[snr_db]
    return row


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The table for a machine."""
    return [asdict(row) | {'share': row.share} for row in rows]


def _chunks(samples: Samples) -> Iterator[Chunk]:
    for start in range(0, len(samples) - CHUNK + 1, CHUNK):
        yield Chunk(samples[start : start + CHUNK], (start + CHUNK) / RATE_HZ)
