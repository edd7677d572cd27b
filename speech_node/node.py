"""The lifecycle node `speech`: publishes what it hears, publishes a stop for each stop word, and speaks texts.

Listening runs in a separate thread, which also publishes stops. Transcription uses a second thread, and a process for
its model; speaking uses a third thread. Without an audio device, the node logs a warning and does the rest.
"""

import contextlib
import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import scipy.signal  # noqa: F401 - audio.py needs it with the first sound, which is not to wait for the import
from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces.msg import Audio
from lucca_interfaces.msg import Utterance as UtteranceMsg
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Empty

from lucca_core.errors import LuccaError, SpeechError
from lucca_core.protocol.speech import Samples, Sound, Utterance
from lucca_ros.conversions.speech import SOUND, UTTERANCE
from lucca_ros.conversions.stamps import time_to_msg
from lucca_ros.diagnostics import DIAGNOSTICS, OK, WARN, diagnose_every, diagnostic_msg
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.parameters import declare_parameters, read_parameters
from speech_node.audio import RATE_HZ, write_wav
from speech_node.components import SpeechComponents, ears_for
from speech_node.config import SpeechConfig
from speech_node.hearing.audio_sources import QueueSource
from speech_node.hearing.listener import BargeIn, Event, Listener, StopHeard
from speech_node.hearing.reaction_policy import ReactionKind, ReactionPolicy
from speech_node.hearing.spotted_stops import SpottedStops
from speech_node.interfaces import AudioSource, Player, Transcriber, Transcript, UtteranceAudio
from speech_node.speaking.speech_queue import SpeechQueue

STOP_QOS = QoSProfile(
    depth=10,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    reliability=ReliabilityPolicy.RELIABLE,
    lifespan=Duration(seconds=10),
)
"""An action node that restarts receives stops of the last 10 s, but no older ones."""
_READ_S = 0.2
_JOIN_S = 3.0
_MOST_SEGMENTS = 8
_MOST_SAID = 20


class SpeechNode(LifecycleNode):
    """Publishes utterances on `speech/heard` and stop words on `speech/stop`, and speaks texts from `speech/say`."""

    def __init__(self, components: SpeechComponents | None = None, **node_options: Any) -> None:
        super().__init__('speech', **node_options)
        declare_parameters(self, SpeechConfig(), self._on_change)
        self._components = components or SpeechComponents()
        self._say_group = MutuallyExclusiveCallbackGroup()
        self._audio_group = MutuallyExclusiveCallbackGroup()
        self._timer_group = MutuallyExclusiveCallbackGroup()
        self._running = threading.Event()
        self._threads: list[threading.Thread] = []
        self._source: AudioSource | None = None
        self._transcriber: Transcriber | None = None
        self._speech_queue: SpeechQueue | None = None
        self._player: Player | None = None
        self._inputs: list[Any] = []
        self._problem = ''
        self._deaf = ''
        self._spotted = SpottedStops()
        self._forgets_before_s = -math.inf
        """Time of the last stop word, dropped utterance or pause in hearing, on the monotonic clock."""
        self._said: deque[tuple[str, float]] = deque(maxlen=_MOST_SAID)
        """Texts that the robot has said since it last heard something, with monotonic times."""
        self._mute = ''
        self._heard_count = 0

    def _on_change(self, config: SpeechConfig) -> None:
        """Takes over changed parameters; live settings are read from the config whenever they are needed."""
        self._config = config

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Reads parameters, loads models and opens devices. An invalid model fails; a missing device does not."""
        self._config = config = read_parameters(self, SpeechConfig)
        self._activity = self._components.activity(config)
        self._spotter = self._components.spotter(config)
        book = self._components.book(config)
        self._policy = ReactionPolicy(config)
        # espeak-ng is a system program and is treated like a device: without it, the robot works but is mute. Any other
        # speaker that cannot be loaded makes the transition fail.
        speaker, mute = (
            self._without_device('is mute', lambda: self._components.speaker(config))
            if config.speaker.startswith('espeak-ng')
            else (self._components.speaker(config), '')
        )
        self._transcriber = self._components.transcriber(config, book, lambda: not self.context.ok())
        self._source, self._deaf = self._without_device('hears nothing', lambda: self._components.source(config))
        self._player, self._mute = self._without_device(
            'is mute', lambda: self._components.player(config, self._on_played) if speaker is not None else None
        )
        self._mute = mute or self._mute
        if speaker is not None and self._player is not None:
            self._speech_queue = SpeechQueue(speaker, self._player, on_sound=self._on_sound)
        self._heard = self.create_lifecycle_publisher(UtteranceMsg, 'speech/heard', 10)
        self._say = self.create_lifecycle_publisher(UtteranceMsg, 'speech/say', 10)
        self._audio_out = self.create_lifecycle_publisher(Audio, 'speech/audio_out', 50)
        self._stop = self.create_publisher(Empty, 'speech/stop', STOP_QOS)
        self._diagnostics = self.create_publisher(DiagnosticArray, DIAGNOSTICS, 10)
        if book is not None and config.hears_only_commands:
            self.get_logger().info(
                f'{self._transcriber.name} understands only the {len(book.sentences)} sentences of config/speech.yaml'
            )
        ears = ears_for(config, book)
        if ears is not None and ears.notice:
            self.get_logger().info(ears.notice)
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Starts listening and speaking."""
        result = super().on_activate(state)
        self._inputs = [
            self.create_subscription(UtteranceMsg, 'speech/say', self._on_say, 20, callback_group=self._say_group)
        ]
        if isinstance(self._source, QueueSource):
            self._inputs.append(
                self.create_subscription(Audio, 'speech/audio_in', self._on_audio, 50, callback_group=self._audio_group)
            )
        self._segments: queue.Queue[UtteranceAudio | None] = queue.Queue(_MOST_SEGMENTS)
        self._forgets_before_s = time.monotonic()
        self._running.set()
        self._threads = [
            threading.Thread(target=self._transcribe, args=(self._segments,), name='transcription', daemon=True)
        ]
        if self._source is not None:
            # Discards sound from before the activation.
            self._source.clear()
            self._threads.append(threading.Thread(target=self._listen, name='listening', daemon=True))
        for thread in self._threads:
            thread.start()
        # Steady clock, so that diagnostics are published even while a simulation is paused.
        self._timer = diagnose_every(self, self._diagnose, group=self._timer_group)
        return result

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stops listening and speaking; models and devices are kept."""
        self._rest()
        self.destroy_timer(self._timer)
        for item in self._inputs:
            self.destroy_subscription(item)
        self._inputs = []
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Frees models and devices."""
        self._let_go()
        for publisher in (self._heard, self._say, self._audio_out):
            self.destroy_lifecycle_publisher(publisher)
        self.destroy_publisher(self._stop)
        self.destroy_publisher(self._diagnostics)
        return super().on_cleanup(state)

    def destroy_node(self) -> None:
        """First ends threads and processes. No executor may still spin the node."""
        self._rest()
        self._let_go()
        super().destroy_node()

    def _without_device(self, what: str, make: Callable[[], Any]) -> tuple[Any, str]:
        """Returns what `make` returns, or None and the reason. A missing audio device must not stop the robot."""
        try:
            return make(), ''
        except SpeechError as error:
            self.get_logger().warning(f'{what}: {error}')
            return None, f'{what}: {error}'

    def _rest(self) -> None:
        if not self._running.is_set():
            return
        self._running.clear()
        if self._speech_queue is not None:
            self._speech_queue.fall_silent()
        with contextlib.suppress(queue.Full):
            self._segments.put_nowait(None)
        for thread in self._threads:
            thread.join(_JOIN_S)
        self._threads = []

    def _let_go(self) -> None:
        for part in (self._source, self._transcriber, self._speech_queue):
            if part is not None:
                part.close()
        self._source = self._transcriber = self._speech_queue = self._player = None

    # --- hearing ---

    def _on_audio(self, msg: Audio) -> None:
        assert isinstance(self._source, QueueSource)
        sound = SOUND.from_msg(msg)
        try:
            self._source.put(sound.samples, sound.sample_rate_hz)
        except SpeechError as error:
            self.get_logger().warning(f'audio refused: {error}', throttle_duration_sec=5.0)

    def _listen(self) -> None:
        """Listens until the node is deactivated."""
        source = self._source
        assert source is not None
        listener = Listener(self._config, self._activity, self._spotter, self._player)
        while self._running.is_set() and self.context.ok():
            try:
                chunk = source.read(_READ_S)
            except SpeechError as error:
                self._deaf = str(error)
                self.get_logger().error(f'stopped listening: {error}')
                return
            if chunk is not None:
                for event in listener.hear(chunk):
                    self._on_event(event)
            elif source.ended:
                for event in listener.flush():
                    self._on_event(event)
                self._deaf = f'{self._config.source} has ended'
                self.get_logger().info(self._deaf)
                return

    def _on_event(self, event: Event) -> None:
        if isinstance(event, StopHeard):
            self._spotted.add(event.end_s)
            self._forgets_before_s = event.end_s
            self._emergency_stop(event)
        elif isinstance(event, BargeIn):
            if self._speech_queue is not None:
                self._speech_queue.fall_silent()
            self.get_logger().info('stopped speaking: somebody else speaks')
        elif isinstance(event, UtteranceAudio):
            try:
                self._segments.put_nowait(event)
            except queue.Full:
                self._forgets_before_s = event.end_s
                self.get_logger().warning('dropped an utterance: too many are waiting for transcription')

    def _emergency_stop(self, event: StopHeard) -> None:
        self._stop.publish(Empty())
        if self._speech_queue is not None:
            self._speech_queue.fall_silent()
        late_ms = 1e3 * (time.monotonic() - event.end_s)
        self.get_logger().warning(
            f'stop word heard ({event.probability:.2f}), stop published {late_ms:.0f} ms later; '
            'the arms hold until action/reset'
        )

    def _transcribe(self, segments: 'queue.Queue[UtteranceAudio | None]') -> None:
        assert self._transcriber is not None
        while self._running.is_set() and self.context.ok():
            segment = segments.get()
            if segment is None:
                return
            try:
                self._keep(segment)
                heard = self._transcriber.transcribe(segment.samples)
            except LuccaError as error:
                # Only this thread uses the policy; the time is written by the thread that listens.
                self._policy.forget_before(segment.end_s)
                if self._running.is_set() and self.context.ok():
                    self._problem = str(error)
                    self.get_logger().error(f'not transcribed: {error}')
                continue
            self._problem = ''
            if self._running.is_set() and self.context.ok():
                self._on_heard(segment, heard)

    def _on_heard(self, segment: UtteranceAudio, heard: Transcript) -> None:
        # Set in another thread where a stop was spotted or an utterance dropped.
        self._policy.forget_before(self._forgets_before_s)
        while self._said:
            self._policy.ask_in_conversation(*self._said.popleft())
        reaction = self._policy.react(heard, segment.start_s, segment.end_s, time.monotonic())
        share_ms = 1e3 * (time.monotonic() - segment.end_s - heard.transcription_s - self._config.pause_s)
        self.get_logger().info(
            f'{reaction.kind.name.lower()}: {reaction.text!r} '
            f'(heard {heard.text!r}, confidence {heard.confidence:.2f}, audio {segment.audio_s:.2f} s, '
            f'transcription {heard.transcription_s:.2f} s, own share {share_ms:.0f} ms)'
        )
        if reaction.kind is ReactionKind.STOP:
            if self._spotted.cover(segment, heard.text):
                self.get_logger().info('every stop word of it was published when it was said')
            else:
                self._emergency_stop(StopHeard(segment.end_s, reaction.confidence))
        elif reaction.kind is ReactionKind.PASS:
            self._heard_count += 1
            utterance = Utterance(
                text=reaction.text,
                person=self._policy.person,
                confidence=heard.confidence,
                stamp_s=self._ros_time(segment.start_s),
                audio_s=segment.audio_s,
                transcription_s=heard.transcription_s,
                language=heard.language,
            )
            self._heard.publish(UTTERANCE.to_msg(utterance))
        elif reaction.kind in (ReactionKind.ASK, ReactionKind.SAY):
            said = Utterance(text=reaction.text, person=self._policy.person, stamp_s=self._now_s())
            self._say.publish(UTTERANCE.to_msg(said))

    def _keep(self, segment: UtteranceAudio) -> None:
        """Saves an utterance in `keep_audio_dir`, if one is set."""
        if not self._config.keep_audio_dir:
            return
        folder = Path(self._config.keep_audio_dir).expanduser()
        name = datetime.now().strftime('%Y%m%d-%H%M%S-%f')
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_wav(folder / f'{name}.wav', segment.samples)
        except OSError as error:
            self.get_logger().error(f'audio not kept in {folder}: {error}', throttle_duration_sec=10.0)

    def _ros_time(self, monotonic_s: float) -> float:
        return max(0.0, self._now_s() - (time.monotonic() - monotonic_s))

    def _now_s(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9

    # --- speaking ---

    def _on_say(self, msg: UtteranceMsg) -> None:
        said = UTTERANCE.from_msg(msg)
        self._said.append((said.text, time.monotonic()))
        if self._speech_queue is not None and said.text.strip():
            self._speech_queue.say(said.text)

    def _on_sound(self, delay_s: float) -> None:
        self.get_logger().info(f'first sound {1e3 * delay_s:.0f} ms after the text')

    def _on_played(self, samples: Samples) -> None:
        if self._running.is_set() and self.context.ok():
            sound = Sound(samples=samples, sample_rate_hz=RATE_HZ, stamp_s=self._now_s())
            self._audio_out.publish(SOUND.to_msg(sound))

    # --- diagnostics ---

    def _diagnose(self) -> None:
        level, message = OK, 'listening'
        if problem := self._deaf or self._problem or self._mute:
            level, message = WARN, problem
        elif self._source is None:
            message = 'does not listen: the setting source is none'
        values = {
            'transcriber': self._transcriber.name if self._transcriber is not None else 'none',
            'heard': self._heard_count,
            'person': self._policy.person,
        }
        now = time_to_msg(self._ros_time(time.monotonic()))
        msg = diagnostic_msg('speech', message, values, stamp=now, level=level, hardware_id='audio')
        self._diagnostics.publish(msg)


main = main_of(SpeechNode, urgent=True)
