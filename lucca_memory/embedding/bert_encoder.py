"""The network of BERT's family in numpy: token ids in, the last states of the tokens out.

The network is Devlin et al. 2019, or MPNet (Song et al. 2020), which also looks at how far two tokens are apart.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from lucca_memory.embedding.bert_files import BertNetwork, Floats, Layer, Linear, Scaling
from lucca_memory.embedding.turnstile import Turnstile

_BATCH_TOKENS = 512
"""Tokens of a batch: larger batches are no faster and make other callers wait longer."""
_EXACT_DISTANCE = 8
"""MPNet has a bucket for each distance below this in either direction."""
_FURTHEST = 128
"""Larger distances share the last bucket."""
_turnstile = Turnstile()
"""All networks of this process take turns, batch by batch: side by side they would compete for the same cores, and each
batch needs memory of its own. The limit of BLAS's threads holds for the whole process, so it may not end in between."""


class BertEncoder:
    """Runs a network; thread-safe."""

    def __init__(self, network: BertNetwork) -> None:
        # Imported here: this takes half a second, also where no such model is used.
        from scipy.special import erf

        self._erf = erf
        self._network = network
        self.dimensions = int(network.words.shape[1])
        self._threads = ThreadpoolController()

    def states(self, ids: NDArray[np.int64], second: NDArray[np.bool_] | None = None) -> Floats:
        """The last states (b, n, d) of token ids (b, n); `second` (b, n) tells which belong to a second text."""
        # The matrices are too small for several threads, which would wait for each other: slower, and much slower on
        # a busy machine.
        with _turnstile, self._threads.limit(limits=1, user_api='blas'):
            return self._run(ids, second)

    def _run(self, ids: NDArray[np.int64], second: NDArray[np.bool_] | None) -> Floats:
        count, length = ids.shape
        network = self._network
        first = np.asarray(network.words[ids] + network.positions[:length], np.float32)
        if second is not None and network.second_text is not None:
            first[second] += network.second_text
        # All tokens in one matrix: numpy multiplies each text of a stack separately, which is slow for short texts.
        states = self._normed(first.reshape(count * length, self.dimensions), network.norm)
        nearness = 0 if network.nearness is None else network.nearness[_buckets(length)].transpose(2, 0, 1)
        for layer in network.layers:
            seen = self._attended(states, layer, nearness, count)
            states = self._normed(states + _through(seen, layer.mix), layer.mix_norm)
            inner = self._gelu(_through(states, layer.widen))
            states = self._normed(states + _through(inner, layer.narrow), layer.narrow_norm)
        return states.reshape(count, length, self.dimensions)

    def _attended(self, states: Floats, layer: Layer, nearness: Floats | int, count: int) -> Floats:
        """What each token takes from the tokens of its text; states (b * n, d)."""
        heads = self._network.heads
        width = self.dimensions // heads

        def by_head(linear: Linear) -> Floats:
            return _through(states, linear).reshape(count, -1, heads, width).transpose(0, 2, 1, 3)

        query, key, value = by_head(layer.query), by_head(layer.key), by_head(layer.value)
        scores = np.asarray(query @ key.transpose(0, 1, 3, 2) * np.float32(width**-0.5) + nearness, np.float32)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        seen: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(states.shape)
        return seen

    def _normed(self, states: Floats, norm: Scaling) -> Floats:
        centred = states - states.mean(axis=-1, keepdims=True)
        variance = np.mean(centred * centred, axis=-1, keepdims=True)
        return np.asarray(
            centred / np.sqrt(variance + np.float32(self._network.epsilon)) * norm[0] + norm[1], np.float32
        )

    def _gelu(self, values: Floats) -> Floats:
        return np.asarray(values * np.float32(0.5) * (1 + self._erf(values * np.float32(np.sqrt(0.5)))), np.float32)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The numbers of texts of these lengths in tokens, in batches of one length: without padding or a mask."""
    by_length: dict[int, list[int]] = {}
    for number, length in enumerate(lengths):
        by_length.setdefault(length, []).append(number)
    for length, numbers in by_length.items():
        step = max(1, _BATCH_TOKENS // length)
        for start in range(0, len(numbers), step):
            yield numbers[start : start + step]


def _through(states: Floats, linear: Linear) -> Floats:
    return np.asarray(states @ linear[0] + linear[1], np.float32)


def _buckets(length: int) -> NDArray[np.int64]:
    """The bucket of the distance from each token to each other one, (n, n): exact if near, on a log scale beyond.

    The first half of the buckets is for tokens at or before the looking one, the second for those behind it.
    """
    ahead = np.arange(length)[None, :] - np.arange(length)[:, None]
    distance = np.abs(ahead)
    share = np.log(np.maximum(distance, 1) / _EXACT_DISTANCE) / np.log(_FURTHEST / _EXACT_DISTANCE)
    far = _EXACT_DISTANCE + (share * _EXACT_DISTANCE).astype(np.int64)
    near_or_far = np.where(distance < _EXACT_DISTANCE, distance, np.minimum(far, 2 * _EXACT_DISTANCE - 1))
    return np.asarray(near_or_far + np.where(ahead > 0, 2 * _EXACT_DISTANCE, 0), np.int64)
