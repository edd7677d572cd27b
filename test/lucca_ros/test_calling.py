"""Calls that end when the other side answers, dies or stalls, and when somebody cancels."""

import threading
import time

import pytest
from lucca_interfaces.action import ExecuteAction
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from std_msgs.msg import String
from std_srvs.srv import Trigger

from lucca_core.errors import StackError
from lucca_ros.calling import ActionCaller, Lifeline, ServiceCaller

pytestmark = pytest.mark.ros

PATIENT = {'connect_s': 10.0, 'timeout_s': 20.0, 'cancel_timeout_s': 10.0}


class Server:
    """An execute_action server that ends a goal when told to, or when it is cancelled."""

    def __init__(self, node, *, accepts=True, obeys=True):
        self.release = threading.Event()
        self.running = threading.Event()
        self.cancelled = threading.Event()
        self._obeys = obeys
        self.action = ActionServer(
            node,
            ExecuteAction,
            'act',
            self._execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda goal: GoalResponse.ACCEPT if accepts else GoalResponse.REJECT,
            cancel_callback=self._on_cancel,
        )

    def _on_cancel(self, goal):
        self.cancelled.set()
        return CancelResponse.ACCEPT

    def _execute(self, goal):
        self.running.set()
        while not self.release.wait(0.01):
            if self._obeys and goal.is_cancel_requested:
                goal.canceled()
                return ExecuteAction.Result(code='cancelled')
        goal.succeed()
        return ExecuteAction.Result(code='done')


@pytest.fixture
def caller(make_node):
    caller = ActionCaller(make_node('client'), ExecuteAction, 'act')
    yield caller
    caller.destroy()


@pytest.fixture
def serve(make_node):
    servers = []

    def make(**options):
        servers.append(Server(make_node('server'), **options))
        return servers[-1]

    yield make
    for server in servers:
        server.release.set()
        server.action.destroy()


def test_a_service_answers(make_node):
    def answers(request, response):
        response.message = 'yes'
        return response

    make_node('server').create_service(Trigger, 'ask', answers)
    service = ServiceCaller(make_node('client'), Trigger, 'ask')
    assert service.call(Trigger.Request(), 10.0).message == 'yes'
    service.destroy()


def test_a_service_that_is_not_there_is_named(make_node):
    service = ServiceCaller(make_node('client'), Trigger, 'ask')
    with pytest.raises(StackError, match=r'service /ask is not there \(waited 0\.1 s\)'):
        service.call(Trigger.Request(), 0.1)


def test_waiting_for_a_service_can_be_cancelled(make_node):
    service = ServiceCaller(make_node('client'), Trigger, 'ask')
    with pytest.raises(StackError, match='cancelled'):
        service.call(Trigger.Request(), 10.0, cancelled=lambda: True)


def test_a_goal_has_a_result(serve, caller):
    server = serve()
    server.release.set()
    assert caller.run(ExecuteAction.Goal(), **PATIENT).code == 'done'


def test_a_rejected_goal_has_none(serve, caller):
    serve(accepts=False)
    assert caller.run(ExecuteAction.Goal(), **PATIENT) is None


def test_an_action_that_is_not_there_is_named(caller):
    with pytest.raises(StackError, match='action /act is not there'):
        caller.run(ExecuteAction.Goal(), connect_s=0.1, timeout_s=1.0, cancel_timeout_s=1.0)


def test_a_cancelled_goal_has_ended_when_the_call_returns(serve, caller):
    server = serve()
    assert caller.run(ExecuteAction.Goal(), cancelled=server.running.is_set, **PATIENT).code == 'cancelled'


def test_a_goal_that_takes_too_long_is_cancelled(serve, caller):
    serve()
    result = caller.run(ExecuteAction.Goal(), connect_s=10.0, timeout_s=0.1, cancel_timeout_s=10.0)
    assert result.code == 'cancelled'


def test_a_server_that_does_not_obey_is_given_up(serve, caller):
    server = serve(obeys=False)
    with pytest.raises(StackError, match=r'did not end within 0\.2 s after it was cancelled'):
        caller.run(
            ExecuteAction.Goal(),
            connect_s=10.0,
            timeout_s=20.0,
            cancel_timeout_s=0.2,
            cancelled=server.running.is_set,
        )
    assert server.cancelled.wait(5.0)


def _until(condition):
    end_s = time.monotonic() + 10.0
    while not condition():
        assert time.monotonic() < end_s
        threading.Event().wait(0.01)


def _lifeline(make_node, count, late_s=0.0):
    watcher, other = make_node('watcher'), make_node('other')
    publishers = [other.create_publisher(String, 'topic', 1) for _ in range(count)]
    _until(lambda: watcher.count_publishers('topic') == count)
    return other, publishers, Lifeline(watcher, '/topic', late_s=late_s)


def test_a_lifeline_holds_while_one_of_the_first_publishers_is_there(make_node):
    other, publishers, lifeline = _lifeline(make_node, 2)
    assert not lifeline.broken()
    other.destroy_publisher(publishers[0])
    _until(lambda: other.count_publishers('topic') == 1)
    assert not lifeline.broken()


def test_a_lifeline_breaks_when_the_last_of_them_goes(make_node):
    other, publishers, lifeline = _lifeline(make_node, 1)
    other.destroy_publisher(publishers[0])
    _until(lifeline.broken)


def test_a_lifeline_breaks_when_another_comes_in_its_place(make_node):
    other, publishers, lifeline = _lifeline(make_node, 1)
    another = other.create_publisher(String, 'topic', 1)
    _until(lifeline.broken)
    assert publishers[0] is not another


def test_a_lifeline_breaks_when_another_comes_in_its_place_at_once(make_node):
    other, publishers, lifeline = _lifeline(make_node, 1, late_s=60.0)
    other.destroy_publisher(publishers[0])
    another = other.create_publisher(String, 'topic', 1)
    _until(lifeline.broken)
    assert another is not None


def test_one_that_is_found_late_beside_the_first_breaks_nothing(make_node):
    other, publishers, lifeline = _lifeline(make_node, 1, late_s=60.0)
    publishers.append(other.create_publisher(String, 'topic', 1))
    _until(lambda: other.count_publishers('topic') == 2)
    looks = [lifeline.broken() or threading.Event().wait(0.06) for _ in range(5)]
    assert not any(looks)


def test_a_lifeline_of_nobody_never_breaks(make_node):
    other, _, lifeline = _lifeline(make_node, 0)
    publisher = other.create_publisher(String, 'topic', 1)
    _until(lambda: other.count_publishers('topic') == 1)
    assert not lifeline.broken()
    assert publisher is not None
