"""Two models that hear the same sound: a text is as likely as both find it together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lucca_core.protocol.speech import Samples
from speech_node.hearing.moonshine_model import ScoringMoonshine
from speech_node.hearing.whisper_model import EncodedSound, ScoringWhisper

SECOND_UNHEARD = 0.25
"""The part of Moonshine's unheard scores that counts.

They tell much the same as Whisper's: what the language expects. Counted in full, a command that nobody expects would be
heard in any words that sound somewhat like it.
"""


@dataclass(frozen=True, slots=True)
class TwiceEncodedSound:
    """A sound as the encoders of both models see it."""

    whisper: EncodedSound
    moonshine: Any


class JointScoring:
    """Whisper with Moonshine as a second ear. It has the methods of `ScoringWhisper`.

    Both were trained apart and mishear different words, so their scores are added, as for independent witnesses.
    """

    def __init__(self, whisper: ScoringWhisper, moonshine: ScoringMoonshine) -> None:
        self._whisper = whisper
        self._moonshine = moonshine

    def tokens(self, text: str) -> list[int]:
        """Whisper's tokens of a text."""
        return self._whisper.tokens(text)

    def encode(self, samples: Samples) -> TwiceEncodedSound:
        """Encodes a sound; all other calls take the result, so this is done once."""
        return TwiceEncodedSound(self._whisper.encode(samples), self._moonshine.encode(samples))

    def transcript(self, sound: TwiceEncodedSound, before: Sequence[int]) -> tuple[str, float]:
        """Whisper's transcript with this context, and the mean probability of its tokens."""
        return self._whisper.transcript(sound.whisper, before)

    def second_transcript(self, sound: TwiceEncodedSound) -> str:
        """Moonshine's transcript."""
        return self._moonshine.transcript(sound.moonshine)

    def shortlist(self, sound: TwiceEncodedSound, sentences: Sequence[str], count: int) -> Sequence[str]:
        """The sentences that fit the sound best for Moonshine, which is quick, and those most like the transcripts."""
        heard = self._moonshine.scores(sound.moonshine, sentences)
        unheard = self._moonshine.unheard_scores(sentences)
        fit = {text: score - before for text, score, before in zip(sentences, heard, unheard, strict=True)}
        best = sorted(sentences, key=lambda text: fit[text], reverse=True)[:count]
        return tuple(dict.fromkeys([*sentences[: count // 2], *best]))

    def scores(self, sound: TwiceEncodedSound, texts: Sequence[str], before: Sequence[int]) -> list[float]:
        """The natural logarithm of each text's likelihood; only Whisper is given this context."""
        first = self._whisper.scores(sound.whisper, texts, before)
        return [sum(both) for both in zip(first, self._moonshine.scores(sound.moonshine, texts), strict=True)]

    def unheard_scores(self, sound: TwiceEncodedSound, texts: Sequence[str], before: Sequence[int]) -> list[float]:
        """The same with nothing in place of the sound."""
        first = self._whisper.unheard_scores(sound.whisper, texts, before)
        second = self._moonshine.unheard_scores(texts)
        return [whisper + SECOND_UNHEARD * moonshine for whisper, moonshine in zip(first, second, strict=True)]
