"""Benchmark of the conversation memory at scale: time to store, start and recall.

Words follow Zipf's law and vectors lie in clusters, as in real conversations. The time for encoding is not included.
"""

import json
import resource
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import LuccaError
from lucca_lab.bench.drawn_turns import (
    AT_ONCE,
    DIMENSIONS,
    START,
    ClusteredEmbedder,
    ScaleOptions,
    person_sizes,
    question_of,
    texts,
)
from lucca_lab.bench.memory_rivals import RIVALS, asked_rival
from lucca_memory.data_folder import INDEX_FOLDER, DataFolder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import open_people, open_store
from lucca_memory.people.person_source import scope_of, source_of_scope
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import ROBOT, NewLine, Told
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.ranking import best_rows
from lucca_memory.retrieval.values import Document, Question

_NOTE = 'built.json'


def measure(
    options: ScaleOptions, folder: Path | None = None, on_progress: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Builds the memory and measures it. Times are in ms, except `start_s` and `build_s`.

    Args:
        options: sizes of the benchmark.
        folder: where the memory is built and kept; a memory from an earlier run with the same options is only measured.
            By default, a temporary folder.
        on_progress: called with a message for each step.

    Raises:
        LuccaError: the folder holds something else.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix='lucca-scale-') as name:
            return measure(options, Path(name), on_progress)
    built = _built(folder / 'lucca', options, lambda path: _build(path, options, on_progress))
    figures: dict[str, Any] = {name: built[name] for name in ('turns', 'people', 'largest', 'build_s')}
    on_progress('asking')
    figures |= _asked(folder / 'lucca', options)
    if options.rival:
        for rival in RIVALS:
            if rival.installed():
                path = folder / rival.name
                building = partial(rival.build, options=options, on_progress=on_progress)
                rival_built = _built(path, options, building)
                on_progress(f'asking {rival.name}')
                figures[rival.name] = asked_rival(rival, path, options) | {'build_s': rival_built['build_s']}
    return figures


def _built(path: Path, options: ScaleOptions, build: Callable[[Path], None]) -> dict[str, Any]:
    """The note on what was built in a folder, now or by an earlier run that finished."""
    note = path / _NOTE
    wanted = {'turns': options.turns, 'people': options.people, 'seed': options.seed}
    if note.exists():
        found: dict[str, Any] = json.loads(note.read_text(encoding='utf-8'))
        if any(found.get(name) != value for name, value in wanted.items()):
            raise LuccaError(f'{path} was built with other options ({found}); name another folder')
        return found
    if path.exists():
        raise LuccaError(f'{path} is there and was not built to its end; remove it or name another folder')
    path.mkdir(mode=0o700, parents=True)
    begin = time.perf_counter()
    build(path)
    found = wanted | {'largest': max(person_sizes(options)), 'build_s': time.perf_counter() - begin}
    note.write_text(json.dumps(found), encoding='utf-8')
    return found


def _build(path: Path, options: ScaleOptions, on_progress: Callable[[str], None]) -> None:
    embedder, sizes = ClusteredEmbedder(options.seed), person_sizes(options)
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        for number, size in enumerate(sizes):
            _fill(store, embedder, number, size, options.seed)
            on_progress(f'{sum(sizes[: number + 1])} turns')
        for person in store.people():
            # A library for each, as it keeps in memory what was searched.
            library = Library(source_of_scope(store), embedder, folder=_index_dir(path), uid=store.uid, robot=ROBOT)
            library.search(scope_of(person), Question(text='x', now=START))
            library.save()


def _asked(path: Path, options: ScaleOptions) -> dict[str, Any]:
    embedder, figures = ClusteredEmbedder(options.seed), {}
    begin = time.perf_counter()
    with DataFolder.open(path, write=True) as folder:
        store = open_store(folder)
        with open_people(folder, embedder, store=store) as memory:
            first = question_of(np.random.default_rng(options.seed), options)
            memory.recall(memory.people()[0], first)
            figures['start_s'] = time.perf_counter() - begin
            figures |= _recalls(memory, embedder, options)
            figures |= _stored(memory, options)
    figures['dense_recall_at_10'] = dense_recall(max(person_sizes(options)), options.seed)
    figures['peak_memory_mb'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures['disk_mb'] = sum(item.stat().st_size for item in path.rglob('*') if item.is_file()) / 2**20
    return figures


def dense_recall(count: int, seed: int, questions: int = 50) -> float:
    """The share of the exact ten nearest vectors that the index finds among its ten nearest."""
    embedder = ClusteredEmbedder(seed)
    count = min(count, 100_000)
    vectors = embedder.random(count, seed)
    index = ScopeIndex(DIMENSIONS)
    index.add(Document(key=number, group='', text='') for number in range(1, count + 1))
    index.set_vectors(dict(enumerate(vectors, 1)))
    found = 0
    for query in embedder.random(questions, seed + 1):
        exact = set(best_rows(vectors @ query, 10).tolist())
        found += len(exact.intersection(best_rows(index.similarities(query), 10).tolist()))
    return found / (10 * questions)


def _fill(store: PeopleStore, embedder: ClusteredEmbedder, number: int, size: int, seed: int) -> None:
    person = store.create(f'person {number}', START)
    said = texts(size, seed * 1_000 + number)
    for start in range(0, size, AT_ONCE):
        count = min(AT_ONCE, size - start)
        lines = store.append(
            person.person_id,
            [
                NewLine(
                    conversation=f'{(start + step) // 30}',
                    speaker=person.name,
                    text=next(said),
                    time=START + timedelta(minutes=start + step),
                )
                for step in range(count)
            ],
        )
        vectors = embedder.random(count, seed * 1_000_003 + number * 1_009 + start)
        keyed = {line.line_id: vector for line, vector in zip(lines, vectors, strict=True)}
        store.put_vectors(person.person_id, embedder.spec, keyed)


def _recalls(memory: PeopleMemory, embedder: ClusteredEmbedder, options: ScaleOptions) -> dict[str, float]:
    rng = np.random.default_rng(options.seed + 1)
    people = memory.people()
    largest = memory.person('person 0')
    seconds: dict[str, list[float]] = {'recall': [], 'recall_largest': []}
    for number in range(options.questions):
        person = largest if number % 2 else people[int(rng.integers(len(people)))]
        question = question_of(rng, options)
        begin = time.perf_counter()
        memory.recall(person, question)
        name = 'recall_largest' if person == largest else 'recall'
        seconds[name].append(time.perf_counter() - begin)
    return {
        f'{name}_{at}_ms': 1e3 * float(np.percentile(values, cut))
        for name, values in seconds.items()
        if values
        for at, cut in (('p50', 50), ('p95', 95))
    }


def _stored(memory: PeopleMemory, options: ScaleOptions) -> dict[str, float]:
    person = memory.person('person 0')
    seconds = []
    for text in texts(options.stored, options.seed + 2):
        begin = time.perf_counter()
        memory.remember(person, Told(conversation='new', utterance=text, time=START))
        seconds.append(time.perf_counter() - begin)
    return {'store_p50_ms': 1e3 * float(np.median(seconds))}


def _index_dir(path: Path) -> Path:
    folder = path / INDEX_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
