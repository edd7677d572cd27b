"""The lookups of a conversation: in the memory of people, in the tasks, and on the table."""

import logging
import re
from collections.abc import Callable

from coordinator_node.interfaces import MemoryInterface, NothingProhibited, ProhibitionsInterface
from coordinator_node.people.interface import PeopleInterface
from coordinator_node.prompts import CoordinatorPrompts
from coordinator_node.talk.prohibiting import Prohibiting
from coordinator_node.talk.tools import Call
from coordinator_node.tasks.task_definitions import listed
from coordinator_node.tasks.task_reading import objection_to
from lucca_core.errors import MemoryFault, StackError
from lucca_core.person_names import check_name
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.remembered import Kind, Recollection
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_core.protocol.tasks import TaskState
from lucca_memory.procedural import check_task_name

_log = logging.getLogger(__name__)
_TAG = re.compile(r'\bm(\d+)\b')
_NO_PEOPLE = 'The memory of people cannot be reached now.'
_MOST_MEMORIES = 30
_TELLING_WORDS = 3


class Noted:
    """The memories that one turn has shown to the model, with their tags: m1, m2, …"""

    def __init__(self) -> None:
        self.memories: list[Recollection] = []
        self.ranked: list[Recollection] = []
        """The same, the best of each lookup first."""

    def line(self, memory: Recollection) -> str:
        """A memory as the prompt shows it. A memory that was shown before keeps its tag."""
        known = next((number for number, item in enumerate(self.memories) if item.item_id == memory.item_id), None)
        if known is None:
            self.memories.append(memory)
            known = len(self.memories) - 1
        return f'm{known + 1} ({memory.kind}; {memory.shown_source}): {memory.text}'

    def named(self, text: str) -> list[Recollection]:
        """The memories whose tags occur in a text.

        Raises:
            ValueError: the text has no tag, or one that was not shown.
        """
        numbers = [int(number) for number in _TAG.findall(text)]
        if not numbers or any(not 1 <= number <= len(self.memories) for number in numbers):
            raise ValueError(f'name memories that were shown, by m1 to m{len(self.memories)}; recall them first')
        return [self.memories[number - 1] for number in dict.fromkeys(numbers)]


class Toolbox:
    """The lookups of one turn. Each returns lines for the model; an error is such a line as well."""

    def __init__(
        self,
        *,
        conversation: str,
        people: PeopleInterface | None,
        memory: MemoryInterface,
        tasks: tuple[TaskState, ...],
        table: Callable[[], Snapshot | None],
        prompts: CoordinatorPrompts,
        limit: int,
        llm: str = '',
        said: str = '',
        person: str = '',
        prohibitions: ProhibitionsInterface | None = None,
    ) -> None:
        self._conversation = conversation
        self._people = people
        self._memory = memory
        self._tasks = {item.task: item for item in tasks}
        self._table = table
        self._prompts = prompts
        self._limit = limit
        self._llm = llm
        self._prohibiting = Prohibiting(prohibitions or NothingProhibited(), table, said, person)
        self.noted = Noted()
        self.introduced = ''
        self.forgot = False

    @property
    def told(self) -> tuple[str, ...]:
        """What the person is told of prohibitions in any case, whatever the model answers."""
        return tuple(self._prohibiting.told)

    def run(self, call: Call) -> list[str]:
        """The result of a lookup, in lines.

        Raises:
            ValueError: its arguments are wrong; the message is for the model.
        """
        run: Callable[..., list[str]] = getattr(self, f'_{call.name}')
        try:
            return run(*call.arguments)
        except (StackError, MemoryFault) as error:
            _log.warning('%s failed: %s', call.name, error)
            return [f'That did not work: {error}']

    def seen(self) -> tuple[TableObject, ...]:
        """The objects that are seen now."""
        snapshot = self._table()
        return () if snapshot is None else snapshot.objects

    def before(self, text: str) -> list[str]:
        """Memories about what was said, looked up before the model is asked; lines of the prompt."""
        if self._people is None or not self._limit:
            return []
        try:
            return self._found(self._people.recall(self._conversation, text, limit=self._limit))
        except (StackError, MemoryFault) as error:
            _log.warning('nothing recalled: %s', error)
            return []

    def _recall(self, query: str) -> list[str]:
        return self._look_up(query, ('said', 'summary', 'statement'))

    def _search_facts(self, query: str) -> list[str]:
        return self._look_up(query, ('fact',))

    def _task_history(self, name: str) -> list[str]:
        task = self._tasks.get(name)
        if task is None:
            raise ValueError(f'no task is named {name[:80]!r}; known are {listed(tuple(self._tasks.values()))}')
        lines = [
            f'{task.task} is {task.status}: {task.description}',
            f'Done so far: {", ".join(done.strip("<>") for done in task.actions_done) or "nothing"}',
            f'Left: {", ".join(task.left) or "nothing that is known"}',
        ]
        if task.done_before:
            before = ', '.join(done.strip('<>') for done in task.done_before)
            lines.insert(2, f'Done before it was begun anew: {before}')
        if task.undone:
            lines.append(f'Of that no longer so: {", ".join(done.strip("<>") for done in task.undone)}')
        if self._people is not None:
            found = self._people.recall(self._conversation, name, ('task',), self._limit)
            lines += self._found(tuple(item for item in found if item.group in ('', name)))
        return lines

    def _last_actions(self) -> list[str]:
        lines: list[tuple[float, str]] = []
        for task in self._tasks.values():
            done = [action.strip('<>') for action in (*task.done_before, *task.actions_done)]
            logged = self._entries_of(task.task) if done else []
            for number, action in enumerate(done):
                # The log entries found are the newest ones, so they belong to the last actions.
                entry = logged[number - len(done)] if len(done) - number <= len(logged) else None
                call = ActionCall.from_text(action)
                told = f'{call.name.replace("_", " ")}: {call.argument}'
                if entry is None or entry.time is None:
                    lines.append((0.0, f'({task.task}): {told}'))
                else:
                    lines.append((entry.time.timestamp(), f'{entry.time:%Y-%m-%d %H:%M} ({entry.source}): {told}'))
        newest = sorted(lines, key=lambda line: -line[0])[:_MOST_MEMORIES]
        return [line for _, line in newest] or ['nothing']

    def _entries_of(self, task: str) -> list[Recollection]:
        """The completed actions in the log of a task, oldest first; empty without a memory of people."""
        if self._people is None:
            return []
        found = self._people.recall(self._conversation, f'{task} done', ('task',), _MOST_MEMORIES)
        entries = [item for item in found if item.group == task and f'{task}: done, ' in item.text and item.time]
        return sorted(entries, key=lambda item: item.time.timestamp() if item.time else 0.0)

    def _look(self) -> list[str]:
        seen = self._table()
        return ['No table is seen.'] if seen is None else self._prompts.table(seen).splitlines()

    def _remember(self, text: str) -> list[str]:
        if self._people is None:
            return [_NO_PEOPLE]
        self._people.remember(self._conversation, text)
        return [f'Kept: {text}']

    def _forget(self, tags: str) -> list[str]:
        if self._people is None:
            return [_NO_PEOPLE]
        memories = self.noted.named(tags)
        if wrong := [item for item in memories if item.kind not in ('said', 'statement')]:
            raise ValueError(f'only what the person said can be forgotten, not {wrong[0].kind} {wrong[0].source}')
        wanted = {item.item_id for item in memories}
        for item in memories:
            # Other lines that repeat the same statement are forgotten as well, and nothing else.
            found = self._people.recall(self._conversation, item.text, ('said',), _MOST_MEMORIES)
            wanted |= {other.item_id for other in found if other.kind == 'said' and _repeats(other.text, item.text)}
        count = self._people.forget(self._conversation, sorted(wanted))
        self.forgot = self.forgot or count > 0
        return [f'Forgotten: {count}']

    def _teach_task(self, name: str, description: str) -> list[str]:
        name = ' '.join(name.lower().split())
        try:
            check_task_name(name)
        except ValueError as error:
            raise ValueError(f'{name[:80]!r} cannot be the name of a task: {error}') from error
        if name in self._tasks:
            raise ValueError(f'there is a task {name} already; a new one needs another name')
        if objection := objection_to(description, self._llm):
            raise ValueError(objection)
        taught = self._memory.teach(name, description)
        return [f'Learned the task {taught}: {description}']

    def _prohibit(self, what: str, place: str) -> list[str]:
        return self._prohibiting.prohibit(what, place)

    def _allow(self, what: str, place: str) -> list[str]:
        return self._prohibiting.allow(what, place)

    def _prohibitions(self) -> list[str]:
        return self._prohibiting.listed()

    def _introduce(self, name: str) -> list[str]:
        if self._people is None:
            return [_NO_PEOPLE]
        self.introduced = self._people.introduce(self._conversation, check_name(name))
        return [f'The person is known as {self.introduced} from now on.']

    def _look_up(self, query: str, kinds: tuple[Kind, ...]) -> list[str]:
        if self._people is None:
            return [_NO_PEOPLE]
        return self._found(self._people.recall(self._conversation, query, kinds, self._limit)) or ['nothing']

    def _found(self, memories: tuple[Recollection, ...]) -> list[str]:
        # Oldest first, items without a time at the start: updates are read last.
        known = {item.item_id for item in self.noted.ranked}
        self.noted.ranked += [item for item in memories[:_MOST_MEMORIES] if item.item_id not in known]
        ordered = sorted(memories[:_MOST_MEMORIES], key=lambda item: item.time.timestamp() if item.time else 0.0)
        return [self.noted.line(item) for item in ordered]


def _repeats(text: str, told: str) -> bool:
    """Whether a text equals `told` word for word, or contains it if that has at least three words."""
    words, wanted = (re.findall(r'\w+', item.lower()) for item in (text, told))
    if len(wanted) < _TELLING_WORDS:
        return bool(wanted) and words == wanted
    return f' {" ".join(wanted)} ' in f' {" ".join(words)} '
