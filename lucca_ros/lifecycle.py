"""Lifecycle code of all nodes: logged transitions, and a main that configures, activates, spins and shuts down."""

import functools
import inspect
import sys
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from lucca_core.claim import EXIT_ALREADY_RUNNING
from lucca_core.errors import AlreadyRunningError, LuccaError, StackError
from lucca_core.parent_process import end_with_parent
from lucca_core.process_priority import freeze_current_objects, raise_priority, raise_session_priority
from lucca_ros.clock import refuse_odd_times
from lucca_ros.crash_watch import CrashWatch, tell_crash
from lucca_ros.end_signals import EndSignals
from lucca_ros.exit_deadline import set_exit_deadline
from lucca_ros.node_claim import claim_with_activation, kind_of
from lucca_ros.node_logs import NodeLogs
from lucca_ros.parameters import declare_read_only
from lucca_ros.rclpy_internals import (
    RCLError,
    declared_parameters,
    destroy_for_good,
    is_finalized,
    is_of_an_end,
    overridden_parameters,
)
from lucca_ros.spinning import end_executor, spin_while

NodeT = TypeVar('NodeT', bound=LifecycleNode)
Transition = Callable[[Any, LifecycleState], TransitionCallbackReturn]

_CALLBACKS_S = 2.0
_SWITCH_S = 0.0005


def logged_transition(transition: Transition) -> Transition:
    """Logs why a transition failed; Jazzy's rclpy turns an exception into ERROR without a log line.

    A LuccaError is a condition of the world (a file, a model, another node). It fails the transition, which can be
    tried again. Anything else is a bug: it is logged and raised, and ends the process if `run_node` runs it.
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
                return TransitionCallbackReturn.FAILURE  # the process was told to end in the meantime
            node.get_logger().fatal(f'{transition.__name__} raised {type(error).__name__}: {error}')
            tell_crash(error, transition.__name__)
            raise

    return logged


def tell_unknown_parameters(node: Node) -> None:
    """Warns of every parameter that the node was given and does not have; ROS ignores it without a word."""
    declared = declared_parameters(node)
    for name in overridden_parameters(node):
        if name not in declared and not name.startswith('qos_overrides.'):
            near = get_close_matches(name, declared, 1)
            hint = f'; did you mean {near[0]!r}?' if near else ''
            node.get_logger().warning(f'there is no parameter {name!r}, its value has no effect{hint}')


def refuse_impossible_transitions(node: LifecycleNode) -> None:
    """Makes `change_state` answer `success: false` if a transition is not possible from the current state.

    Without this, Jazzy's rclpy raises out of the executor, so that one mistaken call would end the process.
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
    *,
    threads: int = 4,
    end_s: float = 9.0,
    urgent: bool = False,
) -> int:
    """Runs one lifecycle node until SIGINT, SIGTERM or its shutdown transition. Returns the exit code of the process.

    With the parameter `autostart` (true unless overridden), the node configures and activates itself; otherwise a
    lifecycle manager does that. If autostart fails, the exit code is 1, so that the supervisor of the process restarts
    it.

    A node can be active only if no other node of its kind is active in its domain and namespace. Otherwise its
    activation fails, and an autostart ends with EXIT_ALREADY_RUNNING. A node that was shut down by its lifecycle has
    nothing left to do; its process ends with 0, and the supervisor may start it again.

    An unexpected error in any thread is first reported in `diagnostics` and then ends the process with 1; see
    `CrashWatch`. A process that has not ended `end_s` (wall time, s) after it was told to prints where it hangs and
    ends with 1. An `urgent` process, on which a stop depends, gets priority over others as far as the system allows.
    """
    end_with_parent()
    # This comes first because new threads inherit the priority of the thread that starts them.
    refused = (raise_priority() or raise_session_priority()) if urgent else ''
    # A node has many threads with little work. At Python's default of 5 ms, a thread with an answer would wait for
    # threads that are only looking for work.
    sys.setswitchinterval(_SWITCH_S)
    logs = NodeLogs(kind_of(make_node))
    rclpy.init(args=logs.arguments(sys.argv), signal_handler_options=SignalHandlerOptions.NO)
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
        tell_unknown_parameters(node)
        executor.add_node(node)
        if node.get_parameter('autostart').value:
            # Before configuring: a running node must not be disturbed, and the claims of others are received in the
            # meantime.
            try:
                claim.take()
            except StackError as error:
                return _refused(node, error)
            for transition in (node.trigger_configure, node.trigger_activate):
                if transition() != TransitionCallbackReturn.SUCCESS:
                    if not rclpy.ok():  # told to end in the meantime
                        return 1 if watch.crashed else 0
                    return EXIT_ALREADY_RUNNING if isinstance(claim.refused, AlreadyRunningError) else 1
        # rclpy looks up the caller of each log call. The first time takes 50 ms or more in all modules, and a stop must
        # not wait for it.
        inspect.stack()
        # So that a stop never waits for a garbage collection of permanent objects.
        freeze_current_objects()
        spin_while(executor, lambda: claim.lost is None and not is_finalized(node))
        if claim.lost is not None:
            return _refused(node, claim.lost)
    except ExternalShutdownException:
        pass
    except Exception as error:
        if watch is not None:
            watch.tell(error, 'a callback')
        elif not is_of_an_end(error) or rclpy.ok():  # otherwise a signal arrived while the node was made
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
    """The exit code of a node that is not the only one of its kind, or cannot find out."""
    node.get_logger().error(str(error))
    return EXIT_ALREADY_RUNNING if isinstance(error, AlreadyRunningError) else 1


def main_of(
    make_node: Callable[[], LifecycleNode], *, threads: int = 4, end_s: float = 9.0, urgent: bool = False
) -> Callable[[], None]:
    """A console-script entry point for a node; see `run_node`."""

    def main() -> None:
        sys.exit(run_node(make_node, threads=threads, end_s=end_s, urgent=urgent))

    return main
