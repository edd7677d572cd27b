"""Random tasks with their tables for training. The rule is drawn first, as data; sentences and truth follow from it.

The module shares no word list and no sentence with the evaluation; `overlap.py` checks this.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from lucca_lab.training.scene_draft import TRAIN, Draft, Thing
from lucca_lab.training.scene_rules import RULES
from lucca_memory.procedural import ActionSpec, TaskSpec

_OCCASIONS = (
    'The exhibition opens tomorrow.',
    'My cousin comes by later today.',
    'Here is what I have in mind for the morning.',
    'A short job before lunch.',
    'The school play is next week.',
    'We want this place to look good.',
    'You have done this before, I believe.',
    'Take your time.',
    'Somebody left all this lying about.',
    'Once more, as yesterday.',
)
"""Sentences that say nothing about what is to be done."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A task, its table, and its truth: the action of each object by name, in groups in the order of the task."""

    task: TaskSpec
    actions: Mapping[str, ActionSpec]
    containers: tuple[str, ...]
    things: tuple[Thing, ...]
    groups: tuple[Mapping[str, str], ...]
    sentences: tuple[str, ...] = ()
    """The templates of the description, for the comparison with the evaluation."""

    @property
    def wanted(self) -> dict[str, str]:
        """The action of each object that the task needs."""
        return {name: action for group in self.groups for name, action in group.items()}


def draw_scene(name: str, chance: random.Random, words: str = TRAIN) -> Scene:
    """Draws one scene.

    Args:
        name: the name of its task.
        chance: the source of random numbers.
        words: TRAIN, or UNSEEN for categories that no training scene has.
    """
    while True:
        draft = Draft(chance, words)
        rule = chance.choices(*zip(*RULES, strict=True))[0]
        things, groups, sentences = rule(draft)
        if chance.random() < 0.35:
            sentences = [draft.said(*_OCCASIONS), *sentences]
        chance.shuffle(things)
        wanted = sum(map(len, groups))
        if (
            all(groups)
            and wanted < len(things) + (chance.random() < 0.1)
            and len({t.name for t in things}) == len(things)
        ):
            return Scene(
                task=TaskSpec(name=name, description=' '.join(sentences), actions=tuple(draft.specs)),
                actions=draft.specs,
                containers=tuple(draft.containers),
                things=tuple(things),
                groups=tuple(groups),
                sentences=tuple(draft.templates),
            )
