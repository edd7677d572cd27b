"""Prohibitions on disk: over restarts, over crashes at any point, and never lost to damage."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from action_node import prohibition_store
from action_node.prohibition_store import ProhibitionStore
from lucca_core.errors import MemoryFault
from lucca_core.protocol.prohibitions import MOST_PROHIBITIONS, Prohibition

ONE = Prohibition(what='the red cup', person='Ana', said_at=datetime(2026, 11, 28, 1, 2, 3, tzinfo=UTC))
TWO = Prohibition(what='fruit', place='box 1')


def add(store: ProhibitionStore, *more: Prohibition) -> None:
    store.change(lambda kept: (*kept, *more))


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    add(ProhibitionStore(tmp_path / 'new'), ONE, TWO)
    again = ProhibitionStore(tmp_path / 'new')
    assert again.kept().prohibitions == (ONE, TWO)
    again.change(lambda kept: kept[1:])
    assert ProhibitionStore(tmp_path / 'new').kept().prohibitions == (TWO,)
    assert again.file.stat().st_mode & 0o077 == 0


def test_two_robots_in_one_folder_have_their_own(tmp_path: Path) -> None:
    add(ProhibitionStore(tmp_path, '/left'), ONE)
    assert ProhibitionStore(tmp_path, '/right').kept().prohibitions == ()


@pytest.mark.parametrize(
    'content',
    [
        b'',
        b'{',
        b'[]',
        b'\xff',
        b'{"format": 2, "prohibitions": []}',
        b'{"format": 1, "prohibitions": [{"what": "fruit"}]}',
        b'{"format": 1, "prohibitions": [{"what": "", "place": "", "person": "", "said_at": null}]}',
        b'{"format": 1, "prohibitions": [{"what": 1, "place": "", "person": "", "said_at": null}]}',
        b'{"format": 1, "prohibitions": [{"what": "a", "place": "", "person": "", "said_at": "soon"}]}',
        b'{"format": 1, "prohibitions": [{"what": "a", "place": "", "person": "", "said_at": 7}]}',
        b'[' * 100_000,
        b' ' * 300_000,
    ],
)
def test_a_damaged_file_is_a_fault_that_names_it_until_it_is_mended(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / prohibition_store.NAME
    file.write_bytes(content)
    store = ProhibitionStore(tmp_path)
    assert str(file) in store.kept().fault
    with pytest.raises(MemoryFault, match='nothing moves'):
        add(store, TWO)
    assert file.read_bytes() == content
    file.unlink()
    assert not store.kept().fault
    add(store, TWO)
    assert ProhibitionStore(tmp_path).kept().prohibitions == (TWO,)


@pytest.mark.parametrize(
    'said_at', ['2026-11-28T01:02:03', '0001-01-01T00:00+23:00', '1969-12-31T00:00Z', '9999-12-31T23:59-23:00']
)
def test_a_moment_that_no_message_can_hold_is_a_fault(said_at: str, tmp_path: Path) -> None:
    item = {'what': 'fruit', 'place': '', 'person': '', 'said_at': said_at}
    (tmp_path / prohibition_store.NAME).write_text(json.dumps({'format': 1, 'prohibitions': [item]}))
    assert 'said_at' in ProhibitionStore(tmp_path).kept().fault


def nowhere(file: Path) -> None:
    file.symlink_to(file.parent / 'not' / 'mounted')


def in_a_circle(file: Path) -> None:
    file.symlink_to(file)


def to_a_pipe(file: Path) -> None:
    os.mkfifo(file.with_name('pipe'))
    file.symlink_to('pipe')


@pytest.mark.parametrize('put', [Path.mkdir, os.mkfifo, nowhere, in_a_circle, to_a_pipe])
def test_what_is_no_file_in_its_place_is_a_fault(put: Callable[[Path], Any], tmp_path: Path) -> None:
    file = tmp_path / prohibition_store.NAME
    put(file)
    store = ProhibitionStore(tmp_path)
    assert str(file) in store.kept().fault
    with pytest.raises(MemoryFault, match='nothing moves'):
        add(store, ONE)
    file.rmdir() if file.is_dir() else file.unlink()
    assert not store.kept().fault


def test_a_file_that_must_not_be_read_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(ProhibitionStore(tmp_path), ONE)

    def refuse(path: Path) -> Any:
        raise PermissionError(13, 'Permission denied', str(path))

    monkeypatch.setattr(prohibition_store, 'reading', refuse)
    assert 'Permission denied' in ProhibitionStore(tmp_path).kept().fault


@pytest.mark.parametrize('way', ['state', 'state/below', 'state/below/that'])
def test_a_folder_whose_disk_is_not_mounted_is_a_fault(way: str, tmp_path: Path) -> None:
    """The link of the folder, or of one above it, leads nowhere until then, and the prohibitions are behind it."""
    (tmp_path / 'state').symlink_to(tmp_path / 'mounted')
    assert 'leads nowhere' in ProhibitionStore(tmp_path / way).kept().fault
    add(ProhibitionStore(tmp_path / way.replace('state', 'mounted')), ONE)
    assert ProhibitionStore(tmp_path / way).kept().prohibitions == (ONE,)


def test_there_is_a_bound(tmp_path: Path) -> None:
    store = ProhibitionStore(tmp_path)
    many = tuple(Prohibition(what=f'pear {number}') for number in range(MOST_PROHIBITIONS))
    add(store, *many)
    with pytest.raises(MemoryFault, match='lift one first'):
        add(store, ONE)
    assert store.kept().prohibitions == many


@pytest.mark.parametrize('point', ['open', 'write', 'fsync', 'replace', 'folder'])
def test_after_a_crash_at_any_point_the_old_or_the_new_ones_hold(
    point: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nobody was told that the new one holds."""
    store = ProhibitionStore(tmp_path)
    add(store, ONE)

    def crash(*given: Any, **more: Any) -> Any:
        raise OSError(28, 'no space left on device')

    with monkeypatch.context() as broken:
        if point == 'open':
            broken.setattr('lucca_core.regular_file.os.open', crash)
        elif point == 'write':
            broken.setattr(prohibition_store.json, 'dumps', crash)
        elif point == 'fsync':
            broken.setattr('lucca_core.regular_file.os.fsync', crash)
        elif point == 'replace':
            broken.setattr(Path, 'replace', crash)
        else:
            broken.setattr('lucca_core.regular_file.sync_folder', crash)
        with pytest.raises(MemoryFault, match='could not be written'):
            add(store, TWO)
    assert store.kept().prohibitions in ((ONE,), (ONE, TWO))
    assert ProhibitionStore(tmp_path).kept().prohibitions == store.kept().prohibitions
    add(store, TWO) if TWO not in store.kept().prohibitions else None
    assert ProhibitionStore(tmp_path).kept().prohibitions == (ONE, TWO)


@pytest.mark.parametrize('function', ['new_file', 'sync_folder'])
def test_what_could_not_be_lifted_on_the_disk_holds_and_can_be_lifted_again(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the file was replaced already: whoever lifted it was told that it still holds."""
    store = ProhibitionStore(tmp_path)
    add(store, ONE, TWO)

    def fail(path: Path) -> Any:
        raise OSError(5, 'input/output error')

    with monkeypatch.context() as broken:
        broken.setattr(f'lucca_core.regular_file.{function}', fail)
        with pytest.raises(MemoryFault, match='could not be written'):
            store.change(lambda kept: kept[1:])
    assert store.kept().prohibitions == (ONE, TWO)
    store.change(lambda kept: kept)
    assert ProhibitionStore(tmp_path).kept().prohibitions == (ONE, TWO)
    store.change(lambda kept: kept[1:])
    assert ProhibitionStore(tmp_path).kept().prohibitions == store.kept().prohibitions == (TWO,)


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    store = ProhibitionStore(tmp_path)
    add(store, ONE)
    with pytest.raises(MemoryFault, match='at most 120 characters'):
        add(store, Prohibition(what='fruit', place='b' * 121))
    assert ProhibitionStore(tmp_path).kept().prohibitions == store.kept().prohibitions == (ONE,)


def test_a_draft_that_a_crash_left_behind_does_no_harm(tmp_path: Path) -> None:
    store = ProhibitionStore(tmp_path)
    add(store, ONE)
    store.file.with_name(f'{store.file.name}.new').write_text('{"for')
    assert ProhibitionStore(tmp_path).kept().prohibitions == (ONE,)
    add(store, TWO)
    assert json.loads(store.file.read_text())['format'] == 1
