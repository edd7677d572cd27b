"""Calls of services and actions that end if the other node dies, if the caller cancels, and at a deadline.

Calls are made from the caller's own threads, never from an executor's. A node that was killed stays in the graph until
its lease ends, and the node started in its place does not know the call. Therefore the endpoints that could answer are
noted when a call is sent; once they are gone or a new one has appeared, the call ends with StackError.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from lucca_core.errors import ServerLostError, StackError
from lucca_ros.rclpy_internals import LockedActionClient

Flag = Callable[[], bool]

FEEDBACK_QOS = QoSProfile(depth=100)
"""QoS of goal feedback on both sides: sentences of an answer may arrive faster than a busy client takes them."""

_SLICE_S = 0.02
_WATCH_EVERY_S = 0.1
# Restarting a process takes longer than this.
_LATE_S = 0.5
_ACCEPT_S = 5.0
_CANCEL_AGAIN_S = 1.0
_ASK_AGAIN_S = 2.0
"""Time after which something that may be asked twice is asked anew; each further time takes twice as long."""


def _nobody() -> bool:
    return False


class Lifeline:
    """Remembers which publishers a topic has when a call begins, and tells when they no longer are those that answer.

    Discovery is gradual: a server may answer before its publisher is known. Publishers that appear within `late_s` of
    wall time, next to a first one that is still there, count as first ones too. Those that appear in place of the first
    ones do not.
    """

    def __init__(self, node: Node, topic: str, *, no_mangle: bool = False, late_s: float = 0.0) -> None:
        self._node = node
        self._topic = topic
        self._no_mangle = no_mangle
        self._first = self._endpoints()
        self._late_until_s = time.monotonic() + late_s
        self._next_look_s = time.monotonic() + _WATCH_EVERY_S

    def broken(self) -> bool:
        """True once all of the first publishers are gone or a new one has appeared. Checks at most every 0.1 s."""
        now_s = time.monotonic()
        if now_s < self._next_look_s:
            return False
        self._next_look_s = now_s + _WATCH_EVERY_S
        now = self._endpoints()
        if self._first and not now & self._first:
            return True
        if now_s < self._late_until_s:
            self._first |= now
        return bool(self._first and now - self._first)

    def _endpoints(self) -> frozenset[bytes]:
        found = self._node.get_publishers_info_by_topic(self._topic, no_mangle=self._no_mangle)
        return frozenset(bytes(item.endpoint_gid) for item in found)


class ServiceCaller:
    """One service, called from threads other than the executor's."""

    def __init__(
        self, node: Node, service_type: Any, name: str, *, callback_group: Any = None, repeatable: bool = False
    ) -> None:
        """`repeatable`: asking twice is harmless, so a call ends at the first sign that another server answers now."""
        self._node = node
        self._late_s = 0.0 if repeatable else _LATE_S
        self._client = node.create_client(service_type, name, callback_group=callback_group)
        self._name = node.resolve_service_name(name)

    def call(self, request: Any, timeout_s: float, *, cancelled: Flag = _nobody) -> Any:
        """Calls the service and returns its response.

        Args:
            request: of the service's type.
            timeout_s: for the whole call, including the wait for the service; wall time, in s.
            cancelled: once it returns true, the wait ends; the service itself goes on.

        Raises:
            ServerLostError: the node of the service died, or was replaced.
            StackError: the service is missing or did not answer in time, or the call was cancelled.
        """
        end_s = time.monotonic() + timeout_s
        _until(self._client.service_is_ready, end_s, f'service {self._name} is not available', self._node, cancelled)
        future = self._client.call_async(request)
        try:
            # Looked up while the service is working. The name is the middleware's name for the topic of the responses.
            lifeline = Lifeline(self._node, f'rr{self._name}Reply', no_mangle=True, late_s=self._late_s)
            _wait(future, end_s, f'service {self._name}', self._node, cancelled, lifeline)
        except StackError:
            self._client.remove_pending_request(future)
            raise
        return future.result()

    def ask(self, request: Any, timeout_s: float, *, cancelled: Flag = _nobody) -> Any:
        """As `call`, but a server that takes the place of one that was lost is asked anew, in the same time.

        A request may also get lost between the two: a server that was killed stays in the graph until its lease ends,
        and one that starts at once may look like one that was there. So what stays without an answer is asked again.

        Only for what may be asked twice, and of a server that need not know what was asked before.
        """
        end_s, slice_s = time.monotonic() + timeout_s, _ASK_AGAIN_S
        while True:
            left_s = end_s - time.monotonic()
            try:
                return self.call(request, min(left_s, slice_s), cancelled=cancelled)
            except ServerLostError:
                if time.monotonic() > end_s:
                    raise
            except StackError:
                if left_s <= slice_s or cancelled() or not self._node.context.ok():
                    raise
                slice_s *= 2

    def wait_for_server(self, timeout_s: float) -> bool:
        """Whether a server is available within `timeout_s` of wall time."""
        return bool(self._client.wait_for_service(timeout_s))

    def destroy(self) -> None:
        """Destroys the client."""
        self._node.destroy_client(self._client)


class ActionCaller:
    """One action, run from threads other than the executor's.

    Args:
        node: has the client.
        client: of the action; whoever made it destroys it.
        name: full name of the action.
    """

    def __init__(self, node: Node, client: LockedActionClient, name: str) -> None:
        self._node = node
        self._name = name
        self._client = client

    def run(
        self,
        goal: Any,
        *,
        connect_s: float,
        timeout_s: float,
        cancel_timeout_s: float,
        cancelled: Flag = _nobody,
    ) -> Any | None:
        """Runs a goal and returns its result, or None if the server rejected it.

        After a cancel, this cancels the goal and waits for its result, so that the goal has ended when this returns.
        The same happens after `timeout_s`.

        Raises:
            StackError: the server is missing, died, or did not answer in time; after a cancel, within
                `cancel_timeout_s`.
        """
        what = f'action {self._name}'
        end_s = time.monotonic() + connect_s
        _until(self._client.server_is_ready, end_s, f'{what} is not available', self._node, cancelled)
        accepting = self._client.send_goal_async(goal)
        try:
            # A cancel does not end this wait, because only an accepted goal can be cancelled. Signs of another server
            # do not end it either, because this one may have begun.
            _wait(accepting, time.monotonic() + _ACCEPT_S, f'{what} (accepting a goal)', self._node, _nobody)
        except StackError:
            accepting.add_done_callback(_cancel_late)
            raise
        handle = accepting.result()
        if not handle.accepted:
            return None
        # The server that accepted the goal is alive, so its publishers are the ones to watch.
        lifeline = Lifeline(self._node, f'{self._name}/_action/status', late_s=_LATE_S)
        return self._result(handle, what, lifeline, time.monotonic() + timeout_s, cancel_timeout_s, cancelled)

    def _result(
        self, handle: Any, what: str, lifeline: Lifeline, end_s: float, cancel_timeout_s: float, cancelled: Flag
    ) -> Any:
        ending = handle.get_result_async()
        done = threading.Event()
        ending.add_done_callback(lambda _: done.set())
        cancel_end_s = cancel_again_s = float('inf')
        late = False
        while not done.wait(_SLICE_S):
            now_s = time.monotonic()
            _check_alive(what, self._node, lifeline)
            if cancel_end_s == float('inf') and (cancelled() or now_s > end_s):
                late = not cancelled()
                cancel_end_s, cancel_again_s = now_s + cancel_timeout_s, now_s
            if now_s > cancel_end_s:
                reason = 'after it took too long and was cancelled' if late else 'after it was cancelled'
                raise StackError(f'{what} did not end within {cancel_timeout_s:g} s {reason}')
            if now_s >= cancel_again_s:
                handle.cancel_goal_async()
                cancel_again_s = now_s + _CANCEL_AGAIN_S
        return ending.result().result


def wait_for(future: Future, timeout_s: float, what: str) -> Any:
    """Waits for a future's result, in a thread that the executor does not need. `what` names it in the error.

    Raises:
        StackError: not done within `timeout_s` of wall time; the future itself goes on.
    """
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    if not done.wait(timeout_s):
        raise StackError(f'{what} did not answer within {timeout_s:g} s')
    return future.result()


def _cancel_late(accepting: Future) -> None:
    # The server accepted after we gave up waiting, and nobody would supervise the motion.
    handle = accepting.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


def _wait(
    future: Future, end_s: float, what: str, node: Node, cancelled: Flag, lifeline: Lifeline | None = None
) -> None:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    began_s = time.monotonic()
    while not done.wait(_SLICE_S):
        if cancelled():
            raise StackError(f'{what}: cancelled')
        if time.monotonic() > end_s:
            raise StackError(f'{what} did not answer within {end_s - began_s:.3g} s')
        _check_alive(what, node, lifeline)


def _check_alive(what: str, node: Node, lifeline: Lifeline | None) -> None:
    if not node.context.ok():
        raise StackError(f'{what}: this node is shutting down')
    if lifeline is not None and lifeline.broken():
        raise ServerLostError(f'{what}: its node disappeared during the call')


def _until(ready: Callable[[], bool], end_s: float, complaint: str, node: Node, cancelled: Flag) -> None:
    began_s = time.monotonic()
    while not ready():
        if cancelled():
            raise StackError(f'{complaint}; cancelled')
        if not node.context.ok():
            raise StackError(f'{complaint}; this node is shutting down')
        if time.monotonic() > end_s:
            raise StackError(f'{complaint} (waited {end_s - began_s:.3g} s)')
        # Nothing signals changes of the graph, so this polls. It runs in a caller's own thread, never in an executor's.
        time.sleep(_SLICE_S)
