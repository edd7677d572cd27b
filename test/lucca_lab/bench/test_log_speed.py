"""What an entry costs is measured for each part of it."""

from lucca_lab.bench.log_speed import measure


def test_each_kind_of_entry_is_measured(tmp_path):
    figures = measure(3, tmp_path)
    assert {'bare_p50_ms', 'entry_p50_ms', 'entry_p99_ms'} <= set(figures)
    assert all(value > 0 for value in figures.values())
    assert list(tmp_path.iterdir()) == []
