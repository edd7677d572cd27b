import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from action_node.motion.collision import CollisionChecker
from action_node.motion.config import MotionConfig
from action_node.motion.grasp import tool_rotation
from action_node.motion.inverse_kinematics import POINTER, TOOL, ArmIk, IkTarget
from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import load_profile

PROFILES = {name: load_profile(name) for name in ('nicol', 'two_six_dof')}
ARMS = [(name, arm) for name in PROFILES for arm in ('left', 'right')]
SOLVERS = {
    (name, arm): ArmIk(PROFILES[name], arm, position_tolerance_m=8e-4, angle_tolerance_rad=0.01) for name, arm in ARMS
}


@pytest.mark.parametrize(('name', 'arm'), ARMS)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_its_forward_kinematics_are_those_of_the_robot(name: str, arm: str, seed: int) -> None:
    solver, profile = SOLVERS[name, arm], PROFILES[name]
    chosen = profile.arms[arm]
    positions = np.random.default_rng(seed).uniform(solver.lower, solver.upper)
    joints = dict(zip(chosen.joints, positions.tolist(), strict=True))
    kinematics = RobotKinematics(profile)
    kinematics.update(profile.home | joints)
    tool = solver.forward(positions)
    rotation, position = kinematics.tool_pose(arm)
    np.testing.assert_allclose(tool.position_m, position, atol=1e-9)
    np.testing.assert_allclose(tool.rotation, rotation, atol=1e-9)
    kinematics.update(profile.home | joints | dict(zip(chosen.hand.joints, chosen.hand.point, strict=True)))
    tip, direction = kinematics.pointing_ray(arm)
    pointer = solver.forward(positions, POINTER)
    np.testing.assert_allclose(pointer.position_m, tip, atol=1e-9)
    np.testing.assert_allclose(pointer.rotation[:, 0], direction, atol=1e-9)


@pytest.mark.parametrize(('name', 'arm'), ARMS)
@pytest.mark.parametrize('frame', [TOOL, POINTER])
def test_nowhere_that_it_comes_is_beyond_its_length(name: str, arm: str, frame: str) -> None:
    solver, rng = SOLVERS[name, arm], np.random.default_rng(0)
    shoulder_m, length_m = solver._outreach[frame]
    postures = rng.uniform(solver.lower, solver.upper, (300, len(solver.lower)))
    came = max(float(np.linalg.norm(solver.forward(row, frame).position_m - shoulder_m)) for row in postures)
    # Not much longer than it is, either.
    assert came <= length_m <= 2 * came
    beyond_m = shoulder_m + np.array([0.0, 0.0, length_m + 0.02])
    assert solver.solve(IkTarget(beyond_m, np.eye(3)), postures[0], frame=frame) is None


@pytest.mark.parametrize(('name', 'arm'), ARMS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_it_finds_is_within_limits_and_where_it_should_be(name: str, arm: str, seed: int) -> None:
    solver = SOLVERS[name, arm]
    rng = np.random.default_rng(seed)
    wanted = solver.forward(rng.uniform(solver.lower, solver.upper))
    found = solver.solve(wanted, np.array(PROFILES[name].arms[arm].home))
    if found is None:
        return
    assert (found >= solver.lower).all()
    assert (found <= solver.upper).all()
    reached = solver.forward(found)
    assert np.linalg.norm(reached.position_m - wanted.position_m) < 1e-3
    assert np.trace(reached.rotation.T @ wanted.rotation) > 3 - 2e-4


@pytest.mark.parametrize(('name', 'arm'), ARMS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), near_m=st.none() | st.floats(0.01, 0.1))
def test_what_it_finds_quickly_is_within_limits_and_near_enough(
    name: str, arm: str, seed: int, near_m: float | None
) -> None:
    solver = SOLVERS[name, arm]
    rng = np.random.default_rng(seed)
    wanted = solver.forward(rng.uniform(solver.lower, solver.upper))
    found = solver.solve_quickly(wanted, np.array(PROFILES[name].arms[arm].home), near_m=near_m)
    if found is None:
        return
    assert (found >= solver.lower).all()
    assert (found <= solver.upper).all()
    reached = solver.forward(found)
    assert np.linalg.norm(reached.position_m - wanted.position_m) < (near_m or 8e-4)
    assert near_m or np.trace(reached.rotation.T @ wanted.rotation) > 3 - 2e-4


@pytest.mark.parametrize(('name', 'arm'), ARMS)
def test_a_quick_search_leads_to_most_grasps_over_the_table(name: str, arm: str) -> None:
    profile = PROFILES[name]
    wide = ArmIk(profile, arm, position_tolerance_m=0.02, angle_tolerance_rad=0.2)
    rng, home = np.random.default_rng(3), np.array(profile.arms[arm].home)
    side = 1.0 if arm == 'left' else -1.0
    tilt_rad, inward = profile.arms[arm].hand.tilts_rad[0], -side
    wanted = [
        IkTarget(
            np.array([rng.uniform(0.3, 0.6), side * rng.uniform(0.0, 0.4), profile.table_top_m + 0.08]),
            tool_rotation(inward * rng.uniform(0.0, 0.5), tilt_rad),
        )
        for _ in range(20)
    ]
    reached = [target for target in wanted if wide.solve(target, home) is not None]
    quickly = [target for target in reached if wide.solve_quickly(target, home) is not None]
    assert len(reached) >= 10
    assert len(quickly) >= 0.6 * len(reached)


@pytest.mark.parametrize(('name', 'arm'), ARMS)
def test_either_arm_reaches_the_whole_working_area_and_across_the_midline(name: str, arm: str) -> None:
    profile, solver = PROFILES[name], SOLVERS[name, arm]
    checker = CollisionChecker(profile, MotionConfig())
    checker.set_scene(())
    columns = checker.columns(profile.arms[arm].joints)
    base = checker.positions(profile.home)
    side = 1.0 if arm == 'left' else -1.0
    rng = np.random.default_rng(0)
    starts = [np.array(q) for q in (profile.arms[arm].home, *profile.arms[arm].seeds)]
    starts += [rng.uniform(solver.lower, solver.upper) for _ in range(200)]
    for x in (0.1, 0.25, 0.4, 0.55, 0.7):
        for y in (-0.3, -0.15, 0.0, 0.2, 0.4):
            if (name, x, y) == ('nicol', 0.7, -0.3):
                # The far corner on the other arm's side: its tool, between thumb and fingers, ends 3 cm before it.
                x = 0.67
            target = IkTarget(np.array([x, side * y, profile.table_top_m + 0.1]), np.eye(3))
            for start in starts:
                found = solver.solve(target, start, match='place')
                if found is None:
                    continue
                row = base.copy()
                row[columns] = found
                if checker.first_touch(row[None, :]) is None:
                    break
            else:
                pytest.fail(f'the {arm} arm of {name} does not reach ({x}, {side * y})')


def test_what_is_out_of_reach_is_none() -> None:
    solver = SOLVERS['nicol', 'left']
    target = IkTarget(np.array([2.0, 0.0, 1.0]), np.eye(3))
    assert solver.solve(target, np.array(PROFILES['nicol'].arms['left'].home)) is None
