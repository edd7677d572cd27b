"""The experiment of `lucca eval stop`: latency from a stop command until the last arm holds, with all cores busy.

A stop is spoken; or sent by a button whose publisher is already connected; or sent as by `lucca stop`, whose publisher
the robot has to discover first.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from lucca_cli.output import Output
from lucca_cli.stack import Stack, StackOptions
from lucca_core.errors import StackError
from lucca_core.process_priority import freeze_current_objects, raise_priority, reset_priority
from lucca_core.protocol.goals import GoalRequest
from lucca_core.protocol.speech import Samples
from lucca_lab.voice.acoustics import QUIET_NOISE
from lucca_lab.voice.noise import silence
from lucca_lab.voice.processor_stalls import Standstill
from lucca_lab.voice.stack_client import HoldWatch, StopButton, VoiceClient
from lucca_lab.voice.stop_examples import PATIENCE_S
from speech_node.audio import CHUNK, CHUNK_S, to_samples
from speech_node.config import SpeechConfig
from speech_node.hearing.stop_spotter import NetworkStopSpotter
from speech_node.speaking.espeak_speaker import EspeakSpeaker

SPOKEN_MS, PUBLISHED_MS = 100.0, 30.0
TASK = 'sorting'
_WAIT_S = 10.0


class Way(StrEnum):
    """How a stop is given."""

    SPOKEN = 'spoken'
    BUTTON = 'button'
    COMMAND = 'command'


NAMES = {
    Way.SPOKEN: 'a spoken stop, from the chunk it is recognised in',
    Way.BUTTON: 'emergency_stop of a button that is there',
    Way.COMMAND: 'a call of action/stop, as lucca stop does',
}
BUDGET_MS = {Way.SPOKEN: SPOKEN_MS, Way.BUTTON: PUBLISHED_MS}
"""Budgets are required for a spoken stop and for `emergency_stop`. The command is measured for comparison."""


@dataclass(frozen=True)
class Latencies:
    """Times (ms) until the last arm controller had its hold command.

    `budget_ms` is the budget for the 99th percentile; None means no budget. `lost_ms` is, for each time, the longest
    stall of a processor of this machine during it; None if it cannot be measured.
    """

    name: str
    values_ms: tuple[float, ...]
    lost_ms: tuple[float | None, ...]
    missed: int
    budget_ms: float | None

    def as_json(self) -> dict[str, Any]:
        """Percentiles and whether they keep the budget."""
        p50, p99 = (float(np.percentile(self.values_ms, share)) if self.values_ms else 0.0 for share in (50, 99))
        lost_ms = [lost for lost in self.lost_ms if lost is not None]
        known = bool(lost_ms) and len(lost_ms) == len(self.values_ms)
        own_ms = np.maximum(np.subtract(self.values_ms, lost_ms), 0.0) if known else ()
        kept = bool(self.values_ms) and not self.missed and (self.budget_ms is None or p99 <= self.budget_ms)
        return {
            'name': self.name,
            'count': len(self.values_ms),
            'missed': self.missed,
            'p50_ms': p50,
            'p99_ms': p99,
            'worst_ms': max(self.values_ms, default=0.0),
            'budget_p99_ms': self.budget_ms,
            'kept': kept,
            'machine_stood_still_ms': max(lost_ms) if known else None,
            'p99_without_that_ms': float(np.percentile(own_ms, 99)) if known else None,
        }


def run_stop_latency(
    out: Path, show: Output, *, count: int, busy: bool, ways: Sequence[Way] = tuple(Way)
) -> list[dict[str, Any]]:
    """Stops the kinematic robot `count` times in each way while it sorts. Prints and returns a row for each way."""
    options = StackOptions(
        scene='sorting',
        engine='kinematic',
        speed=1.0,
        data_dir=out / 'memory',
        state_dir=out / 'state',
        voice=True,
        speech={'source': 'topic', 'player': 'none'},
    )
    with Stack(options, out) as stack, _load(busy), _Stops(stack) as stops, Standstill() as standstill:
        if refused := raise_priority(map(int, os.listdir('/proc/self/task'))):
            show.line(f'the watch may itself be late: {refused}', 'yellow')
        freeze_current_objects()
        holds = HoldWatch(stack.client)
        rows = []
        for way in (way for way in Way if way in ways):
            values, lost, missed = [], [], 0
            for number in range(count):
                moving = _in_motion(stack, stops)
                holds.clear()
                began_s = stops.say(way)
                held_s = holds.wait(_WAIT_S)
                moving()
                if held_s is None:
                    missed, taken = missed + 1, 'missed'
                else:
                    values.append(1e3 * (held_s - began_s))
                    lost.append(standstill.lost_ms(began_s, held_s))
                    taken = f'{values[-1]:.1f} ms'
                    taken += f', the machine stood still for {lost[-1]:.1f} of them' if lost[-1] else ''
                show.line(f'  {NAMES[way]} {number + 1}: {taken}', 'dim')
            rows.append(Latencies(NAMES[way], tuple(values), tuple(lost), missed, BUDGET_MS.get(way)).as_json())
            show.line(f'{rows[-1]}')
        holds.close()
    return rows


def _in_motion(stack: Stack, stops: '_Stops') -> Callable[[], None]:
    """Clears the last stop, starts a sorting task and waits until an arm moves. Call the result to end the goal."""
    deadline = time.monotonic() + 60.0
    stops.let_go()
    while True:
        try:
            stack.client.reset()
            break
        except StackError:
            if time.monotonic() > deadline:
                raise
            stack.client.wait(0.2)
    acting = threading.Event()
    goal = stack.client.send_goal(
        GoalRequest(task=TASK, restart=True), lambda step: acting.set() if step.phase == 'acting' else None
    )
    if not acting.wait(60.0):
        raise StackError('the robot did not begin to sort')
    stack.client.wait(1.0)

    def end() -> None:
        goal.cancel()
        goal.wait(60.0, stack.alive)

    return end


class _Stops:
    """Gives stops in each way. A spoken stop goes into the audio path at the speed of speech."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._voice = VoiceClient(
            stack.client, on_heard=lambda *_: None, on_said=lambda _: None, on_sound=lambda _: None
        )
        self._button = StopButton(stack.client)
        word = EspeakSpeaker(timeout_s=PATIENCE_S).synthesise('stop')
        sound = np.concatenate([silence(1.2), word, silence(0.5)])
        noise = np.random.default_rng(0).normal(scale=QUIET_NOISE, size=len(sound))
        self._sound = to_samples(sound + noise)
        self._recognised = _chunk_of_recognition(self._sound)

    def __enter__(self) -> '_Stops':
        self._voice.wait_ready(60.0, self._stack.alive)
        self._button.wait_ready(60.0, self._stack.alive)
        return self

    def __exit__(self, *_: object) -> None:
        self._voice.close()
        self._button.close()

    def say(self, way: Way) -> float:
        """Gives a stop and returns its monotonic time (s).

        For a word, this is when the last chunk that the spotter needs was sent; otherwise it is just before publishing.
        """
        if way is Way.SPOKEN:
            return self._speak()
        began_s = time.monotonic()
        self._button.press() if way is Way.BUTTON else self._stack.client.stop()
        return began_s

    def let_go(self) -> None:
        """Releases the button."""
        self._button.let_go()

    def _speak(self) -> float:
        sent_s, next_s = 0.0, time.monotonic()
        for number in range(len(self._sound) // CHUNK):
            if number == self._recognised:
                sent_s = time.monotonic()
            self._voice.send(self._sound[number * CHUNK : (number + 1) * CHUNK])
            next_s += CHUNK_S
            time.sleep(max(0.0, next_s - time.monotonic()))
        return sent_s


def _chunk_of_recognition(sound: Samples) -> int:
    spotter, threshold = NetworkStopSpotter(), SpeechConfig().stop_probability
    for number in range(len(sound) // CHUNK):
        if spotter.hear(sound[number * CHUNK : (number + 1) * CHUNK]) >= threshold:
            return number
    raise StackError('the stop spotter does not hear the stop word of the measurement')


@contextmanager
def _load(busy: bool) -> Iterator[None]:
    """Keeps every core busy with a computing process while the context is open; does nothing if `busy` is false."""
    context = multiprocessing.get_context('spawn')
    processes = [context.Process(target=_spin, daemon=True) for _ in range((os.cpu_count() or 1) if busy else 0)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def _spin() -> None:
    reset_priority()
    while True:
        pass
