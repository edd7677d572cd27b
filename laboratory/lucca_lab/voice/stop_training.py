"""Training of the stop spotter, and measurement of its hits and false alarms in unseen voices."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from lucca_lab.voice.noise import silence, with_noise
from lucca_lab.voice.stop_examples import PATIENCE_S, Examples
from speech_node.audio import CHUNK
from speech_node.hearing.stop_spotter import (
    BANDS,
    CHANNELS,
    FRAMES,
    HIDDEN,
    KERNELS,
    STRIDE,
    Array,
    Layer,
    NetworkStopSpotter,
    StopNetwork,
    normalised,
)
from speech_node.interfaces import Speaker
from speech_node.speaking.espeak_speaker import EspeakSpeaker
from speech_node.speaking.flite_speaker import PROGRAM as FLITE
from speech_node.speaking.flite_speaker import FliteSpeaker

_LEARNING_RATE, _BATCH, _DECAY = 4e-3, 256, 1e-5
_OTHERS_PER_STOP, _STOP_WEIGHT = 4.0, 2.0
_LOOKED_AT, _EASY = (3, 7, 11), 0.01
"""Epochs before which all windows without a stop word are scored; those most like a stop word are then drawn most
often. The last number is added to each score, so that the others are drawn too."""
_LOOK = 2048
_HEARD_SHARE = 0.97
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99)
_MASKED, _WIDEST_MASK = 0.5, 4
"""The share of windows with a few neighbouring bands blanked, and the most bands blanked. The network should not rely
on any single band."""


def train(
    examples: Examples, *, epochs: int, seed: int, told: Callable[[str], None], start: StopNetwork | None = None
) -> StopNetwork:
    """Trains a network on these windows: cross entropy, Adam, a decaying rate. Missed stop words count twice.

    Every epoch uses all windows at the end of a stop word, and a new draw of the others: first any, later preferably
    those that the network takes for a stop word. Batches are normalised during training (Ioffe and Szegedy, "Batch
    normalization", 2015), and the normalisation is folded into the final weights.

    If `start` is given, this network is trained further, at a quarter of the rate and without normalisation, and all
    examples without a stop word are scored before the first epoch.

    Raises:
        SpeechError: torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise SpeechError(f'training needs: pip install torch ({error})') from error
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    frames, ends = _joined(examples)
    labels = np.array(examples.labels, dtype=np.float32)
    stops, others = np.flatnonzero(labels > 0.5), np.flatnonzero(labels < 0.5)
    norm: Any = torch.nn.BatchNorm2d if start is None else torch.nn.Identity
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, CHANNELS[0], KERNELS[0], stride=STRIDE),
        norm(CHANNELS[0]),
        torch.nn.ReLU(),
        torch.nn.Conv2d(CHANNELS[0], CHANNELS[1], KERNELS[1], stride=STRIDE),
        norm(CHANNELS[1]),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Dropout(0.2),
        torch.nn.LazyLinear(HIDDEN),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.2),
        torch.nn.Linear(HIDDEN, 1),
    )
    model(torch.zeros(2, 1, FRAMES, BANDS))
    rate, looked_at = (_LEARNING_RATE, _LOOKED_AT) if start is None else (_LEARNING_RATE / 4, (0,))
    if start is not None:
        with torch.no_grad():
            for number, (weights, biases) in zip((0, 3, 8, 11), start.layers, strict=True):
                model[number].weight.copy_(torch.from_numpy(weights))
                model[number].bias.copy_(torch.from_numpy(biases))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, weight_decay=_DECAY)
    per_epoch = len(stops) + min(len(others), round(_OTHERS_PER_STOP * len(stops)))
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=rate, total_steps=epochs * -(-per_epoch // _BATCH)
    )
    cost = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(_STOP_WEIGHT))
    shares = np.full(len(others), 1 / len(others))
    for epoch in range(epochs):
        losses = []
        if epoch in looked_at:
            alike = _EASY + _probabilities(model, frames, ends[others])
            shares = alike / alike.sum()
            told(f'taken for a stop word: {int((alike > 0.5 + _EASY).sum())} of {len(others)} other windows')
        model.train()
        drawn = rng.permutation(
            np.concatenate([stops, rng.choice(others, per_epoch - len(stops), replace=False, p=shares)])
        )
        for begin in range(0, len(drawn), _BATCH):
            rows = drawn[begin : begin + _BATCH]
            inputs = torch.from_numpy(_masked(_windows(frames, ends[rows]), rng))
            loss = cost(model(inputs[:, None])[:, 0], torch.from_numpy(labels[rows]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
        told(f'epoch {epoch + 1}: loss {np.mean(losses):.4f}')
    first, first_norm, _, second, second_norm, _, _, _, hidden, _, _, out = model.eval()
    return StopNetwork([_folded(first, first_norm), _folded(second, second_norm), _layer(hidden), _layer(out)])


def _windows(frames: NDArray[np.float16], ends: NDArray[np.int64]) -> Array:
    return normalised(frames[ends[:, None] + np.arange(1 - FRAMES, 1)].astype(np.float32))


def _probabilities(model: Any, frames: NDArray[np.float16], ends: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probability of a stop word that a model in training gives each of these windows."""
    import torch

    model.eval()
    with torch.no_grad():
        said = [
            torch.sigmoid(model(torch.from_numpy(_windows(frames, ends[start : start + _LOOK]))[:, None])[:, 0]).numpy()
            for start in range(0, len(ends), _LOOK)
        ]
    return np.concatenate(said).astype(np.float64) if said else np.zeros(0)


def _joined(examples: Examples) -> tuple[NDArray[np.float16], NDArray[np.int64]]:
    """All sounds joined to one, and the frames in it at which the windows end."""
    begins = np.cumsum([0, *(len(sound) for sound in examples.sounds)])
    return np.concatenate(examples.sounds), np.array([begins[number] + end for number, end in examples.ends])


def _masked(windows: Array, rng: np.random.Generator) -> Array:
    low = rng.integers(0, BANDS, len(windows))
    width = rng.integers(1, _WIDEST_MASK + 1, len(windows)) * (rng.random(len(windows)) < _MASKED)
    bands = np.arange(BANDS)
    kept = (bands < low[:, None]) | (bands >= (low + width)[:, None])
    return np.asarray(windows * kept[:, None, :].astype(np.float32))


def _layer(layer: Any) -> Layer:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()


def _folded(layer: Any, norm: Any) -> Layer:
    """A convolution and the normalisation after it, if there is one, as one convolution."""
    weights, biases = _layer(layer)
    if not hasattr(norm, 'running_var'):
        return weights, biases
    gain, shift = _layer(norm)
    gain = gain / np.sqrt(norm.running_var.numpy() + norm.eps)
    return weights * gain[:, None, None, None], (biases - norm.running_mean.numpy()) * gain + shift


def highest_probability(spotter: NetworkStopSpotter, samples: Samples) -> float:
    """The highest probability that a spotter gives within a sound, chunk by chunk."""
    spotter.reset()
    chunks = [samples[start : start + CHUNK] for start in range(0, len(samples) - CHUNK + 1, CHUNK)]
    return max(spotter.hear(chunk) for chunk in chunks)


def spoken(
    text: str, voice: str, speed: int, snr_db: float, noise: np.random.Generator, data: Path | None = None
) -> Samples:
    """A text in a voice, with silence around it and white noise over everything.

    The voice is espeak-ng's, or `flite:NAME`. `data` is the data folder of the voice, as for `EspeakSpeaker`.
    """
    program, _, name = voice.partition(':')
    speaker: Speaker
    if program == FLITE and name:
        speaker = FliteSpeaker(name, words_per_minute=speed, timeout_s=PATIENCE_S)
    else:
        speaker = EspeakSpeaker(voice, words_per_minute=speed, timeout_s=PATIENCE_S, data=data)
    sound = speaker.synthesise(text)
    return with_noise(np.concatenate([silence(0.8), sound, silence(0.6)]), snr_db, noise)


def thresholds(heard: Sequence[float], false: Sequence[float]) -> list[str]:
    """For each threshold, a line with the numbers of stop words found and of false alarms in other speech."""
    return [
        f'threshold {threshold:.2f}: heard {sum(value >= threshold for value in heard)} of {len(heard)}, '
        f'false {sum(value >= threshold for value in false)} of {len(false)}'
        for threshold in _THRESHOLDS
    ]


def chosen(heard: Sequence[float]) -> float:
    """The highest of the thresholds at which 97 % of these stop words are heard; the lowest one if there is none.

    Stop words get the required recall, and no more: the rest of the margin avoids false alarms in talk, which is more
    varied in the world than in these samples. The setting may be higher, if recordings of people who talk require it.
    """
    least = _HEARD_SHARE * len(heard)
    kept = [threshold for threshold in _THRESHOLDS if sum(value >= threshold for value in heard) >= least]
    return max(kept, default=_THRESHOLDS[0])
