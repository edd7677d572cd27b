"""Comparing what is told with what is true."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.protocol.snapshots import Pose, Snapshot, TableObject
from lucca_lab.perception.light import light_rgb
from lucca_lab.perception.scoring import Identities, iou, score
from lucca_lab.perception.view import ObjectTruth

boxes = st.tuples(*[st.integers(0, 40)] * 2, *[st.integers(1, 40)] * 2)


@given(boxes, boxes)
def test_overlap_is_the_same_both_ways_and_whole_only_with_oneself(a, b):
    assert iou(a, b) == iou(b, a)
    assert 0.0 <= iou(a, b) <= 1.0
    assert (iou(a, b) == 1.0) == (a == b)


def there(name, x, *, visible=1.0, label='', scored=None):
    return ObjectTruth(
        name=name,
        label=label or name.split()[-1],
        position_m=(x / 100, 0.0, 0.82),
        box_px=(x, 10, 20, 20),
        visible=visible,
        scored=visible >= 0.5 if scored is None else scored,
    )


def told(name, x, *, label='', object_id='', shift_m=0.0):
    return TableObject(
        object_id=object_id or name,
        name=name,
        label=label or name.split()[-1],
        box_px=(x, 10, 20, 20),
        pose_world=Pose((x / 100 + shift_m, 0.0, 0.82)),
        size_m=(0.05, 0.05, 0.05),
    )


def test_found_missed_and_wrong_are_told_apart():
    truth = (there('pear', 0), there('apple', 50), there('unknown 1', 100, label='unknown', scored=False))
    result = score(truth, Snapshot(objects=(told('pear', 2, shift_m=0.003), told('cube', 50), told('can', 100))))
    assert (result.found, result.missed, result.wrong) == (('pear',), ('apple',), ('cube', 'can'))
    assert result.errors_mm == pytest.approx([23.0])


def test_what_is_mostly_hidden_counts_neither_way():
    truth = (there('pear', 0, visible=0.3),)
    assert score(truth, Snapshot()).missed == ()
    assert score(truth, Snapshot(objects=(told('pear', 0),))).wrong == ()
    assert score(truth, Snapshot(objects=(told('apple', 0),))).wrong == ('apple',)


def test_one_thing_is_not_found_twice():
    result = score((there('pear', 0),), Snapshot(objects=(told('pear', 0), told('pear 2', 3, label='pear'))))
    assert (len(result.found), result.wrong) == (1, ('pear 2',))


def test_a_switch_is_counted_once_and_hidden_frames_are_not():
    identities = Identities()
    truth = (there('red cube', 0), there('red cube 2', 50, label='cube'))
    first = Snapshot(objects=(told('a', 0, label='cube', object_id='1'), told('b', 50, label='cube', object_id='2')))
    swapped = Snapshot(objects=(told('a', 0, label='cube', object_id='2'), told('b', 50, label='cube', object_id='1')))
    identities.add(truth, first)
    identities.add(tuple(there(item.name, item.box_px[0], visible=0.2, label='cube') for item in truth), Snapshot())
    identities.add(truth, first)
    assert (identities.frames, identities.switches) == (4, 0)
    identities.add(truth, swapped)
    identities.add(truth, swapped)
    assert (identities.frames, identities.switches) == (8, 2)


def test_light_of_3000_kelvin_is_warm_and_of_7500_is_cool():
    # Values of published tables of black bodies on a display.
    assert 255 * light_rgb(3000.0) == pytest.approx([255, 180, 107], abs=6)
    assert 255 * light_rgb(7500.0) == pytest.approx([230, 235, 255], abs=8)
    assert light_rgb(6500.0) == pytest.approx(np.ones(3), abs=0.03)
    with pytest.raises(ValueError, match='1667 to 25000'):
        light_rgb(500.0)
