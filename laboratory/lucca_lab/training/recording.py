"""Decisions as the stack asks for them: the whole stack runs random scenes, with the teacher as its models."""

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from lucca_core.errors import LuccaError
from lucca_core.protocol.goals import Status
from lucca_lab.tasks.session import TaskSession
from lucca_lab.tasks.spec import Mode, Setting, TrialSpec
from lucca_lab.training.scenes import Scene, draw_scene
from lucca_lab.training.teacher import Decision, Teacher
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import LONG, SHORT
from lucca_memory.procedural import ActionSpec

NAMES = (
    'tidying', 'packing', 'evening', 'delivery', 'storage', 'parcel', 'shopping', 'exhibition', 'move', 'inventory',
    'sunday', 'lesson', 'stocktaking', 'visit', 'workshop', 'market',
)  # fmt: skip


def draw_session(chance: random.Random, words: str, *, memory: bool) -> list[Scene]:
    """Draws the scenes of one session. Without memory there are one to three, all described at its start."""
    count = 1 if memory else chance.choice((1, 2, 2, 3))
    return [draw_scene(name, chance, words) for name in chance.sample(NAMES, count)]


def record_session(scenes: Sequence[Scene], *, memory: bool, seed: int) -> list[Decision]:
    """Records what the stack asks while it does the tasks of the scenes in order, with the right answers.

    Raises:
        LuccaError: a task did not end as it should, so that an answer must have been wrong.
    """
    kept: list[Decision] = []
    now = [scenes[0]]
    actions: Mapping[str, ActionSpec] = {name: spec for scene in scenes for name, spec in scene.actions.items()}
    tables: dict[str, Any] = {}

    def make(spec: TrialSpec, who: str, calls: list[dict[str, Any]], closing: ExitStack) -> ChatModel:
        return Teacher(kept, lambda: tables[now[0].task.name].performed, lambda: now[0])

    setting = Setting(prompts=SHORT if memory else LONG, context_tokens=100_000)
    spec = TrialSpec(
        suite='training',
        mode=Mode.CONSECUTIVE,
        memory=memory,
        tasks=tuple(scene.task.name for scene in scenes),
        index=0,
        seed=seed,
        setting=setting,
    )
    with TaskSession(spec, {scene.task.name: scene.task for scene in scenes}, actions, make) as session:
        for scene in scenes:
            now[0] = scene
            tables[scene.task.name] = session.lay(
                scene.task.name, [thing.described for thing in scene.things], scene.containers
            )
            result = session.run(scene.task.name)
            if result.status is not Status.FINISHED or result.refusals:
                raise LuccaError(f'the teacher did not finish {scene.task}: {result.status} {result.reason}')
    return list(dict.fromkeys(kept))
