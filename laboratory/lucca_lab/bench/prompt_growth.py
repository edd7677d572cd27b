"""Benchmark of the coordinator's prompt: its length over the number of actions, with and without memory."""

import tempfile
from pathlib import Path

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Goal
from coordinator_node.tasks.goal_run import GoalRun
from coordinator_node.tasks.parts import make_parts
from lucca_cli.local_memory import LocalMemory
from lucca_core.errors import LuccaError
from lucca_core.protocol.entries import EntryRequest
from lucca_lab.symbolic_table import SymbolicTable, sample_objects
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from worker_node.recorder import Recorder
from worker_node.worker import Worker

NOUNS = ('apple', 'banana', 'pear', 'lemon', 'orange', 'plum', 'peach', 'cherry', 'mango', 'kiwi')
TASK = 'arrangement'
CONTAINERS = ('box 1', 'box 2', 'bowl')
ROOMY_TOKENS = 100_000
"""A window into which even the whole dialogue fits, since this measures what is sent, not what fits."""


class _Sink:
    """Passes the table's entries on to a worker that is made after the table."""

    worker: Worker

    def record(self, request: EntryRequest) -> int:
        return self.worker.recorder.record(request)


def prompt_tokens_per_action(*, objects: int, memory: bool) -> tuple[int, ...]:
    """Tokens of the prompt that led to each action of a long task, in which every object needs one action.

    Raises:
        LuccaError: not every object was handled.
    """
    tasks, actions = load_tasks(), load_actions()
    model = RuleBasedModel(context_tokens=ROOMY_TOKENS)
    sink = _Sink()
    fruit = [f'{NOUNS[number % len(NOUNS)]} (green)' for number in range(objects)]
    table = SymbolicTable(sample_objects(fruit), CONTAINERS, actions, sink)
    with (
        tempfile.TemporaryDirectory(prefix='lucca-prompts-') as name,
        DataFolder.open(Path(name), write=True) as folder,
    ):
        book = TaskBook(tasks, actions, folder)
        sink.worker = Worker(model, book, Recorder(book, LogStore(folder)))
        config = CoordinatorConfig(memory=memory, max_goal_tokens=100 * ROOMY_TOKENS)
        memory_port = LocalMemory(sink.worker)
        parts = make_parts(model, memory_port, table, table, config, tasks=tasks, action_specs=actions)
        goal = Goal(goal_id='prompts', task=TASK, max_actions=objects)
        result = GoalRun(parts, goal).run()
    if len(result.prompt_tokens) != objects:
        raise LuccaError(f'only {len(result.prompt_tokens)} of {objects} objects were handled: {result.reason}')
    return result.prompt_tokens
