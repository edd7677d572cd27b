"""Memory ablations: the stack with parts of its memory removed, each as a `MemoryInterface`."""

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
    """One worker in this process; counts how often what its model read was corrected."""

    corrections = 0

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """See MemoryInterface."""
        found = super().declarative(task, snapshot, cancelled=cancelled)
        self.corrections += found.corrections
        return found

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """See MemoryInterface."""
        found = super().working(task, snapshot, cancelled=cancelled)
        self.corrections += found.corrections
        return found


class WorkingOnly(CountingMemory):
    """The worker sees the table and the task, and no log."""

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """Nothing is known of what was done."""
        return Retrieved(text=NOT_KEPT)


class DeclarativeOnly(CountingMemory):
    """The worker reads the log; which objects matter is left to the coordinator."""

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """Nothing is selected."""
        return Retrieved(text=NOT_KEPT)


class BlindRecorder(Recorder):
    """Writes logs that nobody gets to read back."""

    def look(self, task: str, snapshot: Snapshot, last: int) -> TaskView:
        """A task that nothing was ever done in."""
        return TaskView(log=(), state=TaskLogState(), now={})


def make_recorder(ablation: str, book: TaskBook, logs: LogStore) -> Recorder:
    """The recorder of the worker under an ablation."""
    return BlindRecorder(book, logs) if ablation == Ablation.WORKING_ONLY else Recorder(book, logs)


def memory_port(ablation: str, worker: Worker) -> CountingMemory:
    """The memory of the coordinator under an ablation."""
    kinds = {Ablation.WORKING_ONLY.value: WorkingOnly, Ablation.DECLARATIVE_ONLY.value: DeclarativeOnly}
    return kinds.get(ablation, CountingMemory)(worker)


def worker_config(spec: TrialSpec) -> WorkerConfig:
    """The worker's settings of a trial."""
    setting = spec.setting
    config = WorkerConfig(
        exact_log=setting.ablation == Ablation.EXACT_LOG,
        constrain=setting.safeguards and setting.grammar,
        prompts=setting.prompts,
        seed=spec.model_seed('worker'),
    )
    if not setting.safeguards or setting.ablation == Ablation.NO_REPAIR:
        return replace(config, correct=setting.safeguards, repairs=0)
    return config
