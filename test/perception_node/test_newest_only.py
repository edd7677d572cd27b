"""The newest only: what comes while work is under way replaces what waits."""

import threading

import pytest

from perception_node.newest_only import NewestOnly

DEADLINE_S = 20.0


def test_work_gets_the_newest_and_what_it_replaced_is_counted():
    begun, go_on, done, enough = threading.Event(), threading.Event(), [], threading.Event()

    def slow(item):
        begun.set()
        assert go_on.wait(DEADLINE_S)
        done.append(item)
        if item == 4:
            enough.set()

    newest = NewestOnly(slow, 'slow')
    newest.put(1)
    assert begun.wait(DEADLINE_S)
    for item in (2, 3, 4):
        newest.put(item)
    assert newest.dropped == 2
    go_on.set()
    assert enough.wait(DEADLINE_S)
    newest.close()
    assert done == [1, 4]


def test_closing_waits_for_the_work_under_way_and_drops_what_waits():
    begun, go_on, done = threading.Event(), threading.Event(), []

    def slow(item):
        begun.set()
        assert go_on.wait(DEADLINE_S)
        done.append(item)

    newest = NewestOnly(slow, 'slow')
    newest.put(1)
    assert begun.wait(DEADLINE_S)
    newest.put(2)
    threading.Timer(0.05, go_on.set).start()
    newest.close()
    assert done == [1]


def test_a_bug_in_the_work_ends_its_thread_and_is_raised_where_items_come_from(monkeypatch):
    seen = []
    monkeypatch.setattr(threading, 'excepthook', lambda args: seen.append(args.exc_type))

    def broken(item):
        raise KeyError(item)

    newest = NewestOnly(broken, 'broken')
    newest.put('x')
    newest._thread.join(DEADLINE_S)
    assert seen == [KeyError]
    with pytest.raises(RuntimeError, match=r"broken has ended: KeyError\('x'\)"):
        newest.put('y')
    newest.close()
