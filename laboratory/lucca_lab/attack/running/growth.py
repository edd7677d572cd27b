"""Attack on the action node's use of memory: thousands of actions in a row on one node."""

import gc
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_core.codes import ReasonCode
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.running.one_joint import ACTION, OneJointRig

_WARM_UP = 40
_BATCH = 25
_SWEEP_S = 0.03
_KEPT_S = 2
_SLACK_KB = 6000
"""Each thread of the executor takes up to 1 MB at its first piece of work, under load at any time."""
_MOST_KB_AN_ACTION = 0.5
_SETTINGS = {
    'max_attempts': 1,
    'pointing_tolerance_m': 0.5,
    'pointing_dwell_s': 0.001,
    'resume_s': 0.01,
    'result_kept_s': _KEPT_S,
}


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    rig = OneJointRig(str(folder / 'state'), ACTION, _SWEEP_S, _SETTINGS)
    try:
        _act(rig, _WARM_UP)
        began_kb = last_kb = _resident_kb()
        done = 0

        def trial(_: random.Random) -> Counts:
            nonlocal done, last_kb
            _act(rig, _BATCH)
            done += _BATCH
            before_kb, last_kb = last_kb, _resident_kb()
            if last_kb - began_kb > _SLACK_KB + _MOST_KB_AN_ACTION * done:
                raise Broken(f'{last_kb - began_kb} kB more after {done} actions')
            return {'actions': _BATCH, 'grown_kb': last_kb - before_kb}

        yield trial
    finally:
        rig.close()


def _act(rig: OneJointRig, count: int) -> None:
    for _ in range(count):
        result = rig.result_of(rig.send_goal())
        if result.code is not ReasonCode.DONE:
            raise Broken(f'an action ended with {result.code}: {result.message}')
    rig.until(lambda: rig.goals_kept() == 0, 'goals that have ended are given up', 10.0 * _KEPT_S)


def _resident_kb() -> int:
    gc.collect()
    pages = int(Path('/proc/self/statm').read_text(encoding='ascii').split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE') // 1024


PART = Attack(
    name='growth',
    promise='The action node gives up what it kept for an action: 2,000 actions need no more memory than 40.',
    open=_open,
    sample=1,
    count=80,
)
