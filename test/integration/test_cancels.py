"""Cancels at random instants: each is honoured, nothing revives, the arms go home, the next goal works."""

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from rig import HELD_S, Cancels, Rig, Steps, cancel_once, pause, running

from lucca_cli.client import StackClient
from lucca_core.errors import StackError
from lucca_core.paths import config_dir
from lucca_core.protocol.goals import GoalRequest
from lucca_core.protocol.snapshots import HAND
from lucca_lab.voice.stack_client import StopButton
from lucca_robot.profile import load_profile

pytestmark = [pytest.mark.ros, pytest.mark.timeout(900)]

EARLY, THINKING, MOVING = 4, 2, 1
"""Of each kind some; `make soak` cancels 200 goals of all three kinds."""

HOME_TOLERANCE_RAD = 0.16


@pytest.fixture(scope='module')
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with running(tmp_path_factory.mktemp('cancels'), 'sorting') as rig:
        yield rig


def assert_at_home(rig: Rig) -> None:
    positions = rig.joints.positions()
    for arm in load_profile().arms.values():
        here = np.array([positions[name] for name in arm.joints])
        assert np.abs(here - np.array(arm.home)).max() < HOME_TOLERANCE_RAD
    assert rig.hands_are_empty()


def still_to_put_away(rig: Rig) -> str:
    """An object that lies on the table, whatever the tests before this one put away before they were cancelled."""
    there = {item.name for item in rig.stack.client.snapshot(20.0).on_table()}
    return next(name for name in ('baseball', 'cup', 'pear', 'apple', 'banana') if name in there)


def after(low_s: float, high_s: float, chance: random.Random) -> Callable[[Steps], None]:
    return lambda steps: pause(chance.uniform(low_s, high_s))


def thinking(chance: random.Random) -> Callable[[Steps], None]:
    def instant(steps: Steps) -> None:
        steps.until(lambda step: step.phase == 'thinking')
        pause(chance.uniform(0.0, 0.3))

    return instant


def while_moving(chance: random.Random) -> Callable[[Steps], None]:
    def instant(steps: Steps) -> None:
        steps.until(lambda step: step.phase == 'acting')
        pause(chance.uniform(0.0, 4.0))

    return instant


def test_cancels_within_the_first_200_ms_are_honoured(rig: Rig) -> None:
    chance, counts = random.Random(1), Cancels()
    for _ in range(EARLY):
        cancel_once(rig, GoalRequest(task='sorting'), after(0.0, 0.2, chance), counts)
    assert counts.statuses['cancelled'] == EARLY


def test_cancels_while_the_model_thinks_are_honoured(rig: Rig) -> None:
    chance, counts = random.Random(2), Cancels()
    for _ in range(THINKING):
        cancel_once(rig, GoalRequest(task='sorting'), thinking(chance), counts)
    assert counts.statuses['cancelled'] == THINKING


def test_cancels_in_mid_motion_are_honoured_and_the_next_goal_works(rig: Rig) -> None:
    chance, counts = random.Random(3), Cancels()
    for _ in range(MOVING):
        cancel_once(rig, GoalRequest(task='sorting'), while_moving(chance), counts)
        assert_at_home(rig)
    report = rig.do(GoalRequest(task='sorting', max_actions=2))
    assert (report.status, report.repeated, len(set(report.actions_done))) == ('suspended', 0, 2), report.reason


def test_goal_cancelled_while_carrying_puts_the_object_down(rig: Rig) -> None:
    def carrying(steps: Steps) -> None:
        for _ in range(200):
            if any(item.container == HAND for item in rig.stack.client.snapshot(20.0)):
                return
        raise AssertionError('nothing was carried')

    counts = Cancels()
    # The sorting leaves the baseball where it is.
    cancel_once(rig, GoalRequest(text='put the baseball in box 2'), carrying, counts)
    assert_at_home(rig)


def test_after_a_stop_only_a_reset_moves_again_and_none_while_a_button_is_pressed(rig: Rig) -> None:
    assert_at_home(rig)
    request = GoalRequest(text=f'put the {still_to_put_away(rig)} in box 1')
    goal, steps = rig.start(request)
    steps.until_acting()
    rig.joints.wait_for_motion()
    rig.stack.client.stop()
    stopped_s = rig.joints.now_s()
    report = goal.wait(60.0, rig.stack.alive)
    assert report.status == 'suspended'
    rig.joints.wait_until(stopped_s + HELD_S + 1.0)
    assert rig.joints.motion_after(stopped_s + HELD_S, stopped_s + HELD_S + 1.0) < 0.02
    intents = rig.all_intents()
    with StackClient() as other:
        button = StopButton(other)
        button.wait_ready(20.0, rig.stack.alive)
        button.press()
        refused = rig.do(request)
        assert not refused.finished
        assert rig.joints.motion_after(stopped_s + HELD_S, rig.joints.now_s()) < 0.02
        assert rig.all_intents() == intents
        with pytest.raises(StackError, match='emergency_stop is still true'):
            rig.stack.client.reset()
        button.close()
    rig.stack.client.reset()
    assert_at_home(rig)
    again = rig.do(request)
    assert again.finished, again.reason


def test_stop_and_reset_as_commands_of_their_own(rig: Rig) -> None:
    """Whoever said stop has gone when the reset comes."""
    for command in ('stop', 'reset'):
        done = subprocess.run(
            [Path(sys.executable).parent / 'lucca', command], capture_output=True, text=True, timeout=60.0, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert_at_home(rig)


def test_cancel_in_the_middle_of_a_model_call_does_not_wait_for_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(config_dir(), tmp_path / 'config')
    with (tmp_path / 'config' / 'faults.yaml').open('a', encoding='utf-8') as file:
        file.write('  stalled: {rates: {timeout: 1.0}, stall_s: 60.0}\n')
    monkeypatch.setenv('LUCCA_CONFIG_DIR', str(tmp_path / 'config'))
    with running(tmp_path / 'stack', 'sorting', llm='faulty:stalled:embedded', worker_llm='embedded') as rig:
        counts = Cancels()
        cancel_once(rig, GoalRequest(task='sorting'), thinking(random.Random(0)), counts)
    assert counts.statuses['cancelled'] == 1
    assert counts.slowest_s < 30.0  # the model would not have answered for 60 s
