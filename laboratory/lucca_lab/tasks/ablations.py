"""Memory ablations: the stack without parts of its memory, each as a `MemoryInterface`."""

from dataclasses import replace

from coordinator_node.interfaces import Flag
from lucca_cli.local_memory import LocalMemory
from lucca_core.protocol.retrieved import Retrieved
from lucca_core.protocol.snapshots import Snapshot
from lucca_lab.tasks.spec import Ablation, TrialSpec
from lucca_memory.declarative.log import LogStore
from lucca_memory.declarative.replay import TaskLogState
from lucca_memory.task_book import TaskBook
from worker_node.config import WorkerConfig
from worker_node.recorder import Recorder, TaskView
from worker_node.worker import Worker

NOT_KEPT = 'No memory of this kind is kept.'


class CountingMemory(LocalMemory):
    """A worker in this process that counts how often what its model read was corrected."""

    corrections = 0

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """Retrieves as `MemoryInterface.declarative` says, and counts corrections."""
        found = super().declarative(task, snapshot, cancelled=cancelled)
        self.corrections += found.corrections
        return found

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()) -> Retrieved:
        """Retrieves as `MemoryInterface.working` says, and counts corrections."""
        found = super().working(task, snapshot, cancelled=cancelled, prohibited=prohibited)
        self.corrections += found.corrections
        return found


class WorkingOnly(CountingMemory):
    """The worker sees the table and the task, but no log."""

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """Returns a text that says that nothing is kept."""
        return Retrieved(text=NOT_KEPT)


class DeclarativeOnly(CountingMemory):
    """The worker reads the log, but leaves it to the coordinator to select the relevant objects."""

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()) -> Retrieved:
        """Returns a text that says that nothing is kept."""
        return Retrieved(text=NOT_KEPT)


class BlindRecorder(Recorder):
    """Writes logs but never gives them back."""

    def look(self, task: str, snapshot: Snapshot, last: int) -> TaskView:
        """The view of a task in which nothing was ever done."""
        return TaskView(log=(), state=TaskLogState(), now={})


def make_recorder(ablation: str, book: TaskBook, logs: LogStore) -> Recorder:
    """The worker's recorder under an ablation."""
    return BlindRecorder(book, logs) if ablation == Ablation.WORKING_ONLY else Recorder(book, logs)


def memory_port(ablation: str, worker: Worker) -> CountingMemory:
    """The coordinator's memory under an ablation."""
    kinds = {Ablation.WORKING_ONLY.value: WorkingOnly, Ablation.DECLARATIVE_ONLY.value: DeclarativeOnly}
    return kinds.get(ablation, CountingMemory)(worker)


def worker_config(spec: TrialSpec) -> WorkerConfig:
    """The worker's settings in a trial."""
    setting = spec.setting
    config = WorkerConfig(
        exact_log=setting.ablation == Ablation.EXACT_LOG,
        constrain=setting.safeguards and setting.grammar,
        prompts=setting.prompts,
        answer_tokens=setting.answer_tokens,
        seed=spec.model_seed('worker'),
    )
    if not setting.safeguards or setting.ablation == Ablation.NO_REPAIR:
        return replace(config, correct=setting.safeguards, repairs=0)
    return config
