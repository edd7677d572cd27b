"""Erasing a person reaches every byte that we keep; what is broken off is finished; others lose nothing."""

import json
import tarfile
from datetime import UTC, datetime

import pytest
from erased_people import NAME, NOW, SECRET, crash, erase, files_with, fill, finish

from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.backup import back_up, restore
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry, SeenObject
from lucca_memory.declarative.log import LogStore
from lucca_memory.declarative.verification import verify_logs
from lucca_memory.manifest import begin_anew
from lucca_memory.people import erasure as erasing
from lucca_memory.people import file_erasure
from lucca_memory.people.erasure import NOTE, Erased, erase_person, finish_erasing
from lucca_memory.people.name_eraser import NOBODY, NameEraser
from lucca_memory.people.opening import PEOPLE_FILE, open_people, open_store
from lucca_memory.procedural import load_actions
from lucca_memory.retrieval.values import Question
from lucca_memory.task_book import TaskBook


def test_nothing_of_a_person_is_left_in_any_file(tmp_path):
    data_dir, elsewhere = tmp_path / 'data', tmp_path / 'usb' / 'b.tar.gz'
    elsewhere.parent.mkdir()
    fill(data_dir, elsewhere)
    assert len(files_with(tmp_path, SECRET)) >= 3
    assert erase(data_dir) == Erased(logs=3, backups=2)
    for marker in (SECRET, 'xanthippe', 'quux'):
        assert files_with(tmp_path, marker) == []
    with DataFolder.open(data_dir, write=True) as folder, open_people(folder, HashedEmbedder()) as memory:
        assert [person.name for person in memory.people()] == ['Anna']
        assert memory.recall(memory.person('Anna'), Question(text='tea', now=NOW))[0].text == 'I like tea.'


def test_what_was_taught_is_read_on_without_the_name(tmp_path):
    fill(tmp_path / 'data')
    erase(tmp_path / 'data')
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        tasks = TaskBook({}, load_actions(), folder).tasks
        assert {name: item.description for name, item in tasks.items()} == {
            f'supper for {NOBODY}': 'Soup.',
            'tea': f'Tea for {NOBODY}.',
            'request-1': f'Tea for {NOBODY}, please.',
        }


def test_rewritten_logs_pass_their_checks_and_tell_the_same(tmp_path):
    fill(tmp_path / 'data')
    erase(tmp_path / 'data')
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        logs = LogStore(folder)
        assert logs.tasks() == (f'breakfast for {NOBODY}', 'other', 'sorting')
        entries = logs.log('sorting').entries
        assert [entry.note for entry in entries] == [f'asked by {NOBODY}', '']
        assert entries[1].on_table == (f"{NOBODY}'s cup",)
        assert entries[1].seen[0].name == f"{NOBODY}'s cup"
        logs.log('sorting').append(Entry(kind=EntryKind.STARTED))
        assert logs.log('other').entries[0].note == 'asked by Anna'
        assert [(item.damage, item.odd) for item in verify_logs(folder)] == [('', '')] * 3


def test_the_name_goes_with_a_log_that_was_set_aside(tmp_path):
    fill(tmp_path / 'data')
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        assert LogStore(folder).set_aside(f'breakfast for {NAME}') is not None
    erase(tmp_path / 'data')
    assert files_with(tmp_path / 'data', 'quux') == []
    assert files_with(tmp_path / 'data', 'Quux') == []
    assert len(list((tmp_path / 'data' / 'tasks').glob('breakfast*.forgotten-*'))) == 2


def test_the_name_goes_with_the_head_of_a_log_that_somebody_deleted(tmp_path):
    fill(tmp_path / 'data')
    [log] = (tmp_path / 'data' / 'tasks').glob('breakfast*.log')
    log.unlink()
    erase(tmp_path / 'data')
    assert not list((tmp_path / 'data' / 'tasks').glob('breakfast*'))


def test_a_person_who_is_called_like_a_thing_leaves_the_things(tmp_path):
    with DataFolder.open(tmp_path, write=True) as folder, open_people(folder, HashedEmbedder()) as memory:
        memory.person('Cup')
        seen = (SeenObject(object_id='cup-1', name='cup', label='cup'),)
        LogStore(folder).log('t').append(Entry(kind=EntryKind.STARTED, on_table=('cup',), seen=seen, note='for Cup'))
    erase(tmp_path, 'cup')
    with DataFolder.open(tmp_path, write=True) as folder:
        (entry,) = LogStore(folder).log('t').entries
        assert (entry.note, entry.on_table) == (f'for {NOBODY}', ('cup',))


def test_what_a_crash_broke_off_is_finished(tmp_path, monkeypatch):
    data_dir = tmp_path / 'data'
    fill(data_dir)
    steps = [(erasing, '_erase_from_backups'), (erasing, 'erase_from_files'), (file_erasure, 'sync_folder')]
    for module, step in steps:
        with monkeypatch.context() as patch:
            patch.setattr(module, step, crash)
            with pytest.raises(RuntimeError):
                erase(data_dir) if (data_dir / NOTE).exists() is False else finish(data_dir)
        if step != 'sync_folder':
            assert json.loads((data_dir / NOTE).read_text())['name'] == NAME
    finish(data_dir)
    assert files_with(tmp_path, SECRET) == files_with(tmp_path, 'quux') == []


def test_whoever_follows_the_store_has_nothing_to_put_back_into_a_clean_network(tmp_path, monkeypatch):
    data_dir, known = tmp_path / 'data', []
    fill(data_dir)
    clean = erasing._erase_from_network

    def cleaned(*args, **kwargs):
        clean(*args, **kwargs)
        with DataFolder.open(data_dir, write=False) as folder, open_people(folder, HashedEmbedder()) as memory:
            known.append([person.name for person in memory.people()])

    monkeypatch.setattr(erasing, '_erase_from_network', cleaned)
    erase(data_dir)
    # The last is the folder itself, after its backups.
    assert known[-1] == ['Anna']


def test_erasing_again_does_the_rest_of_what_could_not_be_done(tmp_path, monkeypatch):
    data_dir = tmp_path / 'data'
    fill(data_dir)
    with monkeypatch.context() as patch:
        patch.setattr(erasing, '_erase_from_network', crash)
        with pytest.raises(RuntimeError):
            erase(data_dir)
    assert files_with(tmp_path, SECRET)
    with pytest.raises(MemoryFault, match='nobody is known'):
        erase(data_dir, 'Zed')
    erase(data_dir, NAME.upper())
    assert files_with(tmp_path, SECRET) == files_with(tmp_path, 'quux') == []


def test_there_is_nothing_to_finish_in_a_folder_as_it_should_be(tmp_path):
    fill(tmp_path)
    assert finish(tmp_path) is None


def test_an_old_backup_does_not_bring_an_erased_person_back(tmp_path):
    data_dir, kept = tmp_path / 'data', tmp_path / 'kept.tar.gz'
    fill(data_dir, tmp_path / 'b.tar.gz')
    (tmp_path / 'b.tar.gz').rename(kept)
    assert erase(data_dir).unreachable == (str(tmp_path / 'b.tar.gz'),)
    restore(kept, data_dir, replace=True)
    with DataFolder.open(data_dir, write=True) as folder, open_store(folder) as store:
        assert [person.name for person in store.people()] == ['Anna']
    assert not files_with(data_dir, SECRET)
    assert not files_with(data_dir, NAME)
    assert not files_with(data_dir, 'quux')


def test_nobody_is_an_error(tmp_path):
    fill(tmp_path)
    with pytest.raises(MemoryFault, match="nobody is known by the name 'Zed'"):
        erase(tmp_path, 'Zed')


@pytest.mark.parametrize(
    ('name', 'text', 'cleaned'),
    [
        ('Anna', 'Anna, ANNA and anna_1; not Annapolis', 'somebody, somebody and somebody_1; not Annapolis'),
        ('a+b', 'a+b c', 'somebody c'),
        ('two  words', 'Two\nwords', 'somebody'),
        ('🙂', 'hi 🙂!', 'hi somebody!'),
        ('Jos\u00e9', 'Jose\u0301, JOSE\u0301 and Jos\u00e9', 'somebody, somebody and somebody'),
        ('Jose\u0301', 'Jos\u00e9 and Jose\u0301.', 'somebody and somebody.'),
        ('Jose', 'Jose\u0301 and Jose', 'Jose\u0301 and somebody'),
        ('Stra\u00dfer', 'Strasser', 'somebody'),
        ('Strasser', 'Stra\u00dfer', 'somebody'),
        ('', 'text', 'text'),
    ],
)
def test_every_spelling_of_a_name_goes(name, text, cleaned):
    assert NameEraser(name).clean(text) == cleaned


def test_a_backup_that_was_made_while_the_memory_was_gone_does_not_keep_anybody_from_being_erased(tmp_path):
    data_dir = tmp_path / 'data'
    fill(data_dir)
    for file in data_dir.glob(f'{PEOPLE_FILE}*'):
        file.unlink()
    back_up(data_dir, tmp_path / 'without.tar.gz', datetime(2026, 3, 11, tzinfo=UTC))
    with DataFolder.open(data_dir, write=True) as folder:
        begin_anew(folder, NOW)
        with open_store(folder) as store:
            store.create(NAME, NOW)
            assert erase_person(folder, store, NAME).backups == 2
    with tarfile.open(tmp_path / 'without.tar.gz') as archive:
        assert PEOPLE_FILE not in archive.getnames()


def test_a_damaged_backup_is_named_with_what_to_do_about_it(tmp_path):
    data_dir, damaged = tmp_path / 'data', tmp_path / 'damaged.tar.gz'
    fill(data_dir, damaged)
    with tarfile.open(damaged) as archive:
        archive.extractall(tmp_path / 'copy', filter='data')
    (tmp_path / 'copy' / PEOPLE_FILE).write_bytes(b'no database' * 1000)
    with tarfile.open(damaged, 'w:gz') as archive:
        archive.add(tmp_path / 'copy', '.')
    with pytest.raises(MemoryFault, match=r'damaged.tar.gz could not be rewritten: .*delete that file and erase again'):
        erase(data_dir)
    damaged.unlink()
    assert finish(data_dir).unreachable == (str(damaged),)


def test_what_is_no_taught_task_is_named_and_the_rest_is_done_once_it_is_gone(tmp_path):
    fill(tmp_path / 'data')
    wrong = tmp_path / 'data' / 'taught' / 'wrong.json'
    for content in ('{', '[1]', '{"task": 1}'):
        wrong.write_text(content)
        with pytest.raises(MemoryFault, match=r'wrong.json is not a taught task'):
            erase(tmp_path / 'data')
    wrong.unlink()
    assert finish(tmp_path / 'data') is not None
    assert files_with(tmp_path / 'data', 'quux') == []


def test_erasing_is_finished_in_a_folder_whose_memory_was_given_up(tmp_path, monkeypatch):
    data_dir = tmp_path / 'data'
    fill(data_dir)
    monkeypatch.setattr('lucca_memory.people.erasure._erase_from_backups', crash)
    with pytest.raises(RuntimeError):
        erase(data_dir)
    monkeypatch.undo()
    (data_dir / PEOPLE_FILE).write_bytes(b'no database' * 1000)
    with DataFolder.open(data_dir, write=True) as folder:
        begin_anew(folder, NOW)
    with DataFolder.open(data_dir, write=True) as folder, open_store(folder) as store:
        # It is another one's number now.
        anna, bo = store.create('Anna', NOW), store.create('Bo', NOW)
        assert finish_erasing(folder, store) is not None
        assert store.people() == (anna, bo)
    assert files_with(data_dir, 'quux') == []


def test_a_note_about_a_person_of_another_store_is_left_to_that_one(tmp_path, monkeypatch):
    data_dir = tmp_path / 'data'
    fill(data_dir)
    note = json.dumps({'uid': 'of a server', 'person_id': 1, 'name': NAME, 'blank': False})
    with DataFolder.open(data_dir, write=True) as folder:
        folder.write_atomically(NOTE, note)
        (data_dir / PEOPLE_FILE).write_bytes(b'no database' * 1000)
        begin_anew(folder, NOW)
    with (
        DataFolder.open(data_dir, write=True) as folder,
        open_store(folder) as store,
        pytest.raises(MemoryFault, match='another store'),
    ):
        finish_erasing(folder, store)


def test_a_task_is_known_by_its_log_where_somebody_is_longer_than_the_name(tmp_path):
    actions = load_actions()
    with DataFolder.open(tmp_path / 'data', write=True) as folder, open_store(folder) as store:
        store.create('Al', NOW)
        name = 'tea for Al ' + 'x' * 69
        TaskBook({}, actions, folder).teach(name, 'Al ' * 600)
        LogStore(folder).log(name).append(Entry(kind=EntryKind.STARTED))
        erase_person(folder, store, 'Al')
        [taught] = TaskBook({}, actions, folder).tasks.values()
        assert LogStore(folder).tasks() == (taught.name,)
        assert taught.name.startswith('tea for somebody x')
        assert taught.description.startswith('somebody somebody')
