"""The decision about each transcript: stop, pass it on, ask "did you mean", answer, or ignore it."""

import math
import re
from dataclasses import dataclass
from enum import Enum, auto

from lucca_core.stop_command import is_stop
from speech_node.config import SpeechConfig
from speech_node.hearing.spoken_requests import is_request
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
_YES_OR_NO_QUESTION = re.compile(
    r'(?:^|[.!?:;,]\s+)'
    r'(?:shall|should|may|might|can|could|will|would|do|does|did|is|are|was|were|have|has|am)(?:n.t)?\b'
    r'[^.!?]*\?[\s"”’)]*$',
    re.IGNORECASE,
)
"""A text that ends with a question which a yes or a no answers: `Shall I …?`, but not `How are you?`"""
_WORD_S = 0.45
"""Longest time that the robot takes to speak a word, on average: espeak-ng says about 160 words a minute."""
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

    Any transcriber takes other people's talk for a command now and then, however sure it seems. So while the robot is
    not attentive, each request leads to a question; of a transcriber that knows only its grammar, each command does.
    The robot is attentive for `attention_s` after a request that was passed on, which takes a yes at first. Talk that
    is passed on changes nothing about that. Anything else that is heard ends it: a no, a stop, an unsure command, words
    that are not understood. What is said behind a wake word needs no attention.

    A question may also be one that the robot asked in conversation (`ask_in_conversation`). Then the answer is passed
    on: a no with other words beside it, such as `No, the pear`, as it was said if it is sure and the robot attentive,
    otherwise only the no.

    Where people go on talking after a question, a word of their talk may sound like a yes. So talk that is no answer,
    and longer than one, closes the question.
    """

    def __init__(self, config: SpeechConfig) -> None:
        self._config = config
        self._wake = ' '.join(config.wake_word.lower().split())
        self._attentive_since_s = self._attentive_until_s = -math.inf
        self._forgotten_s = -math.inf
        self._asked = ''
        self._did_you_mean = ''
        self._in_conversation = False
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

    def ask_in_conversation(self, text: str, now_s: float) -> None:
        """Opens a question that the robot asks in conversation, such as `Shall I put the cup in box 1?`.

        Its answers, a yes or a no, are passed on. It replaces a question that was asked before, as people answer the
        last one. It closes `answer_s` after it can have been spoken.

        Args:
            text: what is said; nothing is opened if it ends with no question that a yes answers, or is one of this
                policy.
            now_s: the time at which the robot begins to say it, on the clock of `react`.
        """
        asks = _YES_OR_NO_QUESTION.search(text) is not None and text != self._did_you_mean
        if asks and now_s > max(self._asked_s, self._forgotten_s):
            self._open('yes', now_s, now_s + _WORD_S * len(text.split()), in_conversation=True)

    def forget_before(self, time_s: float) -> None:
        """Ends attention and drops the open question, as a stop word does that no transcript has.

        A request that needs attention and began before this time, on the clock of `react`, is ignored.
        """
        if time_s > self._forgotten_s:
            self._forgotten_s = time_s
            self._asked = ''
            self._attentive_until_s = -math.inf

    def _needs_attention(self, heard: Transcript) -> bool:
        return not self._wake and (self._config.hears_only_commands or is_request(heard))

    def _is_attentive(self, start_s: float) -> bool:
        return self._attentive_since_s < start_s <= self._attentive_until_s

    def _attend(self, start_s: float, now_s: float) -> None:
        """Begins attention, or renews it."""
        if not self._is_attentive(start_s):
            self._attentive_since_s = now_s
        self._attentive_until_s = now_s + self._config.attention_s

    def _open(self, asked: str, now_s: float, spoken_s: float, *, in_conversation: bool = False) -> None:
        """Opens a question. `asked` is passed on after a yes; `spoken_s`: when the question has been spoken."""
        self._asked, self._asked_s, self._asked_until_s = asked, now_s, spoken_s + self._config.answer_s
        self._in_conversation = in_conversation
        self._doubt, self._yeses = 1.0, 0

    def _decide(self, heard: Transcript, start_s: float, end_s: float, now_s: float) -> Reaction:
        text = ' '.join(heard.text.split())
        if not text or heard.confidence < self._config.ask_confidence:
            return self._talk(f'not understood (confidence {heard.confidence:.2f})', start_s, end_s)
        if is_stop(text):
            # No wake word is needed, and no question is asked: a person who says nothing else wants the arms to hold.
            return self._stopped(text, heard.confidence)
        asked = self._asked if start_s <= self._asked_until_s else ''
        answer = _answer(heard, text, asked=bool(asked))
        if answer and asked and start_s < self._asked_s:
            return Reaction(ReactionKind.IGNORE, 'a yes that began before the question')
        if answer and asked:
            return self._agreed(asked, heard, start_s, now_s)
        if answer is not None:
            return self._answered_otherwise(heard, answer, asked, start_s)
        if self._wake:
            woken = re.match(rf'{re.escape(self._wake)}\b[\s,.!:]*', text, re.IGNORECASE)
            if woken is None:
                return self._talk(f'without the wake word: {text}', start_s, end_s)
            text = text[woken.end() :]
            if not text:
                return Reaction(ReactionKind.IGNORE, 'nothing after the wake word')
            if is_stop(text):
                return self._stopped(text, heard.confidence)
        needs_attention = self._needs_attention(heard)
        if needs_attention and start_s < self._forgotten_s:
            return Reaction(ReactionKind.IGNORE, f'began before a stop or a fault: {text}')
        self._asked = ''
        certain = heard.confidence >= self._config.act_confidence
        if certain and (not needs_attention or self._is_attentive(start_s)):
            if needs_attention:
                self._attend(start_s, now_s)
            return Reaction(ReactionKind.PASS, text, heard.confidence)
        self._open(text, now_s, now_s)
        self._did_you_mean = f'Did you mean: {text.rstrip(".!?")}?'
        return Reaction(ReactionKind.ASK, self._did_you_mean, heard.confidence)

    def _talk(self, reason: str, start_s: float, end_s: float) -> Reaction:
        """Something that is not meant for the robot, or not understood; it closes a question if it is no answer."""
        asked = self._asked and self._asked_s <= start_s <= self._asked_until_s
        if not asked or end_s - start_s <= _LONGEST_ANSWER_S:
            return Reaction(ReactionKind.IGNORE, reason)
        self._asked = ''
        return Reaction(ReactionKind.IGNORE, reason) if self._in_conversation else Reaction(ReactionKind.SAY, NOTHING)

    def _agreed(self, asked: str, heard: Transcript, start_s: float, now_s: float) -> Reaction:
        """A yes to the open question."""
        confidence = heard.confidence
        self._yeses += 1
        if confidence >= _LEAST_YES:
            self._doubt *= 1 - confidence
        if 1 - self._doubt >= self._config.act_confidence:
            self._asked = ''
            self._attend(start_s, now_s)
            return Reaction(ReactionKind.PASS, asked, confidence)
        if self._yeses >= _MOST_YESES:
            self._asked = ''
            return Reaction(ReactionKind.SAY, NOTHING, confidence)
        # A person who was asked a question is told to answer again.
        self._asked_s, self._asked_until_s = now_s, now_s + self._config.answer_s
        return Reaction(ReactionKind.SAY, YES_OR_NO, confidence)

    def _answered_otherwise(self, heard: Transcript, yes: bool, asked: str, start_s: float) -> Reaction:
        """A no to the open question, or an answer where there is none."""
        certain = heard.confidence >= self._config.act_confidence
        if yes and not certain:
            return Reaction(ReactionKind.IGNORE, f'an uncertain yes (confidence {heard.confidence:.2f})')
        self._asked = ''
        if not asked:
            return Reaction(ReactionKind.IGNORE, 'an answer, but nothing was asked')
        if self._in_conversation:
            # `No, the pear` may move the pear, so beside the no it is a request.
            text = ' '.join(heard.text.split())
            is_meant = _ONLY_NO.fullmatch(text) or (certain and self._is_attentive(start_s))
            return Reaction(ReactionKind.PASS, text if is_meant else 'no', heard.confidence)
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
