"""What perception sees, to messages and back."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.protocol.snapshots import Container, Pose, Snapshot, TableObject
from lucca_ros.conversions import snapshots as conversions
from lucca_ros.conversions.stamps import time_from_msg, time_to_msg

pytestmark = pytest.mark.ros

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
triples = st.tuples(finite, finite, finite)
poses = st.builds(Pose, triples, st.tuples(finite, finite, finite, finite))
words = st.text(st.characters(exclude_categories=('Cs',), exclude_characters='\0'), min_size=1, max_size=12)
pixels = st.integers(0, 2**31 - 1)
# Exact in a float and in nanoseconds, so that equality can be asked for.
stamps = st.integers(0, 2**24).map(lambda ticks: ticks / 2**9)
objects = st.builds(
    TableObject,
    object_id=words,
    name=words,
    label=words,
    attributes=st.lists(words, max_size=3).map(tuple),
    score=st.floats(0, 1, width=32),
    box_px=st.tuples(pixels, pixels, pixels, pixels),
    pose_world=poses,
    size_m=triples,
    container=words,
    visible=st.booleans(),
    inferred=st.booleans(),
    last_seen_s=stamps,
)
containers = st.builds(
    Container,
    name=words,
    position_world_m=triples,
    size_m=triples,
    visible=st.booleans(),
    contents=st.lists(words, max_size=3).map(tuple),
)
snapshots = st.builds(
    Snapshot,
    stamp_s=stamps,
    frame_id=words,
    objects=st.lists(objects, max_size=3, unique_by=lambda item: item.name).map(tuple),
    containers=st.lists(containers, max_size=3).map(tuple),
    vocabulary=st.lists(words, max_size=3).map(tuple),
    processing_s=st.floats(0, 9, width=32),
)


@given(poses)
def test_poses_come_back(value):
    assert conversions.POSE.from_msg(conversions.POSE.to_msg(value)) == value


@given(objects)
def test_objects_come_back(value):
    assert conversions.OBJECT.from_msg(conversions.OBJECT.to_msg(value)) == value


@given(containers)
def test_containers_come_back(value):
    assert conversions.CONTAINER.from_msg(conversions.CONTAINER.to_msg(value)) == value


@given(snapshots)
def test_snapshots_come_back(value):
    assert conversions.snapshot_from_msg(conversions.snapshot_to_msg(value)) == value


def test_a_snapshot_that_came_in_goes_out_in_the_same_message_and_a_changed_one_in_a_new_one():
    msg = conversions.snapshot_to_msg(Snapshot(stamp_s=1.5, frame_id='world'))
    came = conversions.snapshot_from_msg(msg)
    assert conversions.snapshot_to_msg(came) is msg
    later = conversions.snapshot_to_msg(replace(came, stamp_s=2.5))
    assert (later.header.stamp.sec, msg.header.stamp.sec) == (2, 1)


def test_a_snapshot_that_came_in_long_ago_is_encoded_anew():
    came = conversions.snapshot_from_msg(conversions.snapshot_to_msg(Snapshot(stamp_s=1.5)))
    others = [conversions.snapshot_from_msg(conversions.snapshot_to_msg(Snapshot(stamp_s=2.0))) for _ in range(100)]
    assert conversions.snapshot_from_msg(conversions.snapshot_to_msg(came)) == came
    assert all(other.stamp_s == 2.0 for other in others)


@given(st.floats(0, 2**31 - 2))
def test_stamps_come_back_to_the_nanosecond_that_a_float_holds(stamp_s):
    msg = time_to_msg(stamp_s)
    assert 0 <= msg.nanosec < 1_000_000_000
    assert abs(time_from_msg(msg) - stamp_s) <= 1e-9 + 2 * math.ulp(stamp_s)


def test_a_stamp_just_below_a_second_carries_over():
    msg = time_to_msg(2.9999999999)
    assert (msg.sec, msg.nanosec) == (3, 0)


@pytest.mark.parametrize('number', [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(number):
    pose = conversions.POSE.to_msg(Pose((0.0, 0.0, 0.0)))
    pose.orientation.w = number
    with pytest.raises(ValueError, match='not finite'):
        conversions.POSE.from_msg(pose)
    container = conversions.CONTAINER.to_msg(Container(name='box 1'))
    container.position.x = number
    with pytest.raises(ValueError, match='not finite'):
        conversions.CONTAINER.from_msg(container)
    item = conversions.OBJECT.to_msg(TableObject(object_id='1', name='pear', label='pear'))
    item.size.z = number
    with pytest.raises(ValueError, match='size_m has a number that is not finite'):
        conversions.OBJECT.from_msg(item)


def test_what_has_no_name_or_id_is_refused():
    with pytest.raises(ValueError, match='object_id is empty'):
        conversions.OBJECT.from_msg(conversions.OBJECT.to_msg(TableObject(object_id='', name='pear', label='pear')))
    with pytest.raises(ValueError, match='name is empty'):
        conversions.CONTAINER.from_msg(conversions.CONTAINER.to_msg(Container(name='')))


def test_two_objects_of_one_name_are_refused():
    item = conversions.OBJECT.to_msg(TableObject(object_id='1', name='pear', label='pear'))
    msg = conversions.snapshot_to_msg(Snapshot())
    msg.objects = [item, item]
    with pytest.raises(ValueError, match='must be unique'):
        conversions.snapshot_from_msg(msg)
