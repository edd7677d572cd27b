"""A stop on the disk."""

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
