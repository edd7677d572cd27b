"""Draws tasks with their tables for training: the rule first, as data; the sentences and the truth follow from it.

Shares no word list and no sentence with the evaluation; `overlap.py` counts.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from lucca_lab.training.scene_draft import TRAIN, Draft, Thing
from lucca_lab.training.scene_rules import RULES
from lucca_memory.procedural import ActionSpec, TaskSpec


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A task, its table, and its truth: for each group of the order, the action of each object by name."""

    task: TaskSpec
    actions: Mapping[str, ActionSpec]
    containers: tuple[str, ...]
    things: tuple[Thing, ...]
    groups: tuple[Mapping[str, str], ...]
    sentences: tuple[str, ...] = ()
    """The templates that the description is made of, for the comparison with the evaluation."""

    @property
    def wanted(self) -> dict[str, str]:
        """The action of each object that the task asks for."""
        return {name: action for group in self.groups for name, action in group.items()}


def draw_scene(name: str, chance: random.Random, words: str = TRAIN) -> Scene:
    """One scene.

    Args:
        name: of its task.
        chance: where everything is drawn from.
        words: TRAIN, or UNSEEN for categories that no training scene has.
    """
    while True:
        draft = Draft(chance, words)
        rule = chance.choices(*zip(*RULES, strict=True))[0]
        things, groups, sentences = rule(draft)
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
