"""`Parts`, the parts of the coordinator that all goals use, made from its settings and its interfaces."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import (
    ActionInterface,
    MemoryInterface,
    NothingProhibited,
    PerceptionInterface,
    ProhibitionsInterface,
)
from coordinator_node.model_caller import ModelCaller
from coordinator_node.prompts import CoordinatorPrompts
from coordinator_node.tasks.dialogue import Dialogue
from coordinator_node.tasks.task_definitions import TaskDefinitions
from coordinator_node.tasks.task_reading import check_understood
from coordinator_node.waits import Waits
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import takes_short_prompts
from lucca_memory.procedural import ActionSpec, TaskSpec, load_actions, load_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that all goals use; made by `make_parts`."""

    asker: ModelCaller
    memory: MemoryInterface
    actions: ActionInterface
    perception: PerceptionInterface
    config: CoordinatorConfig
    definitions: TaskDefinitions
    prompts: CoordinatorPrompts
    dialogue: Dialogue
    waits: Waits
    wall_clock: Callable[[], float]
    prohibitions: ProhibitionsInterface = field(default_factory=NothingProhibited)
    short_prompts: bool = False
    """Memory is on, and the model is asked with short prompts for one decision at a time."""


def load_known(config: CoordinatorConfig) -> tuple[Mapping[str, TaskSpec], Mapping[str, ActionSpec]]:
    """The tasks and the actions of the files that the settings name, by name.

    Raises:
        ConfigError: a file is wrong, or the rule-based reasoner does not understand a task.
    """
    actions = load_actions(Path(config.actions_file) if config.actions_file else None)
    tasks = load_tasks(Path(config.tasks_file) if config.tasks_file else None, actions)
    check_understood(tasks.values(), config.llm)
    return tasks, actions


def make_parts(
    model: ChatModel,
    memory: MemoryInterface,
    actions: ActionInterface,
    perception: PerceptionInterface,
    config: CoordinatorConfig,
    *,
    tasks: Mapping[str, TaskSpec] | None = None,
    action_specs: Mapping[str, ActionSpec] | None = None,
    prompts: CoordinatorPrompts | None = None,
    waits: Waits | None = None,
    wall_clock: Callable[[], float] = time.time,
    prohibitions: ProhibitionsInterface | None = None,
) -> Parts:
    """The parts for these settings.

    Args:
        model: is asked for the calls of tasks.
        memory, actions, perception: the other nodes.
        config: the settings.
        tasks, action_specs: what is known, by name; None for the files that the settings name.
        prompts: the prompts of tasks.
        waits: clock and sleep.
        wall_clock: UTC time in s.
        prohibitions: the prohibitions that the action node keeps; None if there are none.

    Raises:
        ConfigError: see `load_known`.
        ValueError: the settings do not fit the model.
    """
    if tasks is None or action_specs is None:
        file_tasks, file_actions = load_known(config)
        tasks = file_tasks if tasks is None else tasks
        action_specs = file_actions if action_specs is None else action_specs
    waits = waits or Waits()
    short = config.memory and takes_short_prompts(model.spec, config.prompts)
    return Parts(
        asker=ModelCaller(model, config, waits),
        memory=memory,
        actions=actions,
        perception=perception,
        config=config,
        definitions=TaskDefinitions(tasks, action_specs),
        prompts=prompts or CoordinatorPrompts(),
        dialogue=Dialogue(
            memory=config.memory and not config.whole_dialogue,
            turns_kept=0 if short else config.turns_kept,
            base_role='user' if config.base_role == 'user' else 'system',
            context_tokens=config.context_tokens,
        ),
        waits=waits,
        wall_clock=wall_clock,
        prohibitions=prohibitions or NothingProhibited(),
        short_prompts=short,
    )
