"""The node over real DDS: sound in, text and stops out, and a voice; with real ears where that is quick enough."""

import json
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lucca_interfaces.msg import Audio, Utterance
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from speech_server import SpeechServer
from spoken import ScriptedTranscriber, speak
from std_msgs.msg import Empty

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Sound
from lucca_lab.voice.noise import silence
from lucca_ros.conversions.speech import SOUND
from lucca_ros.spinning import SpinThread
from speech_node.audio import CHUNK, CHUNK_S, RATE_HZ
from speech_node.components import SpeechComponents
from speech_node.interfaces import Transcript
from speech_node.node import SpeechNode

pytestmark = pytest.mark.ros
DEADLINE_S = 60.0
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)
"""Hears only a publisher that keeps stops for nodes that are just being restarted."""


class FakeComponents(SpeechComponents):
    """All real but the transcriber, which says what the test wants."""

    def __init__(self, *answers: Transcript | SpeechError) -> None:
        self.scripted = ScriptedTranscriber(*answers)

    def transcriber(self, config, book, is_ending):
        return self.scripted


class Bench:
    """A speech node, and a peer that is its room and its coordinator."""

    def __init__(self, parts: SpeechComponents, **parameters) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        chosen = {'source': 'topic', 'player': 'topic', 'barge_in_s': 0.064} | parameters
        if isinstance(parts, FakeComponents):
            # An ear for free speech, which hears what the test wants.
            chosen = {'transcriber': 'faster-whisper:scripted'} | chosen
        overrides = [Parameter(name, value=value) for name, value in chosen.items()]
        self.node = SpeechNode(parts, context=self.context, parameter_overrides=overrides)
        self.peer = Node('peer', context=self.context)
        self.audio_in = self.peer.create_publisher(Audio, 'speech/audio_in', 50)
        self.say = self.peer.create_publisher(Utterance, 'speech/say', 10)
        self.heard: list[Utterance] = []
        self.said: list[Utterance] = []
        self.out: list[Audio] = []
        self.stops: list[float] = []
        self.statuses: list[DiagnosticStatus] = []
        self.peer.create_subscription(Utterance, 'speech/heard', self.heard.append, 10)
        self.peer.create_subscription(Utterance, 'speech/say', self.said.append, 10)
        self.peer.create_subscription(Audio, 'speech/audio_out', self.out.append, 100)
        self.peer.create_subscription(Empty, 'speech/stop', lambda msg: self.stops.append(time.monotonic()), LATCHED)
        self.peer.create_subscription(DiagnosticArray, 'diagnostics', lambda m: self.statuses.extend(m.status), 10)
        self.executor = MultiThreadedExecutor(num_threads=4, context=self.context)
        self.executor.add_node(self.node)
        self.executor.add_node(self.peer)
        self.spinning = SpinThread(self.executor)
        self.spinning.start()

    def start(self) -> None:
        assert self.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert self.node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        assert self.until(lambda: self.audio_in.get_subscription_count() > 0 or self.node._source is None)
        assert self.until(lambda: self.say.get_subscription_count() > 1)

    def speak(self, samples: np.ndarray) -> None:
        """Sends sound as fast as it is spoken."""
        pause, next_s = threading.Event(), time.monotonic()
        for start in range(0, len(samples), CHUNK):
            self.audio_in.publish(SOUND.to_msg(Sound(samples=samples[start : start + CHUNK], sample_rate_hz=RATE_HZ)))
            next_s += CHUNK_S
            pause.wait(max(0.0, next_s - time.monotonic()))

    def until(self, done: Callable[[], bool], timeout_s: float = DEADLINE_S) -> bool:
        end = time.monotonic() + timeout_s
        pause = threading.Event()
        while not done() and time.monotonic() < end:
            pause.wait(0.01)
        return done()

    def close(self) -> None:
        self.spinning.close()
        self.node.destroy_node()
        self.peer.destroy_node()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture
def make_bench() -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(parts: SpeechComponents | None = None, **parameters) -> Bench:
        made.append(Bench(parts or FakeComponents(), **parameters))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def speech_server() -> Iterator[SpeechServer]:
    server = SpeechServer()
    yield server
    server.close()


def test_a_spoken_command_comes_out_as_text_with_its_times(make_bench):
    bench = make_bench(SpeechComponents(), person='ada')
    bench.start()
    bench.speak(speak('sort the objects', snr_db=35.0))
    assert bench.until(lambda: bool(bench.said))
    assert bench.said[0].text == 'Did you mean: sort the objects?', 'nobody said that the robot is meant'
    assert bench.until(lambda: bool(bench.out) and not bench.node._speech_queue.speaking)
    bench.speak(speak('yes please', snr_db=35.0))
    assert bench.until(lambda: bool(bench.heard))
    (heard,) = bench.heard
    assert (heard.text, heard.person, heard.language) == ('sort the objects', 'ada', 'en')
    assert heard.confidence > 0.8
    assert 0.5 < heard.audio_s < 4.0
    assert heard.transcription_s > 0.0
    assert heard.stamp.sec > 0


def test_what_is_not_sure_is_asked_about_aloud(make_bench):
    parts = FakeComponents(Transcript('fill the bowl', 0.5), Transcript('yes', 0.97))
    bench = make_bench(parts)
    bench.start()
    bench.speak(speak('fill the bowl'))
    assert bench.until(lambda: bool(bench.said))
    assert bench.said[0].text == 'Did you mean: fill the bowl?'
    assert bench.heard == []
    assert bench.until(lambda: bool(bench.out))
    assert bench.until(lambda: not bench.node._speech_queue.speaking)
    bench.speak(speak('yes'))
    assert bench.until(lambda: bool(bench.heard))
    assert bench.heard[0].text == 'fill the bowl'


def test_a_yes_to_a_question_of_the_conversation_is_passed_on(make_bench):
    parts = FakeComponents(Transcript('Yes, please.', 0.97), Transcript('Yes.', 0.97))
    bench = make_bench(parts, speaker='none')
    bench.start()
    bench.say.publish(Utterance(text='Shall I put the cup in box 1?'))
    assert bench.until(lambda: bool(bench.node._said))
    bench.speak(speak('yes'))
    assert bench.until(lambda: bool(bench.heard))
    assert bench.heard[0].text == 'yes'
    bench.speak(speak('yes'))
    assert bench.until(lambda: len(parts.scripted.heard) == 2)
    bench.speak(silence(0.5))
    assert len(bench.heard) == 1, 'nothing is asked any more'


def test_a_stop_word_drops_the_open_question(make_bench):
    parts = FakeComponents(Transcript('fill the bowl', 0.5), Transcript('', 0.0), Transcript('yes', 0.97))
    bench = make_bench(parts, speaker='none')
    bench.start()
    bench.speak(speak('fill the bowl'))
    assert bench.until(lambda: bool(bench.said))
    bench.speak(speak('stop', pad_s=1.0))
    assert bench.until(lambda: bool(bench.stops))
    bench.speak(speak('yes'))
    assert bench.until(lambda: len(parts.scripted.heard) == 3)
    bench.speak(silence(0.5))
    assert bench.heard == []


def test_a_stop_word_stops_without_a_model(make_bench):
    parts = FakeComponents(*[Transcript('', 0.0)] * 5)
    bench = make_bench(parts)
    bench.start()
    bench.speak(speak('stop', pad_s=1.0))
    assert bench.until(lambda: len(bench.stops) >= 1)
    assert bench.heard == []


def test_a_stop_that_only_the_transcriber_hears_stops_too(make_bench):
    bench = make_bench(FakeComponents(Transcript('Stop.', 0.4)))
    bench.start()
    bench.speak(speak('build a tower'))
    assert bench.until(lambda: bool(bench.stops))
    assert bench.heard == []


def test_a_stop_that_was_heard_as_it_was_said_is_not_published_again_with_its_transcript(make_bench):
    parts = FakeComponents(Transcript('Stop.', 0.9), Transcript('the cup is blue', 0.99))
    bench = make_bench(parts)
    bench.start()
    bench.speak(speak('stop', pad_s=1.0))
    bench.speak(speak('build a tower', pad_s=1.0))
    assert bench.until(lambda: bool(bench.heard))
    assert len(bench.stops) == 1


def test_a_second_stop_behind_the_one_that_was_heard_stops_again(make_bench):
    # One utterance: between both somebody may have reset the arms.
    bench = make_bench(FakeComponents(Transcript('Stop. Stop.', 0.9)), pause_s=1.0)
    bench.start()
    bench.speak(np.concatenate([speak('stop', pad_s=0.1), speak('build a tower', pad_s=0.1)]))
    bench.speak(np.zeros(2 * RATE_HZ, np.float32))
    assert bench.until(lambda: len(bench.stops) == 2)


@pytest.fixture
def broken_threads(monkeypatch):
    """What threads ended by; a process that runs the node ends with any of them."""
    broken = []
    monkeypatch.setattr(threading, 'excepthook', lambda args: broken.append((args.thread.name, args.exc_type)))
    return broken


def test_a_bug_in_listening_is_not_kept_in_its_thread(make_bench, broken_threads):
    class Broken:
        def hear(self, samples):
            raise ZeroDivisionError('a bug')

    parts = FakeComponents()
    parts.spotter = lambda config: Broken()
    bench = make_bench(parts)
    bench.start()
    bench.speak(speak('stop'))
    assert bench.until(lambda: broken_threads == [('listening', ZeroDivisionError)])


def test_a_bug_in_transcribing_is_not_kept_in_its_thread(make_bench, broken_threads):
    class Broken(ScriptedTranscriber):
        def transcribe(self, samples):
            raise ZeroDivisionError('a bug')

    parts = FakeComponents()
    parts.scripted = Broken()
    bench = make_bench(parts)
    bench.start()
    bench.speak(speak('build a tower'))
    assert bench.until(lambda: broken_threads == [('transcription', ZeroDivisionError)])


def test_a_transcription_that_fails_is_told_and_the_next_sentence_is_heard(make_bench):
    bench = make_bench(FakeComponents(SpeechError('cannot make it out'), Transcript('the bowl is full', 0.99)))
    bench.start()
    bench.speak(speak('fill the bowl'))
    assert bench.until(lambda: told(bench, DiagnosticStatus.WARN, 'cannot make it out'))
    assert bench.heard == []
    bench.speak(speak('the bowl is full'))
    assert bench.until(lambda: bool(bench.heard))
    assert bench.heard[0].text == 'the bowl is full'
    assert bench.until(lambda: bench.statuses[-1].level == DiagnosticStatus.OK)


def test_an_odd_answer_of_a_speech_server_is_told_and_the_next_sentence_is_heard(make_bench, speech_server):
    speech_server.body = b'[' * 200_000
    bench = make_bench(SpeechComponents(), transcriber=f'openai:{speech_server.spec}')
    bench.start()
    bench.speak(speak('fill the bowl'))
    assert bench.until(lambda: told(bench, DiagnosticStatus.WARN, 'unreadable answer'))
    assert bench.heard == []
    speech_server.body = json.dumps({'text': 'The bowl is full.', 'language': 'english'}).encode()
    bench.speak(speak('fill the bowl'))
    assert bench.until(lambda: bool(bench.heard))
    assert bench.heard[0].text == 'The bowl is full.'
    assert bench.until(lambda: bench.statuses[-1].level == DiagnosticStatus.OK)


def told(bench, level, part):
    return any(status.level == level and part in status.message for status in bench.statuses)


def test_a_stop_word_is_heard_while_transcription_hangs(make_bench):
    hanging = threading.Event()

    class Hanging(ScriptedTranscriber):
        def transcribe(self, samples):
            self.heard.append(samples)
            hanging.wait(DEADLINE_S)
            return Transcript('', 0.0)

    parts = FakeComponents()
    parts.scripted = Hanging()
    bench = make_bench(parts)
    bench.start()
    bench.speak(speak('build a tower'))
    assert bench.until(lambda: bool(parts.scripted.heard))
    bench.speak(speak('halt'))
    assert bench.until(lambda: bool(bench.stops))
    hanging.set()


def test_what_is_said_comes_out_as_sound_and_ends_when_somebody_speaks(make_bench):
    bench = make_bench(FakeComponents(*[Transcript('', 0.0)] * 5))
    bench.start()
    text = 'I will now tell you a long story about everything that is on this table and where it came from. ' * 3
    bench.say.publish(Utterance(text=text))
    assert bench.until(lambda: len(bench.out) > 5)
    assert bench.out[0].sample_rate_hz == 16_000
    bench.speak(speak('put the apple in the bowl', pad_s=0.2))
    assert bench.until(lambda: not bench.node._speech_queue.speaking)
    count = len(bench.out)
    bench.speak(silence(0.5))
    assert len(bench.out) <= count + 2
    # The story would have taken a quarter of a minute.
    assert count * CHUNK_S < 12.0


def test_without_an_audio_device_the_node_runs_and_says_so(make_bench):
    class Deaf(FakeComponents):
        def source(self, config):
            raise SpeechError('no microphone: none is there')

        def player(self, config, on_topic):
            raise SpeechError('no loudspeaker: none is there')

    bench = make_bench(Deaf(), source='microphone', player='device')
    bench.start()
    bench.say.publish(Utterance(text='nobody hears this'))
    assert bench.until(lambda: any('no microphone' in item.message for item in bench.statuses))
    assert bench.statuses[-1].level == DiagnosticStatus.WARN


def test_a_model_that_is_not_there_fails_configuring(make_bench):
    bench = make_bench(SpeechComponents(), transcriber='faster-whisper:/nowhere/at/all')
    assert bench.node.trigger_configure() == TransitionCallbackReturn.FAILURE


def test_the_log_says_once_that_whisper_hears_alone_and_how_to_change_that(make_bench, capfd):
    bench = make_bench(FakeComponents(), transcriber='faster-whisper:tiny.en')
    bench.start()
    assert capfd.readouterr().err.count('hears alone; it would understand more after: lucca models get moonshine') == 1


@pytest.mark.parametrize('wrong', [{'pause_s': -1.0}, {'source': 'radio'}, {'commands_file': '/nowhere.yaml'}])
def test_wrong_settings_fail_configuring(make_bench, wrong):
    bench = make_bench(**wrong)
    assert bench.node.trigger_configure() == TransitionCallbackReturn.FAILURE


def test_audio_is_kept_only_where_it_is_asked_for(make_bench, tmp_path):
    folder = tmp_path / 'kept'
    bench = make_bench(FakeComponents(Transcript('', 0.0), Transcript('', 0.0)), keep_audio_dir=str(folder))
    bench.start()
    bench.speak(speak('build a tower'))
    assert bench.until(lambda: len(list(folder.glob('*.wav'))) == 1)


def test_it_can_be_deactivated_and_activated_again(make_bench):
    bench = make_bench(FakeComponents(Transcript('the bowl is full', 0.99)))
    bench.start()
    assert bench.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert bench.node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
    assert bench.node._components.scripted.closed
    bench.start()
    bench.speak(speak('fill the bowl'))
    assert bench.until(lambda: bool(bench.heard))
