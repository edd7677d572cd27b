"""A reader of prompts by cue words: offered calls, tasks, objects on the table, and what was done."""

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lucca_core.codes import ReasonCode
from lucca_language.reading.selectors import ListedObject
from lucca_llm.model import Message
from lucca_llm.prompt_text import harmless
from lucca_llm.rules.prompts.action_matching import ActionText
from lucca_llm.rules.prompts.task_plan import ReportedProhibition

_CODE = re.compile(r'\b(' + '|'.join(sorted(ReasonCode, key=len, reverse=True)) + r')\b')
_BARE_CALL = re.compile(r'<?\b([A-Za-z_]\w*)\(\s*([^<>()\n]*?)\s*\)>?')
_CALL_LINE = re.compile(
    r'^\s*(?:[-*]\s*)?(?:Actions?\s*:?\s+)?<?([A-Za-z_]\w*)\(\s*([\w ,]*?)\s*\)>?\s*[:\u2013-]\s*(.+)$', re.MULTILINE
)
_HEADING = re.compile(r'^(#{1,6})\s*(.+?)\s*$')
_NOTHING = re.compile(
    r'^(?:none|nothing|empty|no objects?|no one|nil|n/a|-|not retrieved.*|\(none\)|\(empty\))?\.?$', re.IGNORECASE
)
_ITEM = re.compile(
    r'^(?:\d+[.)]\s*|[-*\u2022]\s*)?(?:and\s+)?(?:(?:the|a|an)\s+)?(.+?)(?:\s*[(\[]([^()\[\]]*)[)\]])?\s*\.?$',
    re.DOTALL,
)
_SPLIT = re.compile(r'[,;\n](?![^(\[]*[)\]])|\s+(?=\d+[.)]\s)')


@dataclass(frozen=True)
class PromptTask:
    """A task as described in a prompt. `actions` are the allowed actions; empty if the prompt does not list them."""

    name: str
    description: str
    actions: tuple[str, ...] = ()
    status: str = ''


@dataclass(frozen=True)
class OfferedCall:
    """A call that a prompt offers: its name, the placeholder of its argument, and its purpose."""

    name: str
    argument: str
    description: str


@dataclass(frozen=True)
class TableListing:
    """The objects and their places that a prompt lists."""

    on_table: tuple[ListedObject, ...] | None = None
    """None if the prompt does not list them"""
    elsewhere: tuple[ListedObject, ...] = ()
    places: tuple[str, ...] = ()
    """everything that is listed as holding objects or none, in lower case"""


@dataclass(frozen=True)
class TriedCall:
    """A call that was tried for a task, and its result (`refused` if a correction gives no code)."""

    task: str
    call: str
    argument: str
    code: str


@dataclass(frozen=True)
class BasePrompt:
    """The part of the prompt that stays the same from step to step."""

    offered: tuple[OfferedCall, ...] = ()
    tasks: tuple[PromptTask, ...] = ()
    background: str = ''

    def actions(self) -> tuple[ActionText, ...]:
        """The offered calls that act on objects."""
        return tuple(ActionText(call.name, call.description) for call in self.offered if is_action(call))


def is_action(call: OfferedCall) -> bool:
    """Whether the call's argument stands for an object."""
    return call.argument.lower().split()[-1:] in (
        [word] for word in ('object', 'item', 'thing', 'x', 'obj', 'target', 'object_name')
    )


def split_list(text: str) -> tuple[str, ...]:
    """The entries of a list in any usual form; empty for `none`."""
    text = text.strip()
    if _NOTHING.match(text):
        return ()
    parts = [part.strip() for part in _SPLIT.split(text)]
    return tuple(part for part in parts if part and not _NOTHING.match(part))


def things(text: str, place: str = 'table') -> tuple[ListedObject, ...]:
    """The objects in a list such as `apple (red), pear 2, red cube`."""
    found = []
    for part in split_list(text):
        match = _ITEM.match(part)
        if match and match.group(1).strip():
            attributes = tuple(
                word.strip().lower() for word in re.split(r'[,;/]', match.group(2) or '') if word.strip()
            )
            found.append(ListedObject(match.group(1).strip(), attributes, place))
    return tuple(found)


def line_after(text: str, cue: str) -> str | None:
    """The text after the colon of the last line that begins with `cue`, or the bullets below that line."""
    matches = list(
        re.finditer(rf'^[^\S\n]*(?:[-*]\s*)?(?:{cue})[^\n:]*:[^\S\n]*([^\n]*)$', text, re.MULTILINE | re.IGNORECASE)
    )
    if not matches:
        return None
    match = matches[-1]
    if match.group(1).strip():
        return match.group(1).strip()
    bullets = re.match(r'\n((?:[^\S\n]*(?:[-*\u2022]|\d+[.)])\s*[^\n]*\n?)+)', text[match.end() :])
    return bullets.group(1).strip() if bullets else ''


def sections(text: str) -> list[tuple[str, str]]:
    """(heading, body) pairs of a text with `#` headings; the text before the first has an empty heading."""
    found: list[tuple[str, list[str]]] = [('', [])]
    for line in text.splitlines():
        match = _HEADING.match(line)
        if match:
            found.append((match.group(2), []))
        else:
            found[-1][1].append(line)
    return [(heading, '\n'.join(lines).strip()) for heading, lines in found]


@functools.lru_cache(maxsize=64)
def read_offered(text: str) -> tuple[OfferedCall, ...]:
    """The calls that a prompt describes, one per line: `<name(argument)>: purpose`."""
    found: dict[str, OfferedCall] = {}
    for name, argument, description in _CALL_LINE.findall(text):
        found.setdefault(name, OfferedCall(name, argument, description.strip()))
    return tuple(found.values())


@functools.lru_cache(maxsize=64)
def read_base(text: str) -> BasePrompt:
    """The calls, tasks and background in a system prompt."""
    tasks: list[PromptTask] = []
    rest: list[str] = []
    under_tasks = False
    for heading, body in sections(text):
        lowered = heading.lower()
        allowed = line_after(body, r'(?:allowed )?actions(?: of (?:this|the) task| allowed| for this task)?')
        if allowed is not None and heading:
            name = re.sub(r'^(?:task|the task)\s*:?\s*', '', heading, flags=re.IGNORECASE)
            tasks.append(PromptTask(name, _without_allowed(body), split_list(allowed)))
            under_tasks = True
            continue
        if (
            under_tasks
            and heading
            and body
            and not read_offered(body)
            and not re.search(
                r'\b(calls?|actions?|answer|rules?|how|other|memory|now|facts?|notes?|words?|definitions?)\b', lowered
            )
        ):
            tasks.append(PromptTask(heading, body))
            continue
        if re.fullmatch(r'(?:known |the )?tasks?', lowered):
            under_tasks = True
            tasks += listed_tasks(body)
            continue
        under_tasks = False
        if not re.search(r'\b(answer|calls?|actions?)\b', lowered) and not read_offered(body):
            rest.append(body)
    if not tasks:
        tasks = listed_tasks(text)
    return BasePrompt(read_offered(text), tuple(tasks), '\n'.join(rest))


def _without_allowed(body: str) -> str:
    lines = [
        line for line in body.splitlines() if not re.match(r'\s*(?:allowed )?actions\b[^:]*:', line, re.IGNORECASE)
    ]
    return '\n'.join(re.sub(r'^\s*description\s*:\s*', '', line, flags=re.IGNORECASE) for line in lines).strip()


def listed_tasks(text: str) -> list[PromptTask]:
    """Tasks listed as bullets, `- name (status): description`, or as `Name task: description`."""
    found = []
    for match in re.finditer(r'^\s*[-*]\s*\**([^\n():]+?)\**\s*(?:\(([^()\n]*)\))?\s*:\s*(.+)$', text, re.MULTILINE):
        found.append(
            PromptTask(match.group(1).strip(), match.group(3).strip(), status=(match.group(2) or '').strip().lower())
        )
    if not found:
        for match in re.finditer(r'^\s*\**([\w -]+?) task\s*:?\**\s*:?\s*(.+)$', text, re.MULTILINE | re.IGNORECASE):
            found.append(PromptTask(match.group(1).strip(), match.group(2).strip()))
    return found


def read_task_name(text: str) -> str | None:
    """The name of the task that a message is about."""
    named = line_after(text, r'(?:current |this )?(?:task|goal)(?: name)?(?! asks)')
    return named.strip(' .') if named else None


@functools.lru_cache(maxsize=256)
def read_table(text: str) -> TableListing:
    """The objects on the table and in containers, from the last lines about each."""
    listed = line_after(
        text,
        r'(?:the )?(?:(?:remaining |visible |all )?(?:objects|things|items)\b[^:\n]*?\b(?:on|at|upon) (?:the|'
        r'your) table|on the table(?: (?:are|you see|there are))?|(?:objects|items) (?:seen|visible|left|remaining)|'
        r'(?:remaining|visible|seen) objects|(?:you see|table))',
    )
    elsewhere: dict[str, tuple[ListedObject, ...]] = {}
    for match in re.finditer(
        r"^\s*(?:[-*]\s*)?(?:(?:in|inside|on|at) (?:the )?([\w' ]{1,40}?)(?: (?:is|are|lie|lies))?|"
        r"(?:the )?([\w' ]{1,40}?) (?:contains|holds|has|contents?)|content of (?:the )?([\w' ]{1,40}?))\s*:\s*(.*)$",
        text,
        re.MULTILINE | re.IGNORECASE,
    ):
        place = next(group for group in match.groups()[:3] if group)
        if place.lower() in ('table', 'your table', 'order', 'short', 'addition'):
            continue
        elsewhere[place.lower()] = things(match.group(4), place.lower())
    return TableListing(
        None if listed is None else things(listed),
        tuple(thing for group in elsewhere.values() for thing in group),
        tuple(elsewhere),
    )


_PROHIBITED = re.compile(
    r'^Must not be (?:moved|put in (?P<place>.+?)) \(prohibition “(?P<what>[^”]*)”\): (?P<names>.+)$', re.MULTILINE
)


def read_prohibited(text: str) -> tuple[ReportedProhibition, ...]:
    """The lines of a prompt about prohibitions, as `lucca_language.prohibitions.prompt_lines` writes them."""
    return tuple(
        ReportedProhibition(match['what'], tuple(match['names'].split(', ')), (match['place'] or '').lower())
        for match in _PROHIBITED.finditer(text)
    )


def call_text(name: str, argument: str) -> str:
    """A call as text, with the argument on one line and without angle brackets."""
    return f'<{name}({harmless(argument)})>'


def say(text: str) -> str:
    """The call that says something to the person."""
    return call_text('say', text)


def calls_in(text: str) -> list[tuple[str, str]]:
    """(name, argument) of each call in a text, with or without angle brackets."""
    return [(match.group(1), match.group(2)) for match in _BARE_CALL.finditer(text)]


def code_in(text: str) -> str | None:
    """The first result code in a text."""
    match = _CODE.search(text)
    return match.group(1) if match else None


_LAST_ACTION = re.compile(r'^\s*(?:last|previous|latest) (?:action|call)[^:\n]*:\s*(.*)$', re.IGNORECASE | re.MULTILINE)
_CORRECTION = re.compile(
    r'^.*\b(?:not accepted|was refused|is refused|rejected|not valid|invalid|correction)\b[^:\n]*:?\s*(.*)$',
    re.IGNORECASE | re.MULTILINE,
)


def correction_in(text: str) -> str | None:
    """The reason that a message gives for rejecting the last answer."""
    match = _CORRECTION.search(text)
    return match.group(1).strip() if match else None


@dataclass
class _History:
    task: str = ''
    pending: tuple[str, str, str] | None = None
    deeds: list[TriedCall] = field(default_factory=list)

    def close(self, code: str) -> None:
        if self.pending is not None:
            task, call, argument = self.pending
            self.deeds.append(TriedCall(task, call, argument, code))
            self.pending = None


def read_history(messages: Sequence[Message], actions: Iterable[str]) -> list[TriedCall]:
    """The calls tried, as far as the dialogue shows them, up to the last message's report."""
    names = set(actions)
    history = _History()
    for message in messages:
        if message.role == 'assistant':
            calls = [call for call in calls_in(message.content) if call[0] in names]
            history.close('unknown')
            if calls:
                history.pending = (history.task, *calls[0])
        elif message.role == 'user':
            refused = correction_in(message.content)
            reported = _LAST_ACTION.search(message.content)
            if refused is not None and history.pending is not None:
                history.close(code_in(refused) or 'refused')
            elif reported is not None:
                _close_reported(history, reported.group(1), names)
            elif history.pending is not None:
                code = next(
                    (
                        code
                        for line in message.content.splitlines()
                        if re.search(r'result|outcome|->|ended', line) and (code := code_in(line))
                    ),
                    None,
                )
                history.close(code or 'done')
            history.task = read_task_name(message.content) or history.task
    return history.deeds


def _close_reported(history: _History, report: str, names: set[str]) -> None:
    reported = next((match for match in _BARE_CALL.finditer(report) if match.group(1) in names), None)
    calls = [(reported.group(1), reported.group(2))] if reported is not None else []
    # A message may follow the code, with calls, codes and brackets of its own.
    code = code_in(report[reported.end() :] if reported is not None else report) or 'done'
    if calls:
        known = history.pending is not None and history.pending[1:] == calls[0]
        if (
            not known
            and history.deeds
            and (history.deeds[-1].call, history.deeds[-1].argument, history.deeds[-1].code) == (*calls[0], code)
        ):
            history.pending = None
            return
        history.pending = history.pending if known else (history.task, *calls[0])
    history.close(code)
