"""The desk on a real folder: facts followed while people talk, meanings and summaries made in the background."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lucca_core.errors import ConfigError, MemoryFault
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import NoEmbedder, Vectors
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.erasure import NOTE, erase_person
from lucca_memory.people.opening import make_store, open_store
from lucca_memory.people.sqlite_store import SqliteStore
from worker_node.people.config import DeskConfig
from worker_node.people.desk import PeopleDesk
from worker_node.people.opening import open_desk, opened_store, usable_embedder


class Desks:
    """Opens the desk of one folder; opening it again is a restart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stack = ExitStack()

    def __call__(self, embedder: Any = None, people: PeopleConfig | None = None, **settings: Any) -> PeopleDesk:
        self.close()
        config = DeskConfig(**settings)
        folder = self._stack.enter_context(DataFolder.open(self.path, write=True))
        store = self._stack.enter_context(opened_store(config.store, folder))
        desks = self._stack.enter_context(
            open_desk(
                folder,
                store,
                RuleBasedModel(),
                lambda seen: {},
                config,
                people or PeopleConfig(),
                embedder or HashedEmbedder(),
            )
        )
        return desks.people

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Desks]:
    desks = Desks(tmp_path / 'data')
    yield desks
    desks.close()


def talk(desk: PeopleDesk, count: int, conversation: str = 'c1') -> None:
    desk.meet('cli', 'Anna', conversation)
    for number in range(count):
        desk.record_turn(conversation, f'On day {number} I went to the harbour and saw ships.', 'I see.')


class Waiting(HashedEmbedder):
    """Says when it has been asked for a text."""

    def __init__(self, text: str, spec: str = 'hashed') -> None:
        super().__init__(spec=spec)
        self._text = text
        self.came = threading.Event()

    def embed(self, texts: Sequence[str]) -> Vectors:
        found = super().embed(texts)
        if self._text in texts:
            self.came.set()
        return found


def test_a_full_short_term_memory_is_summarised_in_the_background(
    opened: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = threading.Event()
    add_summary = SqliteStore.add_summary

    def watched(self: Any, *args: Any) -> Any:
        try:
            return add_summary(self, *args)
        finally:
            stored.set()

    monkeypatch.setattr(SqliteStore, 'add_summary', watched)
    desk = opened(people=PeopleConfig(short_term_tokens=60, kept_tokens=20))
    talk(desk, 8)
    assert stored.wait(30.0)
    [summary, *_] = desk.recall('c1', 'harbour', kinds=['summary'])
    assert 'harbour' in summary.text


def test_another_model_embeds_everything_anew_in_the_background(opened: Desks) -> None:
    talk(opened(), 3)
    new = Waiting('On day 0 I went to the harbour and saw ships.', spec='new')
    desk = opened(new)
    assert new.came.wait(30.0)
    desk.meet('cli', 'Anna', 'c2')
    assert desk.recall('c2', 'harbour', kinds=['said'])


def test_an_embedder_that_cannot_be_had_leaves_words(caplog: pytest.LogCaptureFixture) -> None:
    embedder = usable_embedder('minilm:/no/such/folder')
    assert isinstance(embedder, NoEmbedder)
    assert 'memory is searched by words only' in caplog.text
    with pytest.raises(ConfigError, match='is not an embedding spec'):
        usable_embedder('magic')


def test_without_meanings_words_find(opened: Desks) -> None:
    desk = opened(NoEmbedder())
    talk(desk, 2)
    first, second, *_ = desk.recall('c1', 'harbour', kinds=['said'])
    assert {first.speaker, second.speaker} == {'Anna'}
    assert 'words' in first.why
    assert 'meaning' not in first.why
    assert np.size(NoEmbedder().embed(['x'])) == 0


def test_facts_lie_in_the_data_folder_unless_named(opened: Desks, tmp_path: Path) -> None:
    opened()
    assert (tmp_path / 'data' / 'facts').is_dir()
    (tmp_path / 'mine').mkdir()
    (tmp_path / 'mine' / 'gym.md').write_text('The gym opens at seven.\n')
    desk = opened(facts_dir=str(tmp_path / 'mine'))
    desk.meet('ros', '', 'c1')
    [fact] = desk.recall('c1', 'When does the gym open?', kinds=['fact'])
    assert (fact.source, fact.text) == ('gym.md:1', 'The gym opens at seven.')


def test_a_folder_of_facts_that_cannot_be_used_is_named(opened: Desks, tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('no folder')
    with pytest.raises(MemoryFault, match='file cannot be used as folder of facts'):
        opened(facts_dir=str(tmp_path / 'file'))
    opened()


def test_an_erasing_that_was_broken_off_is_finished_before_anything_is_read(
    opened: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(opened(), 1)
    opened.close()

    def power_cut(store: SqliteStore, person_id: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteStore, 'erase', power_cut)
        folder = DataFolder.open(opened.path, write=True)
        with folder, open_store(folder) as store, pytest.raises(KeyboardInterrupt):
            erase_person(folder, store, 'Anna')
    assert (opened.path / NOTE).exists()
    desk = opened()
    assert not (opened.path / NOTE).exists()
    assert desk.meet('cli', 'Anna', 'c5').first_time


@pytest.mark.parametrize('spec', ['mysql://x', 'sqlite3'])
def test_a_store_that_is_none_is_refused_without_its_password(tmp_path: Path, spec: str) -> None:
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        with pytest.raises(ConfigError, match='is not a store'):
            make_store(spec, folder)
        with pytest.raises(ConfigError) as caught:
            make_store('mysql://me:hunter2@host', folder)
        assert 'hunter2' not in str(caught.value)


def test_robots_that_share_a_store_know_what_each_was_told(tmp_path: Path, postgres_address: str) -> None:
    robots = [Desks(tmp_path / name) for name in ('one', 'two')]
    try:
        first, second = (robot(store=postgres_address) for robot in robots)
        talk(first, 2, 'with one')
        second.meet('cli', 'Anna', 'with two')
        found = [item.text for item in second.recall('with two', 'harbour', kinds=['said'])]
        assert 'On day 1 I went to the harbour and saw ships.' in found
        second.meet('cli', 'Bob', 'bob')
        assert second.recall('bob', 'harbour', kinds=['said']) == ()
    finally:
        for robot in robots:
            robot.close()
