"""The lifecycle node `relay`: receives the action node's stamped trajectories and publishes setpoints."""

from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from lucca_robot.profile import load_profile
from lucca_ros.diagnostics import DIAGNOSTICS, ERROR, OK, diagnose_every, diagnostic_msg
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.parameters import declare_parameters, read_parameters
from lucca_ros.subscriptions import ANY_PUBLISHER
from lucca_sim.conversions import setpoint_to_msg, trajectory_from_msg
from lucca_sim.joint_servos import joint_servos
from lucca_sim.relay.config import RelayConfig
from lucca_sim.relay.setpoints import SetpointRelay


class RelayNode(LifecycleNode):
    """Listens on `NAME/joint_trajectory` of each controller, and publishes on `NAME/setpoints` while it moves."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__('relay', **node_options)
        declare_parameters(self, RelayConfig())
        self._setpoints: dict[str, Any] = {}
        self._subscriptions_of_relay: list[Any] = []
        self._timer: Any = None
        self._diagnosing: Any = None
        self._heard_s: float | None = None

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._config = read_parameters(self, RelayConfig)
        profile = load_profile(self._config.robot)
        servos = joint_servos(profile, self._config.step_s)
        self._relay = SetpointRelay(
            profile.controllers,
            {joint.name: (joint.lower, joint.upper) for joint in profile.moving_joints},
            {name: servo.damping / servo.stiffness for name, servo in servos.items()},
            self._config.joints_silence_s,
        )
        self._setpoints = {
            name: self.create_lifecycle_publisher(JointTrajectory, f'{name}/setpoints', 10)
            for name in profile.controllers
        }
        self._diagnostics = self.create_lifecycle_publisher(DiagnosticArray, DIAGNOSTICS, 10)
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        result = super().on_activate(state)
        self._subscriptions_of_relay = [
            self.create_subscription(JointTrajectory, f'{name}/joint_trajectory', self._receiver_of(name), 10)
            for name in self._setpoints
        ]
        self._subscriptions_of_relay.append(
            self.create_subscription(JointState, 'joint_states', self._on_joint_states, ANY_PUBLISHER)
        )
        # On the node's clock: with use_sim_time, the rate is per simulated second.
        self._timer = self.create_timer(1.0 / self._config.rate_hz, self._publish)
        self._diagnosing = diagnose_every(self, self._diagnose)
        return result

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.destroy_timer(self._timer)
        self.destroy_timer(self._diagnosing)
        for subscription in self._subscriptions_of_relay:
            self.destroy_subscription(subscription)
        self._subscriptions_of_relay = []
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        for publisher in self._setpoints.values():
            self.destroy_lifecycle_publisher(publisher)
        self._setpoints = {}
        self.destroy_lifecycle_publisher(self._diagnostics)
        return super().on_cleanup(state)

    def _receiver_of(self, controller: str) -> Callable[[JointTrajectory], None]:
        def receive(msg: JointTrajectory) -> None:
            try:
                self._relay.command(controller, trajectory_from_msg(msg), self._now_s())
            except ValueError as error:
                self.get_logger().warning(f'trajectory refused: {error}')

        return receive

    def _on_joint_states(self, msg: JointState) -> None:
        self._heard_s = self._now_s()
        if len(msg.position) == len(msg.name):
            self._relay.measured(dict(zip(msg.name, msg.position, strict=True)), self._now_s())

    def _publish(self) -> None:
        for name, positions in self._relay.setpoints(self._now_s()).items():
            self._setpoints[name].publish(setpoint_to_msg(self._relay.joints_of(name), positions))

    def _diagnose(self) -> None:
        silence_s = None if self._heard_s is None else self._now_s() - self._heard_s
        silent = silence_s is None or silence_s > self._config.joints_silence_s
        self._diagnostics.publish(
            diagnostic_msg(
                'relay',
                'no joint states' if silent else 'relays',
                {'controllers': len(self._setpoints)},
                stamp=self.get_clock().now().to_msg(),
                level=ERROR if silent else OK,
            )
        )

    def _now_s(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9


main = main_of(RelayNode)
