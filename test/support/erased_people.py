"""A data folder with somebody to erase, and what is left of a name in it."""

import tarfile
from datetime import UTC, datetime

from lucca_core.protocol.entries import EntryKind
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.backup import back_up
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry, SeenObject
from lucca_memory.declarative.log import LogStore
from lucca_memory.item_ids import owner_of
from lucca_memory.people.erasure import erase_person, finish_erasing
from lucca_memory.people.opening import open_people, open_store
from lucca_memory.people.values import Told
from lucca_memory.retrieval.values import Question
from lucca_memory.semantic.opening import open_semantic
from lucca_memory.semantic.store.values import Mark
from lucca_memory.semantic.values import Statement
from lucca_memory.task_book import TaskBook

NOW = datetime(2026, 3, 9, tzinfo=UTC)


NAME = 'Xanthippe Quux'


SECRET = 'zygomorphic'  # noqa: S105 - a word to look for


def fill(data_dir, elsewhere=None):
    """A folder in which Anna and NAME are known, with a log, a taught task, a torn piece and two backups."""
    with (
        DataFolder.open(data_dir, write=True) as folder,
        open_store(folder) as store,
        open_people(folder, HashedEmbedder(), store=store) as memory,
    ):
        uid = store.uid
        for name, text in (('Anna', 'I like tea.'), (NAME, f'My word is {SECRET}.')):
            person = memory.person(name)
            memory.remember(person, Told(conversation='c', utterance=text, answer='Fine.', time=NOW))
            memory.recall(person, Question(text='word', now=NOW))
            owner = owner_of(uid, person.person_id)
            with open_semantic(folder, HashedEmbedder()) as network:
                said = [text, f'{text} Twice.', f'I am called {name}.']
                network.hear(
                    [
                        Statement(text=line, speaker=name, time=NOW, source=f'said:{at}@{owner}', owner=owner)
                        for at, line in enumerate(said)
                    ]
                )
                task = Statement(text=f'Tea for {name} was done', speaker='', time=NOW, source=f'task:tea for {name}:1')
                network.hear([task])
                network.forget(NOW, 40)
                network.store.set_mark(f'log:tea for {name}', Mark(1))
        logs = LogStore(folder)
        logs.log('sorting').append(Entry(kind=EntryKind.STARTED, note='asked by xanthippe  quux'))
        seen = (SeenObject(object_id='cup-1', name=f"{NAME}'s cup", label='cup'),)
        logs.log('sorting').append(Entry(kind=EntryKind.FINISHED, on_table=(f"{NAME}'s cup",), seen=seen))
        logs.log(f'breakfast for {NAME}').append(Entry(kind=EntryKind.STARTED))
        logs.log('other').append(Entry(kind=EntryKind.STARTED, note='asked by Anna'))
        (folder.tasks_path / 'sorting.log.torn-20260309T000000.000000Z').write_bytes(b'\nEntry 3\nNote: Xanthippe Quux')
        book = TaskBook({}, {}, folder)
        folder.write_atomically(
            'taught_tasks.yaml', f'tasks:\n  tea:\n    description: Tea for {NAME}.\n    actions: [give]\n'
        )
        book.teach('', f'Tea for {NAME}, please.')
        book.teach(f'supper for {NAME}', 'Soup.')
    back_up(data_dir, None, NOW)
    if elsewhere is not None:
        back_up(data_dir, elsewhere, datetime(2026, 3, 10, tzinfo=UTC))


def files_with(folder, marker):
    """The files under a folder, archives opened, in which a marker is."""
    found = []
    for path in folder.rglob('*'):
        if path.is_file():
            data = path.read_bytes()
            if path.name.endswith('.tar.gz'):
                with tarfile.open(path) as archive:
                    members = [archive.extractfile(member) for member in archive.getmembers() if member.isfile()]
                    data = b''.join(member.read() for member in members)
            if marker.lower().encode() in data.lower() or marker.encode() in path.name.encode():
                found.append(path.name)
    return found


def erase(data_dir, name=NAME):
    with DataFolder.open(data_dir, write=True) as folder, open_store(folder) as store:
        return erase_person(folder, store, name)


def crash(*_args, **_options):
    raise RuntimeError('power cut')


def finish(data_dir):
    with DataFolder.open(data_dir, write=True) as folder, open_store(folder) as store:
        return finish_erasing(folder, store)
