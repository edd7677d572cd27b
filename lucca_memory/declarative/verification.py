"""Integrity reports for the logs of a data folder (`lucca log --verify`)."""

from dataclasses import dataclass
from urllib.parse import unquote

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_memory.data_folder import DataFolder, file_name
from lucca_memory.declarative.head import SUFFIX
from lucca_memory.declarative.log import TaskLog, existing_log, task_in


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLog:
    """The result for one log: intact, damaged, or with an oddity that cost no entries."""

    task: str
    entries: int = 0
    damage: str = ''
    odd: str = ''

    def sentence(self) -> str:
        """The result in words."""
        if self.damage:
            return self.damage
        whole = f'{self.entries} entries, whole' if self.entries != 1 else '1 entry, whole'
        return f'{self.task}: {whole}{f"; {self.odd}" if self.odd else ""}'


def verify_log(folder: DataFolder, task: str) -> CheckedLog:
    """Checks the log of a task.

    Raises:
        MemoryFault: there is none, or it cannot be read for a reason other than damage.
    """
    try:
        return _checked(existing_log(folder, task))
    except LogDamagedError as error:
        return CheckedLog(task=task, damage=str(error))


def verify_logs(folder: DataFolder) -> tuple[CheckedLog, ...]:
    """Checks every log of a folder, including those of which only the head is left."""
    found = []
    stems = {path.stem for suffix in ('.log', SUFFIX) for path in folder.tasks_path.glob(f'*{suffix}')}
    for stem in sorted(stems):
        task = _task_of(folder, stem)
        try:
            found.append(_checked(TaskLog(folder, task)))
        except MemoryFault as error:
            found.append(CheckedLog(task=task, damage=str(error)))
    return tuple(found)


def _checked(log: TaskLog) -> CheckedLog:
    return CheckedLog(task=log.task, entries=len(log.entries), odd=log.odd)


def _task_of(folder: DataFolder, stem: str) -> str:
    """A task's name from its file name, or from the log's header if it was too long for a file name."""
    task = unquote(stem, errors='surrogatepass') if stem != '%' else ''
    if file_name(task) == stem:
        return task
    try:
        return task_in(folder.tasks_path / f'{stem}.log')
    except (MemoryFault, OSError):
        return stem
