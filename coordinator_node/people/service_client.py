"""Requests to the memory of people, through the worker's ROS services."""

import threading
from typing import Any, TypeVar

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from lucca_core.errors import DeskRefusal, StackError
from lucca_core.protocol.people import (
    EndRequest,
    MeetRequest,
    PeopleRequest,
    RecallRequest,
    RecordedTurn,
    RememberRequest,
)
from lucca_core.protocol.refusal import DeskCode
from lucca_ros.callers import ServiceCaller
from lucca_ros.conversions import people
from lucca_ros.conversions.conversion import Service

A = TypeVar('A')

_REPEATABLE = frozenset({MeetRequest, RecallRequest, RecordedTurn, RememberRequest, EndRequest})
"""Requests that can be made again without harm. Such a call ends at the first sign that another worker answers now."""


class PeopleServiceClient:
    """Asks the worker. If a restarted worker no longer knows a conversation, it is met again first."""

    def __init__(self, node: Node, group: CallbackGroup, timeout_s: float) -> None:
        """`timeout_s`: longest wait for one answer, in s of wall time."""
        self._timeout_s = timeout_s
        self._met: dict[str, MeetRequest] = {}
        self._lock = threading.Lock()
        self._callers = {
            kind: ServiceCaller(node, service.kind, name, callback_group=group, repeatable=kind in _REPEATABLE)
            for kind, (name, service) in people.SERVICES.items()
        }

    def ask(self, request: PeopleRequest[A]) -> A:
        """See `lucca_core.protocol.people.Ask`."""
        if isinstance(request, EndRequest):
            with self._lock:
                self._met.pop(request.conversation, None)
        try:
            answer = self._answer(request)
        except DeskRefusal as refusal:
            with self._lock:
                met = self._met.get(request.conversation)
            if refusal.code is not DeskCode.NOT_MET or met is None:
                raise
            self._call(met)
            answer = self._answer(request)
        if isinstance(request, MeetRequest):
            with self._lock:
                self._met[request.conversation] = request
        return answer

    def destroy(self) -> None:
        """Destroys the service clients."""
        for caller in self._callers.values():
            caller.destroy()

    def _answer(self, request: PeopleRequest[A]) -> A:
        # Asked once more: the stamp shows memory that it has the turn already.
        is_turn = isinstance(request, RecordedTurn)
        try:
            return self._call(request)
        except StackError:
            if not is_turn:
                raise
            return self._call(request)

    def _call(self, request: PeopleRequest[A]) -> A:
        kind: Any = type(request)
        service: Service[Any, A] = people.SERVICES[kind][1]
        reply = self._callers[kind].call(service.request.to_msg(request), self._timeout_s)
        try:
            return service.answer_from_msg(reply)
        except ValueError as error:
            raise StackError(f'{service.kind.__name__} gave an invalid answer: {error}') from error
