"""SIGKILL at random moments of the worker's desk: turns, summaries, and indexes on their way to the disk.

A zygote process has everything imported and forks one writer a kill, so that hundreds of kills take minutes.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO

from lucca_llm.embedded.model import EmbeddedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.hashed import HashedEmbedder
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.opening import open_store
from worker_node.people.config import DeskConfig
from worker_node.people.opening import open_desk, opened_store

MOST_STEPS = 60
LATEST_KILL_S = 0.02
"""The kill comes after up to so many steps of the writer, and up to so much later."""

ZYGOTE = """
import os, sys, threading
from functools import wraps
from pathlib import Path

from lucca_llm.embedded.model import EmbeddedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.hashed import HashedEmbedder
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.retrieval import library
from lucca_memory.retrieval.index import ScopeIndex
from worker_node.people.config import DeskConfig
from worker_node.people.opening import open_desk, opened_store

library._SAVE_FROM = 4
library._SAVE_SHARE = 1000


def say(text):
    # One write, so that a kill leaves a line whole or not at all.
    os.write(1, f'{text}\\n'.encode())


def told(kind, name, what):
    method = getattr(kind, name)

    @wraps(method)
    def telling(*args, **more):
        say(f'+{what}')
        try:
            return method(*args, **more)
        finally:
            say(f'-{what}')

    setattr(kind, name, telling)


told(SqliteStore, 'append', 'turn')
told(SqliteStore, 'add_summary', 'summary')
told(ScopeIndex, 'save', 'index')


def write(path, begin):
    config = DeskConfig()
    say(f'ready {os.getpid()}')
    with DataFolder.open(path, write=True) as folder, opened_store(config.store, folder) as store:
        people = PeopleConfig(short_term_tokens=40, kept_tokens=10)
        with open_desk(folder, store, EmbeddedModel(), lambda seen: {}, config, people, HashedEmbedder()) as desks:
            desk = desks.people
            desk.meet('cli', 'Anna', 'c')
            for number in range(begin, begin + 1_000_000):
                desk.record_turn('c', f'word{number} is what I say now', 'yes')
                say(number)
                (path / 'facts' / 'one.md').write_text(f'fact{number}')
                desk.recall('c', f'word{number}')


for line in sys.stdin:
    if (child := os.fork()) == 0:
        write(Path(sys.argv[1]), int(line))
    os.waitpid(child, 0)
    say('dead')
"""


@dataclass
class KillCounts:
    """What came of it, on one folder or, added up, on several. `during`: kills that fell into a turn's, a summary's or an index's way to the disk."""

    kills: int = 0
    acknowledged: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    summaries: int = 0
    during: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: 'KillCounts') -> 'KillCounts':
        return KillCounts(
            self.kills + other.kills,
            self.acknowledged + other.acknowledged,
            self.lost + other.lost,
            self.faults + other.faults,
            self.summaries + other.summaries,
            self.during + other.during,
        )

    def figures(self) -> dict[str, object]:
        """For a report."""
        return {
            'kills': self.kills,
            'acknowledged': len(self.acknowledged),
            'lost': len(self.lost),
            'summaries': self.summaries,
            'kills_during': dict(self.during),
            'faults': self.faults,
        }


@contextmanager
def zygote(path: Path) -> Iterator['subprocess.Popen[str]']:
    """The process that forks writers on a data folder."""
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    started = subprocess.Popen(
        [sys.executable, '-c', ZYGOTE, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()
        for stream in (started.stdin, started.stdout):
            if stream is not None:
                stream.close()


def kill_once(process: 'subprocess.Popen[str]', begin: int, chance: random.Random, counts: KillCounts) -> None:
    """Forks a writer, kills it after some of its steps, and counts what it had acknowledged and was at."""
    asked, said = _streams(process)
    asked.write(f'{begin}\n')
    asked.flush()
    child = int(said.readline().removeprefix('ready '))
    steps = chance.randrange(MOST_STEPS)
    under_way: set[str] = set()
    for number, line in enumerate(said):
        if number == steps:
            time.sleep(chance.uniform(0.0, LATEST_KILL_S))  # the moment of the kill is the point of this
            os.kill(child, signal.SIGKILL)
        text = line.strip()
        if text == 'dead':
            break
        if text.startswith('+'):
            under_way.add(text[1:])
        elif text.startswith('-'):
            under_way.discard(text[1:])
        else:
            counts.acknowledged.append(int(text))
    counts.kills += 1
    counts.during.update(under_way or {'nothing'})


def check(path: Path, counts: KillCounts) -> None:
    """Holds the folder against what was acknowledged."""
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        anna = store.find('Anna')
        assert anna is not None
        lines, summaries = store.lines(anna.person_id), store.summaries(anna.person_id)
        said = Counter(int(line.text.split()[0].removeprefix('word')) for line in lines if not line.answers)
        counts.lost = [number for number in counts.acknowledged if number not in said]
        counts.faults += [f'{number} is there {count} times' for number, count in said.items() if count > 1]
        if 2 * said.total() != len(lines):
            counts.faults.append('a turn is there by half')
        counts.summaries = len(summaries)
        short = {line.line_id for line in store.short_term(anna.person_id)}
        covered = {
            line.line_id
            for line in lines
            if any(summary.first_line <= line.line_id <= summary.last_line for summary in summaries)
        }
        if short & covered or len(short | covered) < len(lines):
            counts.faults.append('short-term memory and summaries do not share the lines between them')
        borders = [(one.last_line, other.first_line) for one, other in pairwise(summaries)]
        counts.faults += [
            f'a summary ends at {end}, the next begins at {begin}' for end, begin in borders if end >= begin
        ]


def check_recall(path: Path, counts: KillCounts) -> None:
    """The newest acknowledged turns are found, through a desk that was opened anew."""
    config = DeskConfig()
    with (
        DataFolder.open(path, write=True) as folder,
        opened_store(config.store, folder) as store,
        open_desk(folder, store, EmbeddedModel(), lambda seen: {}, config, PeopleConfig(), HashedEmbedder()) as desks,
    ):
        desk = desks.people
        desk.meet('cli', 'Anna', 'check')
        for number in counts.acknowledged[-2:]:
            found = desk.recall('check', f'word{number}', kinds=['said'], limit=1)
            if [item.text.split()[0] for item in found] != [f'word{number}']:
                counts.faults.append(f'word{number} is not found')


def kill_often(path: Path, kills: int, seed: int) -> KillCounts:
    """That many kills on one folder, each followed by a look at what is there."""
    chance, counts = random.Random(seed), KillCounts()
    with zygote(path) as process:
        for number in range(kills):
            kill_once(process, 1_000_000 * (number + 1), chance, counts)
            check(path, counts)
            if number % 5 == 0 or number == kills - 1:
                check_recall(path, counts)
    return counts


def _streams(process: 'subprocess.Popen[str]') -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
