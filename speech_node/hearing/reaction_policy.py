"""The decision about each transcript: stop, pass it on, ask "did you mean", answer, or ignore it."""

import math
import re
from dataclasses import dataclass
from enum import Enum, auto

from lucca_core.stop_command import is_stop
from speech_node.config import SpeechConfig
from speech_node.interfaces import IntentKind, Transcript

_YES = re.compile(r'^(?:yes|yeah|yep|right|correct|exactly|sure|please do|that is right)\b', re.IGNORECASE)
_NO = re.compile(
    r"^(?:no|nope|nah|wrong|not (?:that|now)|never mind|forget it|don't|do not|that is wrong)\b", re.IGNORECASE
)
_MOST_WORDS_OF_AN_ANSWER = 4
_ONLY_YES = re.compile(
    r'(?:(?:yes|yeah|yep|right|correct|exactly|sure|absolutely|of course|please|do(?: so| it)?|go ahead|that is|it is|'
    r'that one|i did|i meant|thing|thanks|thank you|ok|okay|now|robot|lucca)\b\W*)+',
    re.IGNORECASE,
)
_ONLY_NO = re.compile(
    r'(?:(?:no|nope|wrong|that is|never mind|please|thanks|thank you|robot|lucca)\b\W*)+', re.IGNORECASE
)
"""A yes or a no, with words beside it at most that ask for nothing else."""
_DENIALS = re.compile(r"\b(?:no|nope|not|never|nothing|none|but|dont|cannot|wrong)\b|n't\b", re.IGNORECASE)
_LONGEST_ANSWER_S = 1.6
"""Longest utterance that may be an answer which was not understood.

In the voices used to choose it, at the lowest speed, the longest answer of the book took 1.54 s.
"""
_PAUSE_S = 1.0
"""Least pause between other talk and a command that is not asked about."""
_ADDRESS = re.compile(
    r'(?:(?:hey|hi|hello|ok|okay|please|robot|lucca|so|well|um|uh|er|now|and|then|alright|all right|excuse me|listen|'
    r'good (?:morning|afternoon|evening))\b\W*)+',
    re.IGNORECASE,
)
"""Talk that addresses somebody, before a command."""
NOTHING = 'All right, I do nothing.'
YES_OR_NO = 'Please say yes or no.'
"""Said after an uncertain yes; the question stays open."""
_MOST_YESES = 2
_LEAST_YES = 0.5
"""Limits for an uncertain yes.

A yes may move the arms. So one certain yes is needed, or two that are each more likely than not and together certain.
Only two are counted, because the same noise may sound like a yes every time.
"""


class ReactionKind(Enum):
    """What to do with a transcript."""

    STOP = auto()
    PASS = auto()
    ASK = auto()
    SAY = auto()
    IGNORE = auto()


@dataclass(frozen=True, slots=True)
class Reaction:
    """The decision about a transcript.

    `text` is what to pass on or say, or the reason for ignoring the transcript. `confidence` is that of the transcript;
    0 if it is ignored.
    """

    kind: ReactionKind
    text: str
    confidence: float = 0.0


class ReactionPolicy:
    """Decides about one transcript after another, and keeps track of the open question and of attention.

    A transcriber that knows only its grammar takes other people's talk for a command now and then, however sure it
    seems. So while the robot is not attentive, each of its commands leads to a question. The robot is attentive for
    `attention_s` after a command that was passed on, which takes a yes at first. Anything else that is heard ends this:
    a no, a stop, an unsure command, words that are not understood. Transcribers of free speech, and commands behind a
    wake word, need no attention.

    A command that follows talk which was not surely understood, without a pause, is a part of what somebody is telling,
    so it is asked about:
    somebody who said "Alisa is not very good at volleyball" did not mean "fill the bowl".

    Where people go on talking after a question, a word of their talk may sound like a yes. So talk that is no answer,
    and longer than one, closes the question.
    """

    def __init__(self, config: SpeechConfig) -> None:
        self._config = config
        self._wake = ' '.join(config.wake_word.lower().split())
        self._needs_attention = config.hears_only_commands and not self._wake
        self._attentive_since_s = self._attentive_until_s = -math.inf
        self._forgotten_s = self._talked_until_s = -math.inf
        self._asked = ''
        self._asked_s = self._asked_until_s = -math.inf
        self._doubt = 1.0
        self._yeses = 0
        # "My name is ..." does not change this: a spoken name proves nothing. The coordinator handles introductions.
        self.person = config.person

    def react(self, heard: Transcript, start_s: float, end_s: float, now_s: float) -> Reaction:
        """Decides about a transcript.

        Args:
            heard: what was understood.
            start_s: when the utterance began, on a monotonic clock.
            end_s: when it ended, on the same clock.
            now_s: the time of the decision, on the same clock. A yes to a question begins after it.
        """
        reaction = self._decide(heard, start_s, end_s, now_s)
        if reaction.kind is not ReactionKind.PASS:
            self._attentive_until_s = -math.inf
            return reaction
        if not self._is_attentive(start_s):
            self._attentive_since_s = now_s
        self._attentive_until_s = now_s + self._config.attention_s
        return reaction

    def forget_before(self, time_s: float) -> None:
        """Ends attention and drops the open question, as a stop word does that no transcript has.

        A command that needs attention and began before this time, on the clock of `react`, is ignored.
        """
        if time_s > self._forgotten_s:
            self._forgotten_s = time_s
            self._asked = ''
            self._attentive_until_s = -math.inf

    def _is_attentive(self, start_s: float) -> bool:
        return self._attentive_since_s < start_s <= self._attentive_until_s

    def _decide(self, heard: Transcript, start_s: float, end_s: float, now_s: float) -> Reaction:
        text = ' '.join(heard.text.split())
        if not text or heard.confidence < self._config.ask_confidence:
            if text and not _ADDRESS.fullmatch(text):
                self._talked_until_s = end_s
            return self._talk(f'not understood (confidence {heard.confidence:.2f})', start_s, end_s)
        if is_stop(text):
            # No wake word is needed, and no question is asked: a person who says nothing else wants the arms to hold.
            return self._stopped(text, heard.confidence)
        asked = self._asked if start_s <= self._asked_until_s else ''
        answer = _answer(heard, text, asked=bool(asked))
        if answer and asked and start_s < self._asked_s:
            return Reaction(ReactionKind.IGNORE, 'a yes that began before the question')
        if answer and asked:
            return self._agreed(asked, heard.confidence, now_s)
        if answer is not None:
            return self._answered_otherwise(heard, answer, asked)
        if self._wake:
            woken = re.match(rf'{re.escape(self._wake)}\b[\s,.!:]*', text, re.IGNORECASE)
            if woken is None:
                return self._talk(f'without the wake word: {text}', start_s, end_s)
            text = text[woken.end() :]
            if not text:
                return Reaction(ReactionKind.IGNORE, 'nothing after the wake word')
            if is_stop(text):
                return self._stopped(text, heard.confidence)
        if self._needs_attention and start_s < self._forgotten_s:
            return Reaction(ReactionKind.IGNORE, f'began before a stop or a fault: {text}')
        self._asked = ''
        certain = heard.confidence >= self._config.act_confidence
        apart = start_s - self._talked_until_s >= _PAUSE_S
        if certain and apart and (not self._needs_attention or self._is_attentive(start_s)):
            return Reaction(ReactionKind.PASS, text, heard.confidence)
        self._asked, self._asked_s, self._asked_until_s = text, now_s, now_s + self._config.answer_s
        self._doubt, self._yeses = 1.0, 0
        if heard.intent is None:
            self._talked_until_s = end_s
        return Reaction(ReactionKind.ASK, f'Did you mean: {text.rstrip(".!?")}?', heard.confidence)

    def _talk(self, reason: str, start_s: float, end_s: float) -> Reaction:
        """Something that is not meant for the robot, or not understood; it closes a question if it is no answer."""
        asked = self._asked and self._asked_s <= start_s <= self._asked_until_s
        if not asked or end_s - start_s <= _LONGEST_ANSWER_S:
            return Reaction(ReactionKind.IGNORE, reason)
        self._asked = ''
        return Reaction(ReactionKind.SAY, NOTHING)

    def _agreed(self, asked: str, confidence: float, now_s: float) -> Reaction:
        """A yes to the open question."""
        self._yeses += 1
        if confidence >= _LEAST_YES:
            self._doubt *= 1 - confidence
        if 1 - self._doubt >= self._config.act_confidence:
            self._asked = ''
            return Reaction(ReactionKind.PASS, asked, confidence)
        if self._yeses >= _MOST_YESES:
            self._asked = ''
            return Reaction(ReactionKind.SAY, NOTHING, confidence)
        # A person who was asked a question is told to answer again.
        self._asked_s, self._asked_until_s = now_s, now_s + self._config.answer_s
        return Reaction(ReactionKind.SAY, YES_OR_NO, confidence)

    def _answered_otherwise(self, heard: Transcript, yes: bool, asked: str) -> Reaction:
        """A no to the open question, or an answer where there is none."""
        if yes and heard.confidence < self._config.act_confidence:
            return Reaction(ReactionKind.IGNORE, f'an uncertain yes (confidence {heard.confidence:.2f})')
        self._asked = ''
        if not asked:
            return Reaction(ReactionKind.IGNORE, 'an answer, but nothing was asked')
        return Reaction(ReactionKind.SAY, NOTHING, heard.confidence)

    def _stopped(self, text: str, confidence: float) -> Reaction:
        self._asked = ''
        return Reaction(ReactionKind.STOP, text, confidence)


def _answer(heard: Transcript, text: str, *, asked: bool) -> bool | None:
    """True for yes, False for no, None for any other text.

    A yes has no other words beside it: `Yes, but not now` and `Right, stop the tower` may move nothing. A no with other
    words, such as `No, the pear`, is a correction if nothing was asked.
    """
    if heard.intent is not None:
        return {IntentKind.YES: True, IntentKind.NO: False}.get(heard.intent.kind)
    text = text.replace('’', "'")
    if len(text.split()) > _MOST_WORDS_OF_AN_ANSWER:
        return None
    if _NO.match(text):
        return False if asked or _ONLY_NO.fullmatch(text) else None
    if not _YES.match(text):
        return None
    if _DENIALS.search(text):
        return False if asked else None
    return True if _ONLY_YES.fullmatch(text) else None
