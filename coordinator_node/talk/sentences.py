"""What of a streamed answer is spoken, sentence by sentence, while the rest is still to come."""

import re
from collections.abc import Callable

SAY = '<say('
_END = re.compile(r'[.!?…]+["\')\]\u201d\u2019]*(?=\s)')
_NO_END = re.compile(r'(?:\b(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|approx|e\.g|i\.e)|(?:^|\s)\d{1,2})\.$')


class SentenceSplitter:
    """Passes text on in whole sentences. An abbreviation, an initial and an ordinal (`3. May`) do not end one."""

    def __init__(self, on_sentence: Callable[[str], None]) -> None:
        self._on_sentence = on_sentence
        self._held = ''

    def feed(self, piece: str) -> None:
        """Takes the next piece; what it completes is passed on at once."""
        self._held += piece
        start = 0
        while (end := _END.search(self._held, start)) is not None:
            start = end.end()
            if _NO_END.search(self._held[:start]):
                continue
            self._emit(self._held[:start])
            self._held, start = self._held[start:], 0

    def close(self) -> None:
        """The text is over: what is left is the last sentence."""
        self._emit(self._held)
        self._held = ''

    def _emit(self, text: str) -> None:
        if sentence := ' '.join(text.split()):
            self._on_sentence(sentence)


class SpokenPart:
    """Of a streamed answer in the text protocol, what stands in `<say(…)>`; of any other answer nothing.

    `free`: the answer itself is what is said, as with native tools; one that begins with `<` may be a call and is not.
    """

    def __init__(self, on_sentence: Callable[[str], None], *, free: bool) -> None:
        self._splitter = SentenceSplitter(on_sentence)
        self._free = free
        self._held = ''
        self._open: bool | None = None

    def feed(self, piece: str) -> None:
        """Takes the next piece."""
        self._held += piece
        if self._open is None:
            begun = self._held.lstrip()
            if begun.startswith(SAY):
                self._open, self._held = True, begun[len(SAY) :]
                self._free = False
            elif begun and not SAY.startswith(begun):
                self._open = self._free and not begun.startswith('<')
        if not self._open:
            return
        if self._free:
            self._splitter.feed(self._held)
            self._held = ''
            return
        # What could be the end of the call waits; a bracket within it makes it none.
        text, bracket, _ = self._held.partition('<')
        text, ended, _ = text.partition(')>')
        kept = '' if ended or bracket else text[len(text.rstrip(')>')) :]
        self._splitter.feed(text.removesuffix(kept) if kept else text)
        self._held = kept
        if ended:
            self._splitter.close()
        if ended or bracket:
            self._open, self._held = False, ''

    def close(self) -> None:
        """The answer is over."""
        if self._open and self._free:
            self._splitter.close()


class Voice:
    """Speaks the sentences of one turn, none twice, and none once the turn is interrupted."""

    def __init__(self, on_sentence: Callable[[str], None], interrupted: Callable[[], bool]) -> None:
        self._on_sentence = on_sentence
        self._interrupted = interrupted
        self.spoken: list[str] = []

    def say(self, sentence: str) -> None:
        """Speaks a sentence, unless it was spoken in this turn: an answer that is asked for again begins anew."""
        if sentence in self.spoken or self._interrupted():
            return
        self.spoken.append(sentence)
        self._on_sentence(sentence)

    def say_rest(self, text: str) -> None:
        """Speaks what of a text has not been spoken."""
        splitter = SentenceSplitter(self.say)
        splitter.feed(text)
        splitter.close()
