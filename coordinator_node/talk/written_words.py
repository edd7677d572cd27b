"""The words of one answer while a small model writes them."""

from collections.abc import Callable, Sequence

from coordinator_node.talk.fit_words import FitWords, Shown
from coordinator_node.talk.sentences import SentenceSplitter

_MOST_SENTENCES = 2


class WrittenWords:
    """The sentences of an answer while it is written; a repeated call begins it again."""

    def __init__(self, shown: Shown, speak: Callable[[str], None], before: Sequence[str]) -> None:
        """
        Args:
            shown: what the model was shown.
            speak: receives each sentence that is fit to be spoken.
            before: sentences that are not said once more.
        """
        self._shown = shown
        self._speak = speak
        self._before = before
        self._fed = False
        self._begin()

    def _begin(self) -> None:
        self.fit = FitWords(self._shown, self._speak, most=_MOST_SENTENCES, spoken_before=self._before)
        self._splitter = SentenceSplitter(self.fit.take)

    def begin(self) -> Callable[[str], None]:
        """Begins the answer; returns what receives its pieces."""
        self._begin()
        return self._feed

    def _feed(self, piece: str) -> None:
        self._fed = True
        self._splitter.feed(piece)

    def end(self, text: str, *, finished: bool) -> None:
        """Ends the answer. What the model could not end is left out, unless it is all there is."""
        if not self._fed:
            self._splitter.feed(text)
        if finished or not self.fit.spoken:
            self._splitter.close()
