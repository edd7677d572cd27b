"""A sample of the kills of memory; `make soak` has the full count."""

from pathlib import Path

from memory_kills import kill_often


def test_nothing_acknowledged_is_lost_in_twenty_kills(tmp_path: Path) -> None:
    counts = kill_often(tmp_path / 'data', 20, seed=1)
    assert (counts.kills, counts.lost, counts.faults) == (20, [], [])
    assert len(counts.acknowledged) > 20
    assert counts.summaries > 0
    assert len(counts.pinned) > 0
