"""The PeopleInterface of the coordinator without ROS, for `lucca chat --data`, tests and experiments."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from coordinator_node.people.interface import PeopleInterface
from lucca_cli.local_memory import LocalMemory
from lucca_llm.model import ChatModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore
from lucca_memory.people.config import PeopleConfig
from lucca_memory.procedural import ActionSpec, TaskSpec, load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from worker_node.people.config import DeskConfig
from worker_node.people.desks import Desks
from worker_node.people.opening import open_desk, opened_store, usable_embedder
from worker_node.recorder import Recorder
from worker_node.worker import Worker


class LocalPeople(PeopleInterface):
    """PeopleInterface on desks in this process."""

    def __init__(self, desks: Desks) -> None:
        super().__init__(desks.answer)
        self.desks = desks


@contextmanager
def local_worker(
    data_dir: Path,
    model: ChatModel,
    *,
    embedding: str = '',
    config: DeskConfig | None = None,
    tasks: Mapping[str, TaskSpec] | None = None,
    actions: Mapping[str, ActionSpec] | None = None,
) -> Iterator[tuple[LocalMemory, LocalPeople]]:
    """A worker on a data folder in this process, for the length of the block: access to tasks, and to people.

    Args:
        data_dir: the folder; its lock is taken.
        model: the worker's model.
        embedding: embedding spec; empty for the default.
        config: settings of the desk.
        tasks: tasks by name; by default those of `config/tasks.yaml`.
        actions: actions by name; by default those of `config/actions.yaml`.

    Raises:
        FolderInUseError: another process writes the folder.
        MemoryFault: the folder cannot be used.
        ConfigError: the spec is not valid, or tasks or actions cannot be read.
    """
    people = PeopleConfig(embedding=embedding) if embedding else PeopleConfig()
    with ExitStack() as stack:
        folder = stack.enter_context(DataFolder.open(data_dir, write=True))
        settings = config or DeskConfig()
        store = stack.enter_context(opened_store(settings.store, folder))
        actions = load_actions() if actions is None else actions
        book = TaskBook(load_tasks(None, actions) if tasks is None else tasks, actions, folder)
        recorder = Recorder(book, LogStore(folder))
        embedder = usable_embedder(people.embedding)
        desks = stack.enter_context(open_desk(folder, store, model, recorder.new_entries, settings, people, embedder))
        yield LocalMemory(Worker(model, book, recorder)), LocalPeople(desks)
