"""Small talk, and answers to questions about the world, which a language model writes.

It is asked only where the rules have no answer (`open_turn`). It sees that one sentence and no memory, and writes one
or two sentences; it can start, look up and keep nothing.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.rules.answers.open_talk import OpenKind, OpenTurn
from lucca_llm.rules.utterances.quotation import sentences_of

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


def small_talk(
    turn: OpenTurn, model: ChatModel, options: ChatOptions, cancelled: Callable[[], bool] | None
) -> ChatReply:
    """A model's reply to an open turn, whose text is the call that says it; empty if it is not fit to be said.

    Raises:
        ModelError: the model gave no reply.
    """
    asked = replace(
        options,
        max_tokens=_ANSWER_TOKENS,
        deadline_s=min(options.deadline_s, _PATIENCE_S),
        grammar=None,
        choices=(),
        json_schema=None,
        tools=(),
    )
    written = model.chat(_prompt(turn), asked, cancelled=cancelled)
    words = fit_to_say(written.text, finished=written.finish_reason == 'stop')
    return replace(written, text=turn.answer(words) if words else '')


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
