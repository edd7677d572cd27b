"""What others said of an erased person stays, or is blanked in every byte."""

import tarfile
from datetime import UTC, datetime

import pytest
from erased_people import NAME, NOW, fill

from lucca_core.errors import MemoryFault
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.backup import back_up
from lucca_memory.data_folder import DataFolder
from lucca_memory.people.erasure import erase_person, finish_erasing
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.opening import open_people, open_store
from lucca_memory.people.values import Told
from lucca_memory.retrieval.values import Question

OTHERS_SAY = f'I met {NAME} in Bonn, and xanthippe  QUUX likes tea.'


def _others_say(data_dir):
    """Anna, and a folder of facts, say the name: in lines, a summary, a forgotten line and a verdict."""
    with (
        DataFolder.open(data_dir, write=True) as folder,
        open_store(folder) as store,
        open_people(folder, HashedEmbedder(), store=store) as memory,
    ):
        anna = memory.person('Anna')
        for _ in range(2):
            memory.remember(anna, Told(conversation='d', utterance=OTHERS_SAY, answer=f'Ah, {NAME}.', time=NOW))
        memory.rate(anna, 'good')
        lines = store.lines(anna.person_id)
        first = store.short_term(anna.person_id)[0]
        store.add_summary(anna.person_id, f'Knows {NAME}.', first.line_id, first.line_id, NOW)
        store.forget(anna.person_id, [lines[-1].line_id], f'about {NAME}', NOW)
        memory.recall(anna, Question(text='Who likes tea?', now=NOW))
    (data_dir / 'facts').mkdir()
    (data_dir / 'facts' / 'house.md').write_text(f'{NAME} has the key.')


def test_what_others_said_stays_and_is_counted_unless_it_is_to_be_blanked(tmp_path):
    fill(tmp_path / 'data')
    _others_say(tmp_path / 'data')
    with DataFolder.open(tmp_path / 'data', write=True) as folder, open_store(folder) as store:
        erased = erase_person(folder, store, NAME)
        # Three lines, a summary, a forgotten line and a verdict.
        assert erased.mentions == (('Anna', 6),)
        assert erased.facts == ((str(tmp_path / 'data' / 'facts' / 'house.md'), 1),)
        assert not erased.blanked
        with pytest.raises(MemoryFault, match='nobody is known'):
            erase_person(folder, store, NAME)
        later = erase_person(folder, store, NAME, blank=True)
        assert (later.mentions, later.blanked) == (erased.mentions, True)
        assert dict(store.mentions(NameEraser(NAME))) == {}


def test_blanked_the_name_is_in_no_byte_of_the_data_folder_but_its_owners_own_files(tmp_path):
    data_dir = tmp_path / 'data'
    fill(data_dir)
    _others_say(data_dir)
    back_up(data_dir, None, datetime(2026, 3, 11, tzinfo=UTC))
    with DataFolder.open(data_dir, write=True) as folder, open_store(folder) as store:
        erase_person(folder, store, NAME, blank=True)
        [anna] = store.people()
        assert store.last_lines(anna.person_id, 1)[0].text.startswith('I met somebody in Bonn, and somebody likes')
        _assert_nowhere(data_dir)
    _assert_nowhere(data_dir)
    with (
        DataFolder.open(data_dir, write=True) as folder,
        open_store(folder) as store,
        open_people(folder, HashedEmbedder(), store=store) as memory,
    ):
        assert memory.recall(memory.person('Anna'), Question(text='Who likes tea?', now=NOW))
    _assert_nowhere(data_dir)


def _assert_nowhere(data_dir):
    for file in data_dir.rglob('*'):
        if file.is_file() and 'facts' not in file.parts:
            contents = [file.read_bytes()]
            if file.name.endswith('.tar.gz'):
                with tarfile.open(file) as archive:
                    members = [item for item in archive if item.isfile() and not item.name.startswith('facts/')]
                    contents += [archive.extractfile(item).read() for item in members]
            assert not [content for content in contents if b'quux' in content.lower()], file


def test_blanking_that_was_broken_off_is_finished(tmp_path, monkeypatch):
    fill(tmp_path / 'data')
    _others_say(tmp_path / 'data')
    with DataFolder.open(tmp_path / 'data', write=True) as folder, open_store(folder) as store:
        monkeypatch.setattr(type(store), 'blank', lambda self, eraser: (_ for _ in ()).throw(MemoryFault('disk full')))
        with pytest.raises(MemoryFault, match='disk full'):
            erase_person(folder, store, NAME, blank=True)
        monkeypatch.undo()
        assert finish_erasing(folder, store).blanked
        assert dict(store.mentions(NameEraser(NAME))) == {}
    _assert_nowhere(tmp_path / 'data')
