"""Attack on the emergency stop: calls fail, or joint states are not finite, while the arm moves."""

import os
import pathlib
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from action_node.stop import stop_marker, valve
from action_node.stop.stop_marker import StopMarker
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.failing_call import FailingCall
from lucca_lab.attack.running.one_joint import ACTION, DEADLINE_S, OneJointRig

_RESETS = 5
_MOMENTS = 12
"""Moments that are drawn for one trial until a call of the stop has failed."""
_ERRORS: tuple[Exception, ...] = (
    ValueError('a number is not finite'),
    OSError(28, 'No space left on device'),
    PermissionError(13, 'Permission denied'),
    RuntimeError('a library gave up'),
    OverflowError('too large to convert'),
    AssertionError('a bug'),
    MotionError(ReasonCode.HARDWARE_FAULT, 'no controller'),
    MemoryError(),
)
_MEASURED = (None, None, float('nan'), float('inf'), float('-inf'))

CALLS = ('clock', 'joints', 'silence', 'send', 'publish', 'path', 'mkdir', 'open', 'sync', 'open folder', 'log')
"""The calls that a stop makes. A long campaign must have made each of them fail at least once."""


def _calls(rig: OneJointRig) -> dict[str, tuple[Any, str]]:
    """The object and attribute of each call that a stop makes."""
    arms = rig.node._arms
    return {
        'clock': (arms, 'now_s'),
        'joints': (arms, 'joints'),
        'silence': (arms, 'silence_s'),
        'send': (arms, 'send'),
        'publish': (rig.publisher, 'publish'),
        'path': (valve, 'JointPath'),
        'mkdir': (pathlib.Path, 'mkdir'),
        'open': (stop_marker, 'open_regular'),
        'sync': (os, 'fsync'),
        'open folder': (os, 'open'),
        'log': (rig.node, 'get_logger'),
    }


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    rigs: list[OneJointRig] = []

    def rig_that_lives() -> OneJointRig:
        ends = bool(rigs) and rigs[-1].node.about_to_end
        if ends or (rigs and not rigs[-1].lives):
            rigs.pop().close()
        if not rigs:
            rigs.append(OneJointRig(str(folder / 'state'), ACTION))
            rigs[-1].watch_what_is_sent()
        if ends and not rigs[-1].node._executor().stopped:
            raise Broken('the node that was started in place of the one that ended is not stopped')
        return rigs[-1]

    def trial(chance: random.Random) -> Counts:
        for _ in range(_MOMENTS):
            counts = _stopped(rig_that_lives(), StopMarker(folder / 'state'), chance)
            if counts['faults']:
                return counts
        raise Broken(f'no call of a stop failed in {_MOMENTS} moments')

    try:
        yield trial
    finally:
        for rig in rigs:
            rig.close()


def _stopped(rig: OneJointRig, marker: StopMarker, chance: random.Random) -> Counts:
    _bring_home(rig)
    goal = rig.send_goal()
    threading.Event().wait(chance.uniform(0.0, 0.3))
    rig.measured = chance.choice(_MEASURED)
    threading.Event().wait(chance.choice((0.0, 0.03)))
    name, by_word = chance.choice(CALLS), chance.random() < 0.5
    fault = FailingCall(chance.choice(_ERRORS), chance.choice((1, 1, 2, 1000)))
    target, attribute = _calls(rig)[name]
    drawn = f'{name} raises {fault.error!r} {fault.left} times, joint at {rig.measured}, by word: {by_word}'
    try:
        with patch.object(target, attribute, fault.around(getattr(target, attribute))):
            fault.armed = True
            try:
                if by_word:
                    rig.say_stop()
                else:
                    rig.call_stop()
                sent = rig.sent_until_now()
            finally:
                fault.armed = False
        on_disk = _within(rig, marker.is_set)
        if not on_disk:
            raise Broken('the stop is not on the disk')
        rig.call_stop()
        rig.result_of(goal)
        another = rig.offer_goal()
        if another is None and not rig.node.about_to_end:
            raise Broken('a goal was rejected')
        if another is not None and rig.result_of(another).code is ReasonCode.DONE:
            raise Broken('an action was done after the stop')
        moved = rig.sent[sent:].count(False)
        if moved:
            raise Broken(f'{moved} trajectories that are no hold followed')
        if not rig.node._executor().stopped:
            raise Broken('the node is not stopped any more')
    except Broken as broken:
        raise Broken(f'{drawn}: {broken}') from broken
    finally:
        rig.measured = None
    # Not every stop makes every call: a stop of a resting arm builds no path. Only stops in which one failed count.
    failed = {f'{name} failed, by {"word" if by_word else "call"}': 1} if fault.raised else {}
    if rig.node.about_to_end:
        failed['started again'] = 1
    return {
        'stops': 1,
        'on_disk': int(on_disk),
        'answered': 1,
        'trajectories_not_hold': moved,
        'faults': fault.raised,
        **failed,
    }


def _within(rig: OneJointRig, condition: Callable[[], bool]) -> bool:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition() and rig.lives and time.monotonic() < deadline_s:
        time.sleep(0.002)
    return condition()


def _bring_home(rig: OneJointRig) -> None:
    """Resets the stop of the previous trial, if there was one."""
    if not rig.node._executor().stopped:
        return
    rig.until(rig.is_measured, 'the joint is measured again')
    said = ''
    for _ in range(_RESETS):
        answer = rig.reset()
        if answer.success:
            return
        said = answer.message
    raise Broken(f'{_RESETS} resets failed: {said}')


PART = Attack(
    name='stop',
    promise='Whatever call of a stop fails, the stop is stored and answered, and only holds follow until the reset.',
    open=_open,
    sample=15,
    count=1_000,
)
