"""Trials with a change of mind: another goal changes the task while one of its actions is being executed."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.goals import GoalFeedback, Phase
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.changes_drawn import PERSON, PLACES, DrawnChange, Plan
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.requests import deed_of
from lucca_lab.understanding.stack import NO_EMBEDDING, StackOnTable, stack_on_table
from lucca_memory.procedural import load_actions

_ANSWER_S = 30.0
"""The longest real time until a change is taken up or answered. Only a deadlock takes longer."""


class ChangeVerdict(StrEnum):
    """The verdict on a task with a change.

    ASKED, REFUSED: the robot asked or refused, and moved nothing more. WRONG: the final state is another one.
    """

    RIGHT = 'right'
    ASKED = 'asked'
    REFUSED = 'refused'
    WRONG = 'wrong'


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedChange:
    """A task with a change: what was said, both outcomes, and the verdict.

    Attributes:
        repeated: number of deeds that were repeated.
        logged: whether the task's log has the change and its speaker.
    """

    drawn: DrawnChange
    said: str
    wanted: Plan
    outcome: SentenceOutcome
    answer: SentenceOutcome
    verdict: ChangeVerdict
    repeated: int
    logged: bool


@dataclass(frozen=True, slots=True)
class ChangesReport:
    """All trials."""

    judged: Sequence[JudgedChange]

    def as_json(self) -> dict[str, Any]:
        """Verdicts as shares, in total and by kind; repeated deeds; and changes that were accepted but not logged."""
        kinds: dict[str, list[JudgedChange]] = {}
        for item in self.judged:
            kinds.setdefault(item.drawn.kind, []).append(item)
        return {
            'trials': len(self.judged),
            **_shares(self.judged),
            'repeated': sum(item.repeated for item in self.judged),
            'not_logged': sum(not item.logged for item in self.judged if item.answer.end is End.TOLD),
            'by_kind': {kind: _shares(items) for kind, items in kinds.items()},
        }


def judge_changes(
    drawn: Sequence[DrawnChange], *, llm: str, on_progress: Callable[[int], None] = lambda _: None
) -> ChangesReport:
    """Runs each task at a table of its own, and says its change during one of its actions.

    Raises:
        ConfigError: the spec is wrong.
    """
    judged = []
    for number, change in enumerate(drawn):
        on_progress(number)
        objects = sample_objects(change.objects)
        with stack_on_table(objects, (*PLACES, 'tower'), llm=llm, embedding=NO_EMBEDDING) as robot:
            judged.append(_judged(robot, change))
    return ChangesReport(judged)


class _Interjection:
    """Says the change during its action, from a separate thread, as a second goal would."""

    def __init__(self, robot: StackOnTable, drawn: DrawnChange) -> None:
        self._robot = robot
        self._drawn = drawn
        self._handled: list[str] = []
        self._thread: threading.Thread | None = None
        self.said = ''
        self.wanted: Plan = dict(drawn.plan)
        self.answer: SentenceOutcome | None = None

    def during(self, call: ActionCall) -> None:
        self._handled.append(call.argument)
        if len(self._handled) != self._drawn.at + 1:
            return
        self.said, self.wanted = self._drawn.say(self._handled)
        heard = threading.Event()

        def told(event: GoalFeedback) -> None:
            if event.phase is Phase.WAITING:
                heard.set()

        def speak() -> None:
            try:
                self.answer = self._robot.say(self.said, PERSON, on_event=told)
            finally:
                heard.set()

        self._thread = threading.Thread(target=speak, name='change of mind')
        self._thread.start()
        if not heard.wait(_ANSWER_S):
            raise TimeoutError(f'{self.said!r} was neither answered nor taken up')

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join(_ANSWER_S)


def _judged(robot: StackOnTable, drawn: DrawnChange) -> JudgedChange:
    said = _Interjection(robot, drawn)
    robot.on_action = said.during
    outcome = robot.say(drawn.text, PERSON)
    said.join()
    actions = load_actions()
    deeds = [deed_of(call, actions) for call in robot.table.performed]
    wanted = {(place, name) for name, place in said.wanted.items()}
    answer = said.answer or outcome
    if set(deeds) == wanted and outcome.end is End.DONE:
        verdict = ChangeVerdict.RIGHT
    else:
        ends = {outcome.end, answer.end}
        stood_still = set(deeds) <= {*wanted, *_first(drawn, deeds)}
        unsure = ChangeVerdict.REFUSED if End.REFUSED in ends else ChangeVerdict.WRONG
        asked = ChangeVerdict.ASKED if End.ASKED in ends else unsure
        verdict = asked if stood_still else ChangeVerdict.WRONG
    logs = [path.read_text(encoding='utf-8') for path in robot.data_dir.glob('tasks/*.log')]
    logged = not said.said or any('Kind: changed\n' in log and f'Note: {PERSON} said: ' in log for log in logs)
    return JudgedChange(
        drawn=drawn,
        said=said.said,
        wanted=said.wanted,
        outcome=outcome,
        answer=answer,
        verdict=verdict,
        repeated=len(deeds) - len(set(deeds)),
        logged=logged,
    )


def _first(drawn: DrawnChange, deeds: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """The deeds that were done before the change could take effect."""
    return deeds[: drawn.at + 1]


def _shares(judged: Sequence[JudgedChange]) -> dict[str, float]:
    counts = Counter(item.verdict for item in judged)
    return {str(verdict): round(counts[verdict] / len(judged), 4) if judged else 0.0 for verdict in ChangeVerdict}
