"""What a hand takes, carries and lets go, and what stands under it meanwhile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from identity_world import BOX, CONFIG, Eyes, World, by_name, hand, seen

from lucca_core.values import HAND, TABLE


def carried(world: World, label: str, start: tuple[float, float], goal: tuple[float, float], others=()):
    """A hand takes a thing, carries it hidden below itself, lets it go. Objects right after the release."""
    sx, sy = start
    gx, gy = goal
    world.frames(2, seen(label, sx, sy), *others, hands=(hand(sx, sy, 0.9, closed=False),))
    world.frame(*others, eyes=Eyes(start), hands=(hand(sx, sy, 0.88, closed=True),))
    world.frame(*others, eyes=Eyes(start), hands=(hand(sx, sy, 1.1, closed=True),))
    for share in (0.5, 1.0):
        x, y = sx + share * (gx - sx), sy + share * (gy - sy)
        objects = world.frame(*others, hands=(hand(x, y, 1.1, closed=True),))
        (held,) = (item for item in objects if item.container == HAND)
        assert held.label == label
        assert not held.visible
        assert held.pose_world.position_m[:2] == pytest.approx((x, y), abs=1e-6)
    return world.frame(*others, eyes=Eyes(goal), hands=(hand(gx, gy, 1.0, closed=False),))


def test_a_thing_taken_by_a_hand_is_in_the_hand_and_after_its_release_inferred_in_the_box():
    world = World(BOX)
    (before,) = world.frame(seen('pear', 0.5, 0.4))
    (pear,) = carried(world, 'pear', (0.5, 0.4), (0.3, 0.1))
    assert (pear.object_id, pear.container, pear.inferred, pear.visible) == (before.object_id, 'box 1', True, False)
    (pear,) = world.frames(30, eyes=Eyes(inside_hidden=True))
    assert (pear.container, pear.inferred) == ('box 1', True)
    (pear,) = world.frame(seen('pear', 0.32, 0.12, partial=True))
    assert (pear.object_id, pear.container, pear.inferred, pear.visible) == (before.object_id, 'box 1', False, True)


def test_what_was_let_go_over_a_box_is_gone_when_nowhere_in_the_box():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    carried(world, 'pear', (0.5, 0.4), (0.3, 0.1))
    assert world.frames(CONFIG.gone_frames + 1) == ()


def test_what_was_let_go_over_a_box_but_is_seen_on_the_table_is_on_the_table():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    carried(world, 'pear', (0.5, 0.4), (0.3, 0.1))
    (pear,) = world.frame(seen('pear', 0.45, 0.15), eyes=Eyes(inside_hidden=True))
    assert (pear.container, pear.visible, pear.inferred) == (TABLE, True, False)


def test_of_two_equal_things_the_carried_one_is_in_the_box():
    world = World(BOX)
    stays = seen('pear', 0.5, -0.3)
    before = by_name(world.frame(seen('pear', 0.5, 0.4), stays))
    carried_id = next(item.object_id for item in before.values() if item.pose_world.position_m[1] > 0)
    carried(world, 'pear', (0.5, 0.4), (0.3, 0.1), others=(stays,))
    objects = world.frames(3, stays, seen('pear', 0.3, 0.1, partial=True))
    assert {item.object_id: item.container for item in objects}[carried_id] == 'box 1'
    assert sorted(item.container for item in objects) == ['box 1', TABLE]


def test_a_hand_that_closes_on_nothing_holds_nothing():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    world.frame(eyes=Eyes((0.5, 0.4)), hands=(hand(0.5, 0.4, 0.88, closed=True),))
    (pear,) = world.frames(3, seen('pear', 0.5, 0.4), hands=(hand(0.3, 0.1, 1.1, closed=True),))
    assert (pear.container, pear.visible) == (TABLE, True)
    (pear,) = world.frames(3, seen('pear', 0.5, 0.4), hands=(hand(0.3, 0.1, 1.0, closed=False),))
    assert pear.container == TABLE


def test_what_falls_from_the_hand_is_where_it_is_seen():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    world.frame(eyes=Eyes((0.5, 0.4)), hands=(hand(0.5, 0.4, 0.88, closed=True),))
    (pear,) = world.frame(hands=(hand(0.4, 0.2, 1.1, closed=True),))
    assert pear.container == HAND
    (pear,) = world.frame(seen('pear', 0.45, 0.35), hands=(hand(0.3, 0.1, 1.1, closed=True),))
    assert pear.container == TABLE


@pytest.mark.parametrize('partial', [True, False])
def test_a_piece_of_what_lies_in_a_box_is_not_what_a_hand_carries_past(partial: bool):
    """Half hidden by the arm, the banana looks like something small and yellow, as the lemon in the hand is."""
    world = World(BOX)
    banana, start = (0.26, 0.12), (0.2, 0.45)
    there = seen('banana', *banana), seen('lemon', *start, colour='yellow')
    world.frames(2, *there)
    world.frame(*there, hands=(hand(*start, 0.87, closed=False),))
    for step in range(12):
        x, y = start[0] + 0.03 * step, start[1] - 0.04 * step
        piece = seen('lemon', banana[0] + 0.02, banana[1], colour='yellow', partial=partial)
        objects = by_name(world.frame(piece, eyes=Eyes((x, y), banana), hands=(hand(x, y, 0.95, closed=True),)))
        if step > 3:
            assert objects['lemon'].container == HAND, step
    x, y = 0.54, 0.0
    objects = by_name(
        world.frame(
            seen('banana', *banana), seen('lemon', x, y, colour='yellow'), hands=(hand(x, y, 0.95, closed=False),)
        )
    )
    assert sorted(objects) == ['banana', 'lemon']
    assert objects['banana'].container == 'box 1'
    assert objects['lemon'].container == TABLE


def test_a_thing_carried_low_over_a_box_is_in_the_hand_until_the_hand_opens():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    world.frame(eyes=Eyes((0.5, 0.4)), hands=(hand(0.5, 0.4, 0.88, closed=True),))
    world.frame(hands=(hand(0.4, 0.2, 1.0, closed=True),))
    (pear,) = world.frames(3, seen('pear', 0.3, 0.1, z=0.92), hands=(hand(0.3, 0.1, 0.97, closed=True),))
    assert (pear.container, pear.visible) == (HAND, True)


def lifted(world: World, *others, start=(0.38, 0.34)) -> None:
    """A banana is taken and lifted, seen by a camera that a hand does not hide from it."""
    world.frames(2, seen('banana', *start), *others)
    world.frame(*others, eyes=Eyes(start), hands=(hand(*start, 0.85, closed=True),))
    objects = world.frame(
        seen('banana', *start, z=0.92, partial=True), *others, hands=(hand(*start, 0.95, closed=True),)
    )
    assert by_name(objects)['banana'].container == HAND


@pytest.mark.parametrize('hidden_before', [True, False])
@pytest.mark.parametrize('label', ['banana', 'cube'])
def test_a_piece_of_what_a_hand_carries_is_not_a_thing_of_its_colour_below(label: str, hidden_before: bool):
    """Fingers cut what they carry in two; the second piece looks like the yellow cube that the arm hides."""
    place = (0.23, 0.33)
    cube = seen('cube', *place, colour='yellow', z=0.822)
    world = World(BOX)
    lifted(world, cube)
    if hidden_before:
        world.frame(eyes=Eyes(place), hands=(hand(0.38, 0.34, 0.95, closed=True),))
    carrying = {'eyes': Eyes(place), 'hands': (hand(0.37, 0.28, 0.957, closed=True),)}
    pieces = (
        seen('banana', 0.335, 0.227, z=0.874, partial=True),
        seen(label, 0.366, 0.347, colour='yellow', z=0.93, partial=True),
    )
    objects = by_name(world.frames(2, *pieces, **carrying))
    assert objects['banana'].container == HAND
    assert objects['yellow cube'].container == TABLE
    assert objects['yellow cube'].pose_world.position_m[:2] == pytest.approx(place)
    objects = by_name(world.frames(3, cube, hands=(hand(0.3, 0.1, 1.0, closed=True),)))
    assert sorted(objects) == ['banana', 'yellow cube']


def test_a_piece_beside_a_hand_that_has_just_let_go_is_not_a_thing_that_is_hidden():
    place = (0.23, 0.24)
    cube = seen('cube', *place, colour='yellow', z=0.822)
    world = World(BOX)
    lifted(world, cube)
    carrying = {'eyes': Eyes(place), 'hands': (hand(0.3, 0.1, 0.93, closed=True),)}
    world.frame(**carrying)
    opened = {'eyes': Eyes(place, (0.3, 0.1)), 'hands': (hand(0.3, 0.1, 0.93, closed=False),)}
    piece = seen('cube', 0.29, 0.12, colour='yellow', z=0.83, partial=True)
    objects = by_name(world.frames(4, piece, **opened))
    assert objects['yellow cube'].container == TABLE
    assert objects['banana'].container == 'box 1'
    objects = by_name(world.frames(3, cube, seen('banana', 0.29, 0.12, z=0.83)))
    assert {name: item.container for name, item in objects.items()} == {'yellow cube': TABLE, 'banana': 'box 1'}


def test_what_a_closed_hand_did_not_take_though_it_was_nearest_is_still_where_it_is():
    """The hand closed beside the banana and lifts the cube."""
    world = World()
    start = (0.38, 0.34)
    banana, cube = seen('banana', *start), seen('cube', 0.38, 0.41, colour='yellow', z=0.822)
    world.frames(2, banana, cube)
    world.frame(eyes=Eyes(start), hands=(hand(0.38, 0.37, 0.83, closed=True),))
    raised = seen('cube', 0.38, 0.41, colour='yellow', z=0.93, partial=True)
    objects = by_name(world.frames(3, banana, raised, hands=(hand(0.38, 0.37, 0.96, closed=True),)))
    assert (objects['banana'].container, objects['yellow cube'].container) == (TABLE, HAND)


@given(
    steps=st.lists(st.tuples(st.floats(-0.04, 0.04), st.floats(-0.04, 0.04)), min_size=1, max_size=20),
    pieces=st.lists(
        st.tuples(st.sampled_from(['banana', 'cube', 'lemon']), st.floats(-0.11, 0.11), st.floats(-0.06, 0.06)),
        max_size=3,
    ),
    shown=st.lists(st.booleans(), min_size=20, max_size=20),
)
def test_carrying_one_thing_takes_nothing_else_along(steps, pieces, shown):
    """Whatever a carried thing looks like from frame to frame, what stands on the table stays who and where it is."""
    places = {'yellow cube': (0.23, 0.33), 'lemon': (0.45, 0.2)}
    others = {
        name: seen(name.split()[-1], *place, colour='yellow', z=0.822, partial=False) for name, place in places.items()
    }
    world = World(BOX)
    lifted(world, *others.values())
    x, y = 0.38, 0.34
    for (dx, dy), seen_now in zip(steps, shown, strict=False):
        x, y = x + dx, y + dy
        carried_pieces = [
            seen(label, x + off_x, y + off_y, colour='yellow', z=0.93, partial=True) for label, off_x, off_y in pieces
        ]
        objects = by_name(
            world.frame(
                *carried_pieces,
                *(others.values() if seen_now else ()),
                eyes=Eyes(*places.values()),
                hands=(hand(x, y, 0.957, closed=True),),
            )
        )
        assert sorted(objects) == ['banana', *sorted(places)]
        for name, place in places.items():
            assert objects[name].container == TABLE
            assert objects[name].pose_world.position_m[:2] == pytest.approx(place)
