"""A Whisper model that transcribes a sound, and tells how likely given texts are for it (CTranslate2's format)."""

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lucca_core.protocol.speech import Samples
from speech_node.audio import FULL_SCALE, RATE_HZ
from speech_node.interfaces import MOST_TOKENS

_FRAMES_A_SECOND, _MORE_FRAMES, _MOST_FRAMES = 50, 25, 1500
_SILENT_FRAMES = 100
_LEAST = 1e-12


@dataclass(frozen=True, slots=True)
class EncodedSound:
    """A sound as the encoder sees it: padded to 30 s; the first `frames` of it hold sound."""

    encoded: Any
    frames: int


class ScoringWhisper:
    """A loaded `faster_whisper.WhisperModel` for one utterance of at most 30 s at a time.

    Args:
        model: the loaded model.
        tokenizer: its `faster_whisper.tokenizer.Tokenizer`.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        # Both took seconds to import when the model was loaded.
        self._arrays: Any = importlib.import_module('ctranslate2')
        self._pad = importlib.import_module('faster_whisper.audio').pad_or_trim
        self._model = model
        self._tokenizer = tokenizer
        self._unheard: dict[tuple[str, tuple[int, ...]], float] = {}

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text."""
        return list(self._tokenizer.encode(f' {text}'))

    def encode(self, samples: Samples) -> EncodedSound:
        """Encodes a sound; all other calls take the result, so this is done once."""
        encoded = self._model.encode(self._pad(self._model.feature_extractor(floats(samples))))
        return EncodedSound(encoded, min(_MOST_FRAMES, round(_FRAMES_A_SECOND * len(samples) / RATE_HZ) + _MORE_FRAMES))

    def transcript(self, sound: EncodedSound, before: Sequence[int]) -> tuple[str, float]:
        """The transcript with this context, and the mean probability of its tokens, near 0 if nobody speaks."""
        prompt = [*self._start(before), self._tokenizer.no_timestamps]
        result = self._model.model.generate(
            sound.encoded,
            [prompt],
            beam_size=1,
            max_length=len(prompt) + MOST_TOKENS,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens = [token for token in result.sequences_ids[0] if token < self._tokenizer.eot]
        sure = math.exp(min(0.0, result.scores[0])) * (1 - result.no_speech_prob)
        return str(self._tokenizer.decode(tokens)).strip(), min(1.0, max(0.0, sure))

    def without_second(self, sound: EncodedSound) -> EncodedSound:
        """The same sound: there is no second model."""
        return sound

    def second_transcript(self, sound: EncodedSound) -> str:
        """Nothing: there is no second model."""
        return ''

    def shortlist(self, sound: EncodedSound, sentences: Sequence[str], count: int) -> Sequence[str]:
        """The first `count` sentences: to score all of them would take too long."""
        return sentences[:count]

    def scores(self, sound: EncodedSound, texts: Sequence[str], before: Sequence[int]) -> list[float]:
        """The natural logarithm of each text's likelihood, if the model is forced to produce it after this context."""
        return self._aligned(self._array(sound)[:, : sound.frames], texts, before)

    def unheard_scores(self, sound: EncodedSound, texts: Sequence[str], before: Sequence[int]) -> list[float]:
        """The same with nothing in place of the sound: how likely each text is before anything is heard."""
        key = tuple(before)
        new = [text for text in dict.fromkeys(texts) if (text, key) not in self._unheard]
        if new:
            nothing = np.zeros((1, _SILENT_FRAMES, self._array(sound).shape[-1]), dtype=np.float32)
            scores = self._aligned(nothing, new, before)
            self._unheard |= {(text, key): score for text, score in zip(new, scores, strict=True)}
        return [self._unheard[text, key] for text in texts]

    def _array(self, sound: EncodedSound) -> Any:
        return np.asarray(sound.encoded.to_device(self._arrays.Device.cpu))

    def _aligned(self, encoded: Any, texts: Sequence[str], before: Sequence[int]) -> list[float]:
        sound = np.ascontiguousarray(np.repeat(encoded, len(texts), axis=0))
        aligned = self._model.model.align(
            self._arrays.StorageView.from_array(sound),
            self._start(before),
            # Without a full stop, a sentence would be at least as likely as any longer one that begins with it.
            [self.tokens(text.rstrip('.,!? ') + '.') for text in texts],
            encoded.shape[1],
        )
        return [float(np.log(np.maximum(result.text_token_probs, _LEAST)).sum()) for result in aligned]

    def _start(self, before: Sequence[int]) -> list[int]:
        previous = [self._tokenizer.sot_prev, *before] if before else []
        return [*previous, *self._tokenizer.sot_sequence]


def floats(samples: Samples) -> Any:
    """Samples between -1 and 1, as Whisper takes them."""
    return (samples / FULL_SCALE).astype('float32')
