"""A language model's proposal of what an unclear request asks for, in plain words that the rules read.

It sees what was said, the table and the places, and writes a few sentences such as `Put the pear in box 2.` The rules
read and check them, and the person is asked; see `unclear_requests.py`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lucca_core.english import and_list
from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.yaml_file import load_yaml
from lucca_llm.answer_grammar import literal
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.rules.answers.unclear_requests import UnclearRequest

_TOKENS = 120
_PATIENCE_S = 60.0
"""The longest wait for a proposal."""
_NOTHING, _ELSE = 'Nothing.', 'Something else.'
_MOST_SENTENCES = 6
_MOST_THINGS = 8
_FILE = 'prompts/proposals.yaml'
_SENTENCE = re.compile(
    r'(?P<verb>Give me|Point at|Put|Leave) (?P<things>[^.!?<>“”"]+?)(?P<place>(?: (?:in|on|at) [^.!?<>“”",]+)?)\.'
)
_JOINT = re.compile(r',? and |, ')
_LEAVES = 'Leave '


@dataclass(frozen=True, slots=True)
class ProposalExamples:
    """What a model is told, and what it is shown: scenes with what was said at them and what it means.

    Attributes:
        instructions: the system prompt.
        shown: pairs of a prompt and its answer.
    """

    instructions: str
    shown: tuple[tuple[str, str], ...]


def load_examples(file: Path | None = None) -> ProposalExamples:
    """Reads examples, by default `config/prompts/proposals.yaml`.

    Raises:
        ConfigError: the file is missing, or lacks a part of an example, or an example names no scene or has an answer
            in other forms.
    """
    file = file or config_dir() / _FILE
    document = load_yaml(file)
    shown = []
    try:
        scenes = {name: (list(scene['things']), list(scene['places'])) for name, scene in document['scenes'].items()}
        before = ''
        for scene, said, plain in document['examples']:
            if plain not in (_NOTHING, _ELSE) and _sentences(plain) is None:
                raise ConfigError(
                    f'{plain!r} is no answer: it needs sentences such as “Put the pear in box 1.”', file=str(file)
                )
            shown.append((_said(said) if scene == before else _scene(*scenes[scene], said), plain))
            before = scene
        return ProposalExamples(str(document['instructions']).strip(), tuple(shown))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f'an example needs a scene, what was said, and what is meant: {error!r}', file=str(file)
        ) from error


def proposed(
    request: UnclearRequest,
    model: ChatModel,
    examples: ProposalExamples,
    options: ChatOptions,
    cancelled: Callable[[], bool] | None,
) -> ChatReply:
    """A model's reply, whose text is the proposed request; empty if it proposes none.

    Raises:
        ModelError: the model gave no reply.
    """
    asked = replace(
        options,
        temperature=0.0,
        max_tokens=_TOKENS,
        deadline_s=min(options.deadline_s, _PATIENCE_S),
        grammar=_grammar(request),
        choices=(),
        json_schema=None,
        tools=(),
    )
    scene = _scene(request.objects, request.places, request.said)
    reply = model.chat([*_shown(examples), Message('user', scene)], asked, cancelled=cancelled)
    plain = _plain(reply.text) if reply.finish_reason == 'stop' else []
    return replace(reply, text=' '.join(request.without_repeats(plain)))


def show_examples(model: ChatModel, examples: ProposalExamples, deadline_s: float) -> None:
    """Lets a model read the examples once, so that one that keeps what it read proposes sooner afterwards.

    Raises:
        ModelError: the model gave no reply; ModelTimeout: not in time.
    """
    messages = [*_shown(examples), Message('user', _said('Hello.'))]
    model.chat(messages, ChatOptions(temperature=0.0, max_tokens=1, deadline_s=deadline_s))


def _sentences(written: str) -> list[str] | None:
    """The sentences of an answer, each once, and each thing in them once; None if anything else is in it."""
    found = [_without_doubles(match) for match in _SENTENCE.finditer(written)]
    return list(dict.fromkeys(found)) if found and not _SENTENCE.sub('', written).strip() else None


def _without_doubles(sentence: re.Match[str]) -> str:
    things = and_list(list(dict.fromkeys(_JOINT.split(sentence['things']))))
    return f'{sentence["verb"]} {things}{sentence["place"]}.'


def _plain(written: str) -> list[str]:
    """The sentences of a model's answer that ask for something to be done; none if anything else is in it."""
    sentences = _sentences(written)
    if sentences is None or len(sentences) > _MOST_SENTENCES:
        return []
    return [sentence for sentence in sentences if not sentence.startswith(_LEAVES)]


def _shown(examples: ProposalExamples) -> list[Message]:
    shown = [
        message for scene, plain in examples.shown for message in (Message('user', scene), Message('assistant', plain))
    ]
    return [Message('system', examples.instructions), *shown]


def _scene(things: Sequence[str], places: Sequence[str], said: str) -> str:
    return f'Things: {", ".join(things)}. Places: {", ".join(places)}.\n{_said(said)}'


def _said(said: str) -> str:
    return f'The person says: {said}'


def _grammar(request: UnclearRequest) -> str:
    """The sentences that may be written, in GBNF: of things that are here, kinds that were said, and places named."""
    things = [f'the {name}' for name in request.names]
    kinds = [f'all the {kind}' for kind in request.mentions.kinds]
    one = ' | '.join(map(literal, [*things, *kinds]))
    every = ' | '.join(map(literal, [*kinds, *(['everything'] if request.mentions.means_others else [])]))
    put = '"Put " things " " place "." | ' if request.named_places else ''
    rules = [
        f'root ::= {literal(_NOTHING)} | {literal(_ELSE)} | sentence (" " sentence){{0,{_MOST_SENTENCES - 1}}}',
        f'sentence ::= {put}"Give me " things "." | "Point at " things "." | "Leave " things "."',
        'things ::= list' + (' | every (" except " list)?' if every else ''),
        f'list ::= one (joint one){{0,{_MOST_THINGS - 1}}}',
        'joint ::= ", " | " and " | ", and "',
        f'one ::= {one}',
    ]
    if every:
        rules.append(f'every ::= {every}')
    if request.named_places:
        rules.append(f'place ::= {" | ".join(map(literal, request.named_places))}')
    return '\n'.join(rules)
