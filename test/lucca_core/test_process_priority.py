"""Who goes first: a thread, what it begins, and not what it has handed on."""

import gc
import os
import subprocess
import sys
import threading

from lucca_core import process_priority
from lucca_core.process_priority import (
    ORDINARY_NICE,
    URGENT_NICE,
    at_ordinary_priority,
    freeze_current_objects,
    raise_priority,
    reset_priority,
    thread_ids,
)


def in_thread(work):
    """What `work` returns in a thread of its own, whose priority ends with it."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def niceness():
    return os.getpriority(os.PRIO_PROCESS, 0)


def test_who_goes_first_begins_threads_that_do_and_can_take_it_back():
    def work():
        if refused := raise_priority():
            return refused
        begun = in_thread(niceness)
        mine = niceness()
        reset_priority()
        return mine, begun, niceness()

    found = in_thread(work)
    if isinstance(found, str):
        # Not every machine lets a test do that; then it is told how, and nothing has changed.
        assert 'limits.d' in found
        assert in_thread(niceness) == niceness()
        return
    assert found == (URGENT_NICE, URGENT_NICE, ORDINARY_NICE)


def test_where_it_is_refused_it_says_how_it_is_allowed(monkeypatch):
    def refuse(which, who, value):
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr(process_priority.os, 'setpriority', refuse)
    assert 'limits.d' in raise_priority()


def test_who_is_patient_stays_so():
    def work():
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        reset_priority()
        return niceness()

    assert in_thread(work) >= 5


def test_all_threads_of_a_process_are_known():
    assert threading.get_native_id() in thread_ids()


NICENESS = [sys.executable, '-c', 'import os; print(os.getpriority(os.PRIO_PROCESS, 0))']


def test_a_program_of_who_goes_first_goes_with_the_others():
    def work():
        refused = raise_priority()
        told = subprocess.run(at_ordinary_priority(NICENESS), capture_output=True, text=True, check=True).stdout
        return refused, int(told), niceness()

    refused, of_program, mine = in_thread(work)
    assert of_program == (niceness() if refused else ORDINARY_NICE)
    assert mine == (niceness() if refused else URGENT_NICE)


def test_a_program_of_who_is_patient_is_started_as_it_is():
    def work():
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        return at_ordinary_priority(NICENESS)

    assert in_thread(work) == NICENESS


def test_what_is_kept_is_not_looked_at_again():
    kept = [[number] for number in range(1000)]
    try:
        freeze_current_objects()
        assert gc.get_freeze_count() >= len(kept)
        assert not any(item is kept for item in gc.get_objects())
    finally:
        gc.unfreeze()
