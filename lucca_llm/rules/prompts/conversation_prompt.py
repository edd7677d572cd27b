"""The prompt of a conversation turn, as read: the person, memories, what was said, and results of lookups."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lucca_llm.model import Message
from lucca_llm.rules.prompts.prompt_reader import PromptTask, listed_tasks, sections

_SAID = re.compile(r'^(.*?) said: (.+)$', re.MULTILINE)
_MEMORY = re.compile(r'^(m\d+) \((said|summary|fact|task|statement); ([^)]*)\): (.+)$')
_DATED = re.compile(r'^(.*), (\d{4}-\d\d-\d\d)(?: \d\d:\d\d)?$')
_OUTDATED = re.compile(
    r'; (?:(?P<partly>partly )?no longer true since|(?P<newer>something newer was said on)) \d{4}-\d\d-\d\d$'
)
_DATE = re.compile(r'\d{4}-\d\d-\d\d')
_RESULT = re.compile(r'^Result of <(\w+)\((.*)\)>:$', re.MULTILINE)
_OPENING = re.compile(r'^- (.*?, \d{4}-\d\d-\d\d(?: \d\d:\d\d)?): (.+)$')
_TODAY = re.compile(r'^It is \w+, (\d{4}-\d\d-\d\d)', re.MULTILINE)
_ASKED = re.compile(r'^You asked last, of “(.*?)”: (.+)$', re.MULTILINE)
_FAILED = 'That did not work: '
ROBOT = 'robot'
Outdated = Literal['', 'maybe', 'partly', 'all']


@dataclass(frozen=True)
class PromptMemory:
    """One memory as shown in a prompt. `date` reads `2026-11-20` or is empty; `speaker` is empty if nobody said it."""

    tag: str
    kind: str
    source: str
    text: str
    speaker: str = ''
    date: str = ''
    outdated: Outdated = ''
    """Whether all or a part of it no longer holds, or may not"""


@dataclass(frozen=True)
class Lookup:
    """A lookup of this turn, with the lines it found."""

    call: str
    argument: str
    lines: tuple[str, ...]

    @property
    def failed(self) -> bool:
        """Whether it got no answer, which says nothing about what is known."""
        return bool(self.lines) and self.lines[0].startswith(_FAILED)


@dataclass(frozen=True)
class ConversationTurn:
    """One turn as read. `person` is empty for a guest; `reachable` is false if people cannot be looked up."""

    said: str
    person: str
    reachable: bool
    tasks: tuple[PromptTask, ...]
    table: tuple[str, ...]
    last_time: tuple[PromptMemory, ...]
    memories: tuple[PromptMemory, ...]
    steps: tuple[Lookup, ...]
    before: tuple[str, ...]
    correction: str = ''
    today: str = ''
    answers: tuple[str, ...] = ()
    """the robot's answers to the texts `before`, as calls; empty where it gave none"""
    asked: str = ''
    """the question with which the last task ended, if nothing was said since"""
    asked_of: str = ''
    """the text that it was about"""

    @property
    def answered(self) -> str:
        """The robot's last answer in this conversation, as a call; empty if there is none."""
        return next((answer for answer in reversed(self.answers) if answer), '')

    @property
    def looks_up(self) -> bool:
        """Whether lookups are answered: people can be looked up, and no lookup of this turn has failed."""
        return self.reachable and not any(step.failed for step in self.steps)

    def step(self, call: str) -> Lookup | None:
        """The last lookup with this call in this turn."""
        return next((item for item in reversed(self.steps) if item.call == call), None)


def read_turn(messages: Sequence[Message]) -> ConversationTurn | None:
    """The turn at the end of a chat, or None."""
    at = next(
        (
            number
            for number in range(len(messages) - 1, -1, -1)
            if messages[number].role == 'user' and '# Now' in messages[number].content
        ),
        None,
    )
    if at is None:
        return None
    parts = {heading.lower(): body for heading, body in sections(messages[at].content)}
    found = list(_SAID.finditer(parts.get('now', '')))
    if not found:
        return None
    steps, correction = _steps(messages[at + 1 :])
    memories = [item for line in parts.get('memory', '').splitlines() if (item := _memory(line)) is not None]
    known = {item.tag for item in memories}
    for step in steps:
        for line in step.lines:
            item = _memory(line)
            if item is not None and item.tag not in known:
                memories.append(item)
                known.add(item.tag)
    before = _exchanges(messages[:at])
    who = parts.get('person', '').strip()
    return ConversationTurn(
        said=found[-1].group(2).strip(),
        person=who.partition(', whom you know')[0] if ', whom you know' in who else '',
        reachable='cannot be looked up' not in who,
        tasks=tuple(listed_tasks(parts.get('tasks', ''))),
        table=tuple(line.strip() for line in parts.get('table', '').splitlines() if line.strip()),
        last_time=tuple(
            item for line in parts.get('last time', '').splitlines() if (item := _opening(line)) is not None
        ),
        memories=tuple(memories),
        steps=tuple(steps),
        before=tuple(said for said, _ in before),
        answers=tuple(answer for _, answer in before),
        correction=correction,
        asked=asked.group(2) if (asked := _ASKED.search(parts['now'])) else '',
        asked_of=asked.group(1) if asked else '',
        today=today.group(1) if (today := _TODAY.search(parts['now'])) else '',
    )


def with_said(messages: Sequence[Message], text: str) -> list[Message]:
    """The chat as if this had been said in its last turn, alone: without lookups and what was said before.

    Raises:
        ValueError: no turn is in the chat.
    """
    found = [(message, match) for message in messages if message.role == 'user' for match in _said_in(message)]
    if not found:
        raise ValueError('no turn is in the chat')
    message, match = found[-1]
    content = f'{message.content[: match.start(2)]}{text}{message.content[match.end(2) :]}'
    system = [item for item in messages if item.role == 'system']
    return [*system, replace(message, content=_ASKED.sub('', content))]


def _said_in(message: Message) -> list[re.Match[str]]:
    """What was said in the turn of a message, the last text last; empty if it begins no turn."""
    at = message.content.find('# Now')
    return list(_SAID.finditer(message.content, at)) if at >= 0 else []


def _exchanges(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """What was said, each with the robot's last answer to it."""
    found: list[tuple[str, str]] = []
    for message in messages:
        if message.role == 'user' and (match := _SAID.search(message.content)):
            found.append((match.group(2).strip(), ''))
        elif message.role == 'assistant' and found:
            found[-1] = (found[-1][0], message.content)
    return found


def _steps(messages: Sequence[Message]) -> tuple[list[Lookup], str]:
    steps = []
    correction = ''
    for message in messages:
        if message.role != 'user':
            continue
        if message.content.startswith('Your last answer was not accepted:'):
            correction = message.content.splitlines()[0].partition(':')[2].strip()
            continue
        match = _RESULT.search(message.content)
        if match is not None:
            body = message.content[match.end() :].partition('\n\nWhich call fits?')[0]
            lines = tuple(line.strip() for line in body.splitlines() if line.strip())
            steps.append(Lookup(match.group(1), match.group(2), lines))
            correction = ''
    return steps, correction


def _memory(line: str) -> PromptMemory | None:
    match = _MEMORY.match(line.strip())
    if match is None:
        return None
    tag, kind, source, text = match.groups()
    over = _OUTDATED.search(source)
    source = _OUTDATED.sub('', source)
    dated = _DATED.match(source)
    speaker = dated.group(1) if dated and kind in ('said', 'statement') else ''
    date = _DATE.search(source)
    outdated: Outdated = '' if over is None else 'maybe' if over['newer'] else 'partly' if over['partly'] else 'all'
    return PromptMemory(tag, kind, source, text, speaker, date.group() if date else '', outdated)


def _opening(line: str) -> PromptMemory | None:
    match = _OPENING.match(line.strip())
    dated = _DATED.match(match.group(1)) if match else None
    if match is None or dated is None:
        return None
    return PromptMemory('', 'said', match.group(1), match.group(2), dated.group(1), dated.group(2))
