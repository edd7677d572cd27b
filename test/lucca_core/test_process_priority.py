"""Priority of threads, of the threads and programs that they start, and objects exempt from collection."""

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lucca_core import process_priority
from lucca_core.process_priority import (
    ORDINARY_NICE,
    URGENT_NICE,
    at_ordinary_priority,
    freeze_current_objects,
    raise_priority,
    raise_session_priority,
    reset_priority,
)


def in_thread(work):
    """The result of `work` in a thread of its own, so that its priority does not outlive it."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def niceness():
    return os.getpriority(os.PRIO_PROCESS, 0)


def test_threads_inherit_a_raised_priority_and_can_reset_it():
    def work():
        if refused := raise_priority():
            return refused
        begun = in_thread(niceness)
        mine = niceness()
        reset_priority()
        return mine, begun, niceness()

    found = in_thread(work)
    if isinstance(found, str):
        # Not every machine allows that; then the message says how, and nothing has changed.
        assert 'limits.d' in found
        assert in_thread(niceness) == niceness()
        return
    assert found == (URGENT_NICE, URGENT_NICE, ORDINARY_NICE)


def test_a_refusal_says_how_to_allow_it(monkeypatch):
    def refuse(which, who, value):
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr(process_priority.os, 'setpriority', refuse)
    assert 'limits.d' in raise_priority()


def test_a_lowered_priority_is_not_reset():
    def work():
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        reset_priority()
        return niceness()

    assert in_thread(work) >= 5


NICENESS = [sys.executable, '-c', 'import os; print(os.getpriority(os.PRIO_PROCESS, 0))']


def test_a_program_started_at_raised_priority_runs_at_ordinary_priority():
    def work():
        refused = raise_priority()
        told = subprocess.run(at_ordinary_priority(NICENESS), capture_output=True, text=True, check=True).stdout
        return refused, int(told), niceness()

    refused, of_program, mine = in_thread(work)
    assert of_program == (niceness() if refused else ORDINARY_NICE)
    assert mine == (niceness() if refused else URGENT_NICE)


def test_a_program_started_at_lowered_priority_keeps_it():
    def work():
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        return at_ordinary_priority(NICENESS)

    assert in_thread(work) == NICENESS


GROUP = Path('/proc/self/autogroup')
IN_A_SESSION = """
import pathlib
GROUP = pathlib.Path('/proc/self/autogroup')
from lucca_core.process_priority import leave_session_priority, raise_session_priority
def group_nice(): return GROUP.read_text().split()[-1] if GROUP.exists() else '0'
print(group_nice(), raise_session_priority() or 'raised', group_nice(), sep='|')
import os
if os.fork() == 0:
    leave_session_priority()
    print(group_nice())
else:
    os.wait()
"""


def group_of_this_session():
    return GROUP.read_text() if GROUP.exists() else ''


def test_a_process_raises_the_priority_of_the_session_it_leads_and_its_child_can_leave_it():
    told = subprocess.run(
        [sys.executable, '-u', '-c', IN_A_SESSION], capture_output=True, text=True, check=True, start_new_session=True
    )
    of_leader, of_child = told.stdout.splitlines()
    before, refused, after = of_leader.split('|')
    assert (before, of_child) == ('0', '0')
    if refused == 'raised':
        # A kernel that does not group processes by session has nothing to raise.
        assert int(after) == (URGENT_NICE if GROUP.exists() else 0)
    else:
        assert after == '0'
        assert 'limits.d' in refused or 'not accepted' in refused


def test_the_priority_of_somebody_elses_session_is_left_alone():
    before = group_of_this_session()
    code = 'from lucca_core.process_priority import raise_session_priority; print(repr(raise_session_priority()))'
    told = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == repr('')
    assert group_of_this_session() == before


def test_a_refused_session_priority_says_how_to_allow_it(monkeypatch, tmp_path):
    class Refusing(type(tmp_path)):
        def write_text(self, data, *args, **kwargs):
            raise PermissionError(1, 'Operation not permitted')

    group = tmp_path / 'autogroup'
    group.write_text('/autogroup-1 nice 0')
    monkeypatch.setattr(process_priority, '_AUTOGROUP', Refusing(group))
    monkeypatch.setattr(process_priority.os, 'getsid', lambda pid: os.getpid())
    assert 'limits.d' in raise_session_priority()


@pytest.mark.parametrize('busy', [2, 100])
def test_a_busy_kernel_is_asked_again_for_a_while(busy, monkeypatch, tmp_path):
    asked = []

    class Busy(type(tmp_path)):
        def write_text(self, data, *args, **kwargs):
            asked.append(data)
            if len(asked) <= busy:
                raise BlockingIOError(11, 'Resource temporarily unavailable')

    group = tmp_path / 'autogroup'
    group.touch()
    monkeypatch.setattr(process_priority, '_AUTOGROUP', Busy(group))
    monkeypatch.setattr(process_priority.os, 'getsid', lambda pid: os.getpid())
    monkeypatch.setattr(process_priority.time, 'sleep', lambda s: None)
    refused = raise_session_priority()
    assert len(asked) == (3 if busy == 2 else 10)
    assert refused == '' if busy == 2 else 'not accepted' in refused


def test_frozen_objects_are_not_collected():
    kept = [[number] for number in range(1000)]
    try:
        freeze_current_objects()
        assert gc.get_freeze_count() >= len(kept)
        assert not any(item is kept for item in gc.get_objects())
    finally:
        gc.unfreeze()
