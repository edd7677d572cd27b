"""A ROS client that observes a running stack: what is heard and said, stops and motion."""

import threading
import time
from collections.abc import Callable

from lucca_interfaces.msg import Audio
from lucca_interfaces.msg import Utterance as UtteranceMsg
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory

from lucca_cli.client import StackClient
from lucca_core.errors import StackError
from lucca_core.protocol.speech import Samples, Sound
from lucca_ros.conversions.speech import SOUND, UTTERANCE
from speech_node.audio import RATE_HZ
from speech_node.interfaces import Transcript

STATE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ARM_CONTROLLERS = ('left_arm_controller', 'right_arm_controller')

OnHeard = Callable[[Transcript, float], None]
"""A function that takes what was heard, and the length of its audio (s)."""


class StopButton:
    """A stop button wired to the robot: its publisher on `emergency_stop` exists before it is pressed.

    While it is pressed, resets are refused.
    """

    def __init__(self, client: StackClient) -> None:
        self._client = client
        self._publisher = client.node.create_publisher(Bool, 'emergency_stop', STATE)

    def wait_ready(self, timeout_s: float, alive: Callable[[], None]) -> None:
        """Waits until an action node listens to the button.

        Raises:
            StackError: none does within `timeout_s`.
        """
        deadline = time.monotonic() + timeout_s
        while not self._publisher.get_subscription_count():
            alive()
            if time.monotonic() > deadline:
                raise StackError(f'nobody listens on emergency_stop after {timeout_s:g} s')
            self._client.wait(0.05)

    def press(self) -> None:
        """Presses the button: stop."""
        self._publisher.publish(Bool(data=True))

    def let_go(self) -> None:
        """Releases the button. The arms still hold until a reset."""
        self._publisher.publish(Bool(data=False))

    def close(self) -> None:
        """Removes the button's publisher."""
        self._client.node.destroy_publisher(self._publisher)


class VoiceClient:
    """Sends sound to a running stack, and tells what it says and does. Leaves the stack's client open.

    Args:
        client: the stack's client.
        on_heard: called with what the speech node passes on.
        on_said: called with what the robot says.
        on_sound: called with each chunk that the robot plays.
        on_motion: called when an arm is told to move.
    """

    def __init__(
        self,
        client: StackClient,
        *,
        on_heard: OnHeard,
        on_said: Callable[[str], None],
        on_sound: Callable[[Samples], None],
        on_motion: Callable[[], None] = lambda: None,
    ) -> None:
        self._client = client
        node = client.node
        self._publisher = node.create_publisher(Audio, 'speech/audio_in', 50)

        def heard(msg: UtteranceMsg) -> None:
            said = UTTERANCE.from_msg(msg)
            on_heard(Transcript(said.text, said.confidence, said.language, said.transcription_s), said.audio_s)

        def moved(msg: JointTrajectory) -> None:
            if _is_motion(msg):
                on_motion()

        self._subscriptions = [
            *(
                node.create_subscription(JointTrajectory, f'{name}/joint_trajectory', moved, 20)
                for name in ARM_CONTROLLERS
            ),
            node.create_subscription(UtteranceMsg, 'speech/heard', heard, 20),
            node.create_subscription(UtteranceMsg, 'speech/say', lambda msg: on_said(str(msg.text)), 20),
            node.create_subscription(Audio, 'speech/audio_out', lambda msg: on_sound(SOUND.from_msg(msg).samples), 50),
        ]

    def wait_ready(self, timeout_s: float, alive: Callable[[], None]) -> None:
        """Waits until the speech node listens to its microphone and the coordinator to the speech node.

        Raises:
            StackError: one of them does not within `timeout_s`.
        """
        deadline = time.monotonic() + timeout_s
        for topic in ('speech/audio_in', 'speech/heard'):
            # This client listens to what was heard too.
            least = 2 if topic == 'speech/heard' else 1
            while self._client.endpoint(topic).subscribers < least:
                alive()
                if time.monotonic() > deadline:
                    raise StackError(f'nobody listens on {topic} after {timeout_s:g} s')
                self._client.wait(0.05)

    def send(self, samples: Samples) -> None:
        """Sends sound to the speech node's microphone."""
        self._publisher.publish(SOUND.to_msg(Sound(samples=samples, sample_rate_hz=RATE_HZ)))

    def close(self) -> None:
        """Removes the publisher and the subscriptions."""
        node = self._client.node
        for subscription in self._subscriptions:
            node.destroy_subscription(subscription)
        node.destroy_publisher(self._publisher)


def _is_motion(msg: JointTrajectory) -> bool:
    """Whether a trajectory is a motion, which has many points, and not a hold, which has one."""
    return len(msg.points) > 1


class HoldWatch:
    """Watches when each arm's controller is told to hold, for the measurement of stops."""

    def __init__(self, client: StackClient) -> None:
        self._client = client
        self._changed = threading.Condition()
        self._last: dict[str, float] = {}
        self._subscriptions = [
            client.node.create_subscription(
                JointTrajectory, f'{name}/joint_trajectory', lambda msg, name=name: self._came(name, msg), 20
            )
            for name in ARM_CONTROLLERS
        ]

    def _came(self, name: str, msg: JointTrajectory) -> None:
        if not _is_motion(msg):
            with self._changed:
                self._last.setdefault(name, time.monotonic())
                self._changed.notify_all()

    def clear(self) -> None:
        """Forgets all holds so far."""
        with self._changed:
            self._last.clear()

    def wait(self, timeout_s: float) -> float | None:
        """The monotonic time (s) by which all arms had a hold since `clear`; None if one has none in time."""
        with self._changed:
            done = self._changed.wait_for(lambda: len(self._last) == len(ARM_CONTROLLERS), timeout_s)
            return max(self._last.values()) if done else None

    def close(self) -> None:
        """Removes the subscriptions."""
        for subscription in self._subscriptions:
            self._client.node.destroy_subscription(subscription)
