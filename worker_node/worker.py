"""The worker's answers to the coordinator, each from single prompts without dialogue history.

What the model reads from a log is checked against the log. A difference is counted, and corrected unless `correct` is
off. Which objects a task still needs is the model's own judgement; only names that are not on the table, and objects
that the log says were pointed at, are removed from its answer.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from lucca_core.errors import MemoryFault
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.observations import MemoryMisread, Observe, unobserved
from lucca_core.protocol.retrieved import OpenIntent, Retrieved, Review
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_llm.answer_grammar import NOTHING
from lucca_llm.call_seeds import CallSeeds
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import takes_short_prompts
from lucca_llm.prompt_text import shown_name
from lucca_memory.declarative.entry import ON_TABLE, POINTED_AT
from lucca_memory.declarative.log import utc_now
from lucca_memory.declarative.replay import DoneAction, TaskLogState, TaskStatus
from lucca_memory.procedural import ActionSpec, TaskSpec
from lucca_memory.task_book import TaskBook
from lucca_memory.working import DeclarativeSummary, WorkingMemory, state_line
from worker_node.config import WorkerConfig
from worker_node.known_task import KnownTask
from worker_node.model_questions import ModelQuestions, NoListGiven
from worker_node.name_lists import ReadList, called
from worker_node.prompts import WorkerPrompts
from worker_node.recorder import Recorder, TaskView, points
from worker_node.table_watch import TableWatch

_LOOK_EVERY = timedelta(hours=1)
_log = logging.getLogger(__name__)


class Worker:
    """Memory as the rest of the stack uses it.

    Safe to use from several threads; a call that asks the model never delays one that records.
    """

    def __init__(
        self,
        model: ChatModel,
        book: TaskBook,
        recorder: Recorder,
        config: WorkerConfig | None = None,
        *,
        prompts: WorkerPrompts | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = utc_now,
        observe: Observe = unobserved,
    ) -> None:
        """`cancelled` ends calls of the model once it is true. `clock` and `sleep` time the waits between them.
        `now` is the date and time for expiring tasks. `observe` takes a MemoryMisread where the model misread."""
        self._model = model
        self._book = book
        self.recorder = recorder
        self._config = config or WorkerConfig()
        self._prompts = prompts or WorkerPrompts()
        self._cancelled = cancelled
        self._clock = clock
        self._sleep = sleep
        self._now = now
        self._observe = observe
        self._seeds = CallSeeds(self._config.seed)
        self._short = takes_short_prompts(model.spec, self._config.prompts)
        self._looked_at: datetime | None = None
        self._watch = TableWatch(recorder, self._config.changed_s)

    def retrieve_declarative(self, task: str, snapshot: Snapshot) -> Retrieved:
        """What has been done in a task, read from its log by the model ("…Multitask…", III-F).

        Raises:
            MemoryFault: there is no such task, or its log cannot be read.
            ModelError: the model gave no answer.
        """
        spec, view, asker = self._begun(task, snapshot)
        places = []
        for question, line, truth in self._questions(spec, view):
            places.append((line, self._read_line(asker, task, view, question, line, truth)))
        done = view.state.actions_done
        latest = [item.action for item in _newest(done, self._config.latest_actions)]
        summary = DeclarativeSummary(
            actions=len(done), latest=tuple(latest), places=tuple(places), changes=_changes(view)
        )
        return self._retrieved(task, summary.text(), view, asker)

    def retrieve_working(self, task: str, snapshot: Snapshot, prohibited: Sequence[str] = ()) -> Retrieved:
        """What matters for a task now, selected by the model ("…Multitask…", III-E).

        `prohibited`: lines for the prompt that say what must not be done with which objects.

        Raises:
            MemoryFault: there is no such task, or its log cannot be read.
            ModelError: the model gave no answer.
        """
        spec, view, asker = self._begun(task, snapshot)
        calls: tuple[str, ...] = ()
        shown_calls: tuple[str, ...] = ()
        if self._short:
            wanted = self._select_one_by_one(asker, spec, view, snapshot)
            to_do = tuple(item.name for item, _ in wanted)
            shown_calls = tuple(called(action, item) for item, action in wanted)
            calls = tuple(str(ActionCall(action, item.name)) for item, action in wanted)
        else:
            to_do = self._select(asker, spec, view, snapshot, prohibited)
        held = [(item.name, len(item.contents)) for item in snapshot.containers if item.name in self._containers(spec)]
        memory = WorkingMemory(
            reminder=spec.description,
            state=state_line(held, len(self._pointed_at(view)), to_do),
            to_do=to_do,
            changes=_changes(view),
            calls=shown_calls,
        )
        self.recorder.list_left(task, to_do)
        return self._retrieved(task, memory.text(), view, asker, to_do, calls)

    def review(self, task: str, proposed: str, snapshot: Snapshot, prohibited: Sequence[str] = ()) -> Review:
        """The model's second opinion on a call that the coordinator is about to make, from a separate prompt.

        Args:
            task: its name.
            proposed: the call as text: an action, or `<finish_task(task)>`.
            snapshot: the table on which the call was decided.
            prohibited: as for `retrieve_working`.

        Raises:
            MemoryFault: there is no such task, or its log cannot be read.
            ModelError: the model gave no answer.
        """
        spec, view, asker = self._begun(task, snapshot)
        actions = self._actions(spec)
        fits = asker.ask_yes_or_no(
            lambda correction: self._prompts.review(
                spec,
                actions,
                self._told(view),
                snapshot,
                proposed,
                finish='finish_task' in proposed,
                prohibited=prohibited,
                correction=correction,
            )
        )
        return Review(fits=fits, usage=asker.usage)

    def tasks(self) -> tuple[KnownTask, ...]:
        """All known tasks with their state; `problem` says why a log cannot be read.

        Tasks known only by a description come last, oldest first.
        """
        self._forget_expired()
        states = []
        for spec in self._book.tasks.values():
            try:
                log, problem = self.recorder.state(spec.name), ''
            except MemoryFault as error:
                log, problem = TaskLogState(), str(error)
            listed = self.recorder.left(spec.name)
            left = () if log.status is TaskStatus.FINISHED else log.left if listed is None else listed
            states.append(KnownTask(task=spec, log=log, left=left, problem=problem))
        return tuple(states)

    def watch(self, snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
        """Takes in a snapshot; returns, by task, the actions whose effects were found to be gone, or to be there again.

        Not thread-safe.

        Raises:
            MemoryFault: a change was noticed but could not be recorded.
        """
        noticed = self._watch.see(snapshot, tuple(self._book.tasks))
        return {task: tuple(item.done.action for item in found) for task, found in noticed.items()}

    def teach(self, name: str, description: str, actions: Sequence[str] = ()) -> str:
        """Adds or replaces a task and returns its name. Without a name, the task is only described. See TaskBook.teach.

        Raises:
            MemoryFault: the task is not valid or could not be stored.
        """
        self._forget_expired()
        try:
            return self._book.teach(name, description, actions).name
        except ValueError as error:
            raise MemoryFault(f'not taught: {error}') from error

    def forget(self, task: str, *, force: bool = False) -> str:
        """Forgets a taught task and returns the name of the file that now holds its log; empty if it had no log.

        Raises:
            MemoryFault: the task is not forgotten; the message says why.
        """
        aside = self.recorder.forget(task, force=force)
        return aside.name if aside is not None else ''

    def _forget_expired(self) -> None:
        now = self._now()
        # abs: the clock may have been set in either direction since.
        if self._looked_at is not None and abs(now - self._looked_at) < _LOOK_EVERY:
            return
        self._looked_at = now
        try:
            gone = self.recorder.forget_expired(now, timedelta(days=self._config.described_days))
        except MemoryFault as error:
            _log.warning('described tasks are kept beyond their time: %s', error)
            return
        if gone:
            _log.info('forgot %d described tasks: %s', len(gone), ', '.join(gone[:20]))

    def _begun(self, task: str, snapshot: Snapshot) -> tuple[TaskSpec, TaskView, ModelQuestions]:
        """What each question about a task needs: its definition, its log on the snapshot, and the questioner."""
        spec = self._book.get(task)
        if spec is None:
            raise MemoryFault(f'no task is named {task[:80]!r}; known are {self._book.listed()}')
        view = self.recorder.look(task, snapshot, self._config.log_entries)
        spec = replace(spec, description=view.state.description or spec.description)
        asker = ModelQuestions(self._model, self._config, self._cancelled, self._clock, self._sleep, self._seeds)
        return spec, view, asker

    def _containers(self, spec: TaskSpec) -> tuple[str, ...]:
        """The containers that the task's actions fill, in order."""
        effects = [action.effect for action in self._actions(spec)]
        return tuple(dict.fromkeys(effect.container for effect in effects if effect.container))

    def _actions(self, spec: TaskSpec) -> list[ActionSpec]:
        """The actions of a task that still exist."""
        return [self._book.actions[name] for name in spec.actions if name in self._book.actions]

    def _questions(self, spec: TaskSpec, view: TaskView) -> list[tuple[str, str, tuple[str, ...]]]:
        """The questions about the last entry: the question, the line that it is about, and the names on that line."""
        if not view.log:
            return []
        last = view.log[-1]
        contents = dict(last.contents)
        questions = [
            (f'in {shown_name(name)}', f'In {shown_name(name)}', contents[name])
            for name in self._containers(spec)
            if name in contents
        ]
        if last.pointed_at is not None:
            questions.append(('that have been pointed at', POINTED_AT, last.pointed_at))
        if self._config.environment:
            questions.append(('on the table', ON_TABLE, last.on_table))
        return questions

    def _read_line(
        self, asker: ModelQuestions, task: str, view: TaskView, question: str, line: str, truth: tuple[str, ...]
    ) -> tuple[str, ...]:
        if self._config.exact_log or self._short:
            return truth
        last = view.log[-1]
        names = dict.fromkeys(
            [*truth, *last.on_table, *(name for _, held in last.contents for name in held), *(last.pointed_at or ())]
        )
        try:
            read = asker.ask(
                lambda correction: self._prompts.declarative(task, view.log, question, line, correction),
                tuple(names),
                'in the entry',
            )
        except NoListGiven:
            # The log itself says what is on the line, so no answer is needed, unless `correct` is off.
            if not self._config.correct:
                raise
            read = ReadList((), ('no list',))
        if set(read.names) != set(truth) or read.unknown:
            said = _listed((*read.names, *read.unknown))
            asker.misread.append(f'{line}: it said {said}; the log says {_listed(truth)}')
            if not self._config.correct:
                return (*read.names, *read.unknown)
        return truth

    def _select(
        self,
        asker: ModelQuestions,
        spec: TaskSpec,
        view: TaskView,
        snapshot: Snapshot,
        prohibited: Sequence[str],
    ) -> tuple[str, ...]:
        on_table = tuple(item.name for item in snapshot.on_table())
        if not on_table:
            return ()
        told = self._told(view)
        actions = self._actions(spec)
        read = asker.ask(
            lambda correction: self._prompts.working(spec, actions, told, snapshot, correction, prohibited),
            on_table,
            'on the table',
        )
        asker.misread += [f'still to do: it said {name}, which is not on the table' for name in read.unknown]
        if not self._config.correct:
            return (*read.names, *read.unknown)
        settled = self._pointed_at(view) if all(map(points, actions)) else frozenset()
        asker.misread += [
            f'still to do: it said {name}, which was pointed at' for name in read.names if name in settled
        ]
        return tuple(name for name in read.names if name not in settled)

    def _select_one_by_one(
        self, asker: ModelQuestions, spec: TaskSpec, view: TaskView, snapshot: Snapshot
    ) -> Sequence[tuple[TableObject, str]]:
        """The objects on the table for which the task requires an action, each with that action.

        The question about an object does not depend on what was done, so objects that were pointed at are left out
        first.
        """
        actions = self._actions(spec)
        settled = self._pointed_at(view) if self._config.correct and all(map(points, actions)) else frozenset()
        answers = (*(action.name for action in actions), NOTHING)
        wanted = []
        for item in snapshot.on_table():
            if item.name in settled:
                continue
            answer = asker.ask_one_of(partial(self._prompts.object, spec, actions, item), answers)
            if answer != NOTHING:
                wanted.append((item, answer))
        return wanted

    def _told(self, view: TaskView) -> list[str]:
        """The newest completed actions, with the present names of their objects."""
        newest = _newest(view.state.actions_done, self._config.done_actions)
        # The model only knows present names, and an object may have had another name when it was handled. If it is
        # uncertain which object has the name now, the object counts as not handled.
        return [
            f'{item.action.partition("(")[0]}({shown_name(view.name_of(item))})>'
            for item in newest
            if view.is_certain(item)
        ]

    def _pointed_at(self, view: TaskView) -> frozenset[str]:
        """The present names of the objects that were pointed at."""
        done = view.state.actions_done
        return frozenset(
            view.name_of(item) for item in done if view.is_certain(item) and self.recorder.points(item.action)
        )

    def _retrieved(
        self,
        task: str,
        text: str,
        view: TaskView,
        asker: ModelQuestions,
        to_do: tuple[str, ...] = (),
        calls: tuple[str, ...] = (),
    ) -> Retrieved:
        if asker.misread:
            misread = tuple(asker.misread)
            self._observe(MemoryMisread(task=task, misread=misread, corrected=self._config.correct))
        intent = view.state.open_intent
        return Retrieved(
            text=text,
            to_do=to_do,
            calls=calls,
            actions_done=tuple(item.action for item in view.state.actions_done),
            open_intent=None
            if intent is None
            else OpenIntent(
                intent_id=intent.entry_id,
                action=intent.action,
                object_id=intent.object_id,
                object_name=intent.object_name,
            ),
            world_changed=tuple(view.name_of(item) for item in view.changed),
            corrections=len(asker.misread),
            doubt='; '.join(_doubts(view)),
            usage=asker.usage,
        )


def _listed(names: Sequence[str]) -> str:
    return ', '.join(names) or 'none'


def _newest(done: Sequence[DoneAction], count: int) -> Sequence[DoneAction]:
    return done[-count:] if count else ()


def _changes(view: TaskView) -> tuple[str, ...]:
    gone = [
        f'Changed: {shown_name(view.name_of(item))} is not where {item.action} had brought it' for item in view.changed
    ]
    return (*gone, *(f'Not certain: {doubt}' for doubt in _doubts(view)))


def _doubts(view: TaskView) -> tuple[str, ...]:
    return tuple(f'{shown_name(name)} may or may not be one that was handled before' for name in view.uncertain)
