"""The MemoryInterface of the coordinator on a worker in this process, without ROS, for tests and experiments."""

from collections.abc import Iterator
from contextlib import contextmanager

from coordinator_node.interfaces import Flag
from lucca_core.errors import MemoryFault, ModelError
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.retrieved import Retrieved, Review
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from worker_node.worker import Worker


@contextmanager
def _model_failures() -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        raise MemoryFault(f'the worker model failed: {error}') from error


class LocalMemory:
    """One worker in this process."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """See MemoryInterface."""
        with _model_failures():
            return self.worker.retrieve_declarative(task, snapshot)

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()) -> Retrieved:
        """See MemoryInterface."""
        with _model_failures():
            return self.worker.retrieve_working(task, snapshot, prohibited)

    def review(
        self, task: str, proposed: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()
    ) -> Review:
        """See MemoryInterface."""
        with _model_failures():
            return self.worker.review(task, proposed, snapshot, prohibited)

    def record(
        self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '', description: str = ''
    ) -> int:
        """See MemoryInterface."""
        return self.worker.recorder.record(
            EntryRequest(
                task=task, kind=EntryKind(kind), snapshot=snapshot, code=code, note=note, description=description
            )
        )

    def tasks(self) -> tuple[TaskState, ...]:
        """See MemoryInterface."""
        return tuple(item.state for item in self.worker.tasks())

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        """See MemoryInterface."""
        return self.worker.teach(name, description, actions)
