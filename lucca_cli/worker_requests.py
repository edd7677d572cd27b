"""What commands ask of the worker of a running stack: to release the data folder, and to use its network."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lucca_cli.client import StackClient
from lucca_core.errors import StackError
from lucca_core.protocol.people import NetworkAnswer, NetworkRequest
from lucca_ros.callers import ServiceCaller
from lucca_ros.conversions.people import NETWORK
from lucca_ros.node_pause import paused

_FOUND_S = 10.0
"""Longest search for the worker's service, in s of wall time."""

_ANSWERED_S = 30.0
"""Longest wait for the worker to pause or to answer, in s of wall time."""


@contextmanager
def paused_worker() -> Iterator[None]:
    """Pauses the worker of the running stack, so that it releases the data folder; it resumes at the end in any case.

    Raises:
        StackError: there is no worker, or it could not be paused.
    """
    with StackClient() as client, paused(client.node, 'worker', _ANSWERED_S):
        yield


def ask_network(command: str, folder: str, node_ids: Sequence[int]) -> NetworkAnswer:
    """Asks the worker of the running stack to inspect or change its semantic network; see `semantic.command_runner`.

    Raises:
        StackError: there is no worker, or it gave no answer.
        MemoryFault: the worker refused; the message gives its reason.
    """
    with StackClient() as client:
        service = ServiceCaller(client.node, NETWORK.kind, 'memory/network')
        if not service.wait_for_server(_FOUND_S):
            raise StackError('no worker answers for the network here; is ROS_DOMAIN_ID that of the stack?')
        request = NetworkRequest(command=command, folder=folder, nodes=tuple(node_ids))
        reply = service.call(NETWORK.request.to_msg(request), _ANSWERED_S)
    return NETWORK.answer_from_msg(reply)
