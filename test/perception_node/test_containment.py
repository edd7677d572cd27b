"""What is in what, by geometry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.protocol.snapshots import TABLE, USERS_SIDE, Pose, TableObject
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.identity.containment import Places
from perception_node.lexicon import load_lexicon


def box(x: float = 0.3, size: tuple[float, float, float] = (0.22, 0.2, 0.085), *, partial: bool = False) -> Detection:
    pose = Pose((x, 0.1, 0.8 + size[2] / 2))
    return Detection(label='box 1', score=1.0, pose_world=pose, size_m=size, partial=partial, is_container=True)


def places(*detections: Detection) -> Places:
    result = Places(load_lexicon(), PerceptionConfig())
    result.update(detections)
    return result


@given(st.floats(-0.3, 1.0), st.floats(-1.0, 1.0))
def test_every_point_is_in_exactly_what_lies_under_it(x, y):
    name = places(box()).name_at(x, y)
    inside = abs(x - 0.3) <= 0.11 and abs(y - 0.1) <= 0.1
    assert name == ('box 1' if inside else USERS_SIDE if x >= 0.66 else TABLE)


def test_a_container_stays_where_it_was_while_an_arm_hides_it():
    known = places(box())
    known.update([])
    assert known.name_at(0.3, 0.1) == 'box 1'
    assert not known.known['box 1'].visible
    known.update([box(0.25, (0.12, 0.2, 0.085))])
    assert known.known['box 1'].visible
    assert known.known['box 1'].centre_xy[0] == pytest.approx(0.3)
    known.update([box(0.25, partial=True)])
    assert known.known['box 1'].centre_xy[0] == pytest.approx(0.3)


def test_a_container_that_is_seen_whole_elsewhere_has_moved():
    known = places(box())
    known.update([box(0.4)])
    assert known.known['box 1'].centre_xy[0] == pytest.approx(0.4)


def test_the_spots_for_a_thing_lie_inside_with_the_whole_thing():
    place = places(box()).known['box 1']
    spots = place.spots(0.8, np.array([0.06, 0.05, 0.07]))
    assert (np.abs(spots[:, 0] - 0.3) <= 0.11 - 0.025 + 1e-9).all()
    assert (np.abs(spots[:, 1] - 0.1) <= 0.10 - 0.025 + 1e-9).all()
    assert spots[:, 2] == pytest.approx(0.8 + 0.006 + 0.035)


def test_the_users_side_is_always_among_the_containers_of_a_snapshot():
    containers = places(box()).messages({'box 1': ('pear',), USERS_SIDE: ('cup',)}, {})
    assert {item.name: item.contents for item in containers} == {'box 1': ('pear',), USERS_SIDE: ('cup',)}


def standing(label: str = 'bowl', container: str = TABLE, x: float = 0.5) -> TableObject:
    pose = Pose((x, -0.2, 0.821))
    return TableObject(
        object_id='b', name=label, label=label, pose_world=pose, size_m=(0.1, 0.09, 0.042), container=container
    )


def test_a_bowl_that_stands_on_the_table_is_a_container_as_long_as_it_stands_there():
    known = places(box())
    known.follow([standing()])
    assert known.name_at(0.52, -0.2, 'apple') == 'bowl'
    assert [item.name for item in known.messages({'bowl': ('apple',)}, {})] == ['bowl', 'box 1', USERS_SIDE]
    known.follow([standing(x=0.4)])
    assert known.name_at(0.52, -0.2, 'apple') == TABLE
    known.follow([standing(container='hand')])
    assert set(known.known) == {'box 1'}


def test_a_bowl_is_in_no_bowl_and_what_holds_nothing_is_no_container():
    known = places()
    known.follow([standing(), standing('can', x=0.3)])
    assert set(known.known) == {'bowl'}
    assert known.name_at(0.5, -0.2, 'bowl') == TABLE


def test_of_a_container_and_an_object_of_one_name_the_container_counts():
    known = Places(load_lexicon(), PerceptionConfig())
    pose = Pose((0.4, 0.0, 0.84))
    known.update([Detection(label='bowl', score=1.0, pose_world=pose, size_m=(0.25, 0.25, 0.085), is_container=True)])
    known.follow([standing()])
    assert known.name_at(0.5, -0.2, 'apple') == TABLE
    assert known.name_at(0.4, 0.0, 'apple') == 'bowl'
