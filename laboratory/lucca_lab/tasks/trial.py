"""One trial: a session in one mode, and the outcome of each of its tasks."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from coordinator_node.interfaces import TaskResult
from lucca_core.errors import LuccaError
from lucca_core.protocol.goals import Status
from lucca_lab.judge.truth import ExpectedOutcome, load_truth
from lucca_lab.symbolic_table import SymbolicTable
from lucca_lab.tasks.paper import load_paper
from lucca_lab.tasks.scoring import Answered, is_complete, questions, retention, scored
from lucca_lab.tasks.session import TaskSession, begun
from lucca_lab.tasks.spec import Mode, TrialSpec
from lucca_memory.procedural import ActionSpec, TaskSpec, load_actions, load_tasks


@cache
def known() -> tuple[Mapping[str, TaskSpec], Mapping[str, ActionSpec]]:
    """The tasks and actions of `config/`. Each process reads them only once."""
    actions = load_actions()
    return load_tasks(actions=actions), actions


@cache
def truths() -> Mapping[str, ExpectedOutcome]:
    """The expected outcome of each task of the paper."""
    return load_truth()


def containers_of(task: TaskSpec, actions: Mapping[str, ActionSpec]) -> tuple[str, ...]:
    """The places that a task fills. Other places on a robot's table play no part in the paper's tasks."""
    return tuple(dict.fromkeys(effect.container for name in task.actions if (effect := actions[name].effect).container))


class LaidTask:
    """One task of a trial with its own table."""

    def __init__(self, session: TaskSession, task: TaskSpec, truth: ExpectedOutcome, table: SymbolicTable) -> None:
        self.session = session
        self.task = task
        self.truth = truth
        self.table = table
        self.results: list[TaskResult] = []
        self.answers: list[Answered] = []
        self.corrections = 0

    def run(self, max_actions: int = 0) -> None:
        """Starts or resumes the task, for at most `max_actions` actions; 0 means until its end.

        Without safeguards, a wrong answer has ended the task, and there is nothing to resume.
        """
        if not self.session.spec.setting.safeguards and any(
            item.status in (Status.FAILED, Status.REFUSED) for item in self.results
        ):
            return
        before = self.session.memory.corrections
        self.results.append(self.session.run(self.task.name, max_actions=max_actions))
        self.corrections += self.session.memory.corrections - before

    def run_until(self, step: int) -> None:
        """Does the first `step` actions of the task. With 0, the task is suspended before its first action."""
        if step:
            self.run(max_actions=step)
        else:
            self.results.append(self.session.run(self.task.name, preempted=begun))

    def ask(self) -> None:
        """Asks the coordinator about the task and the table after it."""
        for question in questions(self.task, dict(self.session.actions), self.table):
            try:
                answer = self.session.ask(self.task.name, question.text).text
            except LuccaError as error:
                answer = f'({type(error).__name__}: {error})'
            self.answers.append(scored(question, answer, self.table))

    def as_json(self) -> dict[str, Any]:
        """The record of the task, as JSON values."""
        # If a person would have been asked, the robot did not do the task itself, whatever happened afterwards.
        asked = sum(bool(result.to_confirm or result.question) for result in self.results)
        success = not asked and is_complete(self.truth, self.table.performed, self.results)
        refusals = sum(result.refusals for result in self.results)
        last = self.results[-1]
        return {
            'task': self.task.name,
            'success': success,
            # As the paper scores: a wrong answer is a failure, even if it was repaired afterwards.
            'raw_success': success and not refusals and not self.corrections,
            'task_retention': retention(self.answers, environment=False),
            'environment_retention': retention(self.answers, environment=True),
            'status': str(last.status),
            'reason': last.reason,
            'performed': list(self.table.performed),
            'required': list(self.truth.actions),
            'asked_person': asked,
            'refusals': refusals,
            'corrections': self.corrections,
            'repeated': last.repeated,
            'prompt_tokens': [tokens for result in self.results for tokens in result.prompt_tokens],
            'answers': [item.as_json() for item in self.answers],
        }


def run_trial(spec: TrialSpec) -> dict[str, Any]:
    """Runs one trial in one of the paper's modes. The same spec gives the same result if its models are repeatable.

    Raises:
        ConfigError: a model, a fault profile or a recording of the spec is wrong.
    """
    tasks, actions = known()
    with TaskSession(spec, tasks, actions) as session:
        order = list(spec.tasks)
        if spec.shuffle_tasks:
            spec.chance('order').shuffle(order)
        done = [lay_task(session, tasks[name]) for name in order]
        _MODES[Mode(spec.mode)](session, done)
        if spec.setting.questions and spec.setting.ask_late:
            for item in done:
                item.ask()
        return trial_record(spec, session, [item.as_json() for item in done])


def trial_record(spec: TrialSpec, session: TaskSession, tasks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The record of a trial. It has no times, so that the same trial always gives the same bytes."""
    return {
        'trial': spec.trial_id,
        'suite': spec.suite,
        'variant': spec.variant,
        'mode': spec.mode,
        'memory': spec.memory,
        'index': spec.index,
        'tasks': list(tasks),
        'ungated_actions': session.audit.ungated,
        'calls': len(session.calls),
        'calls_cut': sum(call['dropped'] > 0 for call in session.calls),
        'largest_prompt': max((call['tokens'] for call in session.calls), default=0),
        'transcript': session.calls,
    }


def lay_task(session: TaskSession, task: TaskSpec) -> LaidTask:
    """One of the paper's tasks with its own table. The trial's random numbers decide the order of the objects."""
    objects = list(load_paper().objects[task.name])
    session.spec.chance(f'objects of {task.name}').shuffle(objects)
    table = session.lay(task.name, objects, containers_of(task, session.actions))
    return LaidTask(session, task, truths()[task.name], table)


def _ask_now(session: TaskSession, item: LaidTask) -> None:
    if session.spec.setting.questions and not session.spec.setting.ask_late:
        item.ask()


def _standalone(session: TaskSession, tasks: Sequence[LaidTask]) -> None:
    for item in tasks:
        session.reset_chat([item.task.name])
        item.run()
        _ask_now(session, item)


def _consecutive(session: TaskSession, tasks: Sequence[LaidTask]) -> None:
    for item in tasks:
        item.run()
        _ask_now(session, item)


def _intervened(session: TaskSession, tasks: Sequence[LaidTask]) -> None:
    for item in tasks:
        item.run(max_actions=max(1, len(item.truth.actions) // 2))
    for item in tasks:
        item.run()
        _ask_now(session, item)


_MODES: dict[Mode, Callable[[TaskSession, Sequence[LaidTask]], None]] = {
    Mode.STANDALONE: _standalone,
    Mode.CONSECUTIVE: _consecutive,
    Mode.INTERVENED: _intervened,
}
