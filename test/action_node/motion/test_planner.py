"""Whole motions on random tables, checked independently by a MuJoCo model of the truth instead of the snapshot."""

import dataclasses

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from tabletops import CONTAINERS, PROFILES, TOP, Thing, Truth, planner, random_table, seen

from action_node.motion.config import MotionConfig
from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.motion.planner import MotionPlanner
from action_node.motion.trajectory import positions_at
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import USERS_SIDE, Pose, TableObject
from lucca_robot.kinematics import RobotKinematics


def check_speeds_and_limits(name: str, plan: MotionPlan) -> None:
    profile, config = PROFILES[name], MotionConfig()
    kinematics = RobotKinematics(profile)
    joints = dict(profile.home)
    for segment in plan.segments:
        for joint, value in zip(segment.joints, segment.positions[0], strict=True):
            assert joints[joint] == pytest.approx(value, abs=1e-4), f'{segment.name} does not begin where {joint} is'
        assert not segment.velocities[[0, -1]].any()
        step = 0.02
        sampled = positions_at(segment, np.arange(0.0, segment.duration_s, step))
        rates = np.abs(np.diff(sampled, axis=0)) / step
        tips = []
        for column, joint in enumerate(segment.joints):
            limits = profile.description.joint(joint)
            assert sampled[:, column].min() >= limits.lower - 1e-9
            assert sampled[:, column].max() <= limits.upper + 1e-9
            assert np.abs(segment.velocities[:, column]).max() <= limits.velocity + 1e-6
            assert rates[:, column].max() <= limits.velocity + 1e-6
        if 'arm' in segment.controller:
            for row in sampled:
                kinematics.update(joints | dict(zip(segment.joints, row.tolist(), strict=True)))
                tips.append(kinematics.tool_position(plan.arm))
            assert np.linalg.norm(np.diff(tips, axis=0), axis=1).max() / step <= config.tool_speed_mps * 1.005
        joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    for joint in (*profile.arms[plan.arm].joints, *profile.arms[plan.arm].hand.joints):
        assert joints[joint] == pytest.approx(profile.home[joint], abs=1e-3)


def check_grasp_and_release(name: str, plan: MotionPlan, *, carries: bool) -> None:
    """The plan says in which segments the hand closes around the object and lets it go."""
    if not carries:
        assert (plan.grasps_at, plan.releases_at) == (None, None)
        return
    hand = PROFILES[name].arms[plan.arm].hand
    closing, opening = plan.segments[plan.grasps_at], plan.segments[plan.releases_at]
    for segment, begin, end in ((closing, hand.open, hand.closed), (opening, hand.closed, hand.open)):
        assert segment.controller == hand.controller
        assert segment.positions[0] == pytest.approx(begin)
        assert segment.positions[-1] == pytest.approx(end)
    arm = PROFILES[name].arms[plan.arm].controller
    assert {item.controller for item in plan.segments[plan.grasps_at + 1 : plan.releases_at]} == {arm}


JOBS = st.sampled_from(
    [
        ('pick_and_place', 'box 1'),
        ('pick_and_place', 'box 2'),
        ('pick_and_place', 'tower'),
        ('give', USERS_SIDE),
        ('point', ''),
    ]
)


@pytest.mark.parametrize('name', PROFILES)
@settings(max_examples=examples(6), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), job=JOBS, count=st.integers(1, 8))
def test_no_motion_touches_what_it_must_not_or_is_too_fast(
    name: str, seed: int, job: tuple[str, str], count: int
) -> None:
    things = random_table(seed, count)
    target = things[seed % len(things)]
    request = MotionRequest(job[0], target.name, job[1])
    try:
        plan = planner(name).plan(request, seen(things, seed), PROFILES[name].home)
    except MotionError:
        return
    held = target.name if job[0] != 'point' else ''
    assert Truth(name, things).touches(plan, held) == []
    check_speeds_and_limits(name, plan)
    check_grasp_and_release(name, plan, carries=job[0] != 'point')


def test_a_search_that_takes_too_long_is_given_up_and_says_so() -> None:
    things = random_table(0, 6)
    hasty = MotionPlanner(PROFILES['nicol'], MotionConfig(planning_timeout_s=1e-6))
    with pytest.raises(MotionError, match=r'given up after planning_timeout_s = 1e-06 s') as caught:
        hasty.plan(MotionRequest('pick_and_place', things[0].name, 'box 1'), seen(things, 0), PROFILES['nicol'].home)
    assert caught.value.code is ReasonCode.UNREACHABLE


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('job', [('pick_and_place', 'box 1'), ('give', USERS_SIDE), ('point', '')])
def test_ordinary_tables_have_a_motion_for_every_object(seed: int, job: tuple[str, str]) -> None:
    things = random_table(seed, 6)
    for thing in things:
        planner('nicol').plan(MotionRequest(job[0], thing.name, job[1]), seen(things, seed), PROFILES['nicol'].home)


@pytest.mark.parametrize('name', PROFILES)
@pytest.mark.parametrize('seed', range(4))
def test_the_ray_of_the_finger_goes_through_the_object_from_a_distance(name: str, seed: int) -> None:
    things = random_table(seed, 6)
    profile = PROFILES[name]
    for thing in things:
        plan = planner(name).plan(MotionRequest('point', thing.name), seen(things, seed, 0.0), profile.home)
        stretched = next(s for s in plan.segments if s.name == 'point')
        fingers = next(s for s in plan.segments if s.name == 'stretch finger')
        kinematics = RobotKinematics(profile)
        kinematics.update(
            profile.home
            | dict(zip(fingers.joints, fingers.positions[-1].tolist(), strict=True))
            | dict(zip(stretched.joints, stretched.positions[-1].tolist(), strict=True))
        )
        tip, direction = kinematics.pointing_ray(plan.arm)
        away = thing.centre - tip
        assert np.linalg.norm(away - (away @ direction) * direction) < 0.02
        assert away @ direction > 0.05 + max(thing.size_m) / 2
        assert stretched.times_s[-1] - stretched.times_s[-2] >= MotionConfig().dwell_s - 1e-9


def test_a_thing_is_given_beyond_what_was_given_before_when_there_is_no_reach_before_it() -> None:
    """All nearest free places lie too far to the side; there is room on the other side of the bowl and the jello."""
    things = [
        Thing('apple', 'sphere', (0.062, 0.062, 0.062), 0.562, -0.19, 0.0),
        Thing('banana', 'box', (0.14, 0.052, 0.034), 0.251, 0.47, 3.0),
        Thing('can', 'cylinder', (0.058, 0.058, 0.092), 0.221, -0.153, 0.0),
        Thing('bowl', 'cylinder', (0.104, 0.104, 0.042), 0.694, 0.36, 1.5),
        Thing('jello', 'box', (0.078, 0.056, 0.036), 0.695, 0.174, 3.1),
    ]
    snapshot = dataclasses.replace(seen(things, 0, 0.0), containers=CONTAINERS[3:])
    plan = planner('nicol').plan(MotionRequest('give', 'banana'), snapshot, PROFILES['nicol'].home)
    assert plan.arm == 'left'
    assert plan.placed_at_m is not None
    assert plan.placed_at_m[1] < 0.1


def stacked(container: str, count: int) -> list[TableObject]:
    return [
        TableObject(
            object_id=f'cube {index}',
            name=f'cube {index}',
            label='cube',
            pose_world=Pose((0.54, 0.0, TOP + 0.004 + 0.045 * (index + 0.5))),
            size_m=(0.045, 0.045, 0.045),
            container=container,
        )
        for index in range(count)
    ]


@pytest.mark.parametrize('name', ['box 1', 'tower of boxes'])
def test_a_box_is_dropped_into_whatever_its_name_and_however_full(name: str) -> None:
    things = random_table(3, 4)
    box = dataclasses.replace(CONTAINERS[0], name=name)
    x, y, _ = box.position_world_m
    # An orange that ends exactly at the rim.
    orange = TableObject(
        object_id='orange',
        name='orange',
        label='orange',
        pose_world=Pose((x, y, TOP + 0.05)),
        size_m=(0.07, 0.07, 0.07),
        container=name,
    )
    snapshot = seen(things, 3, 0.0)
    snapshot = dataclasses.replace(snapshot, objects=(*snapshot.objects, orange), containers=(box, *CONTAINERS[1:]))
    plan = planner('nicol').plan(
        MotionRequest('pick_and_place', things[0].name, name), snapshot, PROFILES['nicol'].home
    )
    assert plan.placed_at_m is not None
    bottom = plan.placed_at_m[2] - things[0].size_m[2] / 2
    assert bottom >= TOP + box.size_m[2] + MotionConfig().drop_m - 1e-9


def test_a_tower_grows_from_the_top_that_is_perceived() -> None:
    things = random_table(3, 4)
    for count in range(4):
        top = 0.004 + 0.045 * count
        # Whatever its name is: it ends where the things on it end.
        containers = tuple(
            dataclasses.replace(c, name='glorp', size_m=(0.11, 0.11, top)) if c.name == 'tower' else c
            for c in CONTAINERS
        )
        snapshot = dataclasses.replace(
            seen(things, 3, 0.0),
            objects=(*seen(things, 3, 0.0).objects, *stacked('glorp', count)),
            containers=containers,
        )
        request = MotionRequest('pick_and_place', things[0].name, 'glorp')
        plan = planner('nicol').plan(request, snapshot, PROFILES['nicol'].home)
        assert plan.placed_at_m is not None
        bottom = plan.placed_at_m[2] - things[0].size_m[2] / 2
        assert TOP + top < bottom < TOP + top + 0.01
        assert plan.placed_at_m[:2] == (0.54, 0.0)


@pytest.mark.parametrize(
    ('request_', 'reason'),
    [
        (MotionRequest('point', 'ghost'), "no object 'ghost'"),
        (MotionRequest('pick_and_place', 'thing', 'barrel'), "no container 'barrel'"),
        (MotionRequest('pick_and_place', 'far', 'box 1'), 'does not reach'),
        (MotionRequest('dance', 'thing'), "no motion 'dance'"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_done_is_said(request_: MotionRequest, reason: str) -> None:
    snapshot = seen(
        [
            Thing('thing', 'box', (0.05, 0.05, 0.05), 0.4, 0.4, 0.0),
            Thing('far', 'box', (0.05, 0.05, 0.05), 0.9, 0.9, 0.0),
        ],
        0,
    )
    with pytest.raises(MotionError) as caught:
        planner('nicol').plan(request_, snapshot, PROFILES['nicol'].home)
    assert caught.value.code is ReasonCode.UNREACHABLE
    assert reason in str(caught.value)


def test_joint_states_that_lack_a_joint_are_a_fault() -> None:
    joints = {name: value for name, value in PROFILES['nicol'].home.items() if name != 'l_joint3'}
    things = random_table(0, 2)
    with pytest.raises(MotionError, match='l_joint3') as caught:
        planner('nicol').plan(MotionRequest('point', things[0].name), seen(things, 0), joints)
    assert caught.value.code is ReasonCode.HARDWARE_FAULT
