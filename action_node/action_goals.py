"""The action `execute_action`: takes goals while the node is active, cancels them, and answers each."""

import threading
import time
from collections.abc import Callable

from lucca_interfaces.action import ExecuteAction
from rclpy.action import CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode

from action_node.cancel_latch import CancelLatch, CancelLatches
from action_node.config import ActionConfig
from action_node.executor import ActionExecutor
from action_node.internal_errors import InternalErrors
from action_node.log_lines import say
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionProgress, ActionResult
from lucca_ros.companion import Companion
from lucca_ros.conversions.actions import ACTION_PROGRESS, ACTION_REQUEST, ACTION_RESULT
from lucca_ros.rclpy_internals import ShutdownSafeActionServer

MOST_GOALS = 3
"""Goals answered at the same time: one that runs, and others that are told `busy`.

Further goals are rejected, so that a thread is always free for other work, such as a cancel.
"""


PROMISE_S = 2.0
"""Longest time between the acceptance of a goal and its handle, in s of wall time."""


class ActionGoals:
    """Gives the goals of other nodes to the executor. Call `destroy` when done.

    Args:
        node: the action node.
        beside: the node's companion that serves the goals, with more threads than `MOST_GOALS`.
        executor: carries out the actions.
        latches: of the goals in progress.
        internal_errors: takes unexpected errors.
        config: settings.
        is_open: whether goals are accepted now.
        ending: set when the process ends, which ends all waiting.
    """

    def __init__(
        self,
        node: LifecycleNode,
        beside: Companion,
        executor: ActionExecutor,
        latches: CancelLatches,
        internal_errors: InternalErrors,
        config: ActionConfig,
        *,
        is_open: Callable[[], bool],
        ending: threading.Event,
    ) -> None:
        self._node = node
        self._executor = executor
        self._latches = latches
        self._internal_errors = internal_errors
        self._is_open = is_open
        self._ending = ending
        self._accepting = threading.Lock()
        self._promised_s: list[float] = []
        """When goals were accepted (monotonic) that have no latch yet."""
        self._server = ShutdownSafeActionServer(
            beside.node,
            ExecuteAction,
            node.resolve_service_name('execute_action'),
            self._execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            # The default of 900 s would keep every goal, with the snapshot on which it was decided, for a quarter of an
            # hour.
            result_timeout=config.result_kept_s,
        )

    def destroy(self) -> None:
        """Ends the server."""
        self._server.destroy()

    def _on_goal(self, goal: ExecuteAction.Goal) -> GoalResponse:
        now_s = time.monotonic()
        with self._accepting:
            # rclpy may fail to accept a goal after this call, and tells nobody.
            self._promised_s = [at_s for at_s in self._promised_s if now_s - at_s < PROMISE_S]
            free = self._is_open() and len(self._latches) + len(self._promised_s) < MOST_GOALS
            if free:
                self._promised_s.append(now_s)
        return GoalResponse.ACCEPT if free else GoalResponse.REJECT

    def _on_accepted(self, goal_handle: ServerGoalHandle) -> None:
        # Counted from here on, not from the start of its thread: a burst would get more threads than there are.
        self._latches.of(bytes(goal_handle.goal_id.uuid))
        with self._accepting:
            del self._promised_s[:1]
        goal_handle.execute()

    def _on_cancel(self, goal_handle: ServerGoalHandle) -> CancelResponse:
        self._latches.cancel(bytes(goal_handle.goal_id.uuid), lambda: bool(goal_handle.is_active))
        return CancelResponse.ACCEPT

    def _execute(self, goal_handle: ServerGoalHandle) -> ExecuteAction.Result:
        goal_id = bytes(goal_handle.goal_id.uuid)
        latch = self._latches.of(goal_id)
        if goal_handle.is_cancel_requested:
            latch.set()

        def feedback(phase: str, progress: float) -> None:
            goal_handle.publish_feedback(ACTION_PROGRESS.to_msg(ActionProgress(phase=phase, progress=progress)))

        try:
            request = ACTION_REQUEST.from_msg(goal_handle.request)
        except ValueError as error:
            request = None
            result = ActionResult(code=ReasonCode.MALFORMED, message=f'the goal cannot be used: {error}')
        try:
            if request is not None:
                result = self._executor.execute(request, latch, feedback)
        except Exception as error:  # noqa: BLE001 - the action server would answer an empty result for it
            said = self._internal_errors.note(error, f'action {goal_handle.request.text!r}')
            result = ActionResult(code=ReasonCode.HARDWARE_FAULT, message=said)
        try:
            self._end(goal_handle, latch, result.code)
            self._log(result)
            return ACTION_RESULT.to_msg(result)
        except Exception as error:
            if self._node.context.ok():
                self._internal_errors.note(error, f'the answer to {goal_handle.request.text!r}')
            raise
        finally:
            self._latches.forget(goal_id)

    def _end(self, goal_handle: ServerGoalHandle, latch: CancelLatch, code: ReasonCode) -> None:
        """Puts the goal into its terminal state: succeeded if done, canceled if cancelled, otherwise aborted."""
        if code is ReasonCode.DONE:
            goal_handle.succeed()
            return
        if code is ReasonCode.CANCELLED and latch.is_set:
            # Our latch is set just before the server's own state changes.
            for _ in range(100):
                if goal_handle.is_cancel_requested:
                    goal_handle.canceled()
                    return
                self._ending.wait(0.002)
        goal_handle.abort()

    def _log(self, result: ActionResult) -> None:
        text = f'{result.action or "text"}: {result.code}, {result.message}'
        say(self._node, 'error' if result.code is ReasonCode.HARDWARE_FAULT else 'info', text)
