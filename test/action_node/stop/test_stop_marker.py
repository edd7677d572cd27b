"""A stop on the disk."""

import os
from pathlib import Path

import pytest

from action_node.stop.stop_marker import StopMarker


def test_a_stop_is_there_until_it_is_cleared_for_every_process(tmp_path: Path) -> None:
    folder = tmp_path / 'not' / 'made'
    marker = StopMarker(folder)
    assert not marker.is_set()
    marker.clear()
    marker.set()
    marker.set()
    assert StopMarker(folder).is_set()
    assert folder.stat().st_mode & 0o777 == 0o700
    StopMarker(folder).clear()
    assert not marker.is_set()


def test_what_cannot_be_looked_at_counts_as_a_stop(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('not a folder')
    marker = StopMarker(tmp_path / 'file')
    assert marker.is_set()
    with pytest.raises(FileExistsError):
        marker.set()


def test_a_folder_whose_disk_is_not_mounted_counts_as_a_stop(tmp_path: Path) -> None:
    (tmp_path / 'state').symlink_to(tmp_path / 'mounted')
    marker = StopMarker(tmp_path / 'state')
    assert marker.is_set()
    (tmp_path / 'mounted').mkdir()
    assert not marker.is_set()


@pytest.mark.timeout(20)
def test_a_pipe_in_its_place_is_a_stop_that_blocks_nobody(tmp_path: Path) -> None:
    marker = StopMarker(tmp_path)
    os.mkfifo(marker.file)
    assert marker.is_set()
    with pytest.raises(OSError, match='stopped'):
        marker.set()
    marker.clear()
    assert not marker.is_set()
