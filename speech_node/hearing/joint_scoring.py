"""Two models that hear the same sound: a text is as likely as both find it together."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.hearing.moonshine_model import ScoringMoonshine
from speech_node.hearing.whisper_model import EncodedSound, ScoringWhisper

SECOND_UNHEARD = 0.25
"""How much Moonshine's unheard scores count, as a part of how much Whisper's count.

They tell much the same as Whisper's: what the language expects. Counted as much, a command that nobody expects would be
heard in any words that sound somewhat like it.
"""


class SecondEarError(SpeechError):
    """Moonshine failed on a sound that Whisper may still transcribe alone."""


@dataclass(frozen=True, eq=False)
class TwiceEncodedSound:
    """A sound as Whisper's encoder sees it, and as Moonshine's does, which runs when it is first asked for.

    Without `second`, Whisper alone hears the sound.
    """

    whisper: EncodedSound
    samples: Samples
    second: ScoringMoonshine | None

    @cached_property
    def moonshine(self) -> Any:
        """What Moonshine's encoder gives."""
        assert self.second is not None
        return self.second.encode(self.samples)


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
        return TwiceEncodedSound(self._whisper.encode(samples), samples, self._moonshine)

    def without_second(self, sound: TwiceEncodedSound) -> TwiceEncodedSound:
        """The same sound, heard by Whisper alone."""
        return replace(sound, second=None)

    def transcript(self, sound: TwiceEncodedSound, before: Sequence[int]) -> tuple[str, float]:
        """Whisper's transcript with this context, and the mean probability of its tokens."""
        return self._whisper.transcript(sound.whisper, before)

    def second_transcript(self, sound: TwiceEncodedSound) -> str:
        """Moonshine's transcript.

        Raises:
            SecondEarError: Moonshine failed. So do the methods below.
        """
        if sound.second is None:
            return ''
        with _second_ear():
            return sound.second.transcript(sound.moonshine)

    def shortlist(self, sound: TwiceEncodedSound, sentences: Sequence[str], count: int) -> Sequence[str]:
        """The `count` sentences that fit the sound best for Moonshine, and the first `count // 2` of those given.

        Moonshine is quick enough to score them all. Its unheard scores are subtracted in full here.
        """
        if sound.second is None:
            return self._whisper.shortlist(sound.whisper, sentences, count)
        with _second_ear():
            heard = sound.second.scores(sound.moonshine, sentences)
            unheard = sound.second.unheard_scores(sentences)
        fit = {text: score - before for text, score, before in zip(sentences, heard, unheard, strict=True)}
        best = sorted(sentences, key=lambda text: fit[text], reverse=True)[:count]
        return tuple(dict.fromkeys([*sentences[: count // 2], *best]))

    def scores(self, sound: TwiceEncodedSound, texts: Sequence[str], before: Sequence[int]) -> list[float]:
        """The natural logarithm of each text's likelihood; only Whisper is given this context."""
        first = self._whisper.scores(sound.whisper, texts, before)
        if sound.second is None:
            return first
        with _second_ear():
            second = sound.second.scores(sound.moonshine, texts)
        return [sum(both) for both in zip(first, second, strict=True)]

    def unheard_scores(self, sound: TwiceEncodedSound, texts: Sequence[str], before: Sequence[int]) -> list[float]:
        """The same with nothing in place of the sound."""
        first = self._whisper.unheard_scores(sound.whisper, texts, before)
        if sound.second is None:
            return first
        with _second_ear():
            second = sound.second.unheard_scores(texts)
        return [whisper + SECOND_UNHEARD * moonshine for whisper, moonshine in zip(first, second, strict=True)]


@contextmanager
def _second_ear() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise SecondEarError(f'{type(error).__name__}: {error}') from error
