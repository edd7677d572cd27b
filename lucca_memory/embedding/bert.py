"""A small BERT sentence encoder in numpy: real embeddings on any machine, without a deep-learning framework.

The network is Devlin et al. 2019; a sentence is the mean of its tokens' last states, scaled to length one
(Reimers and Gurevych 2019, section 3). Read from a folder in Hugging Face's layout: `config.json`, `vocab.txt`,
`model.safetensors`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from lucca_core.errors import ModelUnusable
from lucca_core.json_text import parse_json
from lucca_core.regular_file import read_regular_text
from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.turnstile import Turnstile
from lucca_memory.embedding.wordpiece import WordPiece

MAX_TOKENS = 256
"""The longest text, in tokens, that all-MiniLM-L6-v2 was trained on."""

_BATCH_TOKENS = 512
"""Tokens of a batch: larger batches are no faster and make other callers wait longer."""

_Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class _Layer:
    """One transformer layer. Matrices (in, out); `attend` is query, key and value side by side."""

    attend: NDArray[np.float32]
    attend_bias: NDArray[np.float32]
    mix: NDArray[np.float32]
    mix_bias: NDArray[np.float32]
    mix_norm: tuple[NDArray[np.float32], NDArray[np.float32]]
    widen: NDArray[np.float32]
    widen_bias: NDArray[np.float32]
    narrow: NDArray[np.float32]
    narrow_bias: NDArray[np.float32]
    narrow_norm: tuple[NDArray[np.float32], NDArray[np.float32]]


class BertEmbedder:
    """Sentence vectors from the weights in a folder."""

    def __init__(self, folder: Path, spec: str, max_tokens: int = MAX_TOKENS) -> None:
        """Loads the weights.

        Raises:
            ModelUnusable: the folder holds no such model, or one with unsupported parts.
        """
        # Imported here: this takes half a second, also where no such model is used.
        from scipy.special import erf

        self.spec = spec
        self._erf = erf
        try:
            settings = parse_json(read_regular_text(folder / 'config.json'))
            if (settings['model_type'], settings['hidden_act']) != ('bert', 'gelu'):
                raise ModelUnusable(
                    f'{folder} holds a {settings["model_type"]} model; only BERT models with gelu can be read'
                )
            weights = _read_safetensors(folder / 'model.safetensors')
            self._tokenizer = WordPiece.load(folder / 'vocab.txt', max_tokens)
            self._heads = int(settings['num_attention_heads'])
            self._epsilon = float(settings['layer_norm_eps'])
            self._words = weights['embeddings.word_embeddings.weight']
            # Every text is a first sentence, so its token type is added in advance.
            self._positions = (
                weights['embeddings.position_embeddings.weight'] + weights['embeddings.token_type_embeddings.weight'][0]
            )
            self._norm = (weights['embeddings.LayerNorm.weight'], weights['embeddings.LayerNorm.bias'])
            self._layers = [_layer(weights, number) for number in range(int(settings['num_hidden_layers']))]
        except (OSError, ValueError, KeyError) as error:
            raise ModelUnusable(f'{folder} contains no BERT sentence encoder: {error!r}') from error
        self.dimensions = int(self._words.shape[1])
        # Parallel callers would only compete for the same cores, and each batch needs memory of its own.
        self._turnstile = Turnstile()
        self._threads = ThreadpoolController()

    def knows(self, word: str) -> bool:
        """Whether a word is a single token of the vocabulary, and so was frequent in the training texts."""
        return self._tokenizer.is_whole(word)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder; never fails once the weights are loaded."""
        ids = [self._tokenizer.ids(text) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        by_length: dict[int, list[int]] = {}
        for number, tokens in enumerate(ids):
            by_length.setdefault(len(tokens), []).append(number)
        # Texts of one length form a batch without padding or a mask.
        for length, numbers in by_length.items():
            step = max(1, _BATCH_TOKENS // length)
            for start in range(0, len(numbers), step):
                batch = numbers[start : start + step]
                # The matrices are too small for several threads, which would wait for each other: slower, and much
                # slower on a busy machine.
                with self._turnstile, self._threads.limit(limits=1, user_api='blas'):
                    vectors[batch] = self._encode(np.array([ids[number] for number in batch]))
        return vectors

    def _encode(self, ids: NDArray[np.int64]) -> Vectors:
        """Vectors (b, d) of token ids (b, n)."""
        count, length = ids.shape
        states = _normed(np.asarray(self._words[ids] + self._positions[:length], np.float32), self._norm, self._epsilon)
        width = self.dimensions // self._heads
        for layer in self._layers:
            joined = (states @ layer.attend + layer.attend_bias).reshape(count, length, 3, self._heads, width)
            query, key, value = (joined[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
            scores = query @ key.transpose(0, 1, 3, 2) * np.float32(width**-0.5)
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=-1, keepdims=True)
            seen: NDArray[np.float32] = (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, self.dimensions)
            states = _normed(
                np.asarray(states + seen @ layer.mix + layer.mix_bias, np.float32), layer.mix_norm, self._epsilon
            )
            inner = self._gelu(states @ layer.widen + layer.widen_bias)
            states = _normed(states + inner @ layer.narrow + layer.narrow_bias, layer.narrow_norm, self._epsilon)
        means = states.mean(axis=1)
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)

    def _gelu(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(values * np.float32(0.5) * (1 + self._erf(values * np.float32(np.sqrt(0.5)))), np.float32)


def _normed(
    states: NDArray[np.float32], norm: tuple[NDArray[np.float32], NDArray[np.float32]], epsilon: float
) -> NDArray[np.float32]:
    centred = states - states.mean(axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + np.float32(epsilon)) * norm[0] + norm[1], np.float32)


def _layer(weights: _Weights, number: int) -> _Layer:
    root = f'encoder.layer.{number}'
    parts = [f'{root}.attention.self.{part}' for part in ('query', 'key', 'value')]

    def norm(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return weights[f'{root}.{name}.LayerNorm.weight'], weights[f'{root}.{name}.LayerNorm.bias']

    def matrix(name: str) -> NDArray[np.float32]:
        return np.ascontiguousarray(weights[f'{root}.{name}.weight'].T)

    return _Layer(
        attend=np.ascontiguousarray(np.concatenate([weights[f'{part}.weight'] for part in parts]).T),
        attend_bias=np.concatenate([weights[f'{part}.bias'] for part in parts]),
        mix=matrix('attention.output.dense'),
        mix_bias=weights[f'{root}.attention.output.dense.bias'],
        mix_norm=norm('attention.output'),
        widen=matrix('intermediate.dense'),
        widen_bias=weights[f'{root}.intermediate.dense.bias'],
        narrow=matrix('output.dense'),
        narrow_bias=weights[f'{root}.output.dense.bias'],
        narrow_norm=norm('output'),
    )


def _read_safetensors(file: Path) -> _Weights:
    """The float32 tensors of a safetensors file: 8 bytes length, that much JSON, then the numbers.

    Raises:
        OSError, ValueError, KeyError: it is not such a file.
    """
    data = np.fromfile(file, np.uint8)
    length = int(data[:8].view('<u8')[0])
    header = parse_json(data[8 : 8 + length].tobytes())
    body = data[8 + length :]
    weights = {}
    for name, tensor in header.items():
        if name == '__metadata__' or tensor['dtype'] != 'F32':
            continue
        begin, end = tensor['data_offsets']
        weights[name] = np.frombuffer(body[begin:end].tobytes(), '<f4').reshape(tensor['shape'])
    return weights
