"""Trains the stop spotter on synthetic voices, and measures it on voices and speeds that it was not trained on."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import SpeechError
from lucca_eval.voice_sentences import OTHER_TALK, WORDS
from speech_node.audio import CHUNK, RATE_HZ, Samples, scaled, silence, to_samples, with_noise
from speech_node.commands import STOP_WORDS, load_commands
from speech_node.espeak import EspeakSpeaker
from speech_node.spotter import (
    BANDS,
    CHANNELS,
    FRAMES,
    HIDDEN,
    HOP,
    KERNELS,
    STRIDE,
    NetworkStopSpotter,
    StopNetwork,
    log_mel,
    normalised,
)

_AMERICAN = (
    *('f1', 'f2', 'f4', 'f5', 'm1', 'm2', 'm4', 'm5', 'm6', 'm7', 'klatt', 'klatt3', 'klatt4', 'klatt6', 'grandpa'),
    *('Alex', 'Alicia', 'Andy', 'Denis', 'Hugo', 'Jacky', 'Lee', 'Marco', 'Michael', 'Mike', 'Nguyen', 'anika', 'rob'),
    *('announcer', 'antonio', 'aunty', 'boris', 'caleb', 'david', 'ed', 'edward', 'gustave', 'iven', 'john', 'marcelo'),
    *('max', 'michel', 'miguel', 'norbert', 'pablo', 'pedro', 'quincy', 'robert', 'sandro', 'shelby', 'victor', 'zac'),
)
_BRITISH = ('f1', 'f2', 'm2', 'm4', 'm7', 'Alicia', 'Michael', 'aunty', 'caleb', 'david', 'quincy', 'shelby')
TRAINED_VOICES = (
    *('en-us', 'en-gb-scotland', 'en-gb-x-rp', 'en-029'),
    *(f'en-us+{variant}' for variant in _AMERICAN),
    *(f'en-gb+{variant}' for variant in _BRITISH),
)
TRAINED_SPEEDS = (105, 130, 155, 180)
OTHER_VOICES = (
    *('en-us+f3', 'en-us+klatt2', 'en-us+m3', 'en-gb', 'en-gb+f4'),
    *('en-us+belinda', 'en-us+benjamin', 'en-us+travis', 'en-us+Mario', 'en-us+kaukovalta'),
)
OTHER_SPEEDS = (115, 142, 168)
"""Voices and speeds that thresholds were chosen on."""
FRESH_VOICES = (
    *('en-us+m8', 'en-us+Andrea', 'en-us+Annie', 'en-us+linda', 'en-us+steph', 'en-us+adam', 'en-us+Gene'),
    *('en-us+paul', 'en-gb-x-gbclan', 'en-us-nyc'),
)
FRESH_SPEEDS = (112, 136, 162)
"""Voices and speeds that nothing was trained or chosen on: what is reported is measured with them."""

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
"""Words that sound alike, or begin or end alike, and are none."""

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

_ENDED_FROM, _ENDED_TO = -1, 6
"""Frames of 16 ms after the end of a stop word at which a window counts as one that it has just ended in."""
PATIENCE_S = 300.0
"""Longest wait for one clip: nothing here is in a hurry, and a busy machine is no reason to fail."""
_LOUD = 0.03
_RECOLOURED = 0.7
_LEARNING_RATE, _BATCH, _DECAY = 4e-3, 256, 1e-5
_OTHERS_PER_STOP, _STOP_WEIGHT = 1.5, 2.0


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
"""Stop words as they run into other words."""


class Aligner:
    """Finds where a word ends in a spoken sentence that is known, with pocketsphinx."""

    def __init__(self) -> None:
        import pocketsphinx

        self._decoder: Any = pocketsphinx.Decoder(pocketsphinx.Config(loglevel='FATAL', lm=None))

    def end_of(self, word: str, sentence: str, samples: Samples) -> int | None:
        """Samples from the beginning to the end of the word; None when it was not found."""
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
    """Windows of log mel energies with what they are."""

    windows: list[NDArray[np.float16]] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)

    def extend(self, other: 'Examples') -> None:
        """Takes in other ones."""
        self.windows += other.windows
        self.labels += other.labels

    def add(self, mel: NDArray[np.float32], ends: Iterator[int] | Sequence[int], label: int) -> None:
        """The windows of `mel` that end with these frames."""
        for end in ends:
            if FRAMES <= end + 1 <= len(mel):
                self.windows.append(mel[end + 1 - FRAMES : end + 1].astype(np.float16))
                self.labels.append(label)


def trimmed(samples: Samples) -> Samples:
    """Without the silence at both ends."""
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _LOUD * np.abs(samples.astype(np.int32)).max())
    return samples[loud[0] : loud[-1] + 1]


def make_examples(voice: str, seed: int) -> Examples:
    """Windows of stop words behind and before other speech, and of speech without them, in one voice, with noise at 8 to
    40 dB."""
    rng = random.Random(f'{voice} {seed}')
    noise = np.random.default_rng(rng.randrange(2**32))
    examples = Examples()
    sentences = list(load_commands().sentences)
    others: list[Samples] = []
    aligner = Aligner()
    for speed in rng.sample(TRAINED_SPEEDS, 2):
        speaker = EspeakSpeaker(voice, words_per_minute=speed, pitch=rng.choice((35, 50, 65)), timeout_s=PATIENCE_S)
        talk = [rng.choice(OTHER_TALK).format(**{key: rng.choice(words) for key, words in WORDS.items()})]
        for text in (*rng.sample(sentences, 3), *rng.sample(ALIKE, 7), *rng.sample(EVERYDAY, 4), *talk):
            sound = trimmed(speaker.synthesise(text))
            others.append(sound)
            _add_other(examples, recoloured(sound, rng)[0], rng, noise)
        for word in STOP_WORDS:
            sound = trimmed(speaker.synthesise(word))
            for _ in range(5):
                _add_stop(examples, sound, len(sound), others, rng, noise)
        for sentence in rng.sample(WITH_STOP, 4):
            word = next(word for word in sentence.split() if word in STOP_WORDS)
            sound = np.concatenate([silence(0.2), trimmed(speaker.synthesise(sentence)), silence(0.2)])
            length = aligner.end_of(word, sentence, sound)
            for _ in range(3 if length is not None else 0):
                _add_stop(examples, sound, length or 0, others, rng, noise)
    return examples


def recoloured(sound: Samples, rng: random.Random) -> tuple[Samples, float]:
    """The same words as from another throat, and how much longer they take: played faster or slower, which moves pitch and
    formants, and through a smooth filter of up to some 10 dB."""
    stretch = rng.choice((1.0, rng.uniform(0.87, 1.15)))
    count = round(len(sound) * stretch)
    moved = np.interp(np.linspace(0, len(sound) - 1, count), np.arange(len(sound)), sound.astype(np.float64))
    if rng.random() < _RECOLOURED:
        spectrum = np.fft.rfft(moved)
        place = np.linspace(0, np.pi, len(spectrum)) ** 0.5 * np.pi**0.5
        gain_db = sum(rng.gauss(0, 7 / order) * np.cos(order * place + rng.uniform(0, 1)) for order in (1, 2, 3, 4))
        moved = np.fft.irfft(spectrum * 10 ** (gain_db / 20), count)
    return scaled(to_samples(moved * 0.25)), stretch


def _add_stop(
    examples: Examples,
    sound: Samples,
    word_end: int,
    others: Sequence[Samples],
    rng: random.Random,
    noise: np.random.Generator,
) -> None:
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
    # The last frame that begins before the word has ended.
    end = (len(before) + word_end - HOP) // HOP - 1
    examples.add(mel, range(end + _ENDED_FROM, end + _ENDED_TO + 1), 1)
    begin = max(len(before) // HOP, end - 25)
    examples.add(mel, rng.sample(range(begin - 14, begin + (end - begin) // 2 - 3), 3), 0)
    examples.add(mel, [end + _ENDED_TO + 12, end + _ENDED_TO + 18], 0)


def _add_other(examples: Examples, sound: Samples, rng: random.Random, noise: np.random.Generator) -> None:
    whole = with_noise(np.concatenate([silence(0.8), sound, silence(0.5)]), rng.uniform(8, 40), noise)
    mel = log_mel(whole[rng.randrange(HOP) :])
    ends = range(FRAMES - 1, len(mel))
    examples.add(mel, sorted(rng.sample(ends, min(len(ends), 40))), 0)


def train(examples: Examples, *, epochs: int, seed: int, told: Callable[[str], None]) -> StopNetwork:
    """A network that tells these windows apart: cross entropy, Adam, a falling rate; missed words count twice.

    Every epoch sees all windows that a stop word ends in, and as many of the others, drawn anew.

    Raises:
        SpeechError: torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise SpeechError(f'training needs: pip install torch ({error})') from error
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    labels = np.array(examples.labels, dtype=np.float32)
    stops, others = np.flatnonzero(labels > 0.5), np.flatnonzero(labels < 0.5)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, CHANNELS[0], KERNELS[0], stride=STRIDE),
        torch.nn.ReLU(),
        torch.nn.Conv2d(CHANNELS[0], CHANNELS[1], KERNELS[1], stride=STRIDE),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Dropout(0.2),
        torch.nn.LazyLinear(HIDDEN),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.2),
        torch.nn.Linear(HIDDEN, 1),
    )
    model(torch.zeros(1, 1, FRAMES, BANDS))
    optimizer = torch.optim.Adam(model.parameters(), lr=_LEARNING_RATE, weight_decay=_DECAY)
    per_epoch = len(stops) + min(len(others), round(_OTHERS_PER_STOP * len(stops)))
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=_LEARNING_RATE, total_steps=epochs * -(-per_epoch // _BATCH)
    )
    cost = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(_STOP_WEIGHT))
    model.train()
    for epoch in range(epochs):
        losses = []
        drawn = rng.permutation(np.concatenate([stops, rng.choice(others, per_epoch - len(stops), replace=False)]))
        for start in range(0, len(drawn), _BATCH):
            rows = drawn[start : start + _BATCH]
            windows = np.stack([examples.windows[row] for row in rows]).astype(np.float32)
            loss = cost(model(torch.from_numpy(normalised(windows))[:, None])[:, 0], torch.from_numpy(labels[rows]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
        told(f'epoch {epoch + 1}: loss {np.mean(losses):.4f}')
    layers = [layer for layer in model if hasattr(layer, 'weight')]
    return StopNetwork([(layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()) for layer in layers])


def highest_probability(spotter: NetworkStopSpotter, samples: Samples) -> float:
    """The highest probability that a spotter gives in a sound, chunk by chunk."""
    spotter.reset()
    chunks = [samples[start : start + CHUNK] for start in range(0, len(samples) - CHUNK + 1, CHUNK)]
    return max(spotter.hear(chunk) for chunk in chunks)


def spoken(text: str, voice: str, speed: int, snr_db: float, noise: np.random.Generator) -> Samples:
    """A text in a voice, with silence around it and white noise over all of it."""
    sound = EspeakSpeaker(voice, words_per_minute=speed, timeout_s=PATIENCE_S).synthesise(text)
    return with_noise(np.concatenate([silence(0.8), sound, silence(0.6)]), snr_db, noise)
