"""A pause for another lifecycle node: it is deactivated for a `with` block and then activated again."""

from collections.abc import Iterator
from contextlib import contextmanager

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.node import Node

from lucca_core.errors import StackError
from lucca_ros.callers import ServiceCaller


@contextmanager
def paused(node: Node, name: str, timeout_s: float) -> Iterator[None]:
    """Deactivates the node `name`, and activates it again at the end of the block, whatever happened in it.

    Call it from a thread other than the executor's of `node`. `timeout_s` limits each of the two changes; wall time, in
    s.

    Raises:
        StackError: the node is missing, or could not be deactivated or activated again.
    """
    caller = ServiceCaller(node, ChangeState, f'{name}/change_state')
    try:
        _deactivate(caller, name, timeout_s)
        try:
            yield
        finally:
            _change(caller, name, Transition.TRANSITION_ACTIVATE, 'activated again; restart it', timeout_s)
    finally:
        caller.destroy()


def _deactivate(caller: ServiceCaller, name: str, timeout_s: float) -> None:
    request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_DEACTIVATE))
    try:
        response = caller.call(request, timeout_s)
    except StackError as error:
        # The node may still become inactive after this timeout, so it is activated again.
        try:
            _change(caller, name, Transition.TRANSITION_ACTIVATE, 'activated again', timeout_s)
        except StackError as late:
            raise StackError(f'{error}; the node {name} may be inactive now; restart it ({late})') from error
        raise
    if not response.success:
        raise StackError(f'the node {name} could not be deactivated')


def _change(caller: ServiceCaller, name: str, transition: int, what: str, timeout_s: float) -> None:
    response = caller.call(ChangeState.Request(transition=Transition(id=transition)), timeout_s)
    if not response.success:
        raise StackError(f'the node {name} could not be {what}')
