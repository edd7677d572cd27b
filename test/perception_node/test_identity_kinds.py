"""An identity never passes to a thing of another colour or form."""

import pytest
from identity_world import BOX, CONFIG, PAD, Eyes, World, by_name, hand, seen

from lucca_core.protocol.snapshots import TABLE

IN_BOX = (0.33, 0.12)
ON_TOWER = (0.54, 0.0)


def red_cube(x: float, y: float, *, z: float = 0.822, partial: bool = False):
    return seen('cube', x, y, colour='red', z=z, partial=partial)


def test_a_piece_of_an_apple_in_a_box_is_not_the_red_cube_that_fell_off_the_tower():
    world = World(BOX, PAD)
    apple = seen('apple', *IN_BOX)
    before = by_name(world.frames(3, apple, red_cube(*ON_TOWER, z=0.83)))
    piece = red_cube(IN_BOX[0] + 0.01, IN_BOX[1], partial=True)
    objects = world.frames(3 * CONFIG.gone_frames, piece, eyes=Eyes(IN_BOX, inside_hidden=True))
    (kept,) = (item for item in objects if item.container == 'box 1')
    assert (kept.object_id, kept.name) == (before['apple'].object_id, 'apple')
    assert 'tower' not in {item.container for item in objects}


@pytest.mark.parametrize('distance_m', [0.05, 0.08, 0.12])
def test_a_piece_of_a_thing_is_not_one_of_its_colour_that_stood_beside_it(distance_m: float):
    world = World()
    apple = (0.4, 0.2)
    before = by_name(world.frames(3, seen('apple', *apple), red_cube(apple[0] + distance_m, apple[1])))
    piece = red_cube(*apple, partial=True)
    objects = by_name(world.frames(3 * CONFIG.gone_frames, piece))
    assert {name: item.object_id for name, item in objects.items()} == {'apple': before['apple'].object_id}


def test_what_no_hand_had_does_not_come_into_a_box_as_a_piece():
    """The banana was let go; a part of it looks like the yellow cube, whose place one frame misreads as empty."""
    world = World(BOX)
    cube = (0.229, 0.332)
    there = seen('cube', *cube, colour='yellow', z=0.822)
    before = by_name(world.frames(3, there, seen('banana', 0.4, 0.3)))
    world.frame(there, eyes=Eyes((0.4, 0.3)), hands=(hand(0.4, 0.3, 0.85, closed=True),))
    world.frames(2, there, hands=(hand(0.3, 0.1, 0.95, closed=True),))
    piece = seen('cube', 0.296, 0.098, colour='yellow', z=0.83, partial=True)
    objects = by_name(world.frames(2, piece, hands=(hand(0.3, 0.1, 0.95, closed=False),)))
    assert objects['yellow cube'].container == TABLE
    objects = by_name(world.frames(3, there, piece))
    assert sorted(objects) == ['banana', 'yellow cube']
    assert objects['yellow cube'].object_id == before['yellow cube'].object_id


@pytest.mark.parametrize('gap', [1, 4])
@pytest.mark.parametrize('hidden', [True, False])
@pytest.mark.parametrize(('label', 'colour'), [('can', 'red'), ('cube', 'blue')])
def test_what_stands_where_something_else_stood_before_is_another_thing(
    gap: int, hidden: bool, label: str, colour: str
):
    place = (0.4, 0.2)
    world = World()
    (apple,) = world.frames(5, seen('apple', *place))
    world.frames(gap, eyes=Eyes(place) if hidden else None)
    objects = world.frames(CONFIG.gone_frames + 3, seen(label, *place, colour=colour), eyes=Eyes(place))
    (other,) = objects
    assert other.object_id != apple.object_id
    assert other.label == label


def test_a_can_of_another_colour_put_where_one_was_taken_away_is_another_can():
    world = World()
    place = (0.4, 0.2)
    (green,) = world.frames(5, seen('can', *place, colour='green'))
    world.frames(2)
    objects = world.frames(CONFIG.gone_frames + 3, seen('can', *place, colour='red'), eyes=Eyes(place))
    assert [item.object_id for item in objects if item.visible] != [green.object_id]


def test_a_wrong_label_for_a_moment_after_it_was_hidden_changes_nothing():
    world = World()
    place = (0.4, 0.2)
    (apple,) = world.frames(5, seen('apple', *place))
    world.frames(3, eyes=Eyes(place))
    world.frame(seen('can', *place), eyes=Eyes(place))
    objects = world.frames(3, seen('apple', *place))
    assert [(item.object_id, item.name, item.visible) for item in objects] == [(apple.object_id, 'apple', True)]
