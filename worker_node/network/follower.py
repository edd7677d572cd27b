"""The follower of the network: updates it from what people said, the task logs, and feedback on answers.

It reads the store of people and the task logs from where it stopped last time. So a turn never waits for the network, a
crash loses nothing, and lines that are forgotten or restored while no worker runs reach the network, too. Each step is
small. Sources that were read before are skipped.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence, Set
from datetime import datetime

from lucca_core.errors import LuccaError
from lucca_memory.declarative.entry import Entry
from lucca_memory.item_ids import NODE, line_of_source, number_of, owner_of, source_of_entry, source_of_line
from lucca_memory.people.memory import KEPT
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import Line, Person
from lucca_memory.retrieval.analysis import told_share
from lucca_memory.retrieval.times import from_microseconds, microseconds
from lucca_memory.semantic.graph.change import GENERAL, Node
from lucca_memory.semantic.language.reading import sentences_of
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.store.values import Mark
from lucca_memory.semantic.values import EVERYBODY, Statement
from worker_node.people.episodes import NewEntries, told

TAKEN_BACK = 'its line was put away'
"""The reason stored with nodes that are put away together with a line; they return with the line."""

_TASK_MARK = 'log:'
_VERDICTS, _NUMBERED_VERDICTS = 'verdicts', 'verdict numbers'
_FORGETTING = 'forgetting'
"""Names of marks; the marks of people are named after their owner."""

_LOOKED_AT_ONCE = 200
_ENTRIES_AT_ONCE = 50
_NAMES = re.compile(
    r"\b(?:names?(?: is| are|'s)|(?:is|am|are|i'm) called|call (?:me|him|her|it|them))\s", re.IGNORECASE
)
_log = logging.getLogger(__name__)


class Follower:
    """Updates the network step by step. For use by one background thread."""

    def __init__(
        self,
        memory: ConceptMemory,
        people: PeopleStore,
        new_entries: NewEntries,
        at_once: int,
        now: Callable[[], datetime],
    ) -> None:
        """`at_once`: most lines or entries that become part of the network in one step."""
        self._memory = memory
        self._people = people
        self._new_entries = new_entries
        self._at_once = at_once
        self._now = now
        self._marks: dict[str, Mark] = dict(memory.store.marks())

    def step(self) -> bool:
        """Does one step; False if the network is up to date.

        Raises:
            MemoryFault: something could not be read or stored.
            ModelError: the embedder failed; nothing of the step was stored.
        """
        return self._follow_people() or self._follow_tasks() or self._follow_verdicts()

    # -- people -------------------------------------------------------------------------------------------------

    def _follow_people(self) -> bool:
        fault: LuccaError | None = None
        for person in self._people.people():
            try:
                if self._follow_person(person):
                    return True
            except LuccaError as error:
                # If the words of one person cannot be processed, the others must not have to wait.
                fault = fault or error
        if fault is not None:
            raise fault
        return False

    def _follow_person(self, person: Person) -> bool:
        owner = owner_of(self._people.uid, person.person_id)
        revision, mark = self._people.revision(person.person_id), self._marks.get(owner, Mark(0, -1))
        if mark.epoch != revision.epoch:
            self._take_back(person, owner)
            # Restored lines come before those read last, so start again from the first line; known sources are skipped.
            self._set(owner, Mark(0, revision.epoch))
            return True
        if revision.last_line <= mark.at:
            return False
        lines = self._people.lines(person.person_id, after=mark.at, limit=_LOOKED_AT_ONCE)
        taken, statements = self._next_statements(owner, lines)
        if statements:
            self._memory.hear(statements)
        self._set(owner, Mark(taken, mark.epoch))
        return True

    def _next_statements(self, owner: str, lines: Sequence[Line]) -> tuple[int, list[Statement]]:
        """The last line that was looked at, and at most `at_once` new statements up to that line."""
        uid = self._people.uid
        heard = self._memory.store.already_heard([source_of_line(uid, line.line_id) for line in lines])
        statements: list[Statement] = []
        for line in lines:
            source = source_of_line(uid, line.line_id)
            if source in heard or line.answers or not (text := telling_text(line.text)):
                continue
            if len(statements) == self._at_once:
                # Stop at the line of the last statement taken.
                return _last_line(statements, uid), statements
            statements.append(
                Statement(
                    text=text,
                    speaker=line.speaker,
                    time=line.time,
                    source=source,
                    pinned=line.conversation == KEPT or _NAMES.search(text) is not None,
                    owner=owner,
                )
            )
        return lines[-1].line_id if lines else 0, statements

    def _take_back(self, person: Person, owner: str) -> None:
        """Puts away the nodes of lines that were put away, and restores the nodes of lines that were restored."""
        uid, now, memory = self._people.uid, self._now(), self._memory
        away = {source_of_line(uid, item.line.line_id) for item in self._people.forgotten(person.person_id)}
        told = [item.node_id for item in memory.store.told_by(list(away)) if not item.away]
        gone = [node.node_id for node in memory.store.nodes(told).values() if not _is_told(node, away)]
        if gone:
            memory.forget_nodes(gone, now, TAKEN_BACK, even_pinned=True)
        put_away = [
            item.node_id
            for item in memory.forgotten()
            if item.reason == TAKEN_BACK and any(line_of_source(uid, source) is not None for source in item.sources)
        ]
        nodes = memory.store.nodes(put_away).values()
        back = [node.node_id for node in nodes if node.owner == owner and _is_told(node, away)]
        if back:
            memory.restore(back, now)

    # -- tasks --------------------------------------------------------------------------------------------------

    def _follow_tasks(self) -> bool:
        seen = {
            name.removeprefix(_TASK_MARK): mark.at for name, mark in self._marks.items() if name.startswith(_TASK_MARK)
        }
        for task, entries in self._new_entries(seen).items():
            some = entries[:_ENTRIES_AT_ONCE]
            if not some:
                continue
            statements = list(_told_of(task, some))[: self._at_once]
            last = some[-1].entry_id
            if len(statements) == self._at_once:
                last = int(statements[-1].source.rpartition(':')[2])
            if statements:
                self._memory.hear(statements)
            self._set(f'{_TASK_MARK}{task}', Mark(last))
            return True
        return False

    # -- verdicts -----------------------------------------------------------------------------------------------

    def _follow_verdicts(self) -> bool:
        name = f'{_NUMBERED_VERDICTS}@{self._people.uid}'
        if name not in self._marks:
            # Earlier versions went by time, which a clock may set back.
            before = self._marks.get(f'{_VERDICTS}@{self._people.uid}', Mark(0)).at
            self._set(name, Mark(self._people.number_of_feedback(from_microseconds(before))))
        found = self._people.next_feedback(self._marks[name].at)
        if found is None:
            return False
        number, verdict = found
        uid = self._people.uid
        lines = [source_of_line(uid, line) for item in verdict.recalled if (line := number_of(item)) is not None]
        nodes = [item.node_id for item in self._memory.store.told_by(lines) if not item.away and item.valid_to is None]
        nodes += [node_id for item in verdict.recalled if (node_id := number_of(item, NODE)) is not None]
        # The ids come from outside, so nodes of other people are left out.
        owners = EVERYBODY, owner_of(uid, verdict.person_id)
        rated = [
            node.node_id
            for node in self._memory.store.nodes(list(dict.fromkeys(nodes))).values()
            if node.owner in owners
        ]
        # With its mark in one transaction, so that a crash between the two does not count a verdict twice.
        self._memory.feedback(rated, verdict.verdict == 'good', {name: Mark(number)})
        self._marks[name] = Mark(number)
        return True

    def _set(self, name: str, mark: Mark) -> None:
        self._memory.store.set_mark(name, mark)
        self._marks[name] = mark


class Passes:
    """Runs forgetting passes on a schedule that survives restarts."""

    def __init__(
        self,
        memory: ConceptMemory,
        every_h: float,
        forget: Callable[[datetime], object],
        now: Callable[[], datetime],
        prepare: Callable[[datetime], bool] = lambda now: False,
    ) -> None:
        """`every_h`: hours between two passes, 0 for none. `forget` runs one pass.

        Before it, `prepare` is called in steps of their own, until it returns false.
        """
        self._memory = memory
        self._every_us = int(every_h * 3_600e6)
        self._forget = forget
        self._now = now
        self._prepare = prepare

    def step(self) -> bool:
        """Prepares or runs a pass if one is due. True only while a pass is being prepared: there is never a second one.

        Raises:
            MemoryFault: the pass could not be stored; nothing was forgotten, and it is still due.
        """
        if not self._every_us:
            return False
        now, store = self._now(), self._memory.store
        last = store.marks().get(_FORGETTING)
        if last is None or microseconds(now) < last.at:
            # A clock that was ahead must not put the next pass off until that time is reached again.
            store.set_mark(_FORGETTING, Mark(microseconds(now)))
        elif microseconds(now) - last.at >= self._every_us:
            if self._prepare(now):
                return True
            self._forget(now)
            # Set after the pass: a crash in between causes another pass, which finds nothing to do.
            store.set_mark(_FORGETTING, Mark(microseconds(now)))
            _log.info('forgetting pass, the last one was %s', f'{from_microseconds(last.at):%Y-%m-%d %H:%M}')
        return False


def _is_told(node: Node, away: Set[str]) -> bool:
    """True if a line that is not put away still says what a node says; a general node says what all its lines do."""
    sources = {*node.sources}
    return not sources & away if node.kind == GENERAL else bool(sources - away)


def _last_line(statements: Sequence[Statement], uid: str) -> int:
    """The line number of the last of these statements."""
    line = line_of_source(uid, statements[-1].source)
    assert line is not None
    return line


def telling_text(text: str) -> str:
    """The sentences of a line that state something. Questions state nothing, nor do placeholders in parentheses."""
    if text.startswith('('):
        return ''
    return ' '.join(part for part in sentences_of(text) if told_share(part) > 0)


def _told_of(task: str, entries: Sequence[Entry]) -> Iterator[Statement]:
    for entry in entries:
        if text := told(task, entry):
            source = source_of_entry(task, entry.entry_id)
            yield Statement(text=text, speaker='', time=entry.time, source=source, owner=EVERYBODY)
