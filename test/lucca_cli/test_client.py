"""The client of a stack, where no stack runs."""

import threading
import time

import pytest
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

pytest.importorskip('rclpy')

from lucca_interfaces.action import ExecuteTask
from lucca_interfaces.msg import Container, TableState
from rclpy.qos import DurabilityPolicy, QoSProfile

from lucca_cli.client import StackClient
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalRequest
from lucca_ros.rclpy_internals import ShutdownSafeActionServer

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.mark.ros
def test_it_waits_in_a_process_that_has_initialised_no_other_context():
    with StackClient() as client:
        began_s = time.monotonic()
        client.wait(0.05)
        assert time.monotonic() - began_s >= 0.05


@pytest.mark.ros
@pytest.mark.parametrize('whole', [True, False])
def test_a_stop_that_was_not_wholly_done_is_an_error_that_says_what_is_missing(whole: bool) -> None:
    def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = whole, 'it is not on the disk yet'
        return response

    with StackClient() as client:
        client.node.create_service(Trigger, 'action/stop', answer)
        if whole:
            client.stop(20.0)
        else:
            with pytest.raises(StackError, match='the stop was not completed: it is not on the disk yet'):
                client.stop(20.0)


@pytest.mark.ros
def test_a_stop_is_answered_while_the_client_is_busy_with_what_it_hears() -> None:
    def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = True
        return response

    busy, free = threading.Event(), threading.Event()

    def hear(_: Empty) -> None:
        busy.set()
        assert free.wait(60.0)

    with StackClient() as robot, StackClient() as client:
        robot.node.create_service(Trigger, 'action/stop', answer)
        client.node.create_subscription(Empty, 'words', hear, LATCHED)
        robot.node.create_publisher(Empty, 'words', LATCHED).publish(Empty())
        try:
            assert busy.wait(60.0)
            client.stop(20.0)
        finally:
            free.set()


@pytest.mark.ros
def test_a_step_that_cannot_be_read_is_left_out_and_the_client_lives_on():
    def execute(goal):
        for phase in ('dreaming', 'acting'):
            goal.publish_feedback(ExecuteTask.Feedback(phase=phase))
        goal.succeed()
        return ExecuteTask.Result(status='finished')

    with StackClient() as client:
        server = ShutdownSafeActionServer(client.node, ExecuteTask, 'execute_task', execute)
        steps = []
        goal = client.send_goal(GoalRequest(task='sorting'), steps.append)
        assert goal.wait(20.0).status == 'finished'
        assert [step.phase for step in steps] == ['acting']
        client.wait(0.05)
        server.destroy()


@pytest.mark.ros
def test_an_odd_table_ends_the_call_with_a_reason_and_not_the_client():
    with StackClient() as client:
        table = TableState(containers=[Container()])
        publisher = client.node.create_publisher(TableState, 'perception/objects', 1)
        timer = client.node.create_timer(0.05, lambda: publisher.publish(table))
        with pytest.raises(StackError, match="perception/objects: container '' cannot be used: name is empty"):
            client.snapshot(timeout_s=20.0)
        table.containers = []
        client.wait(0.2)
        assert client.snapshot(timeout_s=20.0).containers == ()
        client.node.destroy_timer(timer)
