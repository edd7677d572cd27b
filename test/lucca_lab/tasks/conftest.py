"""Small trials of the experiments."""

import pytest

from lucca_lab.tasks.paper import TASKS
from lucca_lab.tasks.spec import Setting, TrialSpec


@pytest.fixture
def make_spec():
    def make(
        mode='consecutive', memory=True, tasks=TASKS, index=0, seed=1, suite='grid', variant='', extra=(), **setting
    ):
        return TrialSpec(
            suite=suite,
            mode=mode,
            memory=memory,
            tasks=tasks,
            index=index,
            seed=seed,
            variant=variant,
            extra=extra,
            setting=Setting(**setting),
        )

    return make
