"""A sample of the kills of memory; `make soak` has the full count."""

from pathlib import Path

from memory_kills import kill_often


def test_nothing_acknowledged_is_lost_in_eight_kills(tmp_path: Path) -> None:
    counts = kill_often(tmp_path / 'data', 8, seed=1)
    assert (counts.kills, counts.lost, counts.faults) == (8, [], [])
    assert len(counts.acknowledged) > 8
    assert counts.summaries > 0
    assert len(counts.pinned) > 0
