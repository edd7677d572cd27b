"""A robot without geometry that records what it does, and what must hold of its log whatever happens to the disk."""

import random
from datetime import UTC, datetime
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.observations import LogEntry
from lucca_core.protocol.retrieved import OpenIntent
from lucca_core.protocol.snapshots import TABLE
from lucca_lab.attack.attack import Broken
from lucca_lab.attack.log_laws import log_faults
from lucca_lab.symbolic_table import SymbolicTable, sample_objects
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.log import LogStore, TaskLog, log_path
from lucca_memory.declarative.replay import TaskStatus
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from worker_node.recorder import Recorder

TASK = 'sorting'
_OBJECTS = ('apple (red)', 'banana (yellow)', 'cup (blue)', 'pear (green)')
_TASKS, _ACTIONS = load_tasks(), load_actions()
_NOT_RECORDED = 'nothing was recorded'


class LoggingRobot:
    """The recorder of a worker on a data folder, and a table on which things move only as it acknowledges.

    `time` is its wall clock. `acknowledged` holds the texts of the entries that the log must hold, oldest first.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = datetime(2026, 3, 1, tzinfo=UTC)
        self.acknowledged: list[str] = []
        self.table = SymbolicTable(sample_objects(_OBJECTS), ('box 1', 'box 2'), _ACTIONS, self)
        self.start()
        self.path = log_path(self.data, TASK)

    def start(self) -> None:
        """Opens the folder, as a worker that starts does.

        Raises:
            MemoryFault: it cannot be opened.
        """
        self.data = DataFolder.open(self.folder, write=True)
        try:
            book = TaskBook(_TASKS, _ACTIONS, self.data, lambda: self.time)
        except BaseException:
            self.data.close()
            raise
        self.logs = LogStore(self.data, lambda: self.time)
        self.recorder = Recorder(book, self.logs, self._observe)

    def restart(self) -> None:
        """Starts again, as after a crash."""
        self.data.close()
        self.start()

    def record(self, request: EntryRequest) -> int:
        """Records an entry for the table; see `EntrySink`."""
        return self.recorder.record(request)

    def act(self, chance: random.Random) -> str:
        """Does the next step of the task; returns an empty text, or the reason why it was not recorded.

        Raises:
            Broken: something moved without an acknowledged intent, or nothing was told.
        """
        moved, known = len(self.table.performed), len(self.acknowledged)
        try:
            told = self._step(chance)
        except MemoryFault as error:
            told = str(error) or repr(error)
        done = self.table.performed[moved:]
        intents = [text for text in self.acknowledged[known:] if '\nKind: intent\n' in text]
        if any(not any(action in text for text in intents) for action in done):
            raise Broken(f'{done} moved without an acknowledged intent; {told}')
        if not told and len(self.acknowledged) == known:
            raise Broken('nothing was recorded, and nothing told')
        return told

    def _step(self, chance: random.Random) -> str:
        state = self.recorder.state(TASK)
        if state.status is TaskStatus.NEW:
            self.record(EntryRequest(task=TASK, kind=EntryKind.STARTED, snapshot=self.table.snapshot()))
            return ''
        if state.open_intent is not None:
            found = state.open_intent
            intent = OpenIntent(
                intent_id=found.entry_id,
                action=found.action,
                object_id=found.object_id,
                object_name=found.object_name,
            )
            return _told(self.table.settle(TASK, intent, self.table.snapshot(), cancelled=lambda: False))
        away = [item.name for item in self.table.snapshot().objects if item.container != TABLE]
        if away and (len(away) == len(_OBJECTS) or chance.random() < 0.2):
            self.table.put(chance.choice(away))
        snapshot = self.table.snapshot()
        name = chance.choice([item.name for item in snapshot.objects if item.container == TABLE])
        actions = _TASKS[TASK].actions
        request = ActionRequest(
            text=f'<{chance.choice(actions)}({name})>', task=TASK, allowed_actions=actions, snapshot=snapshot
        )
        return _told(self.table.execute(request, cancelled=lambda: False))

    def act_well(self, chance: random.Random, count: int) -> None:
        """Does some steps, of which each must be recorded."""
        for _ in range(count):
            if told := self.act(chance):
                raise Broken(f'nothing is wrong any more, and it is told: {told}')

    def entries(self, *, odd: bool = False) -> tuple[Entry, ...]:
        """The entries that a reader finds; it may say that something is odd only if that is expected."""
        with DataFolder.open(self.folder, write=False) as data:
            log = TaskLog(data, TASK)
        if log.odd and not odd:
            raise Broken(f'a log that nobody damaged is odd: {log.odd}')
        return log.entries

    def check(self, told: str = '', *, odd: bool = False) -> None:
        """Checks that a reader finds what was acknowledged; after a failure that left it open, perhaps one more."""
        found = [entry_to_text(entry) for entry in self.entries(odd=odd)]
        known = len(self.acknowledged)
        if found[:known] != self.acknowledged:
            same = next(
                (i for i, pair in enumerate(zip(found, self.acknowledged, strict=False)) if len(set(pair)) > 1), 0
            )
            raise Broken(f'{known} entries were acknowledged, {len(found)} read; {same} are the same; told: {told}')
        if len(found) > known + bool(told) or (len(found) > known and _NOT_RECORDED in told):
            raise Broken(f'{len(found) - known} entries more than acknowledged are read; told: {told}')

    def check_after_restart(self, chance: random.Random, told: str = '') -> None:
        """Starts again and checks everything, also that the log goes on and keeps its laws."""
        self.restart()
        self.check(told)
        self.acknowledged = [entry_to_text(entry) for entry in self.entries()]
        self.act_well(chance, 3)
        while self.recorder.state(TASK).open_intent is not None:
            self.act_well(chance, 1)
        self.check()
        if faults := log_faults(self.entries(), _TASKS[TASK], _ACTIONS):
            raise Broken('; '.join(faults))

    def _observe(self, entry: object) -> None:
        if isinstance(entry, LogEntry):
            self.acknowledged.append(entry.text)


def _told(result: ActionResult) -> str:
    """The reason why an action was not recorded as a whole; empty if it was."""
    if result.intent_id and result.outcome_id:
        return ''
    if not result.message:
        raise Broken(f'an action was not recorded, and nothing is told: {result}')
    return result.message
