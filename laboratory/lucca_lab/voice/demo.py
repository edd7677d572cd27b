"""The demo of `lucca demo --voice`: espeak-ng speaks the commands into the real audio path."""

import json
import queue
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lucca_cli.demo_script import GOAL_TIMEOUT_S, DemoTable, TableResult, run_demo
from lucca_cli.output import Output
from lucca_cli.stack import Stack, StackOptions
from lucca_core.errors import StackError
from lucca_core.process_priority import freeze_current_objects
from lucca_core.protocol.goals import GoalResult, Status
from lucca_core.protocol.speech import Samples
from lucca_core.protocol.tasks import TaskState
from lucca_lab.voice.acoustics import AcousticRoom
from lucca_lab.voice.noise import speech_power
from lucca_lab.voice.response_times import Turns, lines, quiet_end_s
from lucca_lab.voice.stack_client import VoiceClient
from lucca_lab.voice.stop_examples import PATIENCE_S
from lucca_lab.voice.trials import VOICES
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import CommandBook, load_commands
from speech_node.hearing.reaction_policy import NOTHING, YES_OR_NO
from speech_node.interfaces import Transcript
from speech_node.speaking.espeak_speaker import EspeakSpeaker

SPEED = 1.5
"""Simulated seconds per second. It is low, since people do not speak faster in a faster simulation."""
SPEECH: Mapping[str, Any] = {'source': 'topic', 'player': 'topic', 'person': 'visitor'}
MOST_TRIES = 12
ANSWER_S = 10.0
QUESTION = 'Did you mean: '


@dataclass(frozen=True)
class Spoken:
    """A command of the demo, with the voice and the noise in which it is spoken."""

    text: str
    voice: str
    words_per_minute: int
    snr_db: float


STARTS: Mapping[str, Spoken] = {
    'sorting': Spoken('sort the objects', 'en-us', 140, 20.0),
    'tower': Spoken('build a tower', 'en-us+klatt2', 120, 20.0),
    'arrangement': Spoken('fill the bowl', 'en-us', 130, 10.0),
    'pointing': Spoken('show objects by colour', 'en-us+klatt2', 150, 20.0),
    'recipe': Spoken('help with the dessert', 'en-us+f3', 140, 20.0),
}
RESUME = Spoken('go on with the sorting', 'en-us+f3', 140, 10.0)


@dataclass(frozen=True)
class TranscriptLine:
    """One line of the transcript.

    `at_s` is the time since the start of the demo. Spoken lines have a voice and noise; heard lines have confidence,
    length, transcription time and the delay after the last sound.
    """

    at_s: float
    who: str
    text: str
    voice: str = ''
    snr_db: float = 0.0
    confidence: float = 0.0
    audio_s: float = 0.0
    transcription_s: float = 0.0
    after_speech_s: float = 0.0


def run_voice_demo(out: Path, options: StackOptions, show: Output) -> dict[str, Any]:
    """Runs the demo by voice only. Returns its summary with the transcript. Raises what `run_demo` raises."""
    person = Person(show, seed=options.seed or 0)
    options = replace(options, voice=True, speech={**SPEECH, **options.speech}, speed=SPEED)
    summary = run_demo(out, options, show, play=person.play)
    summary['transcript'] = [asdict(line) for line in person.transcript]
    turns = person.turns.all()
    summary['turns'] = [asdict(turn) | {'own_s': turn.own_s} for turn in turns]
    summary['misunderstood'] = person.misunderstood
    summary['asked_back'] = sum(line.text.startswith(QUESTION) for line in person.transcript if line.who == 'robot')
    (out / 'summary.json').write_text(json.dumps(summary, indent=2), encoding='utf-8')
    show.heading('transcript')
    for line in person.transcript:
        detail = f'  [{line.voice}, {line.snr_db:g} dB]' if line.who == 'person' else ''
        if line.who == 'heard':
            detail = (
                f'  [confidence {line.confidence:.2f}, audio {line.audio_s:.1f} s, transcription '
                f'{line.transcription_s:.2f} s, {line.after_speech_s:.2f} s after the last sound]'
            )
        show.line(f'  {line.at_s:7.1f} s  {line.who:<7} {line.text}{detail}')
    show.heading('latency of each turn')
    for text in lines(turns):
        show.line(f'  {text}')
    return summary


class Person:
    """A person who says the demo's commands, answers questions, and repeats what was not understood."""

    def __init__(self, show: Output, seed: int) -> None:
        self._show = show
        self._seed = seed
        self._book: CommandBook = load_commands()
        self._began_s = time.monotonic()
        self._spoke_s = self._began_s
        self._events: queue.Queue[TranscriptLine] = queue.Queue()
        self.turns = Turns(SpeechConfig().pause_s)
        self.transcript: list[TranscriptLine] = []
        self.misunderstood = 0

    def play(self, table: DemoTable, stack: Stack, show: Output) -> TableResult:
        """Does the tasks of one table by speaking."""
        voice = VoiceClient(
            stack.client,
            on_heard=self._on_heard,
            on_said=self._on_said,
            on_sound=lambda samples: self._on_sound(samples, room),
            on_motion=lambda: self.turns.moved(time.monotonic()),
        )
        room = AcousticRoom(voice.send, self._seed)
        try:
            voice.wait_ready(60.0, stack.alive)
            # The measuring process must not be late itself.
            freeze_current_objects()
            return self._tasks(table, stack, room)
        finally:
            room.close()
            voice.close()

    def _tasks(self, table: DemoTable, stack: Stack, room: AcousticRoom) -> TableResult:
        if not table.interrupted:
            for task in table.tasks:
                self._command(STARTS[task], room)
                _until(stack, task, lambda state: state.status == 'finished')
            return TableResult({task: _report(stack, task) for task in table.tasks}, interruptions=0)
        first = table.interrupted
        (second,) = [task for task in table.tasks if task != first]
        self._command(STARTS[first], room)
        _until(stack, first, _half_is_near)
        self._command(STARTS[second], room)
        _until(stack, second, lambda state: state.status == 'finished')
        suspended = _state(stack, first)
        self._command(RESUME, room)
        _until(stack, first, lambda state: state.status == 'finished')
        interrupted = suspended.status == 'suspended' and suspended.actions_done and suspended.left
        return TableResult(
            {task: _report(stack, task) for task in (first, second)}, interruptions=int(bool(interrupted))
        )

    def _command(self, spoken: Spoken, room: AcousticRoom) -> None:
        """Repeats a command until it is understood, and answers questions about it.

        Raises:
            StackError: the command was not understood after several tries.
        """
        wanted = self._book.intent_of(spoken.text)
        text, asked_s, how = spoken.text, None, spoken
        for _ in range(MOST_TRIES):
            # A person listens to a question to its end; its text arrives here before its sound.
            room.wait_for_quiet(0.5, 30.0, answered_since_s=asked_s)
            self._say(replace(how, text=text), room)
            line = self._answer()
            asked_s = self._began_s + line.at_s if line is not None and line.who == 'robot' else None
            if line is not None and line.who == 'heard':
                if self._book.intent_of(line.text) == wanted:
                    return
                # A person would see the robot begin something else, and repeat the command, which then goes first.
                self.misunderstood += 1
            if line is not None and line.text.startswith(QUESTION):
                meant = self._book.intent_of(line.text.removeprefix(QUESTION).rstrip('?'))
                text = 'yes' if meant == wanted else 'no'
            elif line is None or line.text != YES_OR_NO:
                text = spoken.text
            if line is None:
                # Without an answer, another person repeats it: the same voice might be misheard again.
                how = replace(how, voice=VOICES[(VOICES.index(how.voice) + 1) % len(VOICES)])
        raise StackError(f'{spoken.text!r} was said {MOST_TRIES} times and not understood')

    def _say(self, spoken: Spoken, room: AcousticRoom) -> None:
        samples = EspeakSpeaker(
            spoken.voice, timeout_s=PATIENCE_S, words_per_minute=spoken.words_per_minute
        ).synthesise(spoken.text)
        noise = float(np.sqrt(speech_power(samples) / 10 ** (spoken.snr_db / 10)))
        while not self._events.empty():
            self._events.get()
        self._tell(TranscriptLine(self._now_s(), 'person', spoken.text, spoken.voice, spoken.snr_db))
        self.turns.said(spoken.text)
        self._spoke_s = room.say(samples, noise) - quiet_end_s(samples)
        self.turns.ended(self._spoke_s)

    def _answer(self) -> TranscriptLine | None:
        """What was heard, or what the robot asks; None if neither comes within `ANSWER_S`."""
        deadline = time.monotonic() + ANSWER_S
        while (left_s := deadline - time.monotonic()) > 0:
            try:
                line = self._events.get(timeout=left_s)
            except queue.Empty:
                return None
            if line.who == 'heard' or line.text.startswith(QUESTION) or line.text in (YES_OR_NO, NOTHING):
                return line
        return None

    def _on_sound(self, samples: Samples, room: AcousticRoom) -> None:
        self.turns.sounded(samples, time.monotonic())
        room.robot_plays(samples)

    def _on_heard(self, heard: Transcript, audio_s: float) -> None:
        self.turns.heard(heard, time.monotonic())
        after_s = max(0.0, time.monotonic() - self._spoke_s)
        self._tell(
            TranscriptLine(
                self._now_s(),
                'heard',
                heard.text,
                confidence=heard.confidence,
                audio_s=audio_s,
                transcription_s=heard.transcription_s,
                after_speech_s=after_s,
            )
        )

    def _on_said(self, text: str) -> None:
        self._tell(TranscriptLine(self._now_s(), 'robot', text))

    def _tell(self, line: TranscriptLine) -> None:
        self.transcript.append(line)
        self._events.put(line)
        self._show.line(f'  {line.who:<7} “{line.text}”', 'magenta' if line.who == 'person' else 'cyan')

    def _now_s(self) -> float:
        return round(time.monotonic() - self._began_s, 2)


def _half_is_near(state: TaskState) -> bool:
    half = (len(state.actions_done) + len(state.left)) // 2
    # The current action is finished before the robot turns to the other task, and speaking takes time too.
    return bool(state.open_intent) and len(state.actions_done) >= max(1, half - 1)


def _state(stack: Stack, task: str) -> TaskState:
    return next(state for state in stack.client.tasks() if state.task == task)


def _until(stack: Stack, task: str, reached: Callable[[TaskState], bool]) -> None:
    deadline = time.monotonic() + GOAL_TIMEOUT_S
    while not reached(_state(stack, task)):
        stack.alive()
        if time.monotonic() > deadline:
            raise StackError(f'{task} did not come so far within {GOAL_TIMEOUT_S:g} s')
        stack.client.wait(0.2)


def _report(stack: Stack, task: str) -> GoalResult:
    """The outcome of a task, from its log. Its cost is unknown: nobody waits for the action result of a spoken goal."""
    state = _state(stack, task)
    return GoalResult(
        status=Status.FINISHED if state.status == Status.FINISHED else Status.SUSPENDED,
        task=task,
        said='',
        reason='',
        actions_done=state.actions_done,
        left=state.left,
        repeated=state.repeated,
        retries=state.retries,
    )
