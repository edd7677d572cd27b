"""What a node tells its watchers, whatever a model wrote into it."""

import json
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from builtin_interfaces.msg import Time

from lucca_core.protocol.actions import ActionRequest
from lucca_core.protocol.observations import GateDecision
from lucca_core.protocol.snapshots import Snapshot
from lucca_ros import observing
from lucca_ros.observing import Observer

pytestmark = pytest.mark.ros


def made_observer() -> tuple[Observer, list[Any]]:
    """One with a stand-in for its node, and what it publishes."""
    told: list[Any] = []
    publisher = SimpleNamespace(is_activated=True, get_subscription_count=lambda: 1, publish=told.append)
    now = SimpleNamespace(to_msg=Time)
    node = SimpleNamespace(
        create_lifecycle_publisher=lambda *_: publisher,
        destroy_lifecycle_publisher=lambda _: None,
        get_clock=lambda: SimpleNamespace(now=lambda: now),
        get_name=lambda: 'action',
        context=SimpleNamespace(ok=lambda: True),
    )
    return Observer(node, GateDecision), told


def decision(text: str, message: str) -> GateDecision:
    request = ActionRequest(text=text, task='sorting', allowed_actions=(), snapshot=Snapshot())
    return GateDecision(request=request, message=message)


def test_what_still_waits_for_a_pause_is_sent_in_order_when_the_observer_ends():
    observer, told = made_observer()
    for number in range(20):
        observer.tell(decision('<point(pear)>', str(number)))
    observer.destroy()
    assert [json.loads(message.json)['message'] for message in told] == [str(number) for number in range(20)]


def test_what_is_told_again_and_again_is_sent_without_a_pause():
    observer, told = made_observer()
    pace = threading.Event()
    # Ends by the time limit of tests if nothing is ever sent.
    while not told:
        observer.tell(decision('<point(pear)>', 'more'))
        pace.wait(0.02)
    observer.destroy()


def test_a_lone_surrogate_of_a_model_does_not_keep_the_rest_from_being_told():
    observer, told = made_observer()
    observer.tell(decision('<point(pear\ud800)>', 'für die Birne'))
    observer.destroy()
    [message] = told
    assert json.loads(message.json)['request']['text'] == '<point(pear?)>'
    assert json.loads(message.json)['message'] == 'für die Birne'


def test_a_report_soon_after_another_starts_no_thread(monkeypatch):
    observer, told = made_observer()
    observer.tell(decision('<point(pear)>', 'first'))
    thread, pace = observer._thread, threading.Event()
    while not told:
        pace.wait(0.02)
    observer.tell(decision('<point(pear)>', 'second'))
    assert observer._thread is thread
    observer.destroy()
    assert len(told) == 2
    assert not thread.is_alive()


def test_the_thread_ends_when_there_is_nothing_to_report(monkeypatch):
    monkeypatch.setattr(observing, '_IDLE_S', 0.05)
    observer, told = made_observer()
    observer.tell(decision('<point(pear)>', 'first'))
    thread = observer._thread
    thread.join(timeout=30.0)
    assert not thread.is_alive()
    assert observer._thread is None
    observer.tell(decision('<point(pear)>', 'second'))
    observer.destroy()
    assert len(told) == 2
