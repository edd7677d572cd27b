"""Waiting for futures, services and actions with an event and a deadline, never by spinning inside a callback."""

import threading
from typing import Any

from rclpy.client import Client
from rclpy.task import Future

from lucca_core.errors import StackError


def wait_for(future: Future, timeout_s: float, what: str, cancelled: threading.Event | None = None) -> Any:
    """The future's result, from a thread that the executor does not need.

    Args:
        future: completed by another executor thread.
        timeout_s: wall time to wait, in s.
        what: named in the error.
        cancelled: when set by somebody, waiting ends at once with StackError.

    Raises:
        StackError: not done in time, or cancelled. The future itself goes on.
    """
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    finished = done.wait(timeout_s) if cancelled is None else _wait_either(done, cancelled, timeout_s)
    if not finished:
        reason = (
            'was cancelled'
            if cancelled is not None and cancelled.is_set()
            else f'did not answer within {timeout_s:g} s'
        )
        raise StackError(f'{what} {reason}')
    return future.result()


def call_service(client: Client, request: Any, timeout_s: float, what: str) -> Any:
    """Calls a service from outside the executor's threads of the client's callback group.

    Raises:
        StackError: the service is not there or did not answer in time.
    """
    if not client.service_is_ready() and not client.wait_for_service(timeout_s):
        raise StackError(f'{what}: service {client.srv_name} is not there (waited {timeout_s:g} s)')
    future = client.call_async(request)
    try:
        return wait_for(future, timeout_s, what)
    except StackError:
        client.remove_pending_request(future)
        raise


def _wait_either(done: threading.Event, cancelled: threading.Event, timeout_s: float) -> bool:
    # Two events need two wake-ups: a short slice is the price, 20 ms is far below any deadline here.
    remaining_s = timeout_s
    while remaining_s > 0:
        if done.wait(min(0.02, remaining_s)):
            return True
        if cancelled.is_set():
            return False
        remaining_s -= 0.02
    return done.is_set()
