"""Settings of the simulator refuse what cannot be."""

import pytest

from lucca_sim.config import SimConfig


@pytest.mark.parametrize(
    ('wrong', 'reason'),
    [
        ({'engine': 'magic'}, 'physics, kinematic'),
        ({'speed': -1.0}, 'speed must be from 0 to 1000, got -1.0'),
        ({'speed': float('nan')}, 'speed must be from 0'),
        ({'camera_rate_hz': 0.0}, 'camera_rate_hz must be above 0'),
        ({'camera_rate_hz': 1.6}, r'leash_s must be 0 or at least the time between two camera frames, 0\.625 s'),
        ({'clock_wall_rate_hz': 0.0}, 'clock_wall_rate_hz'),
        ({'video_rate_hz': -1.0}, 'video_rate_hz'),
        ({'camera_offset_m': (1.0, 2.0)}, 'three numbers'),
    ],
)
def test_a_wrong_value_is_refused_with_what_would_be_right(wrong: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        SimConfig(**wrong)
