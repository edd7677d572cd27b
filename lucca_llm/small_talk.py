"""The embedded reasoner with a language model for small talk and for questions about the world.

The rules read every sentence and decide alone what is a request. The language model is asked only where they have no
answer (`open_turn`). It sees that one sentence and no memory, and writes one or two sentences; it can start, look up
and keep nothing. If it fails, the answer of the rules stands.
"""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from lucca_core.errors import ModelError
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.rules.answers.open_talk import OpenKind, OpenTurn, open_turn
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_llm.rules.utterances.quotation import sentences_of

_log = logging.getLogger(__name__)
_ANSWER_TOKENS = 64
_PATIENCE_S = 30.0
"""The longest wait for small talk; nobody should wait as long for it as for a decision."""
_MOST_CHARS = 300
_MOST_SENTENCES = 2
_INSTRUCTIONS = {
    OpenKind.QUESTION: (
        'Answer the question in one short sentence. If you are not sure, say: I do not know. Write no list and no code.'
    ),
    OpenKind.SMALL_TALK: (
        'You are a friendly robot that stands at a table and talks with a person. Reply with one short, kind sentence. '
        'Do not promise anything, and write no list and no code.'
    ),
}
_EXAMPLES = {
    OpenKind.QUESTION: (('How many days does a year have?', 'A year has 365 days, and 366 in a leap year.'),),
    OpenKind.SMALL_TALK: (
        ('How are you feeling?', 'All my joints are fine, thank you!'),
        ('Do you like the rain?', 'It is pleasant to listen to, as long as it stays outside.'),
    ),
}
_DEED = re.compile(
    r"\b(?:i|we)(?:'ll|'ve|'d|'m going| will| would| can| could| have| did| am going|"
    r' put| moved| gave| placed| took| saw| see)\b|'
    r'\blet me\b|\b(?:happy|glad|ready) to\b|'
    r"\b(?:i|i'm|i am) (?:\w+ )?(?:doing(?! (?:well|fine|good|great|okay))|moving|putting|bringing|looking|holding|"
    r'picking|giving|handing|reaching|sorting|stacking|pointing|grabbing|carrying|placing|lifting|touching|building|'
    r'cleaning|cooking|watching|seeing|working)\b',
    re.IGNORECASE,
)
"""Claims about what the robot does, did or can do; only the table and the log may tell that."""
_CLAIM = re.compile(
    r"\b(?:you|he|she)(?:'ve| have)? (?:said|told|asked|wanted|did)\b|\byour \w+ (?:is|are|was|were)\b|"
    r'\b(?:in|into|on|to|from) (?:the |your )?(?:box|bowl|table|tower)\b|'
    r'\b(?:in front of|next to|beside|behind|near) (?:me|you|us)\b|\b(?:there|here) (?:is|are) [^.!?]*\bhere\b|'
    r'^here (?:is|are)\b',
    re.IGNORECASE,
)
"""Claims about what a person said, or about what lies where; only memory and the table may tell that."""
_MARKS = re.compile(r'[<>`{}|*#]')
_UNSURE = re.compile(
    r"\b(?:do not|don't|cannot|can't) know\b|\bnot sure\b|\bas an? (?:ai|language model)\b", re.IGNORECASE
)


class SmallTalkModel:
    """A ChatModel: `embedded+SPEC`. Safe to call from several threads.

    Args:
        rules: reads and answers everything.
        model: writes what the rules leave open.
    """

    def __init__(self, rules: RuleBasedModel, model: ChatModel) -> None:
        self._rules = rules
        self._model = model

    @property
    def spec(self) -> str:
        """Both specs, joined by `+`."""
        return f'{self._rules.spec}+{self._model.spec}'

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer; see ChatModel. A model that fails is told in the log, and the answer of the rules is given.

        Raises:
            ModelRetryable: the call was cancelled.
            ModelUnusable: there is no message.
        """
        reply = self._rules.chat(messages, options, cancelled=cancelled)
        if (turn := open_turn(messages, reply.text)) is not None:
            try:
                reply = self._written(turn, reply, options, cancelled)
            except ModelError as error:
                if cancelled is not None and cancelled():
                    raise
                _log.warning('small talk by the rules alone: %s: %s', self._model.spec, error)
        if on_text is not None:
            on_text(reply.text)
        return reply

    def check(self, deadline_s: float) -> None:
        """Makes the language model answer once; see ChatModel."""
        self._model.check(deadline_s)

    def close(self) -> None:
        """Closes the language model's connections, if it has any."""
        if (close := getattr(self._model, 'close', None)) is not None:
            close()

    def _written(
        self, turn: OpenTurn, reply: ChatReply, options: ChatOptions, cancelled: Callable[[], bool] | None
    ) -> ChatReply:
        """The answer with the model's words; the answer of the rules if these are not fit to be said."""
        asked = replace(
            options,
            max_tokens=_ANSWER_TOKENS,
            deadline_s=min(options.deadline_s, _PATIENCE_S),
            grammar=None,
            choices=(),
            json_schema=None,
            tools=(),
        )
        written = self._model.chat(_prompt(turn), asked, cancelled=cancelled)
        words = fit_to_say(written.text, finished=written.finish_reason == 'stop')
        return ChatReply(
            text=turn.answer(words) if words else reply.text,
            prompt_tokens=reply.prompt_tokens + written.prompt_tokens,
            completion_tokens=reply.completion_tokens + written.completion_tokens,
            model_s=reply.model_s + written.model_s,
        )


def fit_to_say(written: str, *, finished: bool = True) -> str:
    """The first two sentences of a model's text that are fit to be said; empty if there are none.

    A text with marks of calls, lists or code is not fit, nor is a sentence that claims what the robot does or did,
    what a person said or what lies where, or says that the model does not know.

    Args:
        finished: whether the model ended the text itself; else its last sentence is left out.
    """
    written = written.strip().replace('’', "'")
    first = written.splitlines()[0] if written else ''
    sentences = sentences_of(first.strip('"“”'))
    whole = sentences if finished or len(written.splitlines()) > 1 else sentences[:-1]
    if any(_UNSURE.search(sentence) for sentence in whole):
        return ''
    words = ' '.join(
        [sentence for sentence in whole if not (_DEED.search(sentence) or _CLAIM.search(sentence))][:_MOST_SENTENCES]
    )
    return words if words.isprintable() and len(words) <= _MOST_CHARS and not _MARKS.search(words) else ''


def claims_deeds_or_finds(sentence: str) -> bool:
    """Whether a sentence claims what the robot does or did, what a person said, or what lies where."""
    return bool(_DEED.search(sentence) or _CLAIM.search(sentence))


def has_marks(text: str) -> bool:
    """Whether a text has marks of calls, lists or code."""
    return _MARKS.search(text) is not None


def _prompt(turn: OpenTurn) -> list[Message]:
    shown = [
        message
        for asked, said in _EXAMPLES[turn.kind]
        for message in (Message('user', asked), Message('assistant', said))
    ]
    return [Message('system', _INSTRUCTIONS[turn.kind]), *shown, Message('user', turn.said)]
