#!/usr/bin/env python3
"""Measures the time and the memory of each trained model that `lucca models get` has installed.

    python laboratory/scripts/measure_models.py --calls 20

Each model is measured alone, in a process of its own. Times are in s. The processor's time tells how much a call costs,
however busy the machine is; the wall time is true for the machine as it was, whose load is printed, too.
"""

import argparse
import json
import multiprocessing
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coordinator_node.prompts import CoordinatorPrompts, StepView
from lucca_core.protocol.snapshots import Container, Snapshot
from lucca_core.trained_models import MOONSHINE_TINY_EN, MPNET, QWEN_CODER, SMOLLM2, WHISPER_TINY_EN
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.talk import OBJECTS
from lucca_lab.voice.sentences import commands
from lucca_lab.voice.stop_training import spoken
from lucca_llm.local.local_model import LocalModel
from lucca_llm.model import ChatOptions, Message
from lucca_memory.embedding.spec import make_embedder, minilm_folder
from lucca_memory.procedural import load_actions, load_tasks
from speech_node.components import book_for, make_transcriber
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.hearing.subprocess_transcriber import SubprocessTranscriber
from worker_node.prompts import WorkerPrompts

ANSWER_TOKENS = 24
"""Longest answer of a language model: that of a call with its object."""
PATIENCE_S = 600.0
TICKS_PER_S = os.sysconf('SC_CLK_TCK')


@dataclass
class Measured:
    """What the calls of one model took. `first_s` is the time to the first token, where the model streams."""

    about: str
    peak_mb: float = 0.0
    load_s: float = 0.0
    wall_s: list[float] = field(default_factory=list)
    processor_s: list[float] = field(default_factory=list)
    first_s: list[float] = field(default_factory=list)
    prompt_tokens: list[int] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The figures of the first call, and the median and the largest of the others."""
        figures: dict[str, Any] = {'of': self.about, 'peak_mb': round(self.peak_mb), 'load_s': round(self.load_s, 2)}
        for name in ('prompt_tokens', 'first_s', 'wall_s', 'processor_s'):
            first, *later = getattr(self, name) or [None]
            if first is not None and later:
                figures[name] = {
                    'first': round(first, 2),
                    'median': round(statistics.median(later), 2),
                    'most': round(max(later), 2),
                }
        return figures | {'calls': len(self.wall_s)}


def processor_s(pid: int) -> float:
    """The processor's time that a process has used so far, its ended children left out."""
    fields = Path(f'/proc/{pid}/stat').read_text(encoding='utf-8').rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def peak_mb(pid: int) -> float:
    """The most memory that a process had so far, resident, in MB (1 MB is 10^6 bytes)."""
    status = Path(f'/proc/{pid}/status').read_text(encoding='utf-8')
    return int(status.partition('VmHWM:')[2].split()[0]) * 1024 / 1e6


@contextmanager
def a_call(measured: Measured, pid: int) -> Iterator[None]:
    """Notes what the call within it took."""
    began, used = time.monotonic(), processor_s(pid)
    yield
    measured.wall_s.append(time.monotonic() - began)
    measured.processor_s.append(processor_s(pid) - used)


def measure_language(spec: str, calls: int, *, short: bool) -> Measured:
    """Asks a language model what a step of `sorting` asks: with long prompts, or one decision a call."""
    measured = Measured(f'local:{spec}, {"one decision a call" if short else "a step with a long prompt"}')
    model = LocalModel(spec)
    process = model._process
    began = time.monotonic()
    process.load()
    measured.load_s = time.monotonic() - began
    for messages, options in short_questions(calls) if short else long_steps(calls):
        _ask(model, messages, options, measured)
    measured.peak_mb = peak_mb(process.pid or 0)
    model.close()
    return measured


def _ask(model: LocalModel, messages: list[Message], options: ChatOptions, measured: Measured) -> None:
    began, heard = time.monotonic(), list[float]()
    with a_call(measured, model._process.pid or 0):
        reply = model.chat(messages, options, on_text=lambda _: heard.append(time.monotonic() - began))
    measured.prompt_tokens.append(reply.prompt_tokens)
    if heard and not options.choices:
        measured.first_s.append(heard[0])


def long_steps(calls: int) -> Iterator[tuple[list[Message], ChatOptions]]:
    """Steps of the coordinator: each time, one object fewer is on the table, and then all are again."""
    actions = load_actions()
    tasks, prompts = load_tasks(actions=actions), CoordinatorPrompts()
    base = Message('system', prompts.base(tasks.values(), actions.values(), memory=True))
    for number in range(calls):
        seen = sample_objects(OBJECTS[number % (len(OBJECTS) - 1) :])
        snapshot = Snapshot(objects=seen, containers=(Container(name='box 1'), Container(name='box 2')))
        step = prompts.step(StepView(task='sorting', snapshot=snapshot, working=f'Next: {seen[0].name}'), memory=True)
        options = ChatOptions(max_tokens=ANSWER_TOKENS, deadline_s=PATIENCE_S, seed=number)
        yield [base, Message('user', step)], options


def short_questions(calls: int) -> Iterator[tuple[list[Message], ChatOptions]]:
    """Questions of the worker: which action does the task require for this object?"""
    actions = load_actions()
    task = load_tasks(actions=actions)['sorting']
    allowed = [actions[name] for name in task.actions]
    choices = (*(action.name for action in allowed), 'none')
    for number in range(calls):
        # No question twice: its likelihoods would be known.
        item = sample_objects((f'{OBJECTS[number % len(OBJECTS)]} {number}',))[0]
        options = ChatOptions(choices=choices, deadline_s=PATIENCE_S, seed=number)
        yield [Message('user', WorkerPrompts().object(task, allowed, item))], options


def measure_ear(spec: str, calls: int) -> Measured:
    """Hears drawn commands in a synthetic voice, of 1 to 3 s with 1.4 s of silence."""
    measured = Measured(spec)
    config = SpeechConfig(transcriber=spec, device='cpu', transcription_timeout_s=PATIENCE_S)
    began = time.monotonic()
    ear = make_transcriber(config, book_for(config))
    assert isinstance(ear, SubprocessTranscriber)
    measured.load_s = time.monotonic() - began
    for number, (said, _) in enumerate(commands(load_commands(), random.Random(0), calls)):
        sound = spoken(said, 'en-us', 130, 35.0, np.random.default_rng(number))
        with a_call(measured, ear.pid):
            ear.transcribe(sound)
    measured.peak_mb = peak_mb(ear.pid)
    ear.close()
    return measured


def measure_embedder(spec: str, calls: int) -> Measured:
    """Encodes sentences of ten words, one at a time. The memory is that of the whole process."""
    measured = Measured(f'--embedding {spec}')
    began = time.monotonic()
    embedder = make_embedder(spec)
    embedder.embed(['ok'])
    measured.load_s = time.monotonic() - began
    for number in range(calls):
        with a_call(measured, os.getpid()):
            embedder.embed([f'My sister told me that cup {number} is in the kitchen.'])
    measured.peak_mb = peak_mb(os.getpid())
    return measured


def there(calls: int) -> Iterator[partial[Measured]]:
    """One measurement for each model that is installed."""
    if SMOLLM2.is_there:
        yield partial(measure_language, 'smollm2', calls, short=False)
        yield partial(measure_language, 'smollm2+tasks', calls, short=True)
    if QWEN_CODER.is_there:
        yield partial(measure_language, 'qwen2.5-coder', calls, short=False)
    if WHISPER_TINY_EN.is_there:
        yield partial(measure_ear, f'{WHISPER_TINY_EN.used_as}+none', calls)
    if WHISPER_TINY_EN.is_there and MOONSHINE_TINY_EN.is_there:
        yield partial(measure_ear, MOONSHINE_TINY_EN.used_as, calls)
    if minilm_folder() is not None:
        yield partial(measure_embedder, 'minilm', calls)
    if MPNET.is_there:
        yield partial(measure_embedder, 'mpnet', calls)


def run(measure: Callable[[], Measured]) -> None:
    """Prints a line of JSON for one model."""
    before = os.getloadavg()[0]
    figures = measure().as_json() | {'load_before': round(before, 1), 'load_after': round(os.getloadavg()[0], 1)}
    sys.stdout.write(f'{json.dumps(figures)}\n')
    sys.stdout.flush()


def main() -> None:
    """Measures the models one after another; the exit code is 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--calls', type=int, default=20, help='calls of each model; the first is reported alone')
    parser.add_argument('--only', default='', help='measure only models whose spec contains this text')
    given = parser.parse_args()
    failed = False
    for measure in there(given.calls):
        if given.only not in measure.args[0]:
            continue
        process = multiprocessing.get_context('spawn').Process(target=run, args=(measure,))
        process.start()
        process.join()
        failed = failed or process.exitcode != 0
    sys.exit(failed)


if __name__ == '__main__':
    main()
