"""Arms brought home from wherever they were left, with whatever they hold."""

import dataclasses

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from tabletops import CONTAINERS, PROFILES, Thing, Truth, planner, random_table, seen

from action_node.body import ProfileBody
from action_node.motion import arm_clearing as clear_module
from action_node.motion.held_objects import in_hands
from action_node.motion.inverse_kinematics import ArmIk, IkTarget
from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.motion.trajectory import positions_at
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import HAND, TABLE, Snapshot


def interrupted(plan: MotionPlan, part: float, home: dict[str, float]) -> dict[str, float]:
    """Where the robot is when a plan is broken off."""
    joints, left = dict(home), part * plan.duration_s
    for segment in plan.segments:
        row = positions_at(segment, np.array([min(left, segment.duration_s)]))[0]
        joints.update(zip(segment.joints, row.tolist(), strict=True))
        if left < segment.duration_s:
            break
        left -= segment.duration_s
    return joints


@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 200), part=st.floats(0.0, 1.0), known=st.booleans(), told=st.booleans())
def test_from_wherever_it_was_broken_off_both_arms_come_home(seed: int, part: float, known: bool, told: bool) -> None:
    things = random_table(seed, 5)
    profile, snapshot = PROFILES['nicol'], seen(things, seed, 0.0)
    try:
        plan = planner('nicol').plan(MotionRequest('pick_and_place', things[0].name, 'box 1'), snapshot, profile.home)
    except MotionError:
        return
    joints = interrupted(plan, part, profile.home)
    holding = plan.arm in ProfileBody(profile).closed_hands(joints)
    # Else perception still has it where it stood.
    if holding and told:
        objects = tuple(
            dataclasses.replace(o, container=HAND if o.object_id == things[0].name else TABLE) for o in snapshot.objects
        )
        snapshot = dataclasses.replace(snapshot, objects=objects)
    held = {plan.arm: things[0].name if known else ''} if holding else {}
    clear = planner('nicol').plan_clear(snapshot, joints, held)
    for segment in clear.segments:
        for joint, value in zip(segment.joints, segment.positions[0], strict=True):
            assert joints[joint] == pytest.approx(value, abs=1e-4)
        joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    for joint, value in profile.home.items():
        assert joints[joint] == pytest.approx(value, abs=0.02)
    if holding:
        assert 'open' in [segment.name for segment in clear.segments]


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('share', [0.0, 0.1, 0.3, 0.6, 1.0])
@pytest.mark.parametrize(('robot', 'height_m'), [('nicol', 0.0), ('two_six_dof', 0.0), ('two_six_dof', 0.02)])
def test_a_hand_that_was_closing_when_its_process_died_takes_what_it_has_with_it(
    robot: str, height_m: float, seed: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody noted it, and perception has it on the table still."""
    taken = []

    def spy(*args: object) -> dict[str, str]:
        taken.append(in_hands(*args))  # type: ignore[arg-type]
        return taken[-1]

    monkeypatch.setattr(clear_module, 'in_hands', spy)
    things = random_table(seed, 5)
    if height_m:
        width_m, depth_m, _ = things[0].size_m
        things[0] = dataclasses.replace(things[0], shape='box', size_m=(width_m, depth_m, height_m))
    profile, snapshot = PROFILES[robot], seen(things, seed, 0.001)
    plan = planner(robot).plan(MotionRequest('pick_and_place', things[0].name, 'box 1'), snapshot, profile.home)
    joints = dict(profile.home)
    for segment in plan.segments:
        last = share if segment.name == 'close' else 1.0
        row = positions_at(segment, np.array([last * segment.duration_s]))[0]
        joints.update(zip(segment.joints, row.tolist(), strict=True))
        if segment.name == 'close':
            break
    closed = ProfileBody(profile).closed_hands(joints)
    clear = planner(robot).plan_clear(snapshot, joints, dict.fromkeys(closed, ''))
    assert ('carry' in [segment.name for segment in clear.segments]) is bool(closed)
    assert bool(closed) or share < 1.0
    if closed:
        assert taken == [{plan.arm: things[0].name}]
    truth = Truth(robot, things)
    truth.stand(joints)
    played = dataclasses.replace(clear, arm=plan.arm)
    touches = truth.touches(played, things[0].name, carrying=bool(closed))
    # Fingers that have begun to close lie against it when they open again.
    assert [touch for touch in touches if touch[0] != 'open' or things[0].name not in touch[1:3]] == []
    for segment in clear.segments:
        joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    for joint, value in profile.home.items():
        assert joints[joint] == pytest.approx(value, abs=0.02)


@pytest.mark.parametrize(
    ('robot', 'off', 'opens'),
    [('nicol', 0.019, False), ('nicol', 0.021, True), ('two_six_dof', 0.001, False), ('two_six_dof', 0.004, True)],
)
@pytest.mark.parametrize('arm', ['left', 'right'])
def test_a_hand_that_is_almost_open_is_opened_by_a_share_of_what_it_moves(
    robot: str, off: float, opens: bool, arm: str
) -> None:
    """`off` in rad or m."""
    profile, snapshot = PROFILES[robot], seen(random_table(1, 3), 1, 0.0)
    hand = profile.arms[arm].hand
    joint = next(name for name in hand.joints if profile.hand_travels[name].closed > profile.hand_travels[name].opened)
    joints = {**profile.home, joint: profile.home[joint] + off}
    clear = planner(robot).plan_clear(snapshot, joints, {})
    assert [segment.name for segment in clear.segments] == ['open'] * opens


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('above_m', [0.012, 0.018])
def test_a_hand_that_closed_above_something_does_not_press_on_it(seed: int, above_m: float) -> None:
    robot, things = 'two_six_dof', random_table(seed, 4)
    width_m, depth_m, _ = things[0].size_m
    things[0] = dataclasses.replace(things[0], shape='box', size_m=(width_m, depth_m, 0.02))
    profile, snapshot = PROFILES[robot], seen(things, seed, 0.0)
    plan = planner(robot).plan(MotionRequest('pick_and_place', things[0].name, 'box 1'), snapshot, profile.home)
    joints = dict(profile.home)
    for segment in plan.segments:
        joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
        if segment.name == 'close':
            break
    ik = ArmIk(profile, plan.arm, position_tolerance_m=0.0008, angle_tolerance_rad=0.01)
    names = profile.arms[plan.arm].joints
    here = np.array([joints[name] for name in names])
    grasp = ik.forward(here)
    above = ik.solve(IkTarget(grasp.position_m + np.array([0.0, 0.0, above_m]), grasp.rotation), here)
    assert above is not None
    joints.update(zip(names, above.tolist(), strict=True))
    truth = Truth(robot, things)
    truth.stand(joints)
    clear = planner(robot).plan_clear(snapshot, joints, {plan.arm: ''})
    touches = truth.touches(dataclasses.replace(clear, arm=plan.arm), 'nothing')
    deepest_m = min((touch[3] for touch in touches if things[0].name in touch[1:3]), default=0.0)
    # At 12 mm its fingers reach 2 mm into it to begin with, as it was seen.
    assert deepest_m > -0.0025


@pytest.mark.parametrize('height_m', [0.02, 0.03, 0.06])
@pytest.mark.parametrize('known', [True, False])
def test_both_hands_put_down_what_they_had_closed_on(height_m: float, known: bool) -> None:
    """What the one still has low over the table is not in the way of the other, which moves nothing of it."""
    things = [Thing(f'{y}', 'box', (0.05, 0.05, height_m), 0.45, y, 0.0) for y in (0.4, -0.4)]
    profile, snapshot = PROFILES['nicol'], seen(things, 0, 0.0)
    joints, held = dict(profile.home), {}
    for thing in things:
        request = MotionRequest('pick_and_place', thing.name, 'box 1' if thing.y > 0 else 'box 2')
        plan = planner('nicol').plan(request, snapshot, profile.home)
        held[plan.arm] = thing.name if known else ''
        for segment in plan.segments:
            if segment.name == 'carry':
                break
            joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    assert len(held) == 2
    clear = planner('nicol').plan_clear(Snapshot(containers=CONTAINERS), joints, held)
    assert [segment.name for segment in clear.segments].count('carry') == 2


def test_at_home_there_is_nothing_to_clear() -> None:
    assert planner('nicol').plan_clear(Snapshot(), PROFILES['nicol'].home, {}).segments == ()
