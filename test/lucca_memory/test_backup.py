"""A backup brings everything back, refuses what is damaged, and loses nothing on the way."""

import tarfile
from datetime import UTC, datetime, timedelta

import pytest

from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_memory import backup
from lucca_memory.backup import back_up, registered_backups, restore
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import LogStore
from lucca_memory.manifest import begin_anew, files_set_aside
from lucca_memory.people.opening import PEOPLE_FILE, open_store
from lucca_memory.people.values import NewLine
from lucca_memory.semantic.opening import ID_FILE

NOW = datetime(2026, 3, 9, tzinfo=UTC)


@pytest.fixture
def data_dir(tmp_path):
    path = tmp_path / 'data'
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        anna = store.create('Anna', NOW)
        store.append(anna.person_id, [NewLine(conversation='c', speaker='Anna', text='tea', time=NOW)])
        LogStore(folder).log('sorting').append(Entry(kind=EntryKind.STARTED))
        folder.write_atomically('taught_tasks.yaml', 'tasks: {}\n')
    return path


def _texts(path):
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        people = store.people()
        assert LogStore(folder).log('sorting').entries
        return [line.text for person in people for line in store.lines(person.person_id)]


def test_a_backup_made_while_the_worker_runs_brings_everything_back(data_dir, tmp_path):
    with DataFolder.open(data_dir, write=True) as folder, open_store(folder) as store:
        store.append(store.people()[0].person_id, [NewLine(conversation='c', speaker='Anna', text='now', time=NOW)])
        file = back_up(data_dir, tmp_path / 'b.tar.gz', NOW)
    restore(file, tmp_path / 'other')
    assert _texts(tmp_path / 'other') == ['tea', 'now']
    assert (tmp_path / 'other' / 'taught_tasks.yaml').read_text() == 'tasks: {}\n'
    assert file.stat().st_mode & 0o077 == 0


def test_a_restored_copy_begins_its_network_on_a_server_anew(data_dir, tmp_path, monkeypatch):
    (data_dir / ID_FILE).write_text('0123456789abcdef\n')
    file = back_up(data_dir, tmp_path / 'b.tar.gz', NOW)
    restore(file, tmp_path / 'other')
    assert not (tmp_path / 'other' / ID_FILE).exists()
    # Backups of before have it.
    with monkeypatch.context() as patch:
        patch.setattr(backup, '_LEFT_OUT', frozenset({'lock', 'index', backup.BACKUPS}))
        older = back_up(data_dir, tmp_path / 'older.tar.gz', NOW + timedelta(days=1))
    with tarfile.open(older) as archive:
        assert ID_FILE in archive.getnames()
    restore(older, data_dir, replace=True)
    assert not (data_dir / ID_FILE).exists()


def test_memory_is_given_up_only_when_asked_to(data_dir, tmp_path):
    file = back_up(data_dir, tmp_path / 'b.tar.gz', NOW)
    with DataFolder.open(data_dir, write=True) as folder, open_store(folder) as store:
        store.append(store.people()[0].person_id, [NewLine(conversation='c', speaker='Anna', text='later', time=NOW)])
    with pytest.raises(MemoryFault, match='--replace'):
        restore(file, data_dir)
    assert _texts(data_dir) == ['tea', 'later']
    restore(file, data_dir, replace=True)
    assert _texts(data_dir) == ['tea']
    assert registered_backups(data_dir) == (file,)
    assert sorted(path.name for path in tmp_path.iterdir()) == ['b.tar.gz', 'data']


def test_a_running_worker_keeps_its_folder(data_dir, tmp_path):
    file = back_up(data_dir, tmp_path / 'b.tar.gz', NOW)
    with (
        DataFolder.open(data_dir, write=True),
        pytest.raises(MemoryFault, match='in use by another worker'),
    ):
        restore(file, data_dir, replace=True)


@pytest.mark.parametrize('damage', ['cut', 'other', 'database', 'outside'])
def test_a_damaged_backup_changes_nothing(data_dir, tmp_path, damage):
    file = back_up(data_dir, tmp_path / 'b.tar.gz', NOW)
    if damage == 'cut':
        file.write_bytes(file.read_bytes()[:200])
    elif damage == 'other':
        file.write_bytes(b'no archive')
    else:
        (tmp_path / 'format').write_text('lucca data folder, format 1\n')
        (tmp_path / 'people.sqlite').write_bytes(b'no database' * 1000)
        with tarfile.open(file, 'w:gz') as archive:
            archive.add(tmp_path / 'format', 'format')
            archive.add(tmp_path / 'people.sqlite', 'people.sqlite' if damage == 'database' else '../evil')
    with pytest.raises(MemoryFault):
        restore(file, data_dir, replace=True)
    assert _texts(data_dir) == ['tea']
    assert not (tmp_path / 'evil').exists()


def test_a_backup_never_overwrites(data_dir, tmp_path):
    back_up(data_dir, tmp_path / 'b.tar.gz', NOW)
    with pytest.raises(MemoryFault, match='exists'):
        back_up(data_dir, tmp_path / 'b.tar.gz', NOW)


def test_only_a_data_folder_is_backed_up(tmp_path):
    with pytest.raises(MemoryFault, match='not a lucca data folder'):
        back_up(tmp_path, None, NOW)


def test_a_memory_that_was_set_aside_is_in_no_backup_as_erasing_could_not_reach_into_it(data_dir, tmp_path):
    (data_dir / PEOPLE_FILE).write_bytes(b'no database' * 1000)
    with DataFolder.open(data_dir, write=True) as folder:
        begin_anew(folder, datetime.now(UTC))
    assert files_set_aside(data_dir)
    file = back_up(data_dir, tmp_path / 'backup.tar.gz', datetime.now(UTC))
    with tarfile.open(file) as archive:
        assert not [name for name in archive.getnames() if PEOPLE_FILE in name]
