"""What every lucca node shares: logged transitions, and a main that configures, activates, spins and shuts down."""

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions

from lucca_core.claim import EXIT_ALREADY_RUNNING
from lucca_core.errors import AlreadyRunningError, LuccaError, StackError
from lucca_core.parent_process import end_with_parent
from lucca_core.process_priority import freeze_current_objects, raise_priority
from lucca_ros.clock import refuse_odd_times
from lucca_ros.crash_watch import CrashWatch, tell_crash
from lucca_ros.end_signals import EndSignals
from lucca_ros.exit_deadline import set_exit_deadline
from lucca_ros.node_claim import claim_with_activation, kind_of
from lucca_ros.node_logs import NodeLogs
from lucca_ros.parameters import declare_read_only
from lucca_ros.rclpy_internals import RCLError, destroy_for_good, is_finalized, is_of_an_end
from lucca_ros.spinning import end_executor, spin_while

NodeT = TypeVar('NodeT', bound=LifecycleNode)
Transition = Callable[[Any, LifecycleState], TransitionCallbackReturn]

_CALLBACKS_S = 2.0
_SWITCH_S = 0.0005


def logged_transition(transition: Transition) -> Transition:
    """Logs why a transition failed: Jazzy's rclpy turns an exception in one into ERROR without a log line.

    A LuccaError is a condition of the world (a file, a model, another node) and fails the transition, so that it can be
    tried again. Anything else is a bug: it is logged and raised, and ends a process that `run_node` runs.
    """

    @functools.wraps(transition)
    def logged(node: Any, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(node, state)
        except LuccaError as error:
            node.get_logger().error(f'{transition.__name__} failed: {error}')
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            if is_of_an_end(error) and not node.context.ok():
                return TransitionCallbackReturn.FAILURE  # the process was told to end meanwhile
            node.get_logger().fatal(f'{transition.__name__} raised {type(error).__name__}: {error}')
            tell_crash(error, transition.__name__)
            raise

    return logged


def refuse_impossible_transitions(node: LifecycleNode) -> None:
    """Has `change_state` answer a transition that is not possible from the current state with `success: false`.

    Jazzy's rclpy raises out of the executor instead, so that one mistaken call ends the process.
    """
    for service in node.services:
        if service.srv_name.endswith('/change_state'):
            service.callback = _refusing(node, service.callback)


def _refusing(node: LifecycleNode, change_state: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def answer(request: Any, response: Any) -> Any:
        try:
            return change_state(request, response)
        except RCLError:
            wanted = request.transition.label or request.transition.id
            node.get_logger().warning(f'transition {wanted!r} is not possible from the current state')
            response.success = False
            return response

    return answer


def run_node(
    make_node: Callable[[], NodeT],
    args: Sequence[str] | None = None,
    *,
    threads: int = 4,
    end_s: float = 9.0,
    urgent: bool = False,
) -> int:
    """Runs one lifecycle node until SIGINT or SIGTERM, or until it is shut down. Returns the exit code of the process.

    With the parameter `autostart` (true unless overridden) the node configures and activates itself; without it a
    lifecycle manager does. A failed autostart is exit code 1, so that whoever supervises the process starts it again.
    A node is active only while it is the only one of its kind in its domain and namespace; where another one is, its
    activation fails, and an autostart is exit code EXIT_ALREADY_RUNNING. A node that was shut down by its lifecycle
    has nothing left to do, and ends its process with 0: whoever supervises it starts it again.
    An unexpected error in any thread is exit code 1 too, reported in `diagnostics` first; see `CrashWatch`.
    A process that has not gone `end_s` (wall time, s) after it was told to says where it hangs and ends with 1.
    An `urgent` one, on which a stop waits, goes before other processes as far as the system lets it.
    """
    end_with_parent()
    # First of all: threads have the priority of the one that begins them.
    refused = raise_priority() if urgent else ''
    # A node has many threads that do little: with Python's 5 ms, who has an answer waits for who looks for work.
    sys.setswitchinterval(_SWITCH_S)
    logs = NodeLogs(kind_of(make_node))
    rclpy.init(args=logs.arguments(args), signal_handler_options=SignalHandlerOptions.NO)
    logs.start()
    signals = EndSignals(rclpy.get_default_context(), end_s)
    executor = MultiThreadedExecutor(num_threads=threads)
    node: NodeT | None = None
    watch: CrashWatch | None = None
    signals.install()
    try:
        node = make_node()
        watch = CrashWatch(node, end_s)
        watch.install()
        refuse_odd_times(node)
        refuse_impossible_transitions(node)
        claim = claim_with_activation(node)
        if refused:
            node.get_logger().warning(f'a stop may wait for other processes: {refused}')
        if not node.has_parameter('autostart'):
            declare_read_only(node, 'autostart', True, 'The node configures and activates itself.')
        executor.add_node(node)
        if node.get_parameter('autostart').value:
            # Before it is configured: what another one does is not to be disturbed, and while it is, others are heard.
            try:
                claim.take()
            except StackError as error:
                return _refused(node, error)
            for transition in (node.trigger_configure, node.trigger_activate):
                if transition() != TransitionCallbackReturn.SUCCESS:
                    if not rclpy.ok():  # told to end meanwhile
                        return 1 if watch.crashed else 0
                    return EXIT_ALREADY_RUNNING if isinstance(claim.refused, AlreadyRunningError) else 1
        # rclpy looks up who logs; the first time in all modules, 50 ms and more, for which no stop shall wait.
        inspect.stack()
        # A stop waits for no collection of what is here for good.
        freeze_current_objects()
        spin_while(executor, lambda: claim.lost is None and not is_finalized(node))
        if claim.lost is not None:
            return _refused(node, claim.lost)
    except ExternalShutdownException:
        pass
    except Exception as error:
        if watch is not None:
            watch.tell(error, 'a callback')
        elif not is_of_an_end(error) or rclpy.ok():  # else a signal while it was made
            raise
    finally:
        set_exit_deadline(end_s)
        signals.close()
        end_executor(executor, _CALLBACKS_S)
        if node is not None:
            destroy_for_good(node)
        rclpy.try_shutdown()
        logs.close()
    return 1 if watch is not None and watch.crashed else 0


def _refused(node: LifecycleNode, error: StackError) -> int:
    """The exit code of a node that is not the only one of its kind, or cannot know whether it is."""
    node.get_logger().error(str(error))
    return EXIT_ALREADY_RUNNING if isinstance(error, AlreadyRunningError) else 1


def main_of(
    make_node: Callable[[], LifecycleNode], *, threads: int = 4, end_s: float = 9.0, urgent: bool = False
) -> Callable[[], None]:
    """A console-script entry point for a node; see `run_node`."""

    def main() -> None:
        sys.exit(run_node(make_node, threads=threads, end_s=end_s, urgent=urgent))

    return main
