"""A disk that is full, or gone, while a log is written, opened or set aside."""

import errno
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lucca_core.errors import MemoryFault
from lucca_lab.attack.attack import Broken, Counts
from lucca_lab.attack.failing_call import FailingCall
from lucca_lab.attack.logging_robot import TASK, LoggingRobot
from lucca_memory.declarative.blocks import parse_log
from lucca_memory.declarative.entry import entry_to_text

CALLS = ('write', 'pwrite', 'fsync', 'fdatasync', 'open', 'ftruncate', 'replace', 'rename', 'unlink')
"""The calls of `os` with which a log, its head and its folder are written."""

_ERRORS = (errno.ENOSPC, errno.ENOSPC, errno.EDQUOT, errno.EIO)
_MOMENTS = 30
"""Moments that are drawn for one trial until a call has failed."""
_TORN = b'\nEntry 999\nKind: intent\nAct'


def full_disk(robot: LoggingRobot, chance: random.Random) -> Counts:
    """Draws a moment and a call that fails in it, until one has failed.

    Raises:
        Broken: an entry was lost, or a failure was not told.
    """
    for _ in range(_MOMENTS):
        moment = chance.choice(tuple(_DISK_MOMENTS))
        call, short = chance.choice(CALLS), chance.random() < 0.5
        number = chance.choice(_ERRORS)
        fault = FailingCall(
            OSError(number, os.strerror(number)), chance.choice((1, 1, 2, 1000)), chance.choice((0, 1, 2, 3))
        )
        failing = _short(fault, getattr(os, call), chance) if short and 'write' in call else None
        with patch.object(os, call, failing or fault.around(getattr(os, call))):
            try:
                _DISK_MOMENTS[moment](robot, chance, fault)
            except Broken as broken:
                drawn = f'{moment}, {"short " if failing else ""}{call} fails {fault.raised} times with {fault.error}'
                raise Broken(f'{drawn}: {broken}') from broken
        if fault.raised:
            return {f'full disk, {moment}, {call}': 1}
    raise Broken(f'no call failed in {_MOMENTS} moments')


def _short(fault: FailingCall, call: Callable[..., int], chance: random.Random) -> Callable[..., int]:
    def some(descriptor: int, data: bytes, *rest: Any) -> int:
        return call(descriptor, data[: chance.randrange(len(data))] if fault.fails_now() else data, *rest)

    return some


def _new_log(robot: LoggingRobot, chance: random.Random, fault: FailingCall) -> None:
    aside = robot.logs.set_aside(TASK)
    if bool(aside) != bool(robot.acknowledged):
        raise Broken(f'{len(robot.acknowledged)} entries were set aside as {aside}')
    robot.acknowledged.clear()
    _while_it_acts(robot, chance, fault)


def _while_it_acts(robot: LoggingRobot, chance: random.Random, fault: FailingCall) -> None:
    robot.act_well(chance, chance.randrange(3) if robot.acknowledged else 0)
    told = ''
    for _ in range(chance.randint(1, 3)):
        fault.armed = True
        new = robot.act(chance)
        fault.armed = False
        # The first failure decides what may stand on the disk: after it nothing is written, or it was taken back.
        told = told or new
        robot.check(told)
    if told and (still := robot.act(chance)) and 'restart' not in still:
        raise Broken(f'the disk has room again, and it is told: {still}')
    robot.check_after_restart(chance, told)


def _while_it_starts(robot: LoggingRobot, chance: random.Random, fault: FailingCall) -> None:
    robot.act_well(chance, chance.randint(1, 4))
    robot.data.close()
    torn = chance.random() < 0.5
    if torn:
        with robot.path.open('ab') as stream:
            stream.write(_TORN)
    fault.armed = True
    try:
        robot.start()
        told = robot.act(chance)
    except MemoryFault as error:
        told = str(error)
    fault.armed = False
    robot.data.close()
    robot.check_after_restart(chance, told)
    if torn and not any(path.read_bytes() == _TORN for path in robot.path.parent.glob('*.torn-*')):
        raise Broken('a torn end was not set aside as a whole')


def _while_it_is_set_aside(robot: LoggingRobot, chance: random.Random, fault: FailingCall) -> None:
    robot.act_well(chance, chance.randint(1, 4))
    before = set(robot.path.parent.iterdir())
    fault.armed = True
    try:
        robot.logs.set_aside(TASK)
    except MemoryFault as error:
        told = str(error)
    else:
        told = ''
    fault.armed = False
    if robot.path.exists():
        if not told:
            raise Broken('a log was to be set aside, is not, and nothing is told')
        # Its head may be away already, which the next reader tells.
        robot.check(odd=True)
        robot.restart()
        robot.act_well(chance, 1)
    else:
        check_aside(set(robot.path.parent.iterdir()) - before, robot.acknowledged)
        robot.acknowledged.clear()
    robot.check_after_restart(chance)


def check_aside(files: set[Path], texts: Sequence[str]) -> None:
    """Checks that the log among these files, which was set aside, holds these entries.

    Raises:
        Broken: it does not.
    """
    [aside] = [file for file in files if '.log.' in file.name]
    if [entry_to_text(entry) for entry in parse_log(aside.read_bytes(), aside.name).entries] != texts:
        raise Broken(f'{aside.name} does not hold what was acknowledged')


_DISK_MOMENTS: dict[str, Callable[[LoggingRobot, random.Random, FailingCall], None]] = {
    'entry': _while_it_acts,
    'new log': _new_log,
    'start': _while_it_starts,
    'set aside': _while_it_is_set_aside,
}
