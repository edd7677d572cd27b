"""Attack on the writing of logs: full disks, second writers, clocks that go back, other versions, disorder.

`log-cuts` damages the files of a log as accidents do, which their checksums find. Here the checksums of foreign logs
and of entries in disorder are right, and the other faults meet a robot while it writes.
"""

import os
import random
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from lucca_core.errors import FolderInUseError, MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.full_disk import check_aside, full_disk
from lucca_lab.attack.logging_robot import TASK, LoggingRobot
from lucca_lab.attack.written_logs import quiet
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.blocks import entry_block, header_of
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.log import TaskLog

_JUMPS_S = (-1e-6, -1.0, -3_600.0, -86_400.0, -400 * 86_400.0, 0.0, 1.0, 86_400.0)
_NEWER = ('2', '3', '99', '1000000')
_UNKNOWN = ('0', '-1', '', 'x', '1.0', '+1', '01', ' 1', '1_0', '\u0661', 'None', '9' * 5_000)
_SECOND_WRITER = """
import sys
from pathlib import Path
from lucca_core.errors import FolderInUseError
from lucca_memory.data_folder import DataFolder
try:
    DataFolder.open(Path(sys.argv[1]), write=True)
except FolderInUseError:
    sys.exit(7)
"""


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    numbers = iter(range(10**9))

    def trial(chance: random.Random) -> Counts:
        kind = chance.choice(tuple(_FAULTS))
        with ExitStack() as patched:
            # Nothing here cuts the power, so nothing has to wait for the disk.
            for name in ('fsync', 'fdatasync'):
                patched.enter_context(patch.object(os, name, lambda descriptor: None))
            robot = LoggingRobot(folder / str(next(numbers)))
            try:
                counts = _FAULTS[kind](robot, chance)
                robot.check_after_restart(chance)
            except Broken as broken:
                raise Broken(f'{kind}: {broken}') from broken
            finally:
                robot.data.close()
        return {kind: 1, **counts, 'acknowledged': len(robot.acknowledged)}

    with quiet():
        yield trial


# -- a second writer -------------------------------------------------------------------------------------------------


def _second_writer(robot: LoggingRobot, chance: random.Random) -> Counts:
    robot.act_well(chance, chance.randint(1, 4))
    how = chance.choices(
        (_of_the_folder, _of_the_log, _with_a_new_lock, _without_the_lock, _in_a_process), (25, 25, 25, 25, 1)
    )[0]
    how(robot, chance)
    return {f'second writer {how.__name__.strip("_").replace("_", " ")}': 1}


def _of_the_folder(robot: LoggingRobot, chance: random.Random) -> None:
    try:
        DataFolder.open(robot.folder, write=True).close()
    except FolderInUseError as error:
        if f'process {os.getpid()}' not in str(error):
            raise Broken(f'it does not say who holds the folder: {error}') from error
    else:
        raise Broken('a second writer of the folder was let in')
    robot.act_well(chance, 1)


def _of_the_log(robot: LoggingRobot, chance: random.Random) -> None:
    other = TaskLog(robot.data, TASK, lambda: robot.time)
    _append(robot, other)
    _check_refused(robot, chance, 'changed by another process')


def _with_a_new_lock(robot: LoggingRobot, chance: random.Random) -> None:
    (robot.folder / 'lock').unlink()
    if chance.random() < 0.5:
        _check_refused(robot, chance, 'lock')
    with DataFolder.open(robot.folder, write=True) as other:
        _append(robot, TaskLog(other, TASK, lambda: robot.time))
        _check_refused(robot, chance, 'lock')


def _without_the_lock(robot: LoggingRobot, chance: random.Random) -> None:
    with DataFolder.open(robot.folder, write=False) as other:
        log = TaskLog(other, TASK)
        try:
            log.append(Entry(kind=EntryKind.RESUMED))
        except MemoryFault:
            robot.act_well(chance, 1)
            return
    raise Broken('a reader wrote an entry')


def _in_a_process(robot: LoggingRobot, chance: random.Random) -> None:
    code = subprocess.run([sys.executable, '-c', _SECOND_WRITER, str(robot.folder)], check=False).returncode
    if code != 7:
        raise Broken(f'a second process ended with {code} where it should have been refused')
    robot.act_well(chance, 1)


def _append(robot: LoggingRobot, log: TaskLog) -> None:
    kind = EntryKind.STARTED if not log.entries else EntryKind.SUSPENDED
    robot.acknowledged.append(entry_to_text(log.append(Entry(kind=kind))))


def _check_refused(robot: LoggingRobot, chance: random.Random, reason: str) -> None:
    before = robot.path.read_bytes()
    told = robot.act(chance)
    if reason not in told:
        raise Broken(f'{reason!r} should be told, not {told!r}')
    if robot.path.read_bytes() != before:
        raise Broken('it was refused, and yet written')
    robot.check()


# -- a clock that goes back ------------------------------------------------------------------------------------------


def _clock(robot: LoggingRobot, chance: random.Random) -> Counts:
    back = 0
    times = []
    for _ in range(chance.randint(4, 12)):
        jump_s = chance.choice(_JUMPS_S)
        robot.time += timedelta(seconds=jump_s)
        known = len(robot.acknowledged)
        robot.act_well(chance, 1)
        back += jump_s < 0
        times += [robot.time] * (len(robot.acknowledged) - known)
        state = robot.recorder.state(TASK)
        if chance.random() < 0.2:
            robot.restart()
            if robot.recorder.state(TASK) != state:
                raise Broken('after a restart the task stands elsewhere')
        if chance.random() < 0.1:
            before = set(robot.path.parent.iterdir())
            robot.logs.set_aside(TASK)
            check_aside(set(robot.path.parent.iterdir()) - before, robot.acknowledged)
            robot.acknowledged.clear()
            times.clear()
    found = robot.entries()
    if [entry.time for entry in found] != times or [entry.entry_id for entry in found] != list(
        range(1, len(times) + 1)
    ):
        raise Broken(f'{len(times)} entries were written, and read in another order or with other times')
    return {'clock went back': back}


# -- logs of other versions, and in disorder -------------------------------------------------------------------------


def _version(robot: LoggingRobot, chance: random.Random) -> Counts:
    robot.act_well(chance, chance.randint(1, 5))
    newer = chance.random() < 0.5
    version = chance.choice(_NEWER if newer else _UNKNOWN)
    body = header_of(TASK).rpartition(b'Check: ')[0].replace(b'format 1\n', f'format {version}\n'.encode())
    check = zlib.crc32(body)
    log = _chained(body + b'Check: %08x\n' % check, check, robot.entries())
    said = _refused_log(robot, log, chance, with_head=chance.random() < 0.5)
    if newer and 'newer lucca' not in said:
        raise Broken(f'a log of format {version} is refused, but not as newer: {said}')
    return {f'{"newer" if newer else "unknown"} version refused': 1}


def _folder_version(robot: LoggingRobot, chance: random.Random) -> Counts:
    robot.act_well(chance, chance.randint(1, 5))
    robot.data.close()
    file = robot.folder / 'format'
    whole = file.read_bytes()
    older = chance.random() < 0.3
    version = '1' if older else chance.choice((*_NEWER[1:], *_UNKNOWN))
    file.write_bytes(whole.replace(b'format 2', f'format {version}'.encode()))
    if older:
        # Logs had no heads then.
        robot.path.with_suffix('.head').unlink()
        robot.check()
        return {'older folder taken over': 1}
    before = {path: path.read_bytes() for path in robot.folder.rglob('*') if path.is_file()}
    for write in (False, True):
        try:
            DataFolder.open(robot.folder, write=write).close()
        except MemoryFault:
            continue
        raise Broken(f'a folder of format {version!r} was opened')
    after = {path: path.read_bytes() for path in robot.folder.rglob('*') if path.is_file()}
    if {path for path in before if before[path] != after.get(path)} - {robot.folder / 'lock'}:
        raise Broken(f'a folder of format {version!r} was refused, and yet changed')
    file.write_bytes(whole)
    return {'folder of another version refused': 1}


def _disorder(robot: LoggingRobot, chance: random.Random) -> Counts:
    robot.act_well(chance, chance.randint(2, 5))
    entries = list(robot.entries())
    one, other = chance.sample(range(len(entries)), 2)
    kind = chance.choice(('swapped', 'doubled', 'moved'))
    if kind == 'swapped':
        entries[one], entries[other] = entries[other], entries[one]
    elif kind == 'doubled':
        entries.insert(chance.randint(0, len(entries)), entries[one])
    else:
        entries.insert(other, entries.pop(one))
    if chance.random() < 0.3:
        # Numbered anew, too: then only the head knows better. A double at the very end is what a crash may leave.
        numbered = [replace(entry, entry_id=number) for number, entry in enumerate(entries, 1)]
        if numbered[: len(robot.acknowledged)] != list(robot.entries()):
            entries = numbered
    header = header_of(TASK)
    _refused_log(robot, _chained(header, int(header[-9:-1], 16), entries), chance)
    return {f'{kind} refused': 1}


def _chained(header: bytes, check: int, entries: Sequence[Entry]) -> bytes:
    data = header
    for entry in entries:
        block, check = entry_block(entry_to_text(entry), check)
        data += block
    return data


def _refused_log(robot: LoggingRobot, data: bytes, chance: random.Random, *, with_head: bool = True) -> str:
    """Checks that a log in the place of the robot's is refused and left alone; puts the robot's back.

    Returns the reason.
    """
    head_path = robot.path.with_suffix('.head')
    whole, head = robot.path.read_bytes(), head_path.read_bytes()
    robot.data.close()
    robot.path.write_bytes(data)
    if not with_head:
        head_path.unlink()
    robot.start()
    told = robot.act(chance)
    try:
        robot.entries(odd=True)
    except MemoryFault as error:
        said = str(error)
    else:
        raise Broken(f'it is read: {data[:80]!r}')
    if not told or robot.path.read_bytes() != data:
        raise Broken(f'it was written to or acted upon: {told}')
    robot.path.write_bytes(whole)
    head_path.write_bytes(head)
    return said


_FAULTS: dict[str, Callable[[LoggingRobot, random.Random], Counts]] = {
    'full disk': full_disk,
    'second writer': _second_writer,
    'clock': _clock,
    'version': _version,
    'folder version': _folder_version,
    'disorder': _disorder,
}

PART = Attack(
    name='log-faults',
    promise='Acknowledged entries are read as written; what cannot be written is told and moves nothing; one writer.',
    open=_open,
    sample=50,
    count=20_000,
)
