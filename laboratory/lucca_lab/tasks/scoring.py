"""Scores of answers and actions, from the task's rule and the true state of the table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coordinator_node.interfaces import TaskResult
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.goals import Status
from lucca_lab.judge.truth import ExpectedOutcome
from lucca_lab.symbolic_table import SymbolicTable
from lucca_memory.procedural import ActionSpec, TaskSpec
from worker_node.name_lists import NoList, read_list

_PHRASES = {'tower': 'on the tower', "user's side": "at the user's side"}
LEFT_ON_TABLE = 'Which objects are left on the table?'
POINTED_AT = 'Which objects have been pointed at?'


@dataclass(frozen=True, slots=True)
class RetentionQuestion:
    """A question about a task, and the names that answer it correctly."""

    text: str
    truth: frozenset[str]
    about_environment: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with the model's answer. `exact` says whether it names exactly the right objects."""

    question: RetentionQuestion
    answer: str
    exact: bool

    def as_json(self) -> dict[str, Any]:
        """All values, for files."""
        return {
            'question': self.question.text,
            'answer': self.answer,
            'truth': sorted(self.question.truth),
            'exact': self.exact,
        }


def questions(task: TaskSpec, actions: dict[str, ActionSpec], table: SymbolicTable) -> list[RetentionQuestion]:
    """The questions after a task: one for each place that it fills, one about what was pointed at (if it points), and
    one about what is left on the table."""
    effects = [actions[name].effect for name in task.actions]
    contents = table.contents()
    places = dict.fromkeys(effect.container for effect in effects if effect.container)
    asked = [
        RetentionQuestion(f'Which objects are {_PHRASES.get(name, f"in {name}")}?', frozenset(contents[name]))
        for name in places
    ]
    if any(not effect.lasts for effect in effects):
        passing = {name for name in task.actions if not actions[name].effect.lasts}
        calls = (parts(text) for text in table.performed)
        asked.append(RetentionQuestion(POINTED_AT, frozenset(argument for name, argument in calls if name in passing)))
    left = frozenset(item.name for item in table.snapshot().on_table())
    return [*asked, RetentionQuestion(LEFT_ON_TABLE, left, about_environment=True)]


def scored(question: RetentionQuestion, answer: str, table: SymbolicTable) -> Answered:
    """Judges whether an answer names exactly the right objects. An answer that is not a list of names is wrong."""
    names = [item.name for item in table.snapshot().objects]
    try:
        read = read_list(answer, names)
    except NoList:
        return Answered(question, answer, False)
    return Answered(question, answer, not read.unknown and frozenset(read.names) == question.truth)


def retention(answers: Sequence[Answered], *, environment: bool) -> float:
    """The share of the questions about the task, or about the environment, that were answered exactly; 0 if none."""
    exact = [item.exact for item in answers if item.question.about_environment is environment]
    return sum(exact) / len(exact) if exact else 0.0


def is_complete(truth: ExpectedOutcome, performed: Sequence[str], results: Sequence[TaskResult]) -> bool:
    """Whether every required action was done once, in the required order, and nothing else, and the task finished."""
    right = sorted(performed) == sorted(truth.actions) and truth.in_order(tuple(performed))
    return right and bool(results) and results[-1].status is Status.FINISHED


def parts(call: str) -> tuple[str, str]:
    """Name and argument of a call `<name(argument)>`."""
    name, _, rest = call.strip('<>').partition('(')
    parsed = ActionCall(name, rest.rstrip(')'))
    return parsed.name, parsed.argument


def wilson(successes: float, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson interval of a rate, 95 % unless `z` says otherwise. Partial credit counts as part of a success."""
    if trials < 1:
        return 0.0, 1.0
    rate = successes / trials
    middle = rate + z * z / (2 * trials)
    half = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    # Exactly 0 and 1 at the ends, where rounding errors would leave a small remainder.
    low = 0.0 if successes <= 0 else max(0.0, (middle - half) / scale)
    high = 1.0 if successes >= trials else min(1.0, (middle + half) / scale)
    return low, high
