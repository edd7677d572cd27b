"""Topics that are read without an executor: what real publishers sent is received, at once or with the next look."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from std_msgs.msg import Int32, String

from lucca_ros.subscriptions import ReliableIfOffered, keep_last
from lucca_ros.topic_reader import TopicReader, received_s

pytestmark = pytest.mark.ros

NEVER_S = 3600.0
DEPTH = 3
QOS = keep_last(DEPTH, reliable=True)

Told = list[tuple[Any, float]]


@pytest.fixture
def node(make_node) -> Node:
    return make_node('watched')


@pytest.fixture
def reader(node) -> Iterator[TopicReader]:
    """Topics that are looked at only if a test says so."""
    made = TopicReader(node, 'watcher', period_s=NEVER_S)
    yield made
    made.close()


@pytest.fixture
def told() -> Told:
    return []


def subscribed(node: Node, reader: TopicReader, kind: type, topic: str, told: Told, **options: Any) -> Any:
    """A publisher that has found the subscription."""
    reader.subscribe(kind, topic, lambda message, info: told.append((message, received_s(info))), QOS, **options)
    publisher = node.create_publisher(kind, topic, QOS)
    wait_until(lambda: publisher.get_subscription_count() == 1)
    return publisher


def wait_until(true: Callable[[], object]) -> None:
    """Ends by the time limit of tests if it never becomes true."""
    pace = threading.Event()
    while not true():
        pace.wait(0.01)


def look_until(reader: TopicReader, told: Told, count: int) -> None:
    def looked() -> bool:
        reader.look()
        return len(told) >= count

    wait_until(looked)


def test_messages_come_with_a_look_and_with_the_time_of_publishing(node, reader, told):
    publisher = subscribed(node, reader, String, 'said', told)
    before_s = time.time()
    publisher.publish(String(data='hello'))
    after_s = time.time()
    assert not told
    look_until(reader, told, 1)
    ((message, wall_s),) = told
    assert message == String(data='hello')
    assert before_s <= wall_s <= after_s


def test_the_newest_are_kept_between_two_looks(node, reader, told):
    publisher = subscribed(node, reader, Int32, 'counted', told)
    for number in range(10):
        publisher.publish(Int32(data=number))
    # Delivered in order: once this one is there, all are.
    wait_until(lambda: publisher.wait_for_all_acked())
    look_until(reader, told, DEPTH)
    assert [message.data for message, _ in told] == [7, 8, 9]


def test_messages_are_received_in_the_order_of_publishing(node, reader, told):
    first = subscribed(node, reader, String, 'a', told)
    second = subscribed(node, reader, String, 'b', told)
    for name, publisher in (('1', second), ('2', first), ('3', second)):
        publisher.publish(String(data=name))
    wait_until(first.wait_for_all_acked)
    wait_until(second.wait_for_all_acked)
    look_until(reader, told, 3)
    assert [message.data for message, _ in told] == ['1', '2', '3']


def test_a_raw_message_is_passed_on_serialized(node, reader, told):
    publisher = subscribed(node, reader, String, 'said', told, raw=True)
    publisher.publish(String(data='hello'))
    look_until(reader, told, 1)
    assert isinstance(told[0][0], bytes)


def test_nothing_comes_from_a_topic_that_was_given_up(node, reader, told):
    subscription = reader.subscribe(String, 'said', told.append, QOS)
    publisher = node.create_publisher(String, 'said', QOS)
    wait_until(lambda: publisher.get_subscription_count() == 1)
    reader.unsubscribe(subscription)
    wait_until(lambda: publisher.get_subscription_count() == 0)
    publisher.publish(String(data='hello'))
    reader.look()
    assert not told


def test_if_the_middleware_tells_no_time_a_message_arrived_now(monkeypatch):
    monkeypatch.setattr('lucca_ros.topic_reader.time.time', lambda: 1000.0)
    assert received_s({'received_timestamp': 999_500_000_000}) == 999.5
    assert received_s({'received_timestamp': 0}) == 1000.0


@pytest.mark.parametrize('period_s', [0.0, 0.01])
def test_its_thread_receives_by_itself_and_ends(node, period_s):
    heard = threading.Event()
    reader = TopicReader(node, 'reader', period_s=period_s)
    reader.start()
    reader.subscribe(String, 'said', lambda _: heard.set(), QOS)
    publisher = node.create_publisher(String, 'said', QOS)
    wait_until(lambda: publisher.get_subscription_count() == 1)
    publisher.publish(String(data='hello'))
    assert heard.wait(10.0)
    reader.close()
    reader.close()
    wait_until(lambda: publisher.get_subscription_count() == 0)


def test_a_subscription_that_is_ended_while_it_is_waited_for_does_not_disturb_the_others(node, told):
    reader = TopicReader(node, 'reader')
    reader.start()
    publisher = subscribed(node, reader, Int32, 'counted', told)
    for _ in range(20):
        reader.unsubscribe(reader.subscribe(String, 'said', print, QOS))
    publisher.publish(Int32(data=1))
    wait_until(lambda: told)
    reader.close()


def test_a_callback_that_hangs_holds_up_no_other_reader(node, told):
    hangs, through = threading.Event(), threading.Event()

    def hang(_: Any) -> None:
        hangs.set()
        through.wait()

    hanging, other = TopicReader(node, 'hanging'), TopicReader(node, 'other')
    hanging.subscribe(String, 'said', hang, QOS)
    publisher = node.create_publisher(String, 'said', QOS)
    wait_until(lambda: publisher.get_subscription_count() == 1)
    counting = subscribed(node, other, Int32, 'counted', told)
    hanging.start()
    other.start()
    try:
        publisher.publish(String(data='hello'))
        assert hangs.wait(10.0)
        counting.publish(Int32(data=1))
        wait_until(lambda: told)
        other.close()
    finally:
        through.set()
        hanging.close()


def test_a_best_effort_publisher_is_heard_as_well_if_reliable_is_only_a_wish(node):
    heard = threading.Event()
    reader = TopicReader(node, 'reader')
    reader.start()
    wish = ReliableIfOffered(reader, String, 'seen', lambda _: heard.set(), depth=1)
    publisher = node.create_publisher(String, 'seen', keep_last(1, reliable=False))
    wait_until(lambda: publisher.publish(String(data='picture')) or heard.is_set())
    wish.destroy()
    reader.close()


def test_a_publisher_with_an_incompatible_qos_is_told_at_once_and_keeps_no_core_busy(node, monkeypatch):
    told = threading.Event()
    reader = TopicReader(node, 'reader')
    waits: list[int] = []
    wait = reader._messages.wait

    def counted(subscriptions: Any, timeout_s: float) -> Any:
        ready = wait(subscriptions, timeout_s)
        waits.append(len(ready))
        return ready

    monkeypatch.setattr(reader._messages, 'wait', counted)
    events = SubscriptionEventCallbacks(incompatible_qos=lambda _: told.set())
    reader.subscribe(String, 'seen', print, QOS, event_callbacks=events)
    reader.start()
    node.create_publisher(String, 'seen', keep_last(1, reliable=False))
    assert told.wait(10.0)
    reader.close()
    assert len(waits) < 30


def test_an_unexpected_error_ends_the_context(node, caplog, monkeypatch):
    monkeypatch.setattr(threading, 'excepthook', lambda _: None)
    reader = TopicReader(node, 'reader')

    def fail(_: Any) -> None:
        raise KeyError('nobody expected this')

    reader.subscribe(String, 'said', fail, QOS)
    publisher = node.create_publisher(String, 'said', QOS)
    wait_until(lambda: publisher.get_subscription_count() == 1)
    reader.start()
    publisher.publish(String(data='hello'))
    wait_until(lambda: not node.context.ok())
    assert 'watched_reader crashed' in caplog.text
    reader.close()
