"""Runs TidyBot's benchmark: from a person's notes or examples, the robot infers where new objects belong.

From notes, the notes are what is said to the robot. From examples, the person tells it in an earlier conversation where
they put each of the seen objects, and then asks it to tidy up as they do: what it knows comes from its memory of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lucca_core.protocol.snapshots import Pose, TableObject
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.stack import StackOnTable, stack_on_table
from lucca_lab.understanding.tidy_scenarios import TidyScenario, tidy_actions

PERSON = 'Ana'
TOLD = 'I always put the {object} in the {receptacle}.'
TOLD_FLAT = 'I always put the {object} on the {receptacle}.'
REQUEST = 'Tidy up the way I do.'
_LAID_ON = ('table', 'shelf', 'sofa', 'desk', 'bed', 'chair', 'rack', 'counter', 'couch', 'ottoman')


class TidySource(StrEnum):
    """What the robot is told of a person's way of tidying."""

    NOTES = 'notes'
    EXAMPLES = 'examples'


@dataclass(frozen=True, slots=True, kw_only=True)
class TidyRun:
    """What came of one scenario. `placements`: where each object is, None where it was not placed."""

    scenario: TidyScenario
    placements: Mapping[str, str | None]
    asked: tuple[str, ...]
    end: End
    said: str

    def count(self, judge: Callable[[str, str | None, str], bool]) -> int:
        """The objects that a judge of (name, place, place where it belongs) counts."""
        return sum(judge(name, self.placements[name], place) for name, place in self.scenario.unseen.items())

    @property
    def right(self) -> int:
        """Objects where they belong."""
        return self.count(lambda _, place, wanted: place == wanted)

    @property
    def wrong(self) -> int:
        """Objects in a receptacle where they do not belong."""
        return self.count(lambda _, place, wanted: place not in (None, wanted))

    @property
    def asked_about(self) -> int:
        """Objects not placed that the robot asked about."""
        return self.count(lambda name, place, _: place is None and name in self.asked)

    @property
    def silent(self) -> bool:
        """Whether it ended as done although an object was left."""
        return self.end is End.DONE and None in self.placements.values()

    def as_json(self) -> dict[str, Any]:
        """The line of a scenario."""
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
        """Shares of the objects, then counts: scenarios that came out whole, and those that ended silently."""
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
    with stack_on_table(
        objects, scenario.receptacles, tasks={}, actions=actions, llm=llm, embedding=embedding
    ) as robot:
        outcome = robot.say(scenario.notes, PERSON) if source is TidySource.NOTES else _by_example(robot, scenario)
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
    """The objects that a question names; all that are left where it names none of them."""
    if outcome.end is not End.ASKED:
        return ()
    said = outcome.said.lower()
    return tuple(name for name in left if name.lower() in said) or tuple(left)


def _object(number: int, name: str) -> TableObject:
    place = Pose((0.25 + 0.12 * (number % 4), -0.5 + 0.12 * (number // 4), 0.83))
    return TableObject(object_id=f'object-{number}', name=name, label=name, attributes=(), pose_world=place)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
