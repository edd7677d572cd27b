"""Settings of the worker are checked where they are declared."""

import pytest

from lucca_core.errors import ConfigError
from lucca_core.settings import from_mapping
from worker_node.config import WorkerConfig


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('log_entries', 0),
        ('answer_tokens', 0),
        ('repairs', -1),
        ('latest_actions', -1),
        ('done_actions', -1),
        ('model_deadline_s', 0.0),
        ('check_deadline_s', -1.0),
        ('temperature', 3.0),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ConfigError, match=name):
        from_mapping(WorkerConfig, {name: value})
