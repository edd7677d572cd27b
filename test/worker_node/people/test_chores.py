"""The thread that tends memory while nobody waits."""

import threading

import pytest

from worker_node.people.chores import ChoreThread


def test_a_bug_in_a_chore_ends_the_thread_and_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    broke = threading.Event()

    def hook(args: threading.ExceptHookArgs) -> None:
        seen.append(args.exc_type)
        broke.set()

    monkeypatch.setattr(threading, 'excepthook', hook)

    def broken() -> bool:
        raise KeyError('surprise')

    keeper = ChoreThread([broken], 60.0)
    keeper.start()
    assert broke.wait(30.0)
    keeper.close()
    assert seen == [KeyError]
