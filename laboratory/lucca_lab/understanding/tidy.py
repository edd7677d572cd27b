"""TidyBot's benchmark: from a person's notes or examples, the robot infers where new objects belong.

With notes, the notes are said to the robot. With a task, they are the description of a task that it is told to do, so
that a model that can do tasks but not talk is measured too. With examples, the person says in an earlier conversation
where each of the seen objects goes, and later asks the robot to tidy up the same way; it then relies on its memory of
the person.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lucca_core.protocol.snapshots import Pose, TableObject
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.stack import StackOnTable, stack_on_table
from lucca_lab.understanding.tidy_scenarios import TidyScenario, tidy_actions
from lucca_memory.procedural import TaskSpec

PERSON = 'Ana'
TOLD = 'I always put the {object} in the {receptacle}.'
TOLD_FLAT = 'I always put the {object} on the {receptacle}.'
REQUEST = 'Tidy up the way I do.'
TASK = 'tidying'
_LAID_ON = ('table', 'shelf', 'sofa', 'desk', 'bed', 'chair', 'rack', 'counter', 'couch', 'ottoman')


class TidySource(StrEnum):
    """What the robot is told about a person's way of tidying."""

    NOTES = 'notes'
    TASK = 'task'
    EXAMPLES = 'examples'


@dataclass(frozen=True, slots=True, kw_only=True)
class TidyRun:
    """The outcome of one scenario. `placements` has the place of each object, or None if it was not placed."""

    scenario: TidyScenario
    placements: Mapping[str, str | None]
    asked: tuple[str, ...]
    end: End
    said: str

    def count(self, judge: Callable[[str, str | None, str], bool]) -> int:
        """The number of objects for which `judge(name, place, right place)` is true."""
        return sum(judge(name, self.placements[name], place) for name, place in self.scenario.unseen.items())

    @property
    def right(self) -> int:
        """Number of objects in the right place."""
        return self.count(lambda _, place, wanted: place == wanted)

    @property
    def wrong(self) -> int:
        """Number of objects in a wrong receptacle."""
        return self.count(lambda _, place, wanted: place not in (None, wanted))

    @property
    def asked_about(self) -> int:
        """Number of objects that were not placed but asked about."""
        return self.count(lambda name, place, _: place is None and name in self.asked)

    @property
    def silent(self) -> bool:
        """Whether the robot called it done although an object was left."""
        return self.end is End.DONE and None in self.placements.values()

    def as_json(self) -> dict[str, Any]:
        """The scenario's line in the results."""
        return {
            'index': self.scenario.index,
            'placements': dict(self.placements),
            'asked': list(self.asked),
            'end': str(self.end),
        }


@dataclass(frozen=True, slots=True)
class TidyReport:
    """All scenarios with one wording of the actions."""

    runs: Sequence[TidyRun] = field(default_factory=tuple)

    def as_json(self) -> dict[str, Any]:
        """Shares of the objects, and counts of scenarios that were done completely or ended silently."""
        objects = sum(len(run.scenario.unseen) for run in self.runs)
        right, wrong, asked = (
            sum(getattr(run, name) for run in self.runs) for name in ('right', 'wrong', 'asked_about')
        )
        return {
            'placed': _share(right, objects),
            'whole': sum(run.right == len(run.scenario.unseen) for run in self.runs),
            'wrong': _share(wrong, objects),
            'asked': _share(asked, objects),
            'not_placed': _share(objects - right - wrong - asked, objects),
            'silent': sum(run.silent for run in self.runs),
            'objects': objects,
            'scenarios': len(self.runs),
        }


def run_scenario(
    scenario: TidyScenario, source: TidySource, wording: Mapping[str, str], *, llm: str, embedding: str
) -> TidyRun:
    """Lays the unseen objects on a table, tells the robot how the person tidies, and lets it tidy up.

    Raises:
        ConfigError: a spec is wrong.
    """
    actions = tidy_actions(wording, scenario.receptacles)
    objects = [_object(number, name) for number, name in enumerate(scenario.unseen)]
    task = TaskSpec(name=TASK, description=scenario.notes, actions=tuple(actions))
    tasks = {TASK: task} if source is TidySource.TASK else {}
    with stack_on_table(
        objects, scenario.receptacles, tasks=tasks, actions=actions, llm=llm, embedding=embedding
    ) as robot:
        match source:
            case TidySource.NOTES:
                outcome = robot.say(scenario.notes, PERSON)
            case TidySource.TASK:
                outcome = robot.run(TASK)
            case TidySource.EXAMPLES:
                outcome = _by_example(robot, scenario)
        placements: dict[str, str | None] = dict.fromkeys(scenario.unseen)
        placements.update({name: place for place, names in robot.table.contents().items() for name in names})
    left = [name for name, place in placements.items() if place is None]
    return TidyRun(
        scenario=scenario,
        placements=placements,
        asked=_asked_about(outcome, left),
        end=outcome.end,
        said=outcome.said,
    )


def _by_example(robot: StackOnTable, scenario: TidyScenario) -> SentenceOutcome:
    for name, place in scenario.seen.items():
        told = TOLD_FLAT if place.split()[-1] in _LAID_ON else TOLD
        robot.say(told.format(object=name, receptacle=place), PERSON)
    robot.end_conversations()
    return robot.say(REQUEST, PERSON)


def _asked_about(outcome: SentenceOutcome, left: Sequence[str]) -> tuple[str, ...]:
    """The remaining objects that a question names; all remaining ones if it names none of them."""
    if outcome.end is not End.ASKED:
        return ()
    said = outcome.said.lower()
    return tuple(name for name in left if name.lower() in said) or tuple(left)


def _object(number: int, name: str) -> TableObject:
    place = Pose((0.25 + 0.12 * (number % 4), -0.5 + 0.12 * (number // 4), 0.83))
    return TableObject(object_id=f'object-{number}', name=name, label=name, attributes=(), pose_world=place)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
