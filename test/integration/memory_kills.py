"""SIGKILL at random moments of the worker's desks: turns, summaries, indexes, and the network that follows and forgets.

A zygote process has everything imported and forks one writer a kill, so that hundreds of kills take minutes.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.item_ids import owner_of, source_of_line
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.memory import KEPT
from lucca_memory.people.opening import open_store
from lucca_memory.people.values import Line
from lucca_memory.semantic.opening import NETWORK_FILE
from worker_node.network.config import NetworkConfig
from worker_node.people.config import DeskConfig
from worker_node.people.desks import Desks
from worker_node.people.opening import open_desk, opened_store

QUIET = NetworkConfig(extractor='words', forget_every_h=0.0)
MOST_STEPS = 90
LATEST_KILL_S = 0.02
"""The kill comes after up to so many steps of the writer, and up to so much later."""

ZYGOTE = """
import os, sys, threading
from functools import wraps
from pathlib import Path

from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.data_folder import DataFolder
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.retrieval import library
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.semantic.memory import ConceptMemory
from worker_node.network.config import NetworkConfig
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
told(ConceptMemory, 'hear', 'consolidation')
told(ConceptMemory, 'forget', 'forgetting')


def write(path, begin):
    config = DeskConfig()
    say(f'ready {os.getpid()}')
    with DataFolder.open(path, write=True) as folder, opened_store(config.store, folder) as store:
        people = PeopleConfig(short_term_tokens=40, kept_tokens=10)
        # A pass after each round of the background, with little room.
        network = NetworkConfig(extractor='words', forget_every_h=1e-6, forget_budget_bytes=600)
        with open_desk(
            folder, store, RuleBasedModel(), lambda seen: {}, config, people, HashedEmbedder(), network
        ) as desks:
            desk = desks.people
            desk.meet('cli', 'Anna', 'c')
            for number in range(begin, begin + 1_000_000):
                desk.record_turn('c', f'word{number} is what I say now', 'yes')
                say(number)
                if number % 7 == 0:
                    desk.remember('c', f'locker{number} opens with code{number}')
                    say(f'!{number}')
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
    """Counts of one folder or, summed, of several. `during`: kills while a turn, a summary or an index was written."""

    kills: int = 0
    acknowledged: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    summaries: int = 0
    pinned: list[int] = field(default_factory=list)
    during: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: 'KillCounts') -> 'KillCounts':
        return KillCounts(
            self.kills + other.kills,
            self.acknowledged + other.acknowledged,
            self.lost + other.lost,
            self.faults + other.faults,
            self.summaries + other.summaries,
            self.pinned + other.pinned,
            self.during + other.during,
        )

    def figures(self) -> dict[str, object]:
        """For a report."""
        return {
            'kills': self.kills,
            'acknowledged': len(self.acknowledged),
            'lost': len(self.lost),
            'summaries': self.summaries,
            'pinned': len(self.pinned),
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
        elif text.startswith('!'):
            counts.pinned.append(int(text[1:]))
        else:
            counts.acknowledged.append(int(text))
    counts.kills += 1
    counts.during.update(under_way or {'nothing'})


def check(path: Path, counts: KillCounts) -> None:
    """Holds the folder against what was acknowledged."""
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        anna = store.find('Anna')
        assert anna is not None
        everything, summaries = store.lines(anna.person_id), store.summaries(anna.person_id)
        lines = [line for line in everything if line.conversation != KEPT]
        said = Counter(int(line.text.split()[0].removeprefix('word')) for line in lines if not line.answers)
        counts.lost = [number for number in counts.acknowledged if number not in said]
        counts.faults += [f'{number} is there {count} times' for number, count in said.items() if count > 1]
        if 2 * said.total() != len(lines):
            counts.faults.append('a turn is there by half')
        counts.summaries = len(summaries)
        short = {line.line_id for line in store.short_term(anna.person_id)}
        covered = {
            line.line_id
            for line in everything
            if any(summary.first_line <= line.line_id <= summary.last_line for summary in summaries)
        }
        if short & covered or len(short | covered) < len(everything):
            counts.faults.append('short-term memory and summaries do not share the lines between them')
        borders = [(one.last_line, other.first_line) for one, other in pairwise(summaries)]
        counts.faults += [
            f'a summary ends at {end}, the next begins at {begin}' for end, begin in borders if end >= begin
        ]
        counts.faults += network_faults(path, [line for line in everything if not line.answers], store.uid)


_BETWEEN = {
    'an edge without an end': (
        'SELECT 1 FROM edge WHERE a NOT IN (SELECT id FROM node) OR b NOT IN (SELECT id FROM node)'
    ),
    'a vector without a node': 'SELECT 1 FROM vector WHERE node NOT IN (SELECT id FROM node)',
    'a reason without a node that is away': (
        'SELECT 1 FROM forgotten WHERE node NOT IN (SELECT id FROM node WHERE away)'
    ),
    'a node away without a reason': (
        'SELECT 1 FROM node WHERE away AND kind != 1 AND id NOT IN (SELECT node FROM forgotten)'
    ),
    'a source heard without what it told': 'SELECT 1 FROM heard WHERE source NOT IN (SELECT source FROM told_by)',
    'what a source told, not heard': 'SELECT 1 FROM told_by WHERE source NOT IN (SELECT source FROM heard)',
    'a pinned node that was put away': 'SELECT 1 FROM node WHERE away AND pinned',
}
"""What is only there between two states: whatever a step changes is in one of these."""


def network_faults(path: Path, lines: Sequence[Line], uid: str) -> list[str]:
    """What is wrong with the network on the disk, held against the lines of people."""
    if not (path / NETWORK_FILE).exists():
        return []
    with closing(sqlite3.connect(path / NETWORK_FILE)) as connection:
        if not connection.execute('PRAGMA user_version').fetchone()[0]:
            return []
        faults = [fault for fault, query in _BETWEEN.items() if connection.execute(f'{query} LIMIT 1').fetchone()]
        heard = {row[0] for row in connection.execute('SELECT source FROM heard')}
        passed = dict(connection.execute("SELECT name, at FROM mark WHERE name LIKE 'person-%'"))
    for line in lines:
        if (
            line.line_id <= passed.get(owner_of(uid, line.person_id), 0)
            and source_of_line(uid, line.line_id) not in heard
        ):
            faults.append(f'line {line.line_id} was passed over')
    return faults


def check_network(desks: Desks, counts: KillCounts, lines: Sequence[Line], uid: str) -> None:
    """Everything acknowledged is in the network, and what is pinned lives."""
    if not desks.keeper.wait_until_idle(60.0):
        counts.faults.append('the background does not come to an end')
    assert desks.network is not None
    memory = desks.network._memory
    assert memory is not None
    wanted = {source_of_line(uid, line.line_id) for line in lines if not line.answers}
    if missing := wanted - memory.store.already_heard(wanted):
        counts.faults.append(f'{len(missing)} lines are not in the network')
    for number in counts.pinned:
        words = f'locker{number} '
        kept = [source_of_line(uid, line.line_id) for line in lines if line.text.startswith(words)]
        nodes = memory.store.nodes([item.node_id for item in memory.store.told_by(kept) if not item.away])
        if not any(node.pinned and node.text.startswith(words) for node in nodes.values()):
            counts.faults.append(f'what was pinned as {number} is gone')


def check_recall(path: Path, counts: KillCounts) -> None:
    """The newest acknowledged turns are found, through a desk that was opened anew."""
    config = DeskConfig()
    with (
        DataFolder.open(path, write=True) as folder,
        opened_store(config.store, folder) as store,
        open_desk(
            folder, store, RuleBasedModel(), lambda seen: {}, config, PeopleConfig(), HashedEmbedder(), QUIET
        ) as desks,
    ):
        desk = desks.people
        anna = store.find('Anna')
        assert anna is not None
        check_network(desks, counts, store.lines(anna.person_id), store.uid)
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
