"""What a node tells its watchers, whatever a model wrote into it."""

import json
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from lucca_core.protocol.actions import ActionRequest
from lucca_core.protocol.observations import GateDecision
from lucca_core.protocol.snapshots import Snapshot
from lucca_ros import observing
from lucca_ros.observing import Observer

pytestmark = pytest.mark.ros


class Clock:
    """A node's clock; it shows the same time until it is set."""

    now_s = 0.0

    def now(self) -> Any:
        return SimpleNamespace(nanoseconds=round(self.now_s * 1e9))


class Publisher:
    """Keeps what is published. `listen` changes the number of its subscriptions."""

    def __init__(self, callbacks: Any) -> None:
        self.told: list[Any] = []
        self.publish = self.told.append
        self._matched = callbacks.matched

    def listen(self, count: int) -> None:
        self._matched(SimpleNamespace(current_count=count))


def made_observer(clock: Clock | None = None) -> tuple[Observer, Publisher]:
    """One with a stand-in for its node, and somebody who listens."""
    made: list[Publisher] = []
    destroyed: list[Publisher] = []

    def publisher(*_: Any, event_callbacks: Any) -> Publisher:
        made.append(Publisher(event_callbacks))
        return made[0]

    node = SimpleNamespace(
        create_publisher=publisher,
        destroy_publisher=destroyed.append,
        get_clock=lambda: clock or Clock(),
        get_name=lambda: 'action',
        context=SimpleNamespace(ok=lambda: True),
    )
    observer = Observer(node, GateDecision)
    made[0].listen(1)
    return observer, made[0]


def decision(text: str, message: str) -> GateDecision:
    request = ActionRequest(text=text, task='sorting', allowed_actions=(), snapshot=Snapshot())
    return GateDecision(request=request, message=message)


def wait_until(true: Callable[[], object]) -> None:
    """Ends by the time limit of tests if it never becomes true."""
    pace = threading.Event()
    while not true():
        pace.wait(0.02)


def test_what_still_waits_for_a_pause_is_sent_in_order_when_the_observer_ends():
    observer, publisher = made_observer()
    for number in range(20):
        observer.tell(decision('<point(pear)>', str(number)))
    observer.destroy()
    assert [json.loads(message.json)['message'] for message in publisher.told] == [str(number) for number in range(20)]


def test_what_is_told_again_and_again_is_sent_without_a_pause():
    observer, publisher = made_observer()

    def sent() -> bool:
        observer.tell(decision('<point(pear)>', 'more'))
        return bool(publisher.told)

    wait_until(sent)
    observer.destroy()


def test_a_lone_surrogate_of_a_model_does_not_keep_the_rest_from_being_told():
    observer, publisher = made_observer()
    observer.tell(decision('<point(pear\ud800)>', 'für die Birne'))
    observer.destroy()
    [message] = publisher.told
    assert json.loads(message.json)['request']['text'] == '<point(pear?)>'
    assert json.loads(message.json)['message'] == 'für die Birne'


def test_telling_starts_no_thread_and_reads_no_clock_of_the_node():
    class Unread(Clock):
        def now(self) -> Any:
            assert threading.current_thread().name == 'observer'
            return super().now()

    observer, publisher = made_observer(Unread())
    thread = observer._thread
    observer.tell(decision('<point(pear)>', 'first'))
    wait_until(lambda: publisher.told)
    observer.tell(decision('<point(pear)>', 'second'))
    assert observer._thread is thread
    observer.destroy()
    assert len(publisher.told) == 2
    assert not thread.is_alive()


def test_without_a_listener_nothing_is_kept_and_no_thread_runs():
    observer, publisher = made_observer()
    thread = observer._thread
    publisher.listen(0)
    thread.join(timeout=30.0)
    assert not thread.is_alive()
    observer.tell(decision('<point(pear)>', 'unheard'))
    assert not observer._told
    publisher.listen(2)
    observer.tell(decision('<point(pear)>', 'heard'))
    observer.destroy()
    assert [json.loads(message.json)['message'] for message in publisher.told] == ['heard']


def test_a_report_has_the_time_of_the_nodes_clock_when_it_was_told():
    clock = Clock()
    clock.now_s = 100.0
    observer, publisher = made_observer(clock)
    observer.tell(decision('<point(pear)>', 'at 100'))
    wait_until(lambda: publisher.told)
    clock.now_s = 102.0
    wait_until(lambda: observer._looked[1] == 102.0)
    observer.tell(decision('<point(pear)>', 'at 102'))
    observer.destroy()
    stamps_s = [message.stamp.sec + message.stamp.nanosec / 1e9 for message in publisher.told]
    assert stamps_s == [100.0, 102.0]


def test_the_time_of_a_report_lies_between_two_looks_at_the_clock(monkeypatch):
    clock = Clock()
    observer, _ = made_observer(clock)
    observer._ending.set()
    observer._thread.join(timeout=30.0)
    observer._looked, clock.now_s = (10.0, 100.0), 102.0
    observer._told.append((decision('<point(pear)>', 'at 101'), 0.0, 10.5))
    monkeypatch.setattr(observing.time, 'monotonic', lambda: 11.0)
    observer._stamp_what_was_told()
    assert [stamp_s for _, stamp_s, _, _ in observer._waiting] == [101.0]


def test_what_is_told_faster_than_it_is_sent_is_counted_and_dropped(caplog):
    observer, publisher = made_observer()
    sending, go_on = threading.Event(), threading.Event()

    def slowly(message: Any) -> None:
        sending.set()
        go_on.wait(30.0)
        publisher.told.append(message)

    publisher.publish = slowly
    observer.tell(decision('<point(pear)>', 'first'))
    assert sending.wait(30.0)
    for number in range(3000):
        observer.tell(decision('<point(pear)>', str(number)))
    assert len(observer._told) + len(observer._waiting) == observing._MOST_WAITING
    go_on.set()
    wait_until(lambda: '2000 reports did not reach the watchers' in caplog.text)
    observer.destroy()
    assert len(publisher.told) == 1 + observing._MOST_WAITING


def test_a_subscription_that_comes_after_the_end_starts_nothing():
    observer, publisher = made_observer()
    observer.destroy()
    thread = observer._thread
    publisher.listen(1)
    observer.tell(decision('<point(pear)>', 'late'))
    assert not observer._told
    assert observer._thread is thread
    observer.destroy()


def test_an_error_of_the_clock_does_not_end_the_reports():
    class Failing(Clock):
        failures = 0

        def now(self) -> Any:
            if self.failures == 1:
                self.failures = 2
                raise RuntimeError('once')
            return super().now()

    clock = Failing()
    observer, publisher = made_observer(clock)
    clock.failures = 1
    wait_until(lambda: clock.failures == 2)
    observer.tell(decision('<point(pear)>', 'after it'))
    wait_until(lambda: publisher.told)
    observer.destroy()


def test_the_thread_ends_with_the_context_of_its_node():
    observer, _ = made_observer()
    thread = observer._thread
    observer._node.context.ok = lambda: False
    thread.join(timeout=30.0)
    assert not thread.is_alive()


def test_after_a_clock_was_set_back_reports_have_its_new_time():
    clock = Clock()
    clock.now_s = 5000.0
    observer, publisher = made_observer(clock)
    wait_until(lambda: observer._looked[1] == 5000.0)
    clock.now_s = 3.0
    observer.tell(decision('<point(pear)>', 'started again'))
    observer.destroy()
    [message] = publisher.told
    assert message.stamp.sec == 3
