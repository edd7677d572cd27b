"""Transcription of commands with pocketsphinx and a grammar: offline, with the English model from its wheel.

A grammar turns all speech into one of its sentences. Four measures tell commands from other speech. The first is the
acoustic fit: the score of each frame against the best of *all* senones (`compallsen`), averaged over the words.
`fit_confidence` turns it into a probability; its coefficients were fitted to 351 decodings of commands and talk in ten
synthetic voices, at 35 and 20 dB. The second is speech outside the recognised words: the decoder treats words that it
does not know as noise, and hears a well-fitting "fill the bowl" in "nobody knows where the ball came from". The third
is the length of each word: in "a man goes in the night", a "banana" of 1.4 s fits well. The fourth is whether the same
sentence is heard without the noise and slower, and fits there, too: other speech is then often taken for another
command.
"""

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import RATE_HZ, resampled
from speech_node.hearing.command_book import CommandBook
from speech_node.hearing.noise_reduction import without_noise
from speech_node.interfaces import IntentKind, Transcript

# A score that underflows to 0 is replaced by this, so that it has a logarithm.
_LEAST = 1e-300
_NO_WORDS = ('<', '[', '+', '(')
BEAM, WORD_BEAM = 1e-60, 1e-40
"""Wider than pocketsphinx's defaults, which lost one command in fifteen. Even wider beams take four times as long."""


@dataclass(frozen=True, slots=True)
class AcousticFit:
    """How well the sound fits a sentence: log score per frame of 10 ms, as mean over all words and of the worst word.

    0 is a perfect fit; commands have about -5.
    """

    mean: float
    worst: float


def fit_confidence(fit: AcousticFit) -> float:
    """The probability, 0 to 1, that a sentence with this fit was really said."""
    score = FIT_BIAS + FIT_MEAN * fit.mean + FIT_WORST * fit.worst
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


_JUST_BELOW = 0.01
LEAST_OF_EACH = 0.5
"""Confidence that each of the three decodings must have for a sentence to count as certain.

Of 35 commands in synthetic voices, none had less than 0.67 in any decoding. For a person's "so Lisa went on to
playground", one decoding had 0.96 and the others 0.15 and 0.02.
"""
MOST_OUTSIDE_S = 0.1
"""Duration of speech outside the words, in s, above which the utterance is not a command.

In the voices of the fit, commands had none of it, and three quarters of the other utterances had some.
"""
SLOWER_HZ = 16_960
"""A rate at which the same sound has 6 % more samples, so that it is decoded as slower and lower."""
LONGEST_WORD_S, LONGEST_PHONEME_S = 0.4, 0.12
"""Longest duration of a word, in s: the first value, plus the second one for each of its phonemes.

In the slowest voices used to choose them, no word took more than three quarters of that. Two recordings of talk that
fitted a command well both exceeded it.
"""
_BELOW_LOUDEST_DB, _ABOVE_NOISE_DB, _EDGE = 18.0, 6.0, 2
FRAME = RATE_HZ // 100
FIT_BIAS, FIT_MEAN, FIT_WORST = 20.65, 2.306, 0.7


def jsgf(book: CommandBook) -> str:
    """Writes the sentences of a book as a JSGF grammar."""
    rules: dict[tuple[str, ...], str] = {}
    # Sentences with the same beginning share it. Otherwise the decoder would follow every object once per ending.
    endings: dict[str, list[str]] = {}
    wake = f'{book.wake_word} ' if book.wake_word else ''
    for phrase in book.phrases:
        pattern = phrase.pattern if phrase.intent.kind in (IntentKind.YES, IntentKind.NO) else wake + phrase.pattern
        if not phrase.slot:
            endings[pattern] = ['']
            continue
        before, after = pattern.split(phrase.slot)
        rule = rules.setdefault(phrase.fillers, f'slot{len(rules)}')
        endings.setdefault(f'{before}<{rule}>', []).append(after.strip())
    alternatives = [begin if ends == [''] else f'{begin} {_one_of(ends)}' for begin, ends in endings.items()]
    lines = [f'<{name}> = {" | ".join(fillers)};' for fillers, name in rules.items()]
    lines.append(f'public <command> = {" | ".join(alternatives)};')
    return '#JSGF V1.0;\ngrammar commands;\n' + '\n'.join(lines) + '\n'


def _one_of(texts: Sequence[str]) -> str:
    choice = ' | '.join(text for text in texts if text)
    return f'[{choice}]' if '' in texts else f'({choice})'


class PocketsphinxTranscriber:
    """Recognises the sentences of a grammar. It holds the interpreter's lock, so it belongs in its own process.

    Args:
        certain: confidence, 0 to 1, at which a command will be acted on.

    Raises:
        SpeechError: the package is not installed.
        ConfigError: a word has no pronunciation.
    """

    def __init__(self, book: CommandBook, *, certain: float) -> None:
        try:
            import pocketsphinx
        except ImportError as error:
            raise SpeechError(f'the transcriber pocketsphinx needs: pip install pocketsphinx ({error})') from error
        self._book = book
        self._certain = certain
        config = pocketsphinx.Config(loglevel='FATAL', lm=None, compallsen=True, beam=BEAM, wbeam=WORD_BEAM, pbeam=BEAM)
        self._decoder: Any = pocketsphinx.Decoder(config)
        missing = []
        for word in sorted(book.words()):
            if word in book.pronunciations:
                self._decoder.add_word(word, book.pronunciations[word], False)
            elif self._decoder.lookup_word(word) is None:
                missing.append(word)
        if missing:
            raise ConfigError(f'no pronunciation known for {", ".join(missing)}; add it under pronunciations')
        with tempfile.TemporaryDirectory(prefix='lucca-grammar-') as folder:
            file = Path(folder) / 'commands.gram'
            file.write_text(jsgf(book), encoding='ascii')
            self._decoder.add_jsgf_file('commands', str(file))
        self._decoder.activate_search('commands')

    @property
    def name(self) -> str:
        return 'pocketsphinx'

    def sentence(self, samples: Samples) -> str:
        """The sentence of the book that fits best, as it is spoken; empty if none fits."""
        spoken, _ = self.decode(samples)
        return spoken if spoken in self._book.spoken else ''

    def transcribe(self, samples: Samples) -> Transcript:
        started_s = time.monotonic()
        spoken, confidence = self._understood(samples)
        took_s = time.monotonic() - started_s
        return Transcript(self._book.text_of(spoken), confidence, 'en', took_s, self._book.intent_of(spoken))

    def _understood(self, samples: Samples) -> tuple[str, float]:
        """The spoken sentence and its confidence.

        The result is compared with that for the denoised sound: in noise, the decoder often finds no whole sentence,
        and it decodes talk as a different command each time. A sentence that would be acted on is decoded a third time,
        slower, and must be likely in each of the three decodings.
        """
        first, fit = self.decode(samples)
        confidence = fit_confidence(fit) if first else 0.0
        second, fit = self.decode(without_noise(samples))
        other = fit_confidence(fit) if second else 0.0
        if not self._same(first, second):
            # The better one may be asked about, but is never acted on.
            best, confidence = (first, confidence) if confidence >= other else (second, other)
            return best, self._uncertain(confidence)
        worst, confidence = min(confidence, other), max(confidence, other)
        if confidence >= self._certain:
            third, fit = self.decode(resampled(samples, RATE_HZ, SLOWER_HZ))
            if not self._same(first, third) or min(worst, fit_confidence(fit)) < LEAST_OF_EACH:
                return first, self._uncertain(confidence)
        return first, confidence

    def _same(self, first: str, second: str) -> bool:
        """Whether two sentences mean the same, such as "point at the cup" and "point to the cup"."""
        return self._book.intent_of(first) == self._book.intent_of(second)

    def _uncertain(self, confidence: float) -> float:
        return min(confidence, self._certain - _JUST_BELOW)

    def decode(self, samples: Samples) -> tuple[str, AcousticFit]:
        """The best-fitting spoken sentence of the grammar and its fit; empty if there is no whole sentence."""
        decoder = self._decoder
        decoder.start_utt()
        # In one piece, because the mean of the whole utterance is subtracted.
        decoder.process_raw(samples.tobytes(), full_utt=True)
        decoder.end_utt()
        spoken = ' '.join(word.text for word in self._words())
        if self._book.intent_of(spoken) is None:
            return '', AcousticFit(-math.inf, -math.inf)
        words = list(self._words())
        if _outside_s(samples, [(word.begin, word.end) for word in words]) > MOST_OUTSIDE_S:
            return '', AcousticFit(-math.inf, -math.inf)
        if any((word.end - word.begin) * FRAME / RATE_HZ > self._longest_s(word.text) for word in words):
            return '', AcousticFit(-math.inf, -math.inf)
        mean = sum(word.score for word in words) / sum(word.end - word.begin for word in words)
        return spoken, AcousticFit(mean, min(word.score / (word.end - word.begin) for word in words))

    def close(self) -> None:
        self._decoder = None

    def _longest_s(self, word: str) -> float:
        phonemes = self._decoder.lookup_word(word)
        return LONGEST_WORD_S + LONGEST_PHONEME_S * len(phonemes.split())

    def _words(self) -> Iterator['_Word']:
        """The words of the last utterance, without silence and noise."""
        if self._decoder.hyp() is None:
            return
        for item in self._decoder.seg():
            if not item.word.startswith(_NO_WORDS):
                score = math.log(max(item.ascore, _LEAST))
                yield _Word(item.word.split('(')[0], item.start_frame, item.end_frame + 1, score)


class _Word(NamedTuple):
    """A recognised word: its frames of 10 ms, `end` excluded, and the natural logarithm of its score."""

    text: str
    begin: int
    end: int
    score: float


def _outside_s(samples: Samples, words: Sequence[tuple[int, int]]) -> float:
    """Duration of loud sound outside the recognised words, in s."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME).astype(np.float64)
    if not len(frames):
        return 0.0
    level_db = 10 * np.log10((frames**2).mean(axis=1) + 1)
    loud = level_db > max(
        np.percentile(level_db, 95) - _BELOW_LOUDEST_DB, np.percentile(level_db, 10) + _ABOVE_NOISE_DB
    )
    for begin, end in words:
        loud[max(0, begin - _EDGE) : end + _EDGE] = False
    return float(loud.sum()) * FRAME / RATE_HZ
