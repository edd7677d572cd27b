"""What the page costs, measured with a real browser on a small count."""

import shutil

import pytest

pytest.importorskip('playwright', reason='playwright is not installed')

from lucca_core.errors import ConfigError
from lucca_lab.bench.view import KeptParts, measure_view
from lucca_lab.dds_domains import own_domain


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which('chromium'), reason='chromium is not installed')
def test_events_stops_and_overhead_are_measured(tmp_path):
    lines: list[str] = []
    with own_domain():
        found = measure_view(tmp_path, pairs=2, actions=2, stops=2, seed=1, show=lines.append)
    told = found.as_json()
    assert found.events > 50
    assert found.event_to_screen_ms_p95 > 0
    assert len(found.stop_ms) == 2
    assert found.stop_ms_max == max(found.stop_ms) > 0
    assert len(found.pairs_ms) == 2
    assert found.overhead_ratio_p50 > 0
    assert len(lines) == 5
    assert {'event_to_screen_ms_p95', 'stop_ms_max', 'overhead_ratio_p50'} <= set(told)


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which('chromium'), reason='chromium is not installed')
def test_a_run_that_was_ended_goes_on_and_a_whole_one_is_not_taken_again(tmp_path):
    kept = KeptParts(tmp_path / 'parts.jsonl', {'actions': 2, 'stops': 1, 'seed': 1})
    kept.keep('demo', (60, 500.0))
    kept.keep('stops', [(40.0, 20.0)])
    kept.keep('pair', (12.0, 11.0))
    with (tmp_path / 'parts.jsonl').open('a') as file:
        file.write('["pair", [1')
    lines: list[str] = []
    with own_domain():
        found = measure_view(tmp_path, pairs=2, actions=2, stops=1, seed=1, show=lines.append)
    assert (found.events, found.event_to_screen_ms_p95, found.stop_ms_max) == (60, 500.0, 40.0)
    assert found.pairs_ms[0] == (12.0, 11.0)
    assert len(found.pairs_ms) == 2
    assert len(lines) == 2
    assert not (tmp_path / 'parts.jsonl').exists()


def test_a_line_that_was_cut_off_does_not_hide_the_next_one(tmp_path):
    file, settings = tmp_path / 'parts.jsonl', {'actions': 2, 'stops': 1, 'seed': 1}
    KeptParts(file, settings).keep('pair', (1.0, 2.0))
    with file.open('a') as written:
        written.write('["pair", [3')
    KeptParts(file, settings).keep('pair', (5.0, 6.0))
    assert KeptParts(file, settings).parts('pair') == [[1.0, 2.0], [5.0, 6.0]]


def test_parts_of_a_run_with_other_settings_are_refused(tmp_path):
    KeptParts(tmp_path / 'parts.jsonl', {'actions': 2, 'stops': 1, 'seed': 1})
    with pytest.raises(ConfigError, match=r'parts\.jsonl'):
        KeptParts(tmp_path / 'parts.jsonl', {'actions': 3, 'stops': 1, 'seed': 1})
