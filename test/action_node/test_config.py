import pytest

from action_node.config import ActionConfig


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'horizon_s': 0.0}, 'horizon_s must be positive, got 0.0'),
        ({'max_attempts': 0}, 'max_attempts must be at least 1'),
        ({'refresh_s': 2.0}, 'or the arm stops between chunks'),
        ({'robot': ''}, 'robot must name a profile'),
    ],
)
def test_settings_that_cannot_work_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ActionConfig(**changes)  # type: ignore[arg-type]
