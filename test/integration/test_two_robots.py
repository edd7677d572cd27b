"""Two robots in two namespaces of one domain: each has its own clock, stop and memory, without interference."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from rig import Rig, physical_faults, running_here

from lucca_core.errors import AlreadyRunningError
from lucca_core.namespace import NAMESPACE
from lucca_core.paths import default_state_dir
from lucca_core.protocol.goals import GoalRequest
from lucca_lab.dds_domains import own_domain

pytestmark = [pytest.mark.ros, pytest.mark.timeout(600)]

ROBOTS = ('one', 'two')


@contextmanager
def robots(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Rig]]:
    with own_domain(), ExitStack() as end:
        rigs = []
        for name in ROBOTS:
            monkeypatch.setenv(NAMESPACE, name)
            rigs.append(end.enter_context(running_here(folder / name, 'pointing')))
        yield rigs


def test_each_does_its_task_with_its_own_clock_and_a_stop_of_one_is_none_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with robots(tmp_path, monkeypatch) as (one, two):
        with pytest.raises(AlreadyRunningError, match='namespace /two: process'), running_here(tmp_path / 'x', 'tower'):
            pytest.fail('a second stack was started')
        client = two.stack.client
        assert [client.endpoint(f'/{name}/clock').publishers for name in ROBOTS] == [1, 1]
        assert client.endpoint('/clock').publishers + client.endpoint('/clock').subscribers == 0

        goals = [rig.start(GoalRequest(task='pointing', max_actions=2))[0] for rig in (one, two)]
        for goal, rig in zip(goals, (one, two), strict=True):
            report = goal.wait(200.0, rig.stack.alive)
            assert (report.status, len(report.actions_done)) == ('suspended', 2), report.reason

        one.stack.client.stop()
        assert (default_state_dir() / 'stopped-one').exists()
        assert not (default_state_dir() / 'stopped-two').exists()
        one.kill('action')
        one.joints.clear()
        two.joints.clear()
        since_s = one.joints.now_s()
        finished = two.do('pointing')
        assert finished.finished, finished.reason
        assert two.joints.motion_after(0.0, two.joints.now_s()) > 0.1
        assert one.joints.motion_after(since_s + 0.5, one.joints.now_s()) < 0.02
    for rig in (one, two):
        assert {file.name for file in (rig.folder / 'memory' / 'tasks').iterdir()} >= {'pointing.log'}
    assert physical_faults(two, ('pointing',)) == []
