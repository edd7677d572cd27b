"""A stop that nobody answered, on the disk."""

from pathlib import Path

import pytest

from action_node.stop.unheard_stop import UnheardStop


def test_it_is_there_until_it_is_cleared_for_its_domain_and_namespace_only(tmp_path: Path) -> None:
    folder = tmp_path / 'not' / 'made'
    stop = UnheardStop(folder, '/', 70)
    assert not stop.is_set()
    stop.clear()
    stop.set()
    stop.set()
    assert UnheardStop(folder, '/', 70).is_set()
    assert not UnheardStop(folder, '/', 71).is_set()
    assert not UnheardStop(folder, '/robot_1', 70).is_set()
    stop.clear()
    assert not UnheardStop(folder, '/', 70).is_set()


def test_a_folder_that_cannot_be_used_is_told_to_whoever_writes(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('not a folder')
    stop = UnheardStop(tmp_path / 'file', '/', 70)
    assert not stop.is_set()
    with pytest.raises(OSError, match='file'):
        stop.set()
