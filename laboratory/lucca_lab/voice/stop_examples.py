"""Training examples for the stop spotter: audio windows with and without stop words, in several voices and noise."""

import functools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from lucca_core.archived_weights import DAMAGED_ARCHIVE
from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from lucca_core.stop_command import STOP_WORDS
from lucca_lab.voice.noise import silence, with_noise
from lucca_lab.voice.sentences import OTHER_TALK, WORDS
from lucca_lab.voice.sound_alikes import chain
from lucca_lab.voice.stop_voices import TRAINED_SPEEDS
from speech_node.audio import RATE_HZ, scaled, to_samples
from speech_node.hearing.command_book import load_commands
from speech_node.hearing.stop_spotter import FRAMES, HOP, log_mel
from speech_node.speaking.espeak_speaker import EspeakSpeaker

ALIKE = (
    *('top', 'shop', 'step', 'stock', 'stuff', 'start', 'store', 'stay', 'spot', 'drop', 'pop', 'stamp', 'stack'),
    *('hot', 'halter', 'help', 'hold', 'haul', 'salt', 'fault', 'house', 'half', 'hall', 'whole', 'holiday'),
    *('free', 'fleece', 'three', 'freeway', 'breeze', 'please', 'trees', 'fridge', 'friends', 'frozen', 'cheese'),
    *(
        'later',
        'back',
        'park',
        'flat',
        'yes',
        'peace',
        'pace',
        'class',
        'lost',
        'cost',
        'most',
        'list',
        'stood',
        'soft',
    ),
    *('shot', 'dot', 'job', 'shock', 'hard', 'heart', 'hat', 'hut', 'help me', 'freight', 'fries', 'rise', 'size'),
    *('these', 'sneeze', 'thanks', 'thank you', 'talk', 'walk', 'sunday', 'night', 'light', 'house', 'lots', 'stars'),
    *('look back', 'call me later', 'top shelf', 'how are you', 'so far', 'see you', 'all right'),
    *('on the top of it', 'the story of the store', 'three trees', 'sort it', 'this shop', 'just a step', 'two boxes'),
)
"""Words that sound like stop words, or begin or end like them."""

EVERYDAY = (
    *('what a lovely day it is', 'do you want some tea or coffee', 'i will see you on thursday', 'thank you very much'),
    *('where is the nearest post office', 'it costs about twenty pounds', 'we watched a film after dinner'),
    *('the cat slept on the sofa all day', 'pass me the salt and the pepper', 'how was your holiday in spain'),
    *('they have three dogs and a parrot', 'the shop closes at half past five', 'just put it over there'),
    *('he walked home in the dark', 'the light in the hall is still on', 'ask her to call us back tonight'),
    *('i forgot to lock the front door', 'her flight was delayed by two hours', 'is there any milk left in the fridge'),
    *('my brother studies law in boston', 'take the second street on the right', 'that was the best part of the story'),
    *('we should leave before it gets late', 'the price of houses has gone up', 'you can find it on the top shelf'),
)

WITH_STOP = (
    *(
        'stop it',
        'stop now',
        'stop please',
        'please stop',
        'now stop',
        'robot stop',
        'stop the arm',
        'you must stop here',
    ),
    *('halt please', 'please halt', 'halt right now', 'freeze please', 'please freeze', 'freeze right there'),
)
"""Sentences in which a stop word runs into other words."""


_ENDED_FROM, _ENDED_TO, _ENDED_DRAWN = -1, 6, 4
"""Frames of 16 ms after the end of a stop word in which a window counts as a positive example, and how many of these
windows are used, since neighbouring windows are very similar."""
PATIENCE_S = 300.0
"""The longest wait for one clip. Nothing here is urgent, and a busy machine should not cause a failure."""
_LOUD = 0.03
_RECOLOURED = 0.7


COMMANDS, SOUNDING_ALIKE, OF_EVERYDAY, CHAINS, RENDERINGS, SENTENCES = 2, 3, 1, 10, 4, 2
"""Examples per voice: other speech of five kinds, renderings of each stop word, and sentences with a stop word (three
renderings each). Many voices with few examples teach more than few voices with many."""
_EVERY = 2
"""Every second window of other speech is an example, since it is unknown where a false stop may arise."""


class Aligner:
    """Finds the end of a word in speech whose text is known, with pocketsphinx."""

    def __init__(self) -> None:
        import pocketsphinx

        self._decoder: Any = pocketsphinx.Decoder(pocketsphinx.Config(loglevel='FATAL', lm=None))

    def end_of(self, word: str, sentence: str, samples: Samples) -> int | None:
        """The number of samples up to the end of the word; None if it is not found."""
        decoder = self._decoder
        decoder.set_align_text(sentence)
        decoder.start_utt()
        decoder.process_raw(samples.tobytes(), full_utt=True)
        decoder.end_utt()
        if decoder.hyp() is None:
            return None
        ends = [item.end_frame for item in decoder.seg() if item.word.split('(')[0] == word]
        return (ends[0] + 1) * RATE_HZ // 100 if ends else None


@dataclass
class Examples:
    """Log mel energies of sounds, and the windows in them that are examples, each by its last frame, with labels."""

    sounds: list[NDArray[np.float16]] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)
    """Number of the sound and number of the last frame, for each window."""
    labels: list[int] = field(default_factory=list)

    def extend(self, other: 'Examples') -> None:
        """Adds other examples."""
        self.ends += [(number + len(self.sounds), end) for number, end in other.ends]
        self.sounds += other.sounds
        self.labels += other.labels

    def add(self, mel: NDArray[np.float32], labels: Mapping[int, int]) -> None:
        """Adds a sound with the windows that end at the frames in `labels`. Windows that do not fit are left out."""
        for end, label in labels.items():
            if FRAMES <= end + 1 <= len(mel):
                self.ends.append((len(self.sounds), end))
                self.labels.append(label)
        self.sounds.append(mel.astype(np.float16))

    def save(self, file: Path) -> None:
        """Writes the examples to a file, completely or not at all."""
        part = file.with_suffix('.part')
        with part.open('wb') as opened:
            np.savez(
                opened,
                lengths=np.array([len(sound) for sound in self.sounds]),
                sounds=np.concatenate(self.sounds),
                ends=np.array(self.ends),
                labels=np.array(self.labels),
            )
        part.replace(file)

    @classmethod
    def load(cls, file: Path) -> 'Examples':
        """Reads the examples that `save` wrote.

        Raises:
            SpeechError: the file is damaged.
        """
        try:
            with np.load(file, allow_pickle=False) as data:
                sounds = np.split(data['sounds'], np.cumsum(data['lengths'])[:-1])
                return cls(sounds, [(int(number), int(end)) for number, end in data['ends']], data['labels'].tolist())
        except DAMAGED_ARCHIVE as error:
            raise SpeechError(f'{file} holds no examples: {error}; delete it, and they are made again') from error


def trimmed(samples: Samples) -> Samples:
    """A sound without the silence at both ends.

    Raises:
        SpeechError: there is only silence.
        SpeechError: there is nothing but silence.
    """
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _LOUD * np.abs(samples.astype(np.int32)).max(initial=0))
    if not len(loud):
        raise SpeechError('a voice made no sound')
    return samples[loud[0] : loud[-1] + 1]


@functools.cache
def _ends_at(word: str, sentence: str, speed: int) -> float | None:
    """The share of a sentence after which one of its words has ended; None if it is not found.

    It is measured in a voice that the aligner understands. Other voices at the same pace have about the same share.
    """
    sound = trimmed(EspeakSpeaker('en-us', words_per_minute=speed, timeout_s=PATIENCE_S).synthesise(sentence))
    end = _aligner().end_of(word, sentence, np.concatenate([silence(0.2), sound, silence(0.2)]))
    return None if end is None else min(1.0, max(0.0, (end - 0.2 * RATE_HZ) / len(sound)))


@functools.cache
def _aligner() -> Aligner:
    return Aligner()


@functools.cache
def _sentences() -> list[str]:
    return list(load_commands().sentences)


def make_examples(voice: str, seed: int, data: Path | None = None) -> Examples:
    """Windows with stop words before and after other speech, and without, in one voice at one speed, with noise.

    The noise is 8 to 40 dB below the speech. `data` is the espeak-ng data folder of the voice, if it is not an
    installed one.
    """
    rng = random.Random(f'{voice} {seed}')
    noise = np.random.default_rng(rng.randrange(2**32))
    examples = Examples()
    sentences = _sentences()
    others: list[Samples] = []
    speed = rng.choice(TRAINED_SPEEDS)
    speaker = EspeakSpeaker(
        voice, words_per_minute=speed, pitch=rng.choice((35, 50, 65)), timeout_s=PATIENCE_S, data=data
    )
    talk = [rng.choice(OTHER_TALK).format(**{key: rng.choice(words) for key, words in WORDS.items()})]
    said = rng.sample(sentences, COMMANDS) + rng.sample(ALIKE, SOUNDING_ALIKE)
    chains = [chain(rng) for _ in range(CHAINS)]
    for text in (*said, *rng.sample(EVERYDAY, OF_EVERYDAY), *talk, *chains):
        sound = trimmed(speaker.synthesise(text))
        others.append(sound)
        add_other(examples, recoloured(sound, rng)[0], rng, noise)
    for word in STOP_WORDS:
        sound = trimmed(speaker.synthesise(word))
        for _ in range(RENDERINGS):
            add_stop(examples, sound, len(sound), others, rng, noise)
    for sentence in rng.sample(WITH_STOP, SENTENCES):
        word = next(word for word in sentence.split() if word in STOP_WORDS)
        share = _ends_at(word, sentence, speed)
        sound = trimmed(speaker.synthesise(sentence))
        for _ in range(3 if share is not None else 0):
            add_stop(examples, sound, round(len(sound) * (share or 0.0)), others, rng, noise)
    return examples


def recoloured(sound: Samples, rng: random.Random) -> tuple[Samples, float]:
    """The same words with another vocal tract, and the factor on their length.

    The sound is played faster or slower, which shifts pitch and formants, and passed through a smooth filter of up to
    about 10 dB.
    """
    stretch = rng.choice((1.0, rng.uniform(0.87, 1.15)))
    count = round(len(sound) * stretch)
    moved = np.interp(np.linspace(0, len(sound) - 1, count), np.arange(len(sound)), sound.astype(np.float64))
    if rng.random() < _RECOLOURED:
        fast = next_fast_len(count, real=True)
        spectrum = np.fft.rfft(moved, fast)
        place = np.linspace(0, np.pi, len(spectrum)) ** 0.5 * np.pi**0.5
        gain_db = sum(rng.gauss(0, 7 / order) * np.cos(order * place + rng.uniform(0, 1)) for order in (1, 2, 3, 4))
        moved = np.fft.irfft(spectrum * 10 ** (gain_db / 20), fast)[:count]
    return scaled(to_samples(moved * 0.25)), stretch


def add_stop(
    examples: Examples,
    sound: Samples,
    word_end: int,
    others: Sequence[Samples],
    rng: random.Random,
    noise: np.random.Generator,
    *,
    late: int = 0,
) -> None:
    """Adds a stop word that ends at sample `word_end` of `sound`, alone or between others.

    `late` is a number of further frames after its end that count as a stop, for words whose end is not exactly known.
    """
    sound, stretch = recoloured(sound, rng)
    word_end = round(word_end * stretch)
    before, after = silence(rng.uniform(0.3, 1.0)), silence(rng.uniform(0.3, 0.6))
    if rng.random() < 0.4:
        before = np.concatenate([silence(0.8), rng.choice(others)[-RATE_HZ:], silence(rng.uniform(0.02, 0.2))])
    else:
        before = np.concatenate([silence(0.6), before])
    if rng.random() < 0.3:
        after = np.concatenate([silence(rng.uniform(0.02, 0.15)), rng.choice(others)[:RATE_HZ]])
    whole = with_noise(np.concatenate([before, sound, after]), rng.uniform(8, 40), noise)
    mel = log_mel(whole[rng.randrange(HOP) :])
    # The last frame that begins before the end of the word.
    end = (len(before) + word_end - HOP) // HOP - 1
    begin = max(len(before) // HOP, end - 25)
    last = end + _ENDED_TO + late
    examples.add(
        mel,
        {
            **dict.fromkeys(rng.sample(range(end + _ENDED_FROM, last + 1), _ENDED_DRAWN), 1),
            **dict.fromkeys(rng.sample(range(begin - 14, begin + (end - begin) // 2 - 3), 3), 0),
            **dict.fromkeys((last + 12, last + 18), 0),
        },
    )


def add_other(examples: Examples, sound: Samples, rng: random.Random, noise: np.random.Generator) -> None:
    whole = with_noise(np.concatenate([silence(0.8), sound, silence(0.5)]), rng.uniform(8, 40), noise)
    mel = log_mel(whole[rng.randrange(HOP) :])
    examples.add(mel, dict.fromkeys(range(FRAMES - 1 + rng.randrange(_EVERY), len(mel), _EVERY), 0))
