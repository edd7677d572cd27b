"""SIGKILL at any moment of turns, summaries and index updates: whatever was acknowledged is there afterwards."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.people.opening import open_people
from lucca_memory.retrieval.values import Question

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from lucca_memory.data_folder import DataFolder
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.people.summarizer import ExtractiveSummarizer
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.opening import index_folder, open_store
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.person_source import source_of_scope
from lucca_memory.people.values import Told
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Question

NOW = datetime(2026, 3, 9, tzinfo=UTC)
begin = int(sys.argv[2])
with DataFolder.open(Path(sys.argv[1]), write=True) as folder:
    store, embedder = open_store(folder), HashedEmbedder()
    library = Library(source_of_scope(store), embedder, folder=index_folder(folder), uid=store.uid)
    memory = PeopleMemory(store, embedder, library, PeopleConfig(short_term_tokens=60, kept_tokens=20))
    anna = memory.person('Anna')
    print('ready', flush=True)
    for number in range(begin, begin + 100000):
        told = Told(conversation='c', utterance=f'word{number}', answer='yes', time=NOW)
        memory.remember(anna, told)
        print(number, flush=True)
        memory.recall(anna, Question(text=f'word{number}', now=NOW))
        memory.condense(anna, ExtractiveSummarizer(20))
        library.save()
"""


def _kill_once(data_dir, begin, wait_s):
    """Numbers that were acknowledged until a kill after this time."""
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    writer = subprocess.Popen(
        [sys.executable, '-c', WRITER, str(data_dir), str(begin)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert writer.stdout.readline() == 'ready\n'
    time.sleep(wait_s)  # the moment of the kill is the point of this test
    writer.send_signal(signal.SIGKILL)
    said = writer.stdout.read().splitlines(keepends=True)
    writer.wait()
    writer.stdout.close()
    return [int(line) for line in said if line.endswith('\n')]


def _check(data_dir, acknowledged):
    with DataFolder.open(data_dir, write=True) as folder, open_people(folder, HashedEmbedder()) as memory:
        anna = memory.person('Anna')
        texts = [line.text for line in memory._store.lines(anna.person_id)]
        assert set(texts) >= {f'word{number}' for number in acknowledged}
        assert len(texts) == len(set(texts)) + texts.count('yes') - 1
        covered = sum(
            summary.first_line <= line.line_id <= summary.last_line
            for summary in memory.long_term(anna)
            for line in memory._store.lines(anna.person_id)
        )
        assert covered + len(memory.short_term(anna)) == len(texts)
        for number in acknowledged[-3:]:
            assert memory.recall(anna, Question(text=f'word{number}', now=memory._now()))[0].text == f'word{number}'


def _soak(tmp_path, kills):
    rng = random.Random(1)
    acknowledged = []
    for _ in range(kills):
        acknowledged += _kill_once(tmp_path, len(acknowledged) + 1000 * (_ + 1), rng.uniform(0.0, 0.4))
        _check(tmp_path, acknowledged)
    assert acknowledged


def test_nothing_acknowledged_is_lost_in_a_few_kills(tmp_path):
    _soak(tmp_path, 4)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_nothing_acknowledged_is_lost_in_two_hundred_kills(tmp_path):
    _soak(tmp_path, 200)
