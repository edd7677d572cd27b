"""Questions to the robot about itself after random histories: what it sees, what it did, why, and what is open.

A history is drawn as actions of tasks; each goes through gate and table into the log, like any action. The right
answers follow from these actions alone. An answer is right if it has everything that it must have and nothing that it
must not.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coordinator_node.interfaces import never
from lucca_core.protocol.actions import ActionRequest
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.outcomes import SentenceOutcome
from lucca_lab.understanding.stack import NO_EMBEDDING, StackOnTable, stack_on_table
from lucca_memory.procedural import load_actions

PERSON = 'Ana'
QUESTIONS_EACH = 10
_KINDS = ('apple', 'pear', 'lemon', 'cup', 'mug', 'can', 'book', 'hammer', 'doll', 'fork', 'plum', 'sponge')
_COLOURS = ('red', 'green', 'blue', 'yellow')
_CUBES = ('red cube', 'green cube', 'blue cube')
_PLACES = {'move_to_box_1': 'box 1', 'move_to_box_2': 'box 2', 'place_in_bowl': 'bowl', 'put_on_tower': 'tower'}
_CONTAINERS = (*_PLACES.values(), USERS_SIDE)
_TASKS = ('clearing', 'packing', 'laundry', 'gathering')


@dataclass(frozen=True, slots=True)
class SelfQuestion:
    """A question with the words that its answer must have, each in one of several wordings, and must not have."""

    kind: str
    text: str
    holds: tuple[tuple[str, ...], ...]
    lacks: tuple[str, ...] = ()

    def is_answered_by(self, outcome: SentenceOutcome) -> bool:
        """Whether an answer is right and the robot did nothing."""
        said = f' {" ".join(re.findall(r"[a-z0-9]+", outcome.said.lower()))} '
        if outcome.performed or outcome.started:
            return False
        return all(any(f' {word} ' in said for word in words) for words in self.holds) and not any(
            f' {word} ' in said for word in self.lacks
        )


@dataclass(slots=True)
class DrawnHistory:
    """A random history: tasks with their actions, and the place of each object after them."""

    places: dict[str, str]
    colours: dict[str, str]
    deeds: list[tuple[str, str, str]] = field(default_factory=list)
    """(task, object, place), in order of time."""
    status: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SelfReport:
    """All questions with their answers."""

    asked: Sequence[tuple[SelfQuestion, SentenceOutcome]]

    def as_json(self) -> dict[str, Any]:
        """The share of right answers, in total and by kind, and the number of actions, which should be 0."""
        kinds: dict[str, list[bool]] = {}
        for question, outcome in self.asked:
            kinds.setdefault(question.kind, []).append(question.is_answered_by(outcome))
        every = [right for found in kinds.values() for right in found]
        return {
            'questions': len(every),
            'right': _share(every),
            'motions': sum(len(outcome.performed) for _, outcome in self.asked),
            'by_kind': {kind: _share(found) for kind, found in kinds.items()},
        }


def ask_about_itself(
    trials: int, seed: int, *, llm: str, on_progress: Callable[[int], None] = lambda _: None
) -> SelfReport:
    """Asks `trials` questions, `QUESTIONS_EACH` after each history.

    Raises:
        ConfigError: the spec is wrong.
    """
    chance, asked = random.Random(seed), list[tuple[SelfQuestion, SentenceOutcome]]()
    while len(asked) < trials:
        on_progress(len(asked))
        objects = _objects(chance)
        with stack_on_table(sample_objects(objects), _CONTAINERS, tasks={}, llm=llm, embedding=NO_EMBEDDING) as robot:
            history = _live(robot, chance)
            kinds = list(_QUESTIONS)
            for _ in range(min(QUESTIONS_EACH, trials - len(asked))):
                kind = chance.choice(kinds)
                question = _QUESTIONS[kind](history, chance)
                asked.append((question, robot.say(question.text, PERSON)))
    return SelfReport(asked)


def _objects(chance: random.Random) -> list[str]:
    named = [f'{name} ({chance.choice(_COLOURS)})' for name in chance.sample(_KINDS, 6)]
    return [*named, *chance.sample(_CUBES, 2)]


def _live(robot: StackOnTable, chance: random.Random) -> DrawnHistory:
    """Draws a history and carries it out: actions go through the gate, and tasks are started and ended in the log."""
    table, actions = robot.table, load_actions()
    items = table.snapshot().objects
    history = DrawnHistory(
        places={item.name: 'table' for item in items},
        colours={item.name: (item.attributes or (item.name.split()[0],))[0] for item in items},
    )
    for task in chance.sample(_TASKS, chance.randint(1, 3)):
        free = [name for name, place in history.places.items() if place == 'table']
        call = chance.choice(list(_PLACES))
        names = chance.sample(free, min(len(free), chance.randint(1, 2)))
        if not names:
            break
        history.texts[task] = f'Put the {" and the ".join(names)} away for the {task}.'
        robot.memory.teach(task, history.texts[task])
        _note(robot, task, EntryKind.STARTED)
        for name in names:
            table.execute(
                ActionRequest(
                    text=f'<{call}({name})>', task=task, allowed_actions=tuple(actions), snapshot=table.snapshot()
                ),
                cancelled=never,
            )
            history.places[name] = _PLACES[call]
            history.deeds.append((task, name, _PLACES[call]))
        history.status[task] = chance.choice(('finished', 'suspended'))
        _note(robot, task, EntryKind.FINISHED if history.status[task] == 'finished' else EntryKind.SUSPENDED)
    return history


def _note(robot: StackOnTable, task: str, kind: EntryKind) -> None:
    robot.record(EntryRequest(task=task, kind=kind, snapshot=robot.table.snapshot()))


# -- questions --------------------------------------------------------------------------------------------------------

_Ask = Callable[[DrawnHistory, random.Random], SelfQuestion]


def _where(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    name = chance.choice(list(history.places))
    form = chance.choice(
        ('Where is the {}?', 'Where can I find the {}?', 'Do you know where the {} is?', "Where's the {} now?")
    )
    others = tuple(place for place in (*_PLACES.values(), 'table') if place != history.places[name])
    return SelfQuestion('where', form.format(name), ((history.places[name],),), others)


def _inside(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    place = chance.choice(('box 1', 'box 2', 'bowl'))
    form = chance.choice(('What is in {}?', "What's inside {}?", 'What lies in {}?', 'What does {} hold?'))
    held = [name for name, where in history.places.items() if where == place]
    others = tuple(name for name in history.places if name not in held)
    holds = tuple((name,) for name in held) or (('nothing', 'empty', 'none'),)
    return SelfQuestion('what is in', form.format('the bowl' if place == 'bowl' else place), holds, others)


def _count(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    if chance.random() < 0.5:
        found, what = [name for name in history.places if name.endswith('cube')], 'cubes'
    else:
        colour = chance.choice(_COLOURS)
        found, what = [name for name in history.places if history.colours[name] == colour], f'{colour} objects'
    form = chance.choice(('How many {} are there?', 'How many {} do you see?', 'How many {} can you see?'))
    return SelfQuestion('how many', form.format(what), ((str(len(found)),) if found else ('none', 'no', '0'),))


def _is_in(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    name, place = chance.choice(list(history.places)), chance.choice(('box 1', 'box 2'))
    form = chance.choice(('Is the {} in {}?', 'Is the {} already in {}?'))
    right = history.places[name] == place
    return SelfQuestion(
        'is it there', form.format(name, place), (('yes',) if right else ('no',),), ('no',) if right else ('yes',)
    )


def _last(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    form = chance.choice(('What did you just do?', 'What was the last thing you did?', 'What have you just done?'))
    _, name, place = history.deeds[-1]
    others = tuple(other for other in history.places if other != name)
    return SelfQuestion('what it did', form, ((name,), (place,)), others)


def _why(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    task, name, place = chance.choice(history.deeds)
    where = f'{"on" if place == "tower" else "in"} {place if place.startswith("box") else f"the {place}"}'
    form = chance.choice(('Why did you put the {} {}?', 'Why is the {} {}?', 'Why have you put the {} {}?'))
    return SelfQuestion('why', form.format(name, where), ((task,),))


def _who(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    task, name, place = chance.choice(history.deeds)
    form = chance.choice(('Who moved the {}?', 'Did you move the {}?', 'When did you move the {}?'))
    return SelfQuestion('who moved it', form.format(name), (('i',), (place, task)))


def _suspended(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    form = chance.choice(('What is suspended?', 'Which tasks are suspended?', 'Is anything suspended?'))
    names = [task for task, status in history.status.items() if status == 'suspended']
    others = tuple(task for task in history.status if task not in names)
    return SelfQuestion(
        'what is suspended', form, tuple((name,) for name in names) or (('nothing', 'none', 'no'),), others
    )


def _status(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    task = chance.choice(list(history.status))
    form = chance.choice(
        ('Is the {} finished?', 'How far is the {}?', 'What is the state of the {}?', 'Did you finish the {}?')
    )
    return SelfQuestion('state of a task', form.format(task), ((history.status[task],),))


def _next(history: DrawnHistory, chance: random.Random) -> SelfQuestion:
    form = chance.choice(('What will you do next?', 'What is next?', 'What are you going to do now?'))
    names = tuple(task for task, status in history.status.items() if status == 'suspended')
    return SelfQuestion('what is next', form, (names or ('nothing',),))


_QUESTIONS: Mapping[str, _Ask] = {
    'where': _where,
    'what is in': _inside,
    'how many': _count,
    'is it there': _is_in,
    'what it did': _last,
    'why': _why,
    'who moved it': _who,
    'what is suspended': _suspended,
    'state of a task': _status,
    'what is next': _next,
}


def _share(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 4) if found else 0.0
