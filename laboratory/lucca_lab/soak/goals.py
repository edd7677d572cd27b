"""The goals of a soak: tasks, talk, things to remember and to forget, cancels and kills, drawn with a seed."""

import random
from dataclasses import dataclass
from enum import StrEnum

from lucca_core.protocol.goals import GoalRequest


class GoalKind(StrEnum):
    """The kind of a goal in a soak."""

    TASK = 'task'
    DESCRIBED = 'described'
    TALK = 'talk'
    REMEMBER = 'remember'
    FORGET = 'forget'
    CANCEL = 'cancel'
    KILL = 'kill'
    TABLE_LAID = 'table laid anew'


VICTIMS = ('perception', 'action', 'worker', 'coordinator')
"""Nodes that are killed in the middle of a goal. The simulator is killed only to lay the table again."""

_WEIGHTS = {
    GoalKind.TASK: 30,
    GoalKind.DESCRIBED: 8,
    GoalKind.TALK: 22,
    GoalKind.REMEMBER: 14,
    GoalKind.FORGET: 12,
    GoalKind.CANCEL: 11,
    GoalKind.KILL: 2,
    GoalKind.TABLE_LAID: 1,
}
_TASKS = ('pointing', 'sorting', 'tower')
_DESCRIBED = ('Point at the baseball.', 'Point at the cup.', 'Put the pear into box 1.', 'Give me the banana.')
_TALK = ('What is on the table?', 'What can you do?', 'What do you know about me?', 'Where is the apple?')
_THINGS = ('key', 'ladder', 'torch', 'atlas', 'drill', 'kettle', 'ledger', 'anchor')
_PLACES = ('the clock', 'the door', 'the shelf', 'the lamp', 'the stove', 'the bench')
_PEOPLE = ('Ana', 'Ben', 'Cem', '')


@dataclass(frozen=True, slots=True)
class SoakGoal:
    """One goal and what happens to it: after `after_s` of wall time it is cancelled, or `victim` is killed."""

    kind: GoalKind
    request: GoalRequest
    victim: str = ''
    after_s: float = 0.0


class GoalDraw:
    """Draws goals. Only things that the robot was told to remember are forgotten later."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._kept: list[tuple[str, str]] = []
        self._number = 0

    def next(self) -> SoakGoal:
        """The next goal."""
        chance = self._chance
        kind = chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        if kind is GoalKind.FORGET and not self._kept:
            kind = GoalKind.REMEMBER
        if kind is GoalKind.TABLE_LAID:
            return SoakGoal(kind, _task(chance), 'simulator')
        if kind is GoalKind.KILL:
            return SoakGoal(kind, _task(chance), chance.choice(VICTIMS), chance.uniform(0.0, 2.0))
        if kind is GoalKind.CANCEL:
            return SoakGoal(kind, _task(chance), after_s=chance.uniform(0.0, 1.5))
        if kind is GoalKind.TASK:
            return SoakGoal(kind, _task(chance))
        return SoakGoal(kind, self._words(kind))

    def _words(self, kind: GoalKind) -> GoalRequest:
        chance = self._chance
        person = chance.choice(_PEOPLE)
        if kind is GoalKind.DESCRIBED:
            return GoalRequest(text=chance.choice(_DESCRIBED), person=person, max_actions=1)
        if kind is GoalKind.TALK:
            return GoalRequest(text=chance.choice(_TALK), person=person)
        if kind is GoalKind.FORGET:
            person, said = self._kept.pop(chance.randrange(len(self._kept)))
            return GoalRequest(text=f'Forget that {said}.', person=person)
        self._number += 1
        said = f'the {chance.choice(_THINGS)} {self._number} hangs behind {chance.choice(_PLACES)}'
        person = chance.choice(_PEOPLE[:-1])
        self._kept.append((person, said))
        return GoalRequest(text=f'Remember that {said}.', person=person)


def _task(chance: random.Random) -> GoalRequest:
    task = chance.choice(_TASKS)
    return GoalRequest(
        task=task,
        person=chance.choice(_PEOPLE),
        max_actions=chance.choice((1, 1, 2)),
        # Pointing leaves nothing to see, so the task would be done only once.
        restart=task == 'pointing',
    )
