"""`lucca eval stop`: how long it takes from a stop, spoken or published, until the last arm was told to hold, with all cores busy."""

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lucca_cli.client import HoldWatch, VoiceClient
from lucca_cli.reports import GoalRequest
from lucca_cli.room import QUIET_NOISE
from lucca_cli.show import Show
from lucca_cli.stack import Stack, StackOptions
from lucca_core.errors import StackError
from lucca_core.priority import go_first, go_with_the_others, own_threads
from lucca_eval.stop_examples import PATIENCE_S
from speech_node.audio import CHUNK, CHUNK_S, Samples, silence, to_samples
from speech_node.config import SpeechConfig
from speech_node.espeak import EspeakSpeaker
from speech_node.spotter import NetworkStopSpotter

SPOKEN_MS, PUBLISHED_MS = 100.0, 30.0
TASK = 'sorting'
_WAIT_S = 10.0


@dataclass(frozen=True)
class Latencies:
    """Times in ms until the last arm controller had its hold command."""

    name: str
    values_ms: tuple[float, ...]
    missed: int
    budget_ms: float

    def as_json(self) -> dict[str, Any]:
        """Percentiles against the budget."""
        p50, p99 = (float(np.percentile(self.values_ms, share)) if self.values_ms else 0.0 for share in (50, 99))
        kept = bool(self.values_ms) and not self.missed and p99 <= self.budget_ms
        return {
            'name': self.name,
            'count': len(self.values_ms),
            'missed': self.missed,
            'p50_ms': p50,
            'p99_ms': p99,
            'budget_p99_ms': self.budget_ms,
            'kept': kept,
        }


def run_stop_latency(out: Path, show: Show, *, count: int, busy: bool) -> list[dict[str, Any]]:
    """Stops the kinematic robot `count` times each way while it sorts, prints and returns the two rows."""
    options = StackOptions(
        scene='sorting',
        engine='kinematic',
        speed=1.0,
        data_dir=out / 'memory',
        state_dir=out / 'state',
        voice=True,
        speech={'source': 'topic', 'player': 'none'},
    )
    with Stack(options, out) as stack, _load(busy), _Mouth(stack) as mouth:
        if refused := go_first(own_threads()):
            show.line(f'the watch may itself be late: {refused}', 'yellow')
        holds = HoldWatch(stack.client)
        rows = []
        for name, stop, budget_ms in (
            ('a spoken stop, from the chunk it is recognised in', mouth.say_stop, SPOKEN_MS),
            ('emergency_stop published', mouth.publish_stop, PUBLISHED_MS),
        ):
            values, missed = [], 0
            for number in range(count):
                moving = _in_motion(stack)
                holds.clear()
                began_s = stop()
                held_s = holds.wait(_WAIT_S)
                if held_s is None:
                    missed += 1
                else:
                    values.append(1e3 * (held_s - began_s))
                moving()
                show.line(f'  {name} {number + 1}: {f"{values[-1]:.1f} ms" if held_s is not None else "missed"}', 'dim')
            rows.append(Latencies(name, tuple(values), missed, budget_ms).as_json())
            show.line(f'{rows[-1]}')
        holds.close()
    return rows


def _in_motion(stack: Stack) -> Any:
    """Lifts what stopped the robot before, has it sort, and returns once an arm moves; call the result to end the goal."""
    deadline = time.monotonic() + 60.0
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


class _Mouth:
    """Says stop into the audio path, as fast as it is spoken, or publishes it."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._voice = VoiceClient(
            stack.client, on_heard=lambda *_: None, on_said=lambda _: None, on_sound=lambda _: None
        )
        word = EspeakSpeaker(timeout_s=PATIENCE_S).synthesise('stop')
        sound = np.concatenate([silence(1.2), word, silence(0.5)])
        noise = np.random.default_rng(0).normal(scale=QUIET_NOISE, size=len(sound))
        self._sound = to_samples(sound + noise)
        self._recognised = _chunk_of_recognition(self._sound)

    def __enter__(self) -> '_Mouth':
        self._voice.wait_ready(60.0, self._stack.alive)
        return self

    def __exit__(self, *_: object) -> None:
        self._voice.close()

    def say_stop(self) -> float:
        """Returns the monotonic time at which the chunk was sent that completes what the spotter needs."""
        sent_s, next_s = 0.0, time.monotonic()
        for number in range(len(self._sound) // CHUNK):
            if number == self._recognised:
                sent_s = time.monotonic()
            self._voice.send(self._sound[number * CHUNK : (number + 1) * CHUNK])
            next_s += CHUNK_S
            time.sleep(max(0.0, next_s - time.monotonic()))
        return sent_s

    def publish_stop(self) -> float:
        """Returns the monotonic time just before it is published."""
        began_s = time.monotonic()
        self._stack.client.emergency_stop()
        return began_s


def _chunk_of_recognition(sound: Samples) -> int:
    spotter, threshold = NetworkStopSpotter(), SpeechConfig().stop_probability
    for number in range(len(sound) // CHUNK):
        if spotter.hear(sound[number * CHUNK : (number + 1) * CHUNK]) >= threshold:
            return number
    raise StackError('the stop spotter does not hear the stop word of the measurement')


@contextmanager
def _load(busy: bool) -> Iterator[None]:
    """A process that computes for each core while the block runs."""
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
    go_with_the_others()
    while True:
        pass
