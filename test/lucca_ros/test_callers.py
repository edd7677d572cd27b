"""Calls that end when the other side answers, dies or stalls, and when somebody cancels."""

import threading
import time

import pytest
from action_msgs.msg import GoalStatusArray
from lucca_interfaces.action import ExecuteAction
from rclpy.action import CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger

from lucca_core.errors import StackError
from lucca_ros.callers import FEEDBACK_QOS, ActionCaller, Lifeline, ServiceCaller, wait_for
from lucca_ros.rclpy_internals import LockedActionClient, ShutdownSafeActionServer

pytestmark = pytest.mark.ros

PATIENT = {'connect_s': 10.0, 'timeout_s': 20.0, 'cancel_timeout_s': 10.0}


class Server:
    """An execute_action server that ends a goal when told to, or when it is cancelled."""

    def __init__(self, node, *, accepts=True, obeys=True):
        self.release = threading.Event()
        self.running = threading.Event()
        self.cancelled = threading.Event()
        self._obeys = obeys
        self.action = ShutdownSafeActionServer(
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
    node = make_node('client')
    client = LockedActionClient(node, ExecuteAction, 'act')
    yield ActionCaller(node, client, '/act')
    client.destroy()


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
    with pytest.raises(StackError, match=r'service /ask is not available \(waited 0\.(?:1|09\d+) s\)'):
        service.call(Trigger.Request(), 0.1)


def test_a_service_that_does_not_answer_leaves_no_request_behind(make_node, context):
    server = Node('server', context=context)  # which nobody spins
    server.create_service(Trigger, 'ask', lambda request, response: response)
    service = ServiceCaller(make_node('client'), Trigger, 'ask')
    assert service.wait_for_server(10.0)
    with pytest.raises(StackError, match='service /ask did not answer within'):
        service.call(Trigger.Request(), 0.1)
    assert not service._client._pending_requests
    server.destroy_node()


def test_of_a_service_whose_server_was_replaced_the_next_one_is_asked(make_node, context):
    dead = Node('dead', context=context)  # which nobody spins
    dead.create_service(Trigger, 'ask', lambda request, response: response)
    service = ServiceCaller(make_node('client'), Trigger, 'ask', repeatable=True)
    assert service.wait_for_server(10.0)

    def answers(request, response):
        response.message = 'yes'
        return response

    asked = []
    call_async = service._client.call_async

    def ask_and_replace(request):
        asked.append(call_async(request))
        if len(asked) == 1:
            threading.Timer(0.3, lambda: make_node('next').create_service(Trigger, 'ask', answers)).start()
        return asked[-1]

    service._client.call_async = ask_and_replace
    assert service.ask(Trigger.Request(), 20.0).message == 'yes'
    assert len(asked) > 1
    dead.destroy_node()


def test_a_request_that_got_lost_is_asked_again(make_node):
    def answers(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.message = 'yes'
        return response

    make_node('server').create_service(Trigger, 'ask', answers)
    service = ServiceCaller(make_node('client'), Trigger, 'ask')
    call_async, asked = service._client.call_async, []

    def lose_the_first(request):
        asked.append(Future() if not asked else call_async(request))
        return asked[-1]

    service._client.call_async = lose_the_first
    assert service.ask(Trigger.Request(), 20.0).message == 'yes'
    assert len(asked) == 2


def test_what_never_answers_is_asked_until_the_time_is_over(make_node):
    make_node('server').create_service(Trigger, 'ask', lambda request, response: response)
    service = ServiceCaller(make_node('client'), Trigger, 'ask')
    service._client.call_async = lambda request: Future()
    with pytest.raises(StackError, match='service /ask did not answer within'):
        service.ask(Trigger.Request(), 2.5)


def test_asking_again_and_again_can_be_cancelled(make_node):
    make_node('server').create_service(Trigger, 'ask', lambda request, response: response)
    service = ServiceCaller(make_node('client'), Trigger, 'ask')
    service._client.call_async = lambda request: Future()
    began_s = time.monotonic()
    with pytest.raises(StackError, match='cancelled'):
        service.ask(Trigger.Request(), 60.0, cancelled=lambda: time.monotonic() > began_s + 0.2)
    assert time.monotonic() < began_s + 10.0


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


def test_all_feedback_is_heard_that_came_before_the_result(make_node, context):
    # The parts of an action server by hand, in one callback group: who answers the ping has sent the result before.
    server = make_node('server')
    told = server.create_publisher(ExecuteAction.Impl.FeedbackMessage, 'act/_action/feedback', FEEDBACK_QOS)
    server.create_publisher(GoalStatusArray, 'act/_action/status', qos_profile_action_status_default)

    def end(request, response):
        for number in range(20):
            msg = ExecuteAction.Impl.FeedbackMessage(goal_id=request.goal_id)
            msg.feedback.phase = str(number)
            told.publish(msg)
        response.result.code = 'done'
        return response

    def accept(_, response):
        response.accepted = True
        return response

    server.create_service(ExecuteAction.Impl.SendGoalService, 'act/_action/send_goal', accept)
    server.create_service(ExecuteAction.Impl.GetResultService, 'act/_action/get_result', end)
    server.create_service(ExecuteAction.Impl.CancelGoalService, 'act/_action/cancel_goal', lambda _, response: response)
    server.create_service(Trigger, 'ping', lambda _, response: response)

    node = Node('client', context=context)
    client = LockedActionClient(node, ExecuteAction, 'act', feedback_sub_qos_profile=FEEDBACK_QOS)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    heard = []
    assert client.wait_for_server(10.0)
    accepting = client.send_goal_async(ExecuteAction.Goal(), lambda msg: heard.append(int(msg.feedback.phase)))
    executor.spin_until_future_complete(accepting, 10.0)
    ending = accepting.result().get_result_async()
    ServiceCaller(make_node('other'), Trigger, 'ping').call(Trigger.Request(), 10.0)
    executor.spin_until_future_complete(ending, 10.0)
    assert ending.result().result.code == 'done'
    assert heard == list(range(20))
    client.destroy()
    node.destroy_node()


def test_an_action_that_is_not_there_is_named(caller):
    with pytest.raises(StackError, match='action /act is not available'):
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


def test_a_future_that_is_done_gives_its_result():
    future = Future()
    future.set_result(7)
    assert wait_for(future, 1.0, 'it') == 7


def test_a_future_that_another_thread_ends_gives_its_result():
    future = Future()
    threading.Timer(0.02, future.set_result, [7]).start()
    assert wait_for(future, 10.0, 'it') == 7


def test_a_future_that_failed_raises_what_it_failed_with():
    future = Future()
    future.set_exception(KeyError('mine'))
    with pytest.raises(KeyError, match='mine'):
        wait_for(future, 1.0, 'it')


def test_a_deadline_that_passes_is_named():
    with pytest.raises(StackError, match=r'it did not answer within 0\.05 s'):
        wait_for(Future(), 0.05, 'it')
