"""A Whisper that writes what it is told to, and finds what it is told to as likely as it is told to."""

import numpy as np

from speech_node.hearing.command_book import load_commands
from speech_node.hearing.faster_whisper_transcriber import FasterWhisperTranscriber

BOOK = load_commands()
SECOND = np.zeros(16000, dtype=np.int16)
_UNLIKELY = -50.0


class ToldWhisper(FasterWhisperTranscriber):
    """Its model is replaced: it writes `free`, and `told` with the words of the commands as context.

    It scores texts by `scores`; any other text is unlikely. `sure` is how sure it is of what it writes. `second` is
    what a second model writes; empty if there is none.
    """

    def __init__(self, free, scores, told=None, sure=0.95, second=''):
        self._book, self._certain, self._spec, self._context, self._short_context = BOOK, 0.9, 'told', (1,), ()
        self._suggest = lambda samples: next(iter(scores))
        self._scoring = _ToldScoring(free, free if told is None else told, scores, sure, second)


class _ToldScoring:
    def __init__(self, free, told, scores, sure, second):
        self._free, self._told, self._scores, self._sure, self._second = free, told, scores, sure, second

    def encode(self, samples):
        return samples

    def transcript(self, sound, before):
        return (self._told if before else self._free), self._sure

    def second_transcript(self, sound):
        return self._second

    def shortlist(self, sound, sentences, count):
        return sentences[:count]

    def scores(self, sound, texts, before):
        return [self._scores.get(text, _UNLIKELY) for text in texts]

    def unheard_scores(self, sound, texts, before):
        return [0.0] * len(texts)
