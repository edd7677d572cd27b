"""An experiment with several people, each with a goal at the same time on one table (future work of the paper)."""

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coordinator_node.goals.goal_dispatcher import GoalDispatcher
from coordinator_node.interfaces import Goal, TaskResult
from coordinator_node.model_caller import ModelCaller
from coordinator_node.talk.agent import Agent
from lucca_core.protocol.goals import Status
from lucca_lab.tasks.generator import ACTIONS, COLOURS, KINDS, DrawnThing, Selector
from lucca_lab.tasks.scoring import parts
from lucca_lab.tasks.session import TaskSession, coordinator_config
from lucca_lab.tasks.spec import TrialSpec
from lucca_lab.tasks.trial import known, trial_record

OBJECTS_EACH = 4
PRIORITIES = 3
ASKED_AGAIN = 20
"""How often a person asks again after the goal gave way to others."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The wish of one person: one action on every object of a kind. Nobody else asks for this action."""

    person: str
    text: str
    action: str
    objects: frozenset[str]
    priority: int


def make_wishes(people: int, chance: random.Random) -> tuple[list[Wish], list[DrawnThing]]:
    """Draws the wishes of some people, and the objects of the table that they share, shuffled.

    Raises:
        ValueError: there is no person, or there are more people than kinds of objects.
    """
    if not 1 <= people <= len(KINDS):
        raise ValueError(f'there can be 1 to {len(KINDS)} people, got {people}')
    kinds, actions = chance.sample(list(KINDS), people), chance.sample(list(ACTIONS), people)
    wishes, things = [], []
    for number, (kind, action) in enumerate(zip(kinds, actions, strict=True)):
        nouns = chance.sample(KINDS[kind], OBJECTS_EACH)
        things += [DrawnThing(noun, noun, kind, chance.choice(COLOURS)) for noun in nouns]
        text = ACTIONS[action][0].format(what=Selector(kind=kind).text())
        wishes.append(Wish(f'person {number + 1}', text, action, frozenset(nouns), chance.randrange(PRIORITIES)))
    chance.shuffle(things)
    return wishes, things


def run_people(spec: TrialSpec) -> dict[str, Any]:
    """Runs one trial: all people speak at once, and whoever is interrupted asks again. Threads decide the order.

    Raises:
        ConfigError: a model or a fault profile of the spec is wrong.
    """
    wishes, things = make_wishes(spec.number('people'), spec.chance('wishes'))
    _, actions = known()
    with TaskSession(spec, {}, actions) as session:
        table = session.lay_for_all(
            [item.described for item in things], [place for _, place in ACTIONS.values() if place]
        )
        config = coordinator_config(spec)
        agent = Agent(
            ModelCaller(session.coordinator, config, session.waits), session.memory, config, waits=session.waits
        )
        dispatcher = GoalDispatcher(session.parts, agent)
        results: dict[str, list[TaskResult]] = {wish.person: [] for wish in wishes}
        threads = [threading.Thread(target=_speak, args=(dispatcher, wish, results[wish.person])) for wish in wishes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        name = f'{len(wishes)} people'
        return trial_record(
            spec, session, [_scored(name, wish, results[wish.person], table.performed) for wish in wishes]
        )


def _speak(dispatcher: GoalDispatcher, wish: Wish, results: list[TaskResult]) -> None:
    for turn in range(ASKED_AGAIN):
        goal = Goal(goal_id=f'{wish.person} {turn}', text=wish.text, person=wish.person, priority=wish.priority)
        dispatcher.queue.add(goal)
        results.append(dispatcher.serve(goal))
        if results[-1].status is not Status.SUSPENDED:
            return


def _scored(name: str, wish: Wish, results: Sequence[TaskResult], performed: Sequence[str]) -> dict[str, Any]:
    own = [call for call in performed if parts(call)[0] == wish.action]
    success = sorted(parts(call)[1] for call in own) == sorted(wish.objects) and results[-1].status is Status.FINISHED
    return {
        'task': name,
        'person': wish.person,
        'wish': wish.text,
        'success': success,
        'raw_success': success and not any(result.refusals for result in results),
        'status': str(results[-1].status),
        'reason': results[-1].reason,
        'asked': len(results),
        'performed': own,
        'required': sorted(f'<{wish.action}({name})>' for name in wish.objects),
        'prompt_tokens': [],
    }
