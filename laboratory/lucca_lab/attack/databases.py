"""Attack on the databases of a data folder: damaged, swapped and deleted files.

Memory itself (people, semantic network) must be read, or refused with a `MemoryFault` that says what to do. Derived
data must be rebuilt.
"""

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from lucca_core.errors import MemoryFault
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.facts.passage_vectors import PassageVectors
from lucca_memory.manifest import NETWORK_FILE, PEOPLE_FILE
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import open_people, open_store
from lucca_memory.people.transfer import export_person
from lucca_memory.people.values import Told
from lucca_memory.retrieval.values import Question
from lucca_memory.semantic.opening import open_semantic
from lucca_memory.semantic.values import Statement

FACTS_FILE = 'facts.sqlite'
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
_SAID = (
    'My sister lives in Bonn.',
    'I like pears more than apples.',
    'On Monday I build a tower.',
    'My cat is called Tofu.',
)
_OTHERS = (b'\x00' * 8192, b'SQLite format 3\x00', b'PK\x03\x04' * 100, b'[' * 5000, b'\xff' * 100, b'{"a": 1}')


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    whole, other, drawn = folder / 'whole', folder / 'other', folder / 'drawn'
    embedder = HashedEmbedder()
    for path, people in ((whole, ('Anna', 'Ben')), (other, ('Cleo',))):
        _make(path, embedder, people)
    files = sorted(
        path.relative_to(whole) for path in whole.rglob('*') if path.suffix in ('.sqlite', '.index', '.arrays', '.json')
    )
    known = set(_said_in(whole, embedder))

    def trial(chance: random.Random) -> Counts:
        shutil.rmtree(drawn, ignore_errors=True)
        shutil.copytree(whole, drawn)
        name = chance.choice(files)
        done = _damage(drawn / name, other, chance)
        told = {'refused': 0, 'read': 0}
        try:
            said = _said_in(drawn, embedder)
        except MemoryFault as error:
            if str(drawn) not in str(error) and 'row of' not in str(error):
                raise Broken(f'{name}, {done}: names no file: {error}') from error
            if str(name) not in (PEOPLE_FILE, NETWORK_FILE, 'memories.json'):
                raise Broken(f'{name}, {done}, is derived, and was refused: {error}') from error
            told['refused'] = 1
        except Exception as error:
            raise Broken(f'{name}, {done}: {type(error).__name__}: {error}') from error
        else:
            told['read'] = 1
            if done in ('missing', 'empty') and str(name) in (PEOPLE_FILE, NETWORK_FILE):
                raise Broken(f'{name}, {done}, became a new memory without a word')
            # A flipped bit may turn a text into another valid text, so only damage that checks can find is tested.
            if done in ('exchanged', 'cut', 'other') and set(said) != known:
                raise Broken(f'{name}, {done}: read other lines than were said: {said}')
        return {**told, f'{done}': 1}

    yield trial


def _make(path: Path, embedder: HashedEmbedder, people: tuple[str, ...]) -> None:
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        with open_people(folder, embedder, store=store) as memory:
            for name in people:
                person = memory.person(name)
                for text in _SAID:
                    memory.remember(person, Told(conversation='c', utterance=text, answer='Good.', time=NOW))
                _ask(memory, name)
        with open_semantic(folder, embedder) as network:
            network.hear(
                [
                    Statement(text=text, source=f'said:{number}', speaker=people[0], time=NOW)
                    for number, text in enumerate(_SAID * 20)
                ]
            )
            network.keep_arrays()
        vectors = PassageVectors(path / FACTS_FILE, embedder.spec)
        vectors.put({f'{number}': embedder.embed([text])[0] for number, text in enumerate(_SAID)})


def _ask(memory: PeopleMemory, name: str) -> None:
    memory.recall(memory.person(name), Question(text='Where does my sister live?', now=NOW, asker=name, limit=3))


def _said_in(path: Path, embedder: HashedEmbedder) -> list[str]:
    """Opens and reads everything, as a worker does. Returns the lines that were said."""
    said = []
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        with open_people(folder, embedder, store=store) as memory:
            for person in memory.people():
                _ask(memory, person.name)
                said += [line.text for line in store.lines(person.person_id)]
                export_person(store, person)
            memory.remember(memory.person('Anna'), Told(conversation='d', utterance=_SAID[0], time=NOW))
        with open_semantic(folder, embedder) as network:
            network.context('Where does my sister live?', NOW)
            network.stats(NOW)
            network.keep_arrays()
        vectors = PassageVectors(path / FACTS_FILE, embedder.spec)
        for number, text in enumerate(_SAID):
            vector = vectors.get(f'{number}')
            if vector is not None and not np.isfinite(vector).all():
                raise Broken(f'vector of {text!r} is {vector}')
        vectors.put({'new': embedder.embed(['new'])[0]})
    return said


def _damage(file: Path, other: Path, chance: random.Random) -> str:
    data = bytearray(file.read_bytes())
    kind = chance.choice(
        ('bit', 'bit', 'bit', 'bits', 'cut', 'missing', 'empty', 'exchanged', 'other', 'folder', 'journal', 'version')
    )
    if kind in ('bit', 'bits'):
        for _ in range(1 if kind == 'bit' else 50):
            data[chance.randrange(min(len(data), chance.choice((100, 4096, len(data)))))] ^= 1 << chance.randrange(8)
        file.write_bytes(bytes(data))
    elif kind == 'cut':
        file.write_bytes(bytes(data[: chance.randint(1, len(data) - 1)]))
    elif kind == 'missing':
        file.unlink()
    elif kind == 'empty':
        file.write_bytes(b'')
    elif kind == 'exchanged':
        others = [path for path in (other / file.name, other / NETWORK_FILE, other / PEOPLE_FILE) if path.exists()]
        file.write_bytes(chance.choice(others).read_bytes())
    elif kind == 'other':
        file.write_bytes(chance.choice(_OTHERS))
    elif kind == 'folder':
        file.unlink()
        file.mkdir()
    elif kind == 'journal':
        extra = chance.choice(('-wal', '-journal', '-shm'))
        file.with_name(f'{file.name}{extra}').write_bytes(
            chance.choice((chance.randbytes(5000), b'', _foreign_log(file.parent)))
        )
    elif file.suffix == '.sqlite':
        with closing(sqlite3.connect(file)) as connection, suppress(sqlite3.Error):
            connection.execute(f'PRAGMA user_version = {chance.choice((-1, 0, 1, 2, 3, 99, 2**31 - 1))}')
    return kind


def _foreign_log(folder: Path) -> bytes:
    """A complete write-ahead log that belongs to another database."""
    file = folder / 'foreign.sqlite'
    with closing(sqlite3.connect(file)) as connection:
        connection.execute('PRAGMA journal_mode = WAL')
        connection.execute('CREATE TABLE strange (x)')
        connection.executemany('INSERT INTO strange VALUES (?)', [('y' * 3000,)] * 5)
        connection.commit()
        log = (folder / 'foreign.sqlite-wal').read_bytes()
    for extra in ('', '-wal', '-shm'):
        (folder / f'foreign.sqlite{extra}').unlink(missing_ok=True)
    return log


PART = Attack(
    name='databases',
    promise='A damaged database is refused with advice, or rebuilt if it is derived; memory never silently restarts.',
    open=_open,
    sample=15,
    count=2_000,
)
