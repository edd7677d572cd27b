"""Waiting with an event and a deadline."""

import threading

import pytest
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from lucca_core.errors import StackError
from lucca_ros.waiting import call_service, wait_for

pytestmark = pytest.mark.ros


def _answers(request, response):
    response.success, response.message = True, 'yes'
    return response


def test_a_future_that_is_done_gives_its_result():
    future = Future()
    future.set_result(7)
    assert wait_for(future, 1.0, 'it') == 7


@pytest.mark.parametrize('cancelled', [None, threading.Event()])
def test_a_future_that_another_thread_ends_gives_its_result(cancelled):
    future = Future()
    threading.Timer(0.02, future.set_result, [7]).start()
    assert wait_for(future, 10.0, 'it', cancelled) == 7


def test_a_future_that_failed_raises_what_it_failed_with():
    future = Future()
    future.set_exception(KeyError('mine'))
    with pytest.raises(KeyError, match='mine'):
        wait_for(future, 1.0, 'it')


@pytest.mark.parametrize('cancelled', [None, threading.Event()])
def test_a_deadline_that_passes_is_named(cancelled):
    with pytest.raises(StackError, match=r'it did not answer within 0\.05 s'):
        wait_for(Future(), 0.05, 'it', cancelled)


def test_a_cancel_ends_the_wait():
    cancelled = threading.Event()
    threading.Timer(0.02, cancelled.set).start()
    with pytest.raises(StackError, match='it was cancelled'):
        wait_for(Future(), 10.0, 'it', cancelled)


def test_a_service_answers(make_node):
    make_node('server').create_service(Trigger, 'ask', _answers)
    client = make_node('client').create_client(Trigger, 'ask')
    assert call_service(client, Trigger.Request(), 10.0, 'the question').message == 'yes'


def test_a_service_that_is_not_there_is_named(make_node):
    client = make_node('client').create_client(Trigger, 'ask')
    with pytest.raises(StackError, match=r'the question: service .*ask is not there \(waited 0\.1 s\)'):
        call_service(client, Trigger.Request(), 0.1, 'the question')


def test_a_service_that_does_not_answer_leaves_no_request_behind(make_node, context):
    server = Node('server', context=context)  # which nobody spins
    server.create_service(Trigger, 'ask', _answers)
    client = make_node('client').create_client(Trigger, 'ask')
    assert client.wait_for_service(10.0)
    with pytest.raises(StackError, match='the question did not answer within'):
        call_service(client, Trigger.Request(), 0.1, 'the question')
    assert not client._pending_requests
    server.destroy_node()
