"""What the page costs, measured with a real browser on a small count."""

import shutil

import pytest

pytest.importorskip('playwright', reason='playwright is not installed')

from lucca_core.errors import ConfigError
from lucca_lab.bench.view import measure_view
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
    again: list[str] = []
    with own_domain():
        assert measure_view(tmp_path, pairs=2, actions=2, stops=2, seed=1, show=again.append).as_json() == told
        with pytest.raises(ConfigError, match=r'parts\.jsonl'):
            measure_view(tmp_path, pairs=2, actions=3, stops=2, seed=1, show=again.append)
    assert len(again) == 1
    assert {'event_to_screen_ms_p95', 'stop_ms_max', 'overhead_ratio_p50'} <= set(found.as_json())
