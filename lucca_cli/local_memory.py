"""The worker behind the coordinator's MemoryPort without ROS, for tests and experiments."""

from coordinator_node.ports import Flag, OpenIntent, Retrieved, Review, TaskStatus
from lucca_core.errors import MemoryFault, ModelError
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import Snapshot
from worker_node.answers import Retrieved as WorkerRetrieved
from worker_node.worker import Worker


class LocalMemory:
    """One worker in this process."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """See MemoryPort."""
        try:
            return _retrieved(self.worker.retrieve_declarative(task, snapshot))
        except ModelError as error:
            raise MemoryFault(f'the worker model failed: {error}') from error

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """See MemoryPort."""
        try:
            return _retrieved(self.worker.retrieve_working(task, snapshot))
        except ModelError as error:
            raise MemoryFault(f'the worker model failed: {error}') from error

    def review(self, task: str, proposed: str, snapshot: Snapshot, *, cancelled: Flag) -> Review:
        """See MemoryPort."""
        try:
            found = self.worker.review(task, proposed, snapshot)
        except ModelError as error:
            raise MemoryFault(f'the worker model failed: {error}') from error
        return Review(fits=found.fits, usage=found.usage)

    def record(self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '') -> int:
        """See MemoryPort."""
        return self.worker.record(
            EntryRequest(task=task, kind=EntryKind(kind), snapshot=snapshot, code=code, note=note)
        )

    def tasks(self) -> tuple[TaskStatus, ...]:
        """See MemoryPort."""
        return tuple(
            TaskStatus(
                task=item.task.name,
                description=item.task.description,
                actions=item.task.actions,
                status=str(item.log.status),
                actions_done=tuple(done.action for done in item.log.actions_done),
                done_before=tuple(done.action for done in item.log.done_before),
                undone=tuple(done.action for done in item.log.undone),
                left=item.left,
                open_intent=item.log.open_intent.action if item.log.open_intent else '',
                repeated=item.log.repeated,
                retries=item.log.retries,
                described=item.task.described,
            )
            for item in self.worker.tasks()
        )

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        """See MemoryPort."""
        return self.worker.teach(name, description, actions)


def _retrieved(found: WorkerRetrieved) -> Retrieved:
    intent = found.open_intent
    return Retrieved(
        text=found.text,
        to_do=found.to_do,
        actions_done=found.actions_done,
        open_intent=None
        if intent is None
        else OpenIntent(
            intent_id=intent.intent_id,
            action=intent.action,
            object_id=intent.object_id,
            object_name=intent.object_name,
        ),
        world_changed=found.world_changed,
        corrections=found.corrections,
        doubt=found.message,
        usage=found.usage,
    )
