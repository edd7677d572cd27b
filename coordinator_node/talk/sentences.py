"""The spoken part of a streamed answer, passed on sentence by sentence while the rest still arrives."""

import re
from collections.abc import Callable

SAY = '<say('
_END = re.compile(r'[.!?…]+["\')\]\u201d\u2019]*(?=\s)')
_NO_END = re.compile(r'(?:\b(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|approx|e\.g|i\.e)|(?:^|\s)\d{1,2})\.$')


class SentenceSplitter:
    """Splits streamed text into sentences. Abbreviations, initials and ordinals (`3. May`) do not end a sentence."""

    def __init__(self, on_sentence: Callable[[str], None]) -> None:
        self._on_sentence = on_sentence
        self._held = ''

    def feed(self, piece: str) -> None:
        """Adds a piece of text, and passes on the sentences that it completes."""
        self._held += piece
        start = 0
        while (end := _END.search(self._held, start)) is not None:
            start = end.end()
            if _NO_END.search(self._held[:start]):
                continue
            self._emit(self._held[:start])
            self._held, start = self._held[start:], 0

    def close(self) -> None:
        """Ends the text; the rest is the last sentence."""
        self._emit(self._held)
        self._held = ''

    def _emit(self, text: str) -> None:
        if sentence := ' '.join(text.split()):
            self._on_sentence(sentence)


class SpokenPart:
    """The part of a streamed answer that is spoken: the text within `<say(…)>`, and nothing of other calls.

    `free`: with native tools the whole answer is spoken, unless it begins with `<` and so may be a call.
    """

    def __init__(self, on_sentence: Callable[[str], None], *, free: bool) -> None:
        self._splitter = SentenceSplitter(on_sentence)
        self._free = free
        self._held = ''
        self._open: bool | None = None

    def feed(self, piece: str) -> None:
        """Adds a piece of the answer."""
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
        # Keep back what could be the end of the call; a `<` within it means that it is not a valid call.
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
        """Ends the answer."""
        if self._open and self._free:
            self._splitter.close()


class Voice:
    """Speaks the sentences of one turn, each once, and none after the turn is interrupted."""

    def __init__(self, on_sentence: Callable[[str], None], interrupted: Callable[[], bool]) -> None:
        self._on_sentence = on_sentence
        self._interrupted = interrupted
        self.spoken: list[str] = []

    def say(self, sentence: str) -> None:
        """Speaks a sentence unless this turn has spoken it: a repeated model call begins its answer again."""
        if sentence in self.spoken or self._interrupted():
            return
        self.spoken.append(sentence)
        self._on_sentence(sentence)

    def say_rest(self, text: str) -> None:
        """Speaks the sentences of a text that have not been spoken."""
        splitter = SentenceSplitter(self.say)
        splitter.feed(text)
        splitter.close()
