"""The loop that runs one task to its end, step by step ("Robots Can Multitask Too", sections III-C to III-F).

In each step a fresh snapshot is taken, the model asks for the memories it needs, the worker builds them from that
snapshot, the model answers with one action, and the action node carries it out. Only the dialogue is kept between
goals: what was done is in the log, so that a goal can be resumed after any interruption.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import (
    ActionInterface,
    Flag,
    Goal,
    MemoryInterface,
    NothingProhibited,
    PerceptionInterface,
    ProhibitionsInterface,
    TaskResult,
    never,
)
from coordinator_node.model_caller import ModelCaller
from coordinator_node.prompts import Prompts
from coordinator_node.tasks.changes import TakeChanges, no_changes
from coordinator_node.tasks.dialogue import Dialogue
from coordinator_node.tasks.goal_access import Parts
from coordinator_node.tasks.goal_run import GoalRun
from coordinator_node.tasks.task_book import TaskBook
from coordinator_node.tasks.task_reading import check_understood
from coordinator_node.waits import Waits
from lucca_core.protocol.goals import OnFeedback
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import takes_short_prompts
from lucca_memory.procedural import ActionSpec, TaskSpec, load_actions, load_tasks


def load_known(config: CoordinatorConfig) -> tuple[Mapping[str, TaskSpec], Mapping[str, ActionSpec]]:
    """The tasks and the actions of the files that the settings name, by name.

    Raises:
        ConfigError: a file is wrong, or the rule-based reasoner does not understand a task.
    """
    actions = load_actions(Path(config.actions_file) if config.actions_file else None)
    tasks = load_tasks(Path(config.tasks_file) if config.tasks_file else None, actions)
    check_understood(tasks.values(), config.llm)
    return tasks, actions


class TaskLoop:
    """Runs goals one after the other. Not thread-safe."""

    def __init__(
        self,
        model: ChatModel,
        memory: MemoryInterface,
        actions: ActionInterface,
        perception: PerceptionInterface,
        config: CoordinatorConfig | None = None,
        *,
        tasks: Mapping[str, TaskSpec] | None = None,
        action_specs: Mapping[str, ActionSpec] | None = None,
        prompts: Prompts | None = None,
        waits: Waits | None = None,
        wall_clock: Callable[[], float] = time.time,
        prohibitions: ProhibitionsInterface | None = None,
    ) -> None:
        config = config or CoordinatorConfig()
        if tasks is None or action_specs is None:
            file_tasks, file_actions = load_known(config)
            tasks = file_tasks if tasks is None else tasks
            action_specs = file_actions if action_specs is None else action_specs
        waits = waits or Waits()
        short = config.memory and takes_short_prompts(model.spec, config.prompts)
        self.parts = Parts(
            asker=ModelCaller(model, config, waits),
            memory=memory,
            actions=actions,
            perception=perception,
            config=config,
            book=TaskBook(tasks, action_specs),
            prompts=prompts or Prompts(),
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

    def run(
        self,
        goal: Goal,
        cancelled: Flag = never,
        preempted: Flag = never,
        on_event: OnFeedback = lambda _: None,
        changes: TakeChanges = no_changes,
    ) -> TaskResult:
        """Runs a goal that names a task, until it ends with one of the values of `Status`.

        Args:
            goal: `goal.task` names a task that memory knows.
            cancelled: once true, the goal ends as soon as nothing moves any more.
            preempted: once true, the goal is suspended at the next safe point, never between intent and outcome.
            on_event: called in this thread with each piece of feedback.
            changes: returns the changes since its last call; see GoalQueue.take_changes.
        """
        self.parts.dialogue.begin_goal()
        return GoalRun(self.parts, goal, cancelled, preempted, on_event, changes).run()
