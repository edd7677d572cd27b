import pytest

from action_node.config import ActionConfig
from action_node.motion.config import MotionConfig


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'horizon_s': 0.0}, 'horizon_s must be above 0 and at most 5, got 0.0'),
        ({'max_attempts': 0}, 'max_attempts must be from 1 to 100'),
        ({'refresh_s': 2.0}, 'or the arm stops between chunks'),
        ({'refresh_s': 0.5, 'horizon_s': 0.6}, 'or a fast arm brakes before its next chunk comes; got 0.5, 0.05, 0.6'),
        ({'refresh_s': 0.41}, r'refresh_s \+ 2 tick_s <= horizon_s / 2 must hold'),
        ({'robot': ''}, 'robot must name a profile'),
    ],
)
def test_settings_that_cannot_work_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ActionConfig(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'lift_m': 0.0}, 'lift_m must be above 0 and at most 0.5, got 0.0'),
        ({'speed_margin': 1.1}, 'speed_margin must be above 0 and at most 1'),
        ({'neighbour_clearance_m': 0.006}, 'neighbour_clearance_m must be at most clearance_m = 0.005'),
        (
            {'table_clearance_m': 0.007},
            'at most 1.2 \\* clearance_m = 0.006, or nothing could be handed over along the table',
        ),
        ({'clearance_m': 0.004}, 'table_clearance_m must be at most'),
        ({'table_x_m': (1.0, 0.0)}, 'table_x_m must be a low and a high end'),
    ],
)
def test_motions_that_cannot_be_checked_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MotionConfig(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ('given', 'match'),
    [({'planner': 'ompl'}, 'planner must be own or moveit'), ({'moveit_groups': ('arm',)}, 'must be two names')],
)
def test_a_planner_that_is_not_known_is_refused(given, match):
    with pytest.raises(ValueError, match=match):
        ActionConfig(**given)
