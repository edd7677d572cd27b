"""A worker on a folder of its own, with a model that answers from the prompt alone, or as a test scripts it."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.observations import Observable
from lucca_core.protocol.snapshots import Container, Pose, Snapshot, TableObject
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from worker_node.config import WorkerConfig
from worker_node.recorder import Recorder
from worker_node.worker import Worker

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))


class PromptModel:
    """Reads the asked line of a log as it stands, and selects what `wanted` wants of the objects on the table; then
    answers from `script`, if there is any left, instead."""

    spec = 'test'

    def __init__(self, wanted: Callable[[str], bool] = lambda name: True) -> None:
        self.wanted = wanted
        self.script: list[str | Exception] = []
        self.prompts: list[str] = []

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        [message] = messages
        self.prompts.append(message.content)
        answer = self.script.pop(0) if self.script else self._answer(message.content)
        if isinstance(answer, Exception):
            raise answer
        return ChatReply(text=answer, prompt_tokens=len(message.content) // 4, completion_tokens=3, model_s=0.0)

    def check(self, deadline_s: float) -> None:
        pass

    def _answer(self, prompt: str) -> str:
        if proposed := re.search(r'^Proposed: <\w+\((.*)\)>$', prompt, re.MULTILINE):
            return 'yes' if self.wanted(proposed[1]) else 'no'
        if asked := re.search(r'the names after "(.*):"\.', prompt):
            return re.findall(rf'^{re.escape(asked[1])}: (.*)$', prompt, re.MULTILINE)[-1]
        if 'Name what this sentence is about' in prompt:
            return 'none'
        [table] = re.findall(r'^Objects on the table: (.*)$', prompt, re.MULTILINE)
        [done] = re.findall(r'^Done so far: (.*)$', prompt, re.MULTILINE)
        names = [re.sub(r' \(.*\)', '', item) for item in table.split(', ')]
        return ', '.join(name for name in names if self.wanted(name) and f'({name})' not in done) or 'none'


class Table:
    """A table that tests move objects on; `snapshot()` is what perception would say."""

    def __init__(self, *names: str, containers: Sequence[str] = ('box 1', 'box 2')) -> None:
        self.ids = {name: f'o{number}' for number, name in enumerate(names, 1)}
        self.places = dict.fromkeys(names, 'table')
        self.labels = {name: name.rstrip(' 0123456789') for name in names}
        self.x_m = {name: 0.1 * number for number, name in enumerate(names, 1)}
        self.hidden: set[str] = set()
        self.stamp_s = 1.0
        self.containers = tuple(containers)

    def snapshot(self) -> Snapshot:
        return Snapshot(
            stamp_s=self.stamp_s,
            objects=tuple(
                TableObject(
                    object_id=self.ids[name],
                    name=name,
                    label=self.labels[name],
                    container=place,
                    pose_world=Pose((self.x_m[name], 0.0, 0.8)),
                    visible=name not in self.hidden,
                    inferred=name in self.hidden,
                )
                for name, place in self.places.items()
            ),
            containers=tuple(
                Container(name=box, contents=tuple(name for name, place in self.places.items() if place == box))
                for box in self.containers
            ),
        )

    def request(self, task: str, kind: str, action: str = '', name: str = '', **more: object) -> EntryRequest:
        return EntryRequest(
            task=task,
            kind=EntryKind(kind),
            snapshot=self.snapshot(),
            action=f'<{action}({name})>' if action else '',
            object_id=self.ids.get(name, ''),
            object_name=name,
            **more,  # type: ignore[arg-type]
        )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    with DataFolder.open(tmp_path / 'data', write=True) as opened:
        yield opened


@pytest.fixture
def model() -> PromptModel:
    return PromptModel()


class Bench:
    """A worker and what it stands on; `again()` is the worker after a restart."""

    def __init__(self, folder: DataFolder, model: PromptModel, config: WorkerConfig | None = None) -> None:
        self.folder, self.model, self.config = folder, model, config or WorkerConfig()
        self.book = TaskBook(load_tasks(), load_actions(), folder)
        self.recorder = Recorder(self.book, LogStore(folder))
        self.told: list[Observable] = []
        self.worker = Worker(model, self.book, self.recorder, self.config, observe=self.told.append)

    def again(self, **settings: object) -> 'Bench':
        return Bench(self.folder, self.model, replace(self.config, **settings))  # type: ignore[arg-type]

    def do(self, table: Table, task: str, action: str, name: str, to: str = '') -> int:
        """Records an action that works."""
        intent = self.worker.recorder.record(table.request(task, 'intent', action, name))
        table.places[name] = to or table.places[name]
        return self.worker.recorder.record(
            table.request(task, 'outcome', action, name, intent_id=intent, code='done', attempts=1)
        )


@pytest.fixture
def bench(folder: DataFolder, model: PromptModel) -> Bench:
    return Bench(folder, model)


@pytest.fixture
def make_table() -> type[Table]:
    return Table


@pytest.fixture
def make_bench(folder: DataFolder) -> Callable[..., Bench]:
    def make(model: PromptModel, **settings: object) -> Bench:
        return Bench(folder, model, WorkerConfig(**settings))  # type: ignore[arg-type]

    return make
