"""Moonshine, a small model of English that transcribes a sound, and tells how likely given texts are for it.

Whisper always hears 30 s, Moonshine only as much as was said, so it is quick. It was trained by other people on other
recordings, so it seldom mishears the same words.
"""

import importlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import FULL_SCALE, RATE_HZ
from speech_node.interfaces import MOST_TOKENS

FILES = ('encoder_model.ort', 'decoder_model_merged.ort', 'tokenizer.json')
_BEGIN, _END = 1, 2
"""Tokens at which a text begins and ends."""
_LEAST_SAMPLES = RATE_HZ // 2
"""Shorter sounds are padded: the encoder has no output for the shortest, and nothing can be said in less."""
_SAMPLES_A_FRAME = 384
"""The encoder's steps are 64, 3 and 2. The decoder takes the mask of its frames by samples, and divides it again."""
_TOKENS_A_SECOND, _FEWEST_TOKENS = 6.5, 16
"""Longest transcript. Nobody speaks faster; a model that writes more repeats itself."""
_MOST_PADDING = 4
"""Tokens by which texts that are scored together may differ in length: each takes the memory of the longest."""


class ScoringMoonshine:
    """A Moonshine model in ONNX Runtime's format.

    Args:
        folder: has the files `FILES`.

    Raises:
        SpeechError: a file or a package is missing, or a file is not what it should be.
    """

    def __init__(self, folder: Path) -> None:
        missing = [name for name in FILES if not (folder / name).is_file()]
        if missing:
            raise SpeechError(f'{folder} is no Moonshine model: it has no {", ".join(missing)}')
        try:
            self._load(folder)
        except Exception as error:
            raise SpeechError(f'Moonshine cannot be loaded from {folder}: {type(error).__name__}: {error}') from error

    def _load(self, folder: Path) -> None:
        runtime = importlib.import_module('onnxruntime')
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        encoder, decoder, tokenizer = (str(folder / name) for name in FILES)
        self._encoder: Any = runtime.InferenceSession(encoder, options)
        self._decoder: Any = runtime.InferenceSession(decoder, options)
        self._tokenizer: Any = importlib.import_module('tokenizers').Tokenizer.from_file(tokenizer)
        self._results = [result.name for result in self._decoder.get_outputs()]
        self._caches = {item.name: item.shape for item in self._decoder.get_inputs() if item.name.startswith('past')}
        self._unheard: dict[str, float] = {}
        self._nothing = self.encode(np.zeros(_LEAST_SAMPLES, dtype=np.int16))
        # A file with other inputs or results is found out here, not while somebody speaks.
        self.scores(self._nothing, [self.transcript(self._nothing)])

    def encode(self, samples: Samples) -> Any:
        """Encodes a sound; all other calls take the result, so this is done once."""
        padded = np.pad(samples, (0, max(0, _LEAST_SAMPLES - len(samples))))
        sound = (padded / FULL_SCALE).astype(np.float32)[np.newaxis]
        mask = np.ones_like(sound, dtype=np.int64)
        return self._encoder.run(None, {'input_values': sound, 'attention_mask': mask})[0]

    def transcript(self, encoded: Any) -> str:
        """The likeliest text, chosen token by token."""
        cache, tokens = self._empty_cache(1), [_BEGIN]
        for number in range(_most_tokens(encoded)):
            logits, *kept = self._decoder.run(None, self._inputs(encoded, [tokens[-1:]], cache, is_first=number == 0))
            token = int(logits[0, -1].argmax())
            if token == _END:
                break
            tokens.append(token)
            for name, values in zip(self._results[1:], kept, strict=True):
                # What is kept of the sound is computed with the first token only.
                if number == 0 or '.decoder.' in name:
                    cache[name.replace('present', 'past_key_values')] = values
        return str(self._tokenizer.decode(tokens[1:])).strip()

    def scores(self, encoded: Any, texts: Sequence[str]) -> list[float]:
        """The natural logarithm of each text's likelihood, written as a sentence.

        It depends a little on the texts beside it: the network rounds its numbers by the range of all that it is given.
        """
        written = [self._tokenizer.encode(_sentence(text), add_special_tokens=False).ids for text in texts]
        found = [0.0] * len(written)
        for group in _groups_of_like_length(written):
            likelihoods = self._likelihoods(encoded, [written[place] for place in group])
            for place, likelihood in zip(group, likelihoods, strict=True):
                found[place] = likelihood
        return found

    def unheard_scores(self, texts: Sequence[str]) -> list[float]:
        """The same for silence: how likely each text is before anything is heard."""
        new = [text for text in dict.fromkeys(texts) if text not in self._unheard]
        self._unheard |= zip(new, self.scores(self._nothing, new), strict=True)
        return [self._unheard[text] for text in texts]

    def _likelihoods(self, encoded: Any, written: Sequence[list[int]]) -> list[float]:
        longest = max(map(len, written))
        given = [[_BEGIN, *tokens, *[_END] * (longest - len(tokens))] for tokens in written]
        repeated = np.repeat(encoded, len(written), axis=0)
        inputs = self._inputs(repeated, given, self._empty_cache(len(written)), is_first=True)
        (logits,) = self._decoder.run(self._results[:1], inputs)
        return [_likelihood(of_text, [*tokens, _END]) for of_text, tokens in zip(logits, written, strict=True)]

    def _empty_cache(self, count: int) -> dict[str, Any]:
        return {
            name: np.zeros((count, heads, 0, width), dtype=np.float32)
            for name, (_, heads, _, width) in self._caches.items()
        }

    def _inputs(
        self, encoded: Any, tokens: list[list[int]], cache: dict[str, Any], *, is_first: bool
    ) -> dict[str, Any]:
        return {
            'input_ids': np.array(tokens, dtype=np.int64),
            'encoder_hidden_states': encoded,
            'encoder_attention_mask': np.ones((len(encoded), encoded.shape[1] * _SAMPLES_A_FRAME), dtype=np.int64),
            'use_cache_branch': np.array([not is_first]),
            **cache,
        }


def _most_tokens(encoded: Any) -> int:
    """The number of tokens that can have been said in a sound."""
    sound_s = float(encoded.shape[1]) * _SAMPLES_A_FRAME / RATE_HZ
    return min(MOST_TOKENS, max(_FEWEST_TOKENS, math.ceil(_TOKENS_A_SECOND * sound_s)))


def _groups_of_like_length(written: Sequence[list[int]]) -> list[list[int]]:
    """The places of texts, those of like length together."""
    groups: list[list[int]] = []
    for place in sorted(range(len(written)), key=lambda place: len(written[place])):
        if groups and len(written[place]) <= len(written[groups[-1][0]]) + _MOST_PADDING:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _sentence(text: str) -> str:
    """A text as Moonshine writes sentences: with a capital and a full stop."""
    return f'{text[:1].upper()}{text[1:]}'.rstrip('.,!? ') + '.'


def _likelihood(logits: Any, tokens: Sequence[int]) -> float:
    """The natural logarithm of the likelihood of tokens. Logits beyond them belong to padding."""
    used = logits[: len(tokens)].astype(np.float64)
    used -= used.max(axis=1, keepdims=True)
    total = np.log(np.exp(used).sum(axis=1))
    return float((used[np.arange(len(tokens)), tokens] - total).sum())
