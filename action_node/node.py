"""The lifecycle node `action`: runs actions, and stops and resets the arms."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from std_srvs.srv import Trigger

from action_node.action_goals import MOST_GOALS, ActionGoals
from action_node.body import Body, ProfileBody
from action_node.cancel_latch import CancelLatches
from action_node.config import OWN, ActionConfig
from action_node.executor import ActionExecutor
from action_node.gate.gate import Gate, Reach
from action_node.grasp_display import GraspDisplay
from action_node.interfaces import ActionComponents, Planner
from action_node.internal_errors import InternalErrors
from action_node.log_lines import say
from action_node.motion.arm_reach import ArmReach
from action_node.motion.config import MotionConfig
from action_node.motion.free_ways import AskedWays
from action_node.motion.planner import MotionPlanner
from action_node.motion.table_geometry import table_solid
from action_node.moveit import CODES, MoveIt
from action_node.prohibition_desk import ProhibitionDesk
from action_node.prohibition_service import ProhibitionService
from action_node.prohibition_store import ProhibitionStore
from action_node.ros_interfaces import RosArmControllers, RosEntryRecorder, RosSnapshots
from action_node.running_controllers import compare_controllers
from action_node.status_report import StatusReport
from action_node.stop.state_lock import StateLock
from action_node.stop.stop_marker import StopMarker
from action_node.stop.unheard_stop import UnheardStop
from action_node.stop_inputs import StopInputs
from lucca_core.claim import this_process
from lucca_core.errors import LuccaError
from lucca_core.paths import default_state_dir
from lucca_core.protocol.observations import ActionEnded, GateDecision
from lucca_memory.procedural import load_actions
from lucca_robot.profile import SIDES, load_profile
from lucca_ros.companion import Companion
from lucca_ros.crash_watch import tell_crash
from lucca_ros.diagnostics import diagnose_every
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.observing import Observer
from lucca_ros.parameters import declare_parameters, read_parameters
from lucca_ros.streams import Streams

_LOG = logging.getLogger(__name__)

HEED_S = 0.2
"""Wall time between two looks for a stop that nobody answered."""

THREADS = 7


def make_body(config: ActionConfig) -> Body:
    """The robot of the configured profile."""
    return ProfileBody(load_profile(config.robot))


def make_planner(config: ActionConfig, motion_config: MotionConfig) -> Planner:
    """The planner for the configured robot."""
    return MotionPlanner(load_profile(config.robot), motion_config)


def make_reach(config: ActionConfig, motion_config: MotionConfig) -> Reach:
    """The check of what the configured robot can reach, for the gate."""
    return ArmReach(load_profile(config.robot), motion_config)


class ActionNode(LifecycleNode):
    """Runs one action at a time. It can be stopped at any time."""

    def __init__(
        self,
        make_body: Callable[[ActionConfig], Body] = make_body,
        make_planner: Callable[[ActionConfig, MotionConfig], Planner] = make_planner,
        make_reach: Callable[[ActionConfig, MotionConfig], Reach] = make_reach,
        **node_options: Any,
    ) -> None:
        super().__init__('action', **node_options)
        declare_parameters(self, ActionConfig())
        declare_parameters(self, MotionConfig(), self._on_motion)
        self._streams = Streams(self)
        # A separate node, so that a stop never waits for other work of this node.
        self._stopping = Companion(self, 'stop')
        self._stop_inputs = StopInputs(self, self._stopping.node)
        self._stopping.start()
        self._make_body = make_body
        self._make_planner = make_planner
        self._make_reach = make_reach
        # Another one, as an executor with few entities to check accepts and begins a goal in half the time.
        self._asked = Companion(self, 'goals', threads=MOST_GOALS + 2)
        self._asked.start()
        self._reset_group = MutuallyExclusiveCallbackGroup()
        self._diagnostics_group = MutuallyExclusiveCallbackGroup()
        self._heed_group = MutuallyExclusiveCallbackGroup()
        self._heeded_ns = 0
        """The call of the last unheard stop that was carried out; see `UnheardStop.called_ns`."""
        self._executor_of_actions: ActionExecutor | None = None
        self._latches = CancelLatches()
        self._planner: Planner | None = None
        self._moveit: MoveIt | None = None
        self._state_lock: StateLock | None = None
        self._internal_errors = InternalErrors()
        self._could_end_before = False
        self._active = False
        self._ending = threading.Event()
        self.context.on_shutdown(self._ending.set)

    @property
    def about_to_end(self) -> bool:
        """True from an unexpected error on: no goal is accepted, and the process ends; stops are still carried out."""
        return self._internal_errors.first is not None

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        config = read_parameters(self, ActionConfig)
        self._config = config
        motion_config = read_parameters(self, MotionConfig)
        actions = load_actions(Path(config.actions_file) if config.actions_file else None)
        gate = Gate(actions, self._make_reach(config, motion_config))
        self._body = body = self._make_body(config)
        self._planner = self._planner_for(config, motion_config)
        self._arms = RosArmControllers(self, self._streams, body, config, self._ending)
        self._objects = RosSnapshots(self, self._streams, self._ending)
        self._memory = RosEntryRecorder(self, self._streams, config, self._ending)
        folder = Path(config.state_dir).expanduser() if config.state_dir else default_state_dir()
        self._lock_state(folder)
        marker = StopMarker(folder, self.get_namespace())
        # Not in `state_dir`, which commands that leave a stop do not know.
        self._unheard = UnheardStop(default_state_dir(), self.get_namespace(), self.context.get_domain_id())
        prohibitions = ProhibitionStore(folder, self.get_namespace())
        self._observer = Observer(self, GateDecision, ActionEnded)
        self._grasp_display = GraspDisplay(self)
        before = self._executor_of_actions
        stopped = (before is not None and before.stopped) or marker.is_set() or self._unheard.is_set()
        if stopped:
            files = [str(item.file) for item in (marker, self._unheard) if item.is_set()]
            self.get_logger().warning(
                f'the robot was stopped before ({" and ".join(files) or "in this process"}); '
                'nothing moves until action/reset'
            )
        self._executor_of_actions = ActionExecutor(
            ActionComponents(
                gate=gate,
                body=body,
                arms=self._arms,
                planner=self._present_planner,
                perception=self._objects,
                recorder=self._memory,
                config=config,
                marker=marker,
                prohibitions=prohibitions.kept,
                known_prohibitions=prohibitions.known,
                observe=self._observer.tell,
                show_grasp=self._grasp_display.show,
                ending=self._ending,
                internal_errors=self._internal_errors,
            ),
            stopped=stopped,
        )
        self._stop_inputs.connect(self._stop)
        places = (spec.effect.container for spec in actions.values())
        desk = ProhibitionDesk(prohibitions, places, self._objects.latest)
        self._prohibitions = ProhibitionService(self, self._asked, desk, self._internal_errors)
        self._status = StatusReport(
            self,
            config,
            self._executor_of_actions,
            self._arms,
            self._objects,
            self._memory,
            self._internal_errors,
            prohibitions.kept,
        )
        self._end_timer = diagnose_every(
            self,
            self._end_after_internal_error,
            period_s=config.diagnostics_period_s,
            group=self._diagnostics_group,
        )
        # In a group of its own: a disk that hangs must not keep the node from reporting it.
        self._heed_timer = diagnose_every(self, self._heed_unheard_stop, period_s=HEED_S, group=self._heed_group)
        # Not created and destroyed with each activation like the rest: rclpy's executor fails if an action server is
        # destroyed while it waits. While inactive, the node rejects goals.
        self._goals = ActionGoals(
            self,
            self._asked,
            self._executor_of_actions,
            self._latches,
            self._internal_errors,
            config,
            is_open=lambda: self._active and not self.about_to_end,
            ending=self._ending,
        )
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        if self._config.controllers_wait_s:
            compare_controllers(self._streams, self._body, self._config.controllers_wait_s)
        result = super().on_activate(state)
        self._arms.subscribe()
        self._objects.subscribe()
        self._diagnostics_timer = diagnose_every(
            self,
            self._status.publish,
            period_s=self._config.diagnostics_period_s,
            group=self._diagnostics_group,
        )
        self._active = True
        self._reset_service = self.create_service(
            Trigger, 'action/reset', self._on_reset, callback_group=self._reset_group
        )
        return result

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._leave_active()
        self._grasp_display.show(None)
        self.destroy_timer(self._diagnostics_timer)
        self.destroy_service(self._reset_service)
        self._objects.unsubscribe()
        self._arms.unsubscribe()
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._stop_inputs.disconnect()
        self._prohibitions.destroy()
        self._goals.destroy()
        self.destroy_timer(self._end_timer)
        self.destroy_timer(self._heed_timer)
        self._status.destroy()
        self._observer.destroy()
        self._grasp_display.destroy()
        self._memory.destroy()
        self._arms.destroy()
        # The executor is kept: a stop in progress is still written, and counts when the node is configured again.
        self._executor().close()
        if self._moveit is not None:
            self._moveit.destroy()
            self._moveit = None
        self._unlock_state()
        if (first := self._internal_errors.first) is not None:
            tell_crash(first.error, first.where)
        return super().on_cleanup(state)

    @logged_transition
    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._leave_active()
        return super().on_shutdown(state)

    def destroy_node(self) -> None:
        """Ends all waiting, then destroys the node."""
        # First, as a goal in progress still needs the streams: to hold the arms, and to record its outcome.
        self._asked.close()
        self._ending.set()
        self._streams.close()
        self._stopping.close()
        if self._executor_of_actions is not None:
            self._executor_of_actions.close()  # a stop of the last moment is still written
            self._observer.destroy()
        self._unlock_state()
        super().destroy_node()

    def _lock_state(self, folder: Path) -> None:
        self._unlock_state()  # of a configuration that failed
        who = f'{this_process()}, in domain {self.context.get_domain_id()}'
        self._state_lock = StateLock(folder, self.get_namespace(), who)

    def _unlock_state(self) -> None:
        if self._state_lock is not None:
            self._state_lock.release()
            self._state_lock = None

    def _present_planner(self) -> Planner:
        """The planner with the present settings of motion."""
        assert self._planner is not None
        return self._planner

    def _planner_for(self, config: ActionConfig, motion_config: MotionConfig) -> Planner:
        if config.planner == OWN:
            return self._make_planner(config, motion_config)
        profile = load_profile(config.robot)
        if self._moveit is None:
            self._moveit = MoveIt(
                self._streams,
                table_solid(motion_config, profile.table_top_m),
                profile.description.root,
                config.moveit_planning_s,
            )
        groups = dict(zip(SIDES, config.moveit_groups, strict=True))
        return MotionPlanner(profile, motion_config, AskedWays(self._moveit, profile, groups, CODES))

    def _leave_active(self) -> None:
        """Holds the arms, as an inactive node could not continue a motion. A reset after a deactivation homes them."""
        # The order counts: a reset that still found the node active is older than this stop, and does not lift it.
        self._active = False
        if self._executor_of_actions is not None:
            report = self._executor_of_actions.hold_until_reset()
            if not report.whole:
                self.get_logger().error(f'no longer active: {report}')

    def _executor(self) -> ActionExecutor:
        assert self._executor_of_actions is not None, 'the node was not configured'
        return self._executor_of_actions

    def _on_motion(self, motion_config: MotionConfig) -> None:
        """Plans with changed motion settings from the next plan on."""
        if self._planner is not None:
            try:
                self._planner = self._planner_for(self._config, motion_config)
            except LuccaError as error:
                self.get_logger().error(f'the changed motion settings are not used: {error}')

    # --- stop and reset ---

    def _stop(self, why: str, *, wait_for_disk: bool) -> tuple[bool, str]:
        """Never raises, because a stop is answered, and the process must not end before the stop is on the disk."""
        try:
            report = self._executor().stop(why, wait_for_disk=wait_for_disk)
            whole, said = report.whole, str(report)
        except Exception as error:  # noqa: BLE001 - see above
            whole, said = False, f'{self._internal_errors.note(error, "a stop")}; use the hardware stop'
            for step in (self._executor().hold_until_reset, self._executor().keep_stop):
                try:
                    step()
                except Exception:  # noqa: BLE001 - see above
                    _LOG.exception('a part of a stop failed')
        say(self, 'warning' if whole else 'error', f'{why}: {said}')
        return whole, said

    def _heed_unheard_stop(self) -> None:
        """Carries out a stop that was called for while this process hung, or was not there yet."""
        called_ns = self._unheard.called_ns()
        if not called_ns:
            return
        if called_ns != self._heeded_ns:
            # Once: if the file cannot be removed, a reset must not be undone by it.
            self._heeded_ns = called_ns
            called = datetime.fromtimestamp(called_ns * 1e-9).astimezone()
            self._stop(f'a stop of {called:%Y-%m-%d %H:%M:%S} that nobody had answered', wait_for_disk=True)
        if self._executor().disk_fault:
            return  # until the stop itself is on the disk, the file keeps it for a node that starts
        try:
            self._unheard.clear()
        except OSError as error:
            self.get_logger().error(
                f'a stop that was carried out cannot be taken off the disk and stops a node that starts: {error}',
                throttle_duration_sec=30.0,
            )

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            response.success, response.message = self._reset()
        except Exception as error:  # noqa: BLE001 - a reset is answered
            response.success, response.message = False, self._internal_errors.note(error, 'a reset')
        return response

    def _reset(self) -> tuple[bool, str]:
        # Read before anything else, so that a stop from now on is not lifted, nor that of a deactivation.
        stops = self._executor().stops
        if not self._active:
            return False, 'the action node is not active; nothing moves before it is'
        if not self._stop_inputs.let_go(self._ending):
            return False, 'emergency_stop is still true, and its publisher is still there; let it publish false first'
        return self._executor().reset(stops)

    # --- the end after an unexpected error ---

    def _end_after_internal_error(self) -> None:
        """Ends the process once nothing would be lost with it: goals are answered, and stops are on the disk.

        It happens one period later, so that answers that were just given have left.
        """
        first = self._internal_errors.first
        if first is None:
            return
        may_end = self._executor().may_end and not self._latches
        if may_end and self._could_end_before:
            tell_crash(first.error, first.where)
        self._could_end_before = may_end


main = main_of(ActionNode, threads=THREADS, urgent=True)
