"""The calls that the model of a conversation may make, and their strict parser for text and native tools.

Calls that end a turn are wishes: they say what the person wants. A wish moves nothing by itself: it names a task or
becomes one, which runs through the task loop and the gate like any other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from coordinator_node.tasks.task_definitions import listed
from lucca_core.json_text import parse_json
from lucca_core.protocol.tasks import TaskState
from lucca_llm.model import ChatReply, ToolCall, ToolSpec
from lucca_llm.prompt_text import harmless

_CALL = re.compile(r'<([a-z_]+)\((.*)\)>', re.DOTALL)


class Wish(StrEnum):
    """What a person wants."""

    START = 'start_task'
    RESUME = 'resume_task'
    STOP = 'stop_task'
    CHANGE = 'change_task'
    DO = 'do'
    SAY = 'say'
    CANNOT = 'cannot_do'


WISHES = (
    ToolSpec(
        'start_task',
        'Does a known task: goes on with it if it was interrupted, and does it anew if it is finished.',
        (('name', 'name of the task, as listed'),),
    ),
    ToolSpec(
        'resume_task',
        'Goes on with a known task that was interrupted, or that the person wants continued.',
        (('name', 'name of the task, as listed'),),
    ),
    ToolSpec('stop_task', 'Stops a task that is running or waiting.', (('name', 'name of the task, as listed'),)),
    ToolSpec(
        'change_task',
        'The person adds to a task that is running, revises it, or takes something of it back.',
        (('name', 'name of the task, as listed'), ('text', "the person's whole words")),
    ),
    ToolSpec(
        'do',
        "Does something with the objects that no known task describes. The text is the person's whole request.",
        (('text', 'the request'),),
    ),
    ToolSpec(
        'cannot_do',
        'Refuses what no robot at a table can do, and several tasks at once. The reason is told to the person.',
        (('reason', 'why not'),),
    ),
)
SAY = ToolSpec('say', 'Says something to the person, which ends the turn.', (('text', 'what is said'),))
LOOKUPS = (
    ToolSpec('recall', 'Looks up what this person told you before.', (('query', 'what to look for'),)),
    ToolSpec('search_facts', 'Looks up the fact files.', (('query', 'what to look for'),)),
    ToolSpec('task_history', 'Tells what was done in a task, and when.', (('name', 'name of the task, as listed'),)),
    ToolSpec('last_actions', 'Tells what you did last, over all tasks, newest first.'),
    ToolSpec('look', 'Tells what is on the table now.'),
    ToolSpec(
        'remember',
        'Keeps something that the person asks you to remember.',
        (('text', "it, as a statement in the person's words"),),
    ),
    ToolSpec(
        'forget',
        'Forgets memories that the person asks you to forget; recall them first.',
        (('ids', 'their ids, as m1 or m1 and m3'),),
    ),
    ToolSpec(
        'teach_task',
        'Learns a new task, to be done later on. Does nothing with the objects now.',
        (('name', 'short name, in lower case'), ('description', 'what is to be done with which objects')),
    ),
    ToolSpec(
        'prohibit',
        'Keeps that objects must not be moved or put somewhere, in every task, until a person lifts it. Only for what '
        'the person prohibits for good; what belongs to a task is a part of it.',
        (
            ('what', 'the objects, as in: the red cup; anything yellow; fruit'),
            ('place', 'where they must not be put, as in: box 2; or: anywhere, if they must not be moved at all'),
        ),
    ),
    ToolSpec(
        'allow',
        'Lifts a prohibition, if the person says so in their own words.',
        (
            ('what', 'the objects, as in the prohibition'),
            ('place', 'the place, as in the prohibition; or: anywhere; or: all, for whatever is prohibited of them'),
        ),
    ),
    ToolSpec('prohibitions', 'Tells what is prohibited.'),
    ToolSpec(
        'introduce',
        'Notes the name of a guest who introduces themselves.',
        (('name', 'the name as the guest said it'),),
    ),
)
NATIVE = (*LOOKUPS, *WISHES)
"""The tools offered to a model with native tools; it says something by answering in plain words."""

IN_TEXT = (*LOOKUPS, *WISHES, SAY)
_BY_NAME = {tool.name: tool for tool in IN_TEXT}
_ENDS = frozenset(Wish)
_OF_A_TASK = frozenset({Wish.START, Wish.RESUME, Wish.STOP, Wish.CHANGE})


@dataclass(frozen=True, slots=True)
class Call:
    """A parsed call. Its arguments are sanitized and in the tool's order; native calls have the server's `call_id`."""

    name: str
    arguments: tuple[str, ...]
    call_id: str = ''

    @property
    def wish(self) -> Wish | None:
        """The wish that this call expresses; None for a lookup."""
        return Wish(self.name) if self.name in _ENDS else None

    def __str__(self) -> str:
        return f'<{self.name}({", ".join(self.arguments)})>'


def read_text_call(answer: str, max_chars: int) -> Call:
    """The one call that an answer in the text protocol consists of.

    Raises:
        ValueError: the answer is not exactly one call with its arguments; the message is for the model.
    """
    match = _CALL.fullmatch(answer.strip()) if len(answer) <= 2 * max_chars else None
    tool = _BY_NAME.get(match.group(1)) if match else None
    if match is None or tool is None or '<' in match.group(2) or '>' in match.group(2):
        calls = ', '.join(f'<{item.name}({", ".join(name for name, _ in item.parameters)})>' for item in IN_TEXT)
        raise ValueError(f'answer with exactly one of {calls}')
    count = len(tool.parameters)
    parts = match.group(2).split(',', count - 1) if count > 1 else [match.group(2)] if count else []
    return _checked(tool, dict(zip((name for name, _ in tool.parameters), parts, strict=False)), max_chars)


def read_calls(reply: ChatReply, max_chars: int, tasks: Sequence[TaskState], *, native: bool) -> tuple[Call, ...]:
    """The calls of a reply. With native tools, plain words are a `say`. A wish has to be the only call.

    Raises:
        ValueError: the reply cannot be read, or its wish is about none of the known `tasks`; the message is for the
            model.
    """
    text = reply.text.strip()
    if native and reply.tool_calls:
        calls = tuple(_native(call, max_chars) for call in reply.tool_calls)
        if len(calls) > 1 and any(call.wish for call in calls):
            raise ValueError('a call that starts, stops or refuses something has to be the only one; make one call')
    elif native and not text.startswith('<'):
        calls = (_checked(SAY, {'text': text}, max_chars),)
    else:
        calls = (read_text_call(text, max_chars),)
    if calls[0].wish in _OF_A_TASK and (named := calls[0].arguments[0]) not in [item.task for item in tasks]:
        raise ValueError(f'no task is named {named[:80]!r}; known are {listed(tasks)}')
    return calls


def _native(call: ToolCall, max_chars: int) -> Call:
    tool = _BY_NAME.get(call.name)
    if tool is None:
        raise ValueError(f'there is no tool {call.name[:80]!r}; there are {", ".join(item.name for item in NATIVE)}')
    if len(call.arguments) > 2 * max_chars:
        raise ValueError(f'the arguments of {tool.name} are longer than {2 * max_chars} characters')
    try:
        arguments = parse_json(call.arguments or '{}')
    except ValueError as error:
        raise ValueError(f'the arguments of {tool.name} are not JSON: {error}') from error
    names = [name for name, _ in tool.parameters]
    if not isinstance(arguments, dict) or set(arguments) - set(names):
        raise ValueError(f'{tool.name} has the arguments {", ".join(names) or "none"} and no others')
    if wrong := [name for name, value in arguments.items() if not isinstance(value, str)]:
        raise ValueError(f'{wrong[0]} of {tool.name} must be a text')
    return _checked(tool, arguments, max_chars, call.call_id)


def _checked(tool: ToolSpec, arguments: dict[str, str], max_chars: int, call_id: str = '') -> Call:
    values = []
    for name, meaning in tool.parameters:
        value = harmless(arguments.get(name, ''), max_chars)
        if not value:
            raise ValueError(f'{tool.name} needs an argument {name} ({meaning}), as in <{tool.name}(…)>')
        values.append(value)
    return Call(tool.name, tuple(values), call_id)
