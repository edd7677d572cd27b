"""The plugin's rule for grasps, compiled, takes and lets go of what our simulator's does."""

import math
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lucca_sim.grip_tracker import GripTracker, HandReading
from lucca_sim.pinch_tracker import STILL_OPPOSED_RAD, PinchTracker

ROOT = Path(__file__).resolve().parents[2]
CLOSED_ABOVE = 0.3
LOOK_S = 0.02

pytestmark = pytest.mark.skipif(shutil.which('g++') is None, reason='g++ is not installed')

Look = tuple[float, float, dict[int, float]]


@pytest.fixture(scope='module')
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rule, with a main that applies it to looks from stdin."""
    built = tmp_path_factory.mktemp('pinch') / 'pinch_rule'
    include = ROOT / 'lucca_gazebo' / 'src'
    source = Path(__file__).with_name('pinch_rule.cc')
    command = ['g++', '-std=c++17', '-Wall', '-Wextra', '-Werror', f'-I{include}', str(source), '-o', str(built)]
    subprocess.run(command, check=True, timeout=120)
    return built


def held_by_plugin(program: Path, looks: list[Look]) -> list[int | None]:
    lines = [
        ' '.join(map(repr, (number * LOOK_S, asked, measured, *(part for pair in seen.items() for part in pair))))
        for number, (asked, measured, seen) in enumerate(looks)
    ]
    told = subprocess.run(
        [str(program), str(CLOSED_ABOVE)],
        input='\n'.join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    return [None if line == '-1' else int(line) for line in told.stdout.split()]


def held_by_simulator(looks: list[Look]) -> list[int | None]:
    """As in our simulator, but contacts with what is held last as long as the grasp: Gazebo tells none of them."""
    grip, pinch, held = GripTracker(CLOSED_ABOVE), PinchTracker(), []
    for number, (asked, measured, seen) in enumerate(looks):
        now = number * LOOK_S
        kept = {} if pinch.held is None else {pinch.held: STILL_OPPOSED_RAD}
        state = grip.update(HandReading(asked=asked, measured=measured, time_s=now))
        held.append(pinch.update(state, asked, {**seen, **kept}, (), now))
    return held


amounts = st.sampled_from([0.0, 0.1, 0.2, 0.31, 0.5, 0.7, 0.9, 1.0])
looks = st.tuples(
    amounts, amounts, st.dictionaries(st.integers(1, 3), st.sampled_from([1.0, 2.0, 2.2, 2.8, math.pi]), max_size=3)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(drawn=st.lists(st.tuples(looks, st.integers(1, 60)), max_size=12))
def test_both_hold_the_same_after_every_look(program: Path, drawn: list[tuple[Look, int]]) -> None:
    """Each drawn look lasts for a while, so that hands settle and grasps begin."""
    long = [look for look, count in drawn for _ in range(count)]
    assert held_by_plugin(program, long) == held_by_simulator(long)


def test_a_closing_hand_takes_what_it_pinches_and_an_opening_one_lets_go(program: Path) -> None:
    wide = {7: math.pi}
    closing: list[Look] = [(0.1 * step, 0.1 * step, wide if step > 4 else {}) for step in range(10)]
    opening: list[Look] = [(0.9 - 0.1 * step, 0.6, {}) for step in range(10)]
    held = held_by_plugin(program, closing + opening)
    assert held[:6] == [None] * 6
    assert held[6:14] == [7] * 8
    assert held[14:] == [None] * 6
