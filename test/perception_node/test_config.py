"""Settings refuse what cannot work."""

import pytest

from perception_node.config import PerceptionConfig


@pytest.mark.parametrize(
    ('values', 'reason'),
    [
        ({'camera_pose': (0.0, 0.0, 1.0)}, 'camera_pose needs 7 numbers'),
        ({'camera_pose': (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0)}, 'must have length 1, has 2'),
        ({'table_x_m': (1.0, 0.0)}, 'table_x_m must be two increasing numbers'),
        ({'min_height_m': 0.0}, 'min_height_m must be above 0'),
        ({'max_height_m': 0.001}, 'max_height_m must be above'),
        ({'min_score': 0.0}, 'min_score must be above 0 and at most 1'),
        ({'model_min_score': 1.5}, 'model_min_score must be above 0 and at most 1, got 1.5'),
        ({'most_overlap': 0.0}, 'most_overlap must be above 0 and at most 1'),
        ({'temperature': 0.0}, 'temperature must be above 0 and at most 100, got 0'),
        ({'device': 'tpu'}, "device must be auto, cuda or cpu, got 'tpu'"),
        ({'table_rgb': (1.0, 2.0)}, 'table_rgb must be three numbers'),
        ({'table_rgb': (1.0, 2.0, 300.0)}, 'table_rgb must be from 0 to 255'),
        ({'gone_frames': 0}, 'gone_frames must be from 1 to 1000, got 0'),
        ({'mask_margin_px': -1}, 'mask_margin_px must be from 0 to 1000, got -1'),
    ],
)
def test_a_setting_that_cannot_work_is_refused(values, reason):
    with pytest.raises(ValueError, match=reason):
        PerceptionConfig(**values)
