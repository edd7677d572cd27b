"""Every use of rclpy's private parts, each with what Jazzy's rclpy (7.1) lacks in public; look again when it moves."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException, MultiThreadedExecutor, await_or_execute
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.subscription import Subscription
from rclpy.task import Future

Transition = Callable[[LifecycleState], TransitionCallbackReturn]

RCLError: type[Exception] = rclpy_implementation.RCLError
"""What any call into rcl may raise. Lacking upstream: `rclpy.exceptions` does not export it."""

_ERRORS_OF_AN_END = (RCLError, InvalidHandle, ExternalShutdownException)


def is_of_an_end(error: BaseException) -> bool:
    """Whether an error is what rclpy raises when its context was shut down meanwhile; only then is the answer of use.

    Lacking upstream: an error of its own. What makes an entity of a node raises a plain ValueError or RuntimeError.
    """
    if isinstance(error, _ERRORS_OF_AN_END):
        return True
    return isinstance(error, ValueError | RuntimeError) and 'context is invalid' in str(error)


def transition_callbacks(node: LifecycleNode) -> dict[int, Transition]:
    """The callbacks of a node's transitions by transition state; the node calls what the dictionary holds.

    Lacking upstream: a way to wrap a transition from outside. `register_callback` replaces one, but none can be read.
    """
    callbacks: dict[int, Transition] = node._callbacks
    return callbacks


def is_finalized(node: LifecycleNode) -> bool:
    """Whether a node was shut down by its lifecycle.

    Lacking upstream: the state of a node, which only the service `get_state` tells.
    """
    return bool(node._state_machine.current_state[1] == 'finalized')


def destroy_for_good(node: Node) -> None:
    """Destroys a node with all that keeps its DDS participant: its action servers and clients, its state machine.

    Lacking upstream: `destroy_node` leaves these three, so that the participant lives until the interpreter's end.
    There its threads run into the destructors of Fast DDS' own globals, which now and then ends a process with signal
    11 after it has done all its work.
    """
    node.destroy_node()
    for waitable in tuple(node.waitables):
        if isinstance(waitable, ActionServer | ActionClient):
            waitable.destroy()
    if isinstance(node, LifecycleNode):
        node._state_machine.destroy_when_not_in_use()


def filter_clock(node: Node, accepts: Callable[[Any], bool]) -> None:
    """Has a node ignore the messages of `/clock` that `accepts` refuses.

    Lacking upstream: a check of what comes. A negative time raises out of the executor, so that one such message ends
    the process.
    """
    source = node._time_source
    set_clock = source.clock_callback

    def on_clock(msg: Any) -> None:
        if accepts(msg):
            set_clock(msg)

    # The first for a subscription that is made later on, the second for one that exists.
    source.clock_callback = on_clock
    if source._clock_sub is not None:
        source._clock_sub.callback = on_clock


def move_clock(node: Node, to: Node) -> None:
    """Sets the clock of `node` by the `/clock` that `to` hears; `node` no longer subscribes to it.

    Lacking upstream: a node that uses simulated time without a subscription in its own executor.
    """
    node._time_source.detach_node()
    to._time_source.attach_clock(node.get_clock())


def take_messages(subscription: Subscription, kind: type, at_most: int) -> Iterator[Any]:
    """The messages of type `kind` that wait in a subscription, at most so many, taken without an executor.

    Lacking upstream: `Subscription.take` and `rclpy.wait_for_message` for a node whose executor is busy
    with a transition.
    """
    with subscription.handle:
        for _ in range(at_most):
            if (taken := subscription.handle.take_message(kind, False)) is None:
                return
            yield taken[0]


def join_callbacks(executor: Executor, timeout_s: float) -> None:
    """Lets the callbacks of an executor that nobody spins any more end, for at most `timeout_s` of wall time.

    Lacking upstream: `shutdown(timeout_sec)` does not wait, and its count of running callbacks omits those about
    to run.
    """
    if not isinstance(executor, MultiThreadedExecutor):
        return
    pool, deadline_s = executor._executor, time.monotonic() + timeout_s
    # Not cancelled: what was handed to the pool has been taken from the middleware already.
    pool.shutdown(wait=False)
    for thread in pool._threads:
        thread.join(max(0.0, deadline_s - time.monotonic()))


def goals_kept(server: ActionServer) -> int:
    """How many goals an action server still knows, ended ones included.

    Lacking upstream: any way to ask for them.
    """
    return len(server._goal_handles)


class LockedActionClient(ActionClient):
    """An action client that may be used from any thread, and that hears the feedback that came before the result.

    Lacking upstream:

    - A lock. rclpy sends a request first and notes afterwards which future it belongs to: an executor's thread that
      takes the answer in between throws it away, and the future never ends. Here no answer is taken while a request is
      sent.
    - The order of feedback and result. rclpy drops the feedback that still waits once it has taken the result: here the
      result is taken when no feedback waits, of any goal of the server. In a reentrant callback group another thread
      may still overtake the last of it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._sending = threading.RLock()
        super().__init__(*args, **kwargs)

    def take_data(self) -> Any:
        with self._sending:
            if self._is_feedback_ready:
                # What is left wakes the executor again.
                self._is_result_response_ready = False
            return super().take_data()

    def send_goal_async(self, *args: Any, **kwargs: Any) -> Future:
        with self._sending:
            return super().send_goal_async(*args, **kwargs)

    def _cancel_goal_async(self, goal_handle: Any) -> Future:
        with self._sending:
            return super()._cancel_goal_async(goal_handle)

    def _get_result_async(self, goal_handle: Any) -> Future:
        with self._sending:
            return super()._get_result_async(goal_handle)


class ShutdownSafeActionServer(ActionServer):
    """An action server whose context may go away in the middle of a goal, as by SIGTERM.

    Lacking upstream: a goal that ends after that can be told to nobody, and each of its last steps raises instead,
    which the server answers with a traceback.
    """

    async def _execute_goal(self, execute_callback: Any, goal_handle: Any) -> None:
        async def execute(handle: Any) -> Any:
            try:
                return await await_or_execute(execute_callback, handle)
            except Exception as error:
                if self._node.context.ok() or not is_of_an_end(error):
                    raise
                return self._action_type.Result()

        try:
            await super()._execute_goal(execute, goal_handle)
        except Exception as error:
            if self._node.context.ok() or not is_of_an_end(error):
                raise


class DeliveringActionServer(ShutdownSafeActionServer):
    """An action server that tells when the result of a goal has been delivered, so that nobody shuts down before.

    Lacking upstream: a callback or future of that moment. It sets the event `delivered`, which its user
    gives a goal handle.
    """

    async def _execute_goal(self, execute_callback: Any, goal_handle: Any) -> None:
        try:
            await super()._execute_goal(execute_callback, goal_handle)
        finally:
            goal_handle.delivered.set()
