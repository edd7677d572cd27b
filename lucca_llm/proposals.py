"""A language model's proposal of what an unclear request asks for, in plain words that the rules read.

It sees what was said, the table and the places, and says it again in a few sentences such as `Put the pear in box 2.`
The rules read and check them, and the person is asked; see `unclear_requests.py`.
"""

from collections.abc import Callable
from dataclasses import replace

from lucca_llm.answer_grammar import literal
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.proposal_examples import NOTHING, SOMETHING_ELSE, ProposalExamples, asked
from lucca_llm.rules.answers.unclear_requests import UnclearRequest
from lucca_llm.rules.utterances.plain_requests import (
    EXCEPT,
    GIVE,
    LEAVE,
    MOST_SENTENCES,
    MOST_THINGS,
    POINT,
    PUT,
    PlainVocabulary,
)

_TOKENS = 120
_PATIENCE_S = 60.0
"""The longest wait for a proposal."""


def proposed(
    request: UnclearRequest,
    model: ChatModel,
    examples: ProposalExamples,
    options: ChatOptions,
    cancelled: Callable[[], bool] | None,
) -> ChatReply:
    """A model's reply, whose text is the proposed request; empty if it proposes none that may be meant.

    Raises:
        ModelError: the model gave no reply.
    """
    limited = replace(
        options,
        temperature=0.0,
        max_tokens=_TOKENS,
        deadline_s=min(options.deadline_s, _PATIENCE_S),
        grammar=_grammar(request.vocabulary),
        choices=(),
        json_schema=None,
        tools=(),
    )
    prompt = Message('user', asked(request.said, request.objects, request.places))
    reply = model.chat([*examples.messages, prompt], limited, cancelled=cancelled)
    return replace(reply, text=request.proposal_in(reply.text) if reply.finish_reason == 'stop' else '')


def show_examples(model: ChatModel, examples: ProposalExamples, deadline_s: float) -> None:
    """Lets a model read the examples once, so that one that keeps what it read proposes sooner afterwards.

    Raises:
        ModelError: the model gave no reply; ModelTimeout: not in time.
    """
    options = ChatOptions(temperature=0.0, max_tokens=1, deadline_s=deadline_s)
    model.chat([*examples.messages, Message('user', asked('Hello.'))], options)


def _grammar(vocabulary: PlainVocabulary) -> str:
    """The plain requests in these words, in GBNF."""
    put = f'"{PUT} " things " " place "." | ' if vocabulary.places else ''
    things = ['list'] if vocabulary.single else []
    things += [f'every ({literal(EXCEPT)} list)?' if things else 'every'] if vocabulary.collective else []
    rules = [
        f'root ::= {literal(NOTHING)} | {literal(SOMETHING_ELSE)} | sentence (" " sentence){{0,{MOST_SENTENCES - 1}}}',
        f'sentence ::= {put}"{GIVE} " things "." | "{POINT} " things "." | "{LEAVE} " things "."',
        f'things ::= {" | ".join(things)}',
    ]
    if vocabulary.single:
        rules.append(f'list ::= one (joint one){{0,{MOST_THINGS - 1}}}')
        rules.append('joint ::= ", " | " and " | ", and "')
        rules.append(f'one ::= {" | ".join(map(literal, vocabulary.single))}')
    if vocabulary.collective:
        rules.append(f'every ::= {" | ".join(map(literal, vocabulary.collective))}')
    if vocabulary.places:
        rules.append(f'place ::= {" | ".join(map(literal, vocabulary.places))}')
    return '\n'.join(rules)
