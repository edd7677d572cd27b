"""SIGKILL during consolidation and forgetting: the network is the one before the step or the one after it."""

import hashlib
import logging
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.opening import NETWORK_FILE, open_semantic
from lucca_memory.semantic.values import Statement

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
BUDGET = 700
PLACES = ('Bonn', 'Kiel', 'Ulm', 'Jena', 'Trier', 'Mainz')
TALK = ('The weather is nice', 'Coffee would be good', 'It was a long day', 'The room is warm')

WRITER = """
import sys
sys.path[:0] = [sys.argv[2]]
from pathlib import Path
from lucca_memory.data_folder import DataFolder
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.semantic.opening import open_semantic
from test_kills import step

begin = int(sys.argv[3])
with DataFolder.open(Path(sys.argv[1]), write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
    print('ready', flush=True)
    for number in range(begin, 100000):
        step(memory, number)
        print(number, flush=True)
"""


def statements_of(number):
    """A batch: something pinned, an update, facts, and talk."""
    rng = random.Random(number)
    when = BEGIN + timedelta(hours=number)
    texts = [f'The code of locker {number} is {rng.randrange(10**6)}']
    texts += [f'Friend{rng.randrange(12)} lives in {rng.choice(PLACES)}' for _ in range(2)]
    texts += [f'{rng.choice(TALK)}, {rng.choice(TALK).lower()}' for _ in range(3)]
    return [
        Statement(text=text, speaker='Anna', time=when, source=f'said:{number}-{at}', pinned=at == 0 and not number % 8)
        for at, text in enumerate(texts)
    ]


def step(memory, number):
    """One step, the same whenever it is taken from the same state."""
    memory.config = ForgettingConfig(compress=True)
    if number % 2:
        memory.forget(BEGIN + timedelta(hours=number), BUDGET + 3 * number)
    else:
        memory.hear(statements_of(number))


def digest(path):
    """All that the network is, in one number."""
    with closing(sqlite3.connect(path / NETWORK_FILE)) as connection:
        rows = []
        for query in (
            'SELECT id, kind, text, born, last, valid_to, told, round(used, 4), pinned, away, sources '
            'FROM node ORDER BY id',
            'SELECT a, kind, b, round(weight, 4) FROM edge ORDER BY a, kind, b',
            'SELECT node, fate, becomes FROM forgotten ORDER BY node',
            'SELECT source FROM heard ORDER BY source',
            # Not the stamp, which is another number each time.
            "SELECT key, value FROM meta WHERE key != 'stamp' ORDER BY key",
            'SELECT node, scale, hex(data) FROM vector ORDER BY node',
        ):
            rows.append(connection.execute(query).fetchall())
        return hashlib.blake2b(repr(rows).encode()).hexdigest()


class Reference:
    """The states that there may be, each made by the same steps without a kill."""

    def __init__(self, path):
        self._path = path
        self._states = []

    def state_after(self, steps):
        while len(self._states) <= steps:
            with (
                DataFolder.open(self._path, write=True) as folder,
                open_semantic(folder, HashedEmbedder()) as memory,
            ):
                if not self._states:
                    self._states.append(digest(self._path))
                for number in range(len(self._states) - 1, steps):
                    step(memory, number)
                    self._states.append(digest(self._path))
        return self._states[steps]


def kill_once(data, begin, steps, wait_s):
    """Starts the writer at a step, kills it `wait_s` after so many steps; returns how many are acknowledged in all."""
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    here = os.path.dirname(__file__)
    writer = subprocess.Popen(
        [sys.executable, '-c', WRITER, str(data), here, str(begin)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    said = [writer.stdout.readline() for _ in range(steps + 1)]
    assert said[0] == 'ready\n'
    time.sleep(wait_s)  # the moment of the kill is the point of this test
    writer.send_signal(signal.SIGKILL)
    said += writer.stdout.read().splitlines(keepends=True)
    writer.wait()
    writer.stdout.close()
    return begin + len([line for line in said if line.endswith('\n')]) - 1


def pinned_texts(data):
    with closing(sqlite3.connect(data / NETWORK_FILE)) as connection:
        return {
            row[0] for row in connection.execute('SELECT text FROM node WHERE pinned = 1 AND away = 0 AND kind = 0')
        }


def soak(tmp_path, kills):
    data, reference = tmp_path / 'data', Reference(tmp_path / 'reference')
    rng = random.Random(1)
    with DataFolder.open(data, write=True) as folder, open_semantic(folder, HashedEmbedder()):
        pass
    done, during = 0, {'hear': 0, 'forget': 0}
    for kill in range(kills):
        # Every other kill falls into a forgetting pass.
        steps = rng.randrange(3) * 2 + (done + kill) % 2
        acknowledged = kill_once(data, done, steps, rng.uniform(0.0, 0.012))
        found = digest(data)
        done = next((count for count in (acknowledged, acknowledged + 1) if reference.state_after(count) == found), -1)
        assert done >= 0, f'after {acknowledged} steps the network is neither the one before nor the one after the next'
        during['forget' if acknowledged % 2 else 'hear'] += 1
        pinned = {item.text for number in range(0, done, 8) for item in statements_of(number) if item.pinned}
        assert pinned_texts(data) == pinned
    assert min(during.values()) > 0
    logging.getLogger(__name__).info(
        '%d kills, %d while hearing, %d while forgetting, %d steps done', kills, during['hear'], during['forget'], done
    )


def test_four_kills_leave_the_network_before_or_after_a_step(tmp_path):
    soak(tmp_path, 4)


@pytest.mark.slow
@pytest.mark.timeout(14400)
def test_two_hundred_kills_leave_the_network_before_or_after_a_step(tmp_path):
    soak(tmp_path, 200)


def test_the_steps_of_the_soak_do_everything_that_can_be_broken_off(tmp_path):
    with DataFolder.open(tmp_path, write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        for number in range(24):
            step(memory, number)
        stats = memory.stats()
        assert stats.pinned
        assert stats.generals
        assert {item.fate for item in memory.forgotten()} == {'pruned', 'compressed'}
