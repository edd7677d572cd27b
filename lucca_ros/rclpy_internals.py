"""Every use of rclpy's private parts, with what Jazzy's rclpy (7.1) lacks; to be reviewed when rclpy changes."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.clock import Clock, ClockType
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException, MultiThreadedExecutor, await_or_execute
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.subscription import Subscription
from rclpy.task import Future

Transition = Callable[[LifecycleState], TransitionCallbackReturn]

RCLError: type[Exception] = rclpy_implementation.RCLError
"""Any call into rcl may raise this. Lacking upstream: `rclpy.exceptions` does not export it."""

_ERRORS_OF_AN_END = (RCLError, InvalidHandle, ExternalShutdownException)


def is_of_an_end(error: BaseException) -> bool:
    """Whether rclpy raises such an error if its context was shut down; meaningful only if the context is shut down.

    Lacking upstream: a class for this error. Functions that create a node's entities raise a plain ValueError or
    RuntimeError.
    """
    if isinstance(error, _ERRORS_OF_AN_END):
        return True
    return isinstance(error, ValueError | RuntimeError) and 'context is invalid' in str(error)


def transition_callbacks(node: LifecycleNode) -> dict[int, Transition]:
    """The callbacks of a node's transitions, by transition state. Changes of the dictionary change what the node calls.

    Lacking upstream: a way to wrap a transition from outside. `register_callback` replaces a callback, but the present
    one cannot be read.
    """
    callbacks: dict[int, Transition] = node._callbacks
    return callbacks


def declared_parameters(node: Node) -> tuple[str, ...]:
    """The names of the parameters that a node has declared.

    Lacking upstream: a list of them all; `list_parameters` takes prefixes and a depth.
    """
    return tuple(node._parameters)


def overridden_parameters(node: Node) -> tuple[str, ...]:
    """The names of the parameters that a node was given by file, launch or command line, whether it has them or not.

    Lacking upstream: access to values for parameters that are not declared.
    """
    return tuple(node._parameter_overrides)


def is_finalized(node: LifecycleNode) -> bool:
    """Whether a node was shut down by its lifecycle.

    Lacking upstream: access to the state of a node other than by the service `get_state`.
    """
    return bool(node._state_machine.current_state[1] == 'finalized')


def destroy_for_good(node: Node) -> None:
    """Destroys a node with everything that keeps its DDS participant alive: action servers and clients, state machine.

    Lacking upstream: `destroy_node` leaves these, so that the participant lives until the interpreter ends. Then its
    threads collide with the destructors of Fast DDS's globals, which now and then ends a process with signal 11 after
    all its work is done.
    """
    node.destroy_node()
    for waitable in tuple(node.waitables):
        if isinstance(waitable, ActionServer | ActionClient):
            waitable.destroy()
    if isinstance(node, LifecycleNode):
        node._state_machine.destroy_when_not_in_use()


def filter_clock(node: Node, accepts: Callable[[Any], bool]) -> None:
    """Makes a node ignore the messages of `/clock` that `accepts` refuses.

    Lacking upstream: a check of the messages. A negative time raises out of the executor, so that one such message ends
    the process.
    """
    source = node._time_source
    set_clock = source.clock_callback

    def on_clock(msg: Any) -> None:
        if accepts(msg):
            set_clock(msg)

    # The first assignment is for a subscription that is made later, the second for one that exists.
    source.clock_callback = on_clock
    if source._clock_sub is not None:
        source._clock_sub.callback = on_clock


def move_clock(node: Node, to: Node) -> None:
    """Sets the clock of `node` from the `/clock` that `to` receives; `node` no longer subscribes to it.

    Lacking upstream: simulated time for a node without a subscription in its own executor.
    """
    node._time_source.detach_node()
    to._time_source.attach_clock(node.get_clock())


def take_messages(subscription: Subscription, at_most: int) -> Iterator[tuple[Any, Any]]:
    """Takes at most `at_most` waiting messages from a subscription, without an executor.

    Yields each message, serialized if the subscription is raw, with rclpy's info about it.

    Lacking upstream: `Subscription.take`, and `rclpy.wait_for_message` for a node whose executor is busy with a
    transition.
    """
    with subscription.handle:
        for _ in range(at_most):
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return
            yield taken


def takes_info(subscription: Subscription) -> bool:
    """Whether a subscription's callback is called with the message and rclpy's info about it.

    Lacking upstream: see `take_messages`.
    """
    return bool(subscription._callback_type is Subscription.CallbackType.WithMessageInfo)


class MessageWait:
    """Waits for messages of subscriptions without an executor. Used by one thread; `wake` by any.

    Lacking upstream: rclpy.wait_for_message waits for one topic only, and executors ask every entity of their nodes.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._guard = GuardCondition(None, None, context=context)
        self._set: Any = None
        self._count = -1
        context.on_shutdown(self.wake)

    def wait(self, subscriptions: Sequence[Subscription], timeout_s: float) -> list[Subscription]:
        """The subscriptions that have messages, as soon as one has.

        There are none after `timeout_s` of wall time, after `wake`, and if an event waits, such as a publisher with an
        incompatible QoS. The next wait then ends at once, until `take_events` has taken it.
        """
        with ExitStack() as held:
            held.enter_context(self._context.handle)
            # Destroyed ones are left out; the others stay valid while they are waited for.
            alive = [subscription for subscription in subscriptions if _entered(held, subscription.handle)]
            if len(alive) != self._count:
                self._count = len(alive)
                self._set = rclpy_implementation.WaitSet(self._count, 1, 0, 0, 0, 0, self._context.handle)
            self._set.clear_entities()
            for subscription in alive:
                self._set.add_subscription(subscription.handle)
            self._set.add_guard_condition(self._guard.handle)
            self._set.wait(round(1e9 * timeout_s))
            ready = set(self._set.get_ready_entities('subscription'))
            return [subscription for subscription in alive if subscription.handle.pointer in ready]

    def take_events(self, subscriptions: Sequence[Subscription]) -> None:
        """Calls the callbacks of events of subscriptions, such as a publisher with an incompatible QoS."""
        handlers = [handler for subscription in subscriptions for handler in subscription.event_handlers]
        with ExitStack() as held:
            held.enter_context(self._context.handle)
            alive = [handler for handler in handlers if _entered(held, handler)]
            if not alive:
                return
            events = rclpy_implementation.WaitSet(0, 0, 0, 0, 0, len(alive), self._context.handle)
            events.clear_entities()
            for handler in alive:
                handler.add_to_wait_set(events)
            events.wait(0)
            told = [(handler, handler.take_data()) for handler in alive if handler.is_ready(events)]
        for handler, event in told:
            # Some middlewares have nothing to take after all.
            if event:
                handler.callback(event)

    def wake(self) -> None:
        """Ends the wait."""
        try:
            self._guard.trigger()
        except InvalidHandle:
            return  # destroyed: nobody waits any more

    def destroy(self) -> None:
        """Frees what the wait needs. Nobody may be waiting."""
        self._set = None
        self._guard.destroy()


def _entered(held: ExitStack, handle: Any) -> bool:
    try:
        held.enter_context(handle)
    except InvalidHandle:
        return False
    return True


def join_callbacks(executor: Executor, timeout_s: float) -> None:
    """Waits up to `timeout_s` of wall time for the callbacks of an executor that no thread spins any more.

    Lacking upstream: `shutdown(timeout_sec)` does not wait, and its count of running callbacks omits those that are
    about to run.
    """
    if not isinstance(executor, MultiThreadedExecutor):
        return
    pool, deadline_s = executor._executor, time.monotonic() + timeout_s
    # Not cancelled, because what the pool was given has already been taken from the middleware.
    pool.shutdown(wait=False)
    for thread in pool._threads:
        thread.join(max(0.0, deadline_s - time.monotonic()))


def goals_kept(server: ActionServer) -> int:
    """Number of goals that an action server still knows, including ended ones.

    Lacking upstream: a way to ask for them.
    """
    return len(server._goal_handles)


class _InvalidOnceDestroyed:
    """A part of an action server or client that another thread may destroy while an executor is about to wait for it.

    Lacking upstream: the executor then raises a plain RCLError, which ends its spinning. Here, it is the InvalidHandle
    that it raises for all other entities, and if it is destroyed after the wait, nothing is taken, as from these.
    """

    _destroyed = False

    def destroy(self) -> None:
        self._destroyed = True
        super().destroy()  # type: ignore[misc]

    def add_to_wait_set(self, wait_set: Any) -> None:
        with self._while_it_exists():
            super().add_to_wait_set(wait_set)  # type: ignore[misc]

    def is_ready(self, wait_set: Any) -> bool:
        with self._while_it_exists():
            return bool(super().is_ready(wait_set))  # type: ignore[misc]

    def take_data(self) -> Any:
        # An error would end this turn of its callback group without giving it back: nothing else in it would be called.
        with suppress(InvalidHandle), self._while_it_exists():
            return super().take_data()  # type: ignore[misc]
        return {}

    @contextmanager
    def _while_it_exists(self) -> Iterator[None]:
        try:
            yield
        except RCLError as error:
            if not self._destroyed:
                raise
            raise InvalidHandle(f'the action server or client was destroyed: {error}') from error


class LockedActionClient(_InvalidOnceDestroyed, ActionClient):
    """An action client that can be used from any thread and delivers the feedback that came before the result.

    Lacking upstream:

    - A lock. rclpy sends a request before it notes which future belongs to it. If an executor's thread takes the answer
      in between, it throws the answer away and the future never ends. Here, no answer is taken while a request is being
      sent.
    - The order of feedback and result. rclpy drops feedback that is still waiting when it has taken the result. Here,
      the result is taken only when no feedback of any of the server's goals is waiting. In a reentrant callback group,
      another thread may still overtake the last feedback.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._sending = threading.RLock()
        super().__init__(*args, **kwargs)

    def take_data(self) -> Any:
        with self._sending:
            if self._is_feedback_ready:
                # The results that remain wake the executor again.
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


_SYSTEM_CLOCK = Clock(clock_type=ClockType.SYSTEM_TIME)
"""Never destroyed, as action servers only have a pointer to it."""


class _InSystemTime:
    """A node with a clock of system time in place of its own."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def get_clock(self) -> Clock:
        return _SYSTEM_CLOCK

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


class ShutdownSafeActionServer(_InvalidOnceDestroyed, ActionServer):
    """An action server whose context may be shut down in the middle of a goal, for example by SIGTERM.

    Lacking upstream:

    - A goal that ends after the shutdown cannot be reported to anyone. Each of its last steps raises an error instead,
      to which the server reacts with a traceback.
    - Results are kept for a time of the node's clock. If that is simulated, the timer of the last result triggers with
      each message of the clock from then on, for good. Here, results are kept in system time, and the stamps of goals
      on the topic `status` are of that time, too.
    """

    def __init__(self, node: Node, *args: Any, **kwargs: Any) -> None:
        super().__init__(_InSystemTime(node), *args, **kwargs)
        self._node = node

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
    """An action server that signals when a goal's result has been delivered, so that nobody shuts it down before.

    Lacking upstream: a callback or future for that moment. This class sets the event `delivered`, which its user must
    add to the goal handle.
    """

    async def _execute_goal(self, execute_callback: Any, goal_handle: Any) -> None:
        try:
            await super()._execute_goal(execute_callback, goal_handle)
        finally:
            goal_handle.delivered.set()
