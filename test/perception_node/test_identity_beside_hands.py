"""What stands beside and under a full hand: it is neither what the hand carries nor moved by a piece of that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from identity_world import BOX, CONFIG, Eyes, World, by_name, hand, seen

from lucca_core.protocol.snapshots import HAND, TABLE
from perception_node.detector import Detection


def lifted(world: World, *others, start=(0.38, 0.34)) -> None:
    """A banana is taken and lifted, seen by a camera that a hand does not hide from it."""
    world.frames(2, seen('banana', *start), *others)
    world.frame(*others, eyes=Eyes(start), hands=(hand(*start, 0.85, closed=True),))
    objects = world.frame(
        seen('banana', *start, z=0.92, partial=True), *others, hands=(hand(*start, 0.95, closed=True),)
    )
    assert by_name(objects)['banana'].container == HAND


YELLOW_CUBE = (0.23, 0.33)


def yellow_cube(x: float, y: float, *, z: float = 0.822, partial: bool = False) -> Detection:
    return seen('cube', x, y, colour='yellow', z=z, partial=partial)


@pytest.mark.parametrize('label', ['banana', 'cube'])
@pytest.mark.parametrize('hidden_frames', [0, 1, 8])
def test_a_piece_of_what_a_hand_carries_is_not_a_thing_of_its_colour_below(label: str, hidden_frames: int):
    """Fingers cut what they carry in two; the second piece looks like the yellow cube that the arm hides."""
    world = World(BOX)
    lifted(world, yellow_cube(*YELLOW_CUBE))
    for _ in range(hidden_frames):
        world.frame(eyes=Eyes(YELLOW_CUBE), hands=(hand(0.38, 0.34, 0.95, closed=True),))
    pieces = (
        seen('banana', 0.335, 0.227, z=0.874, partial=True),
        seen(label, 0.366, 0.347, colour='yellow', z=0.93, partial=True),
    )
    tool = hand(0.37, 0.28, 0.957, closed=True)
    objects = by_name(world.frames(2, *pieces, eyes=Eyes(YELLOW_CUBE), hands=(tool,)))
    assert objects['banana'].container == HAND
    assert objects['yellow cube'].container == TABLE
    assert objects['yellow cube'].pose_world.position_m[:2] == pytest.approx(YELLOW_CUBE)
    objects = by_name(world.frames(3, yellow_cube(*YELLOW_CUBE), hands=(hand(0.3, 0.1, 1.0, closed=True),)))
    assert sorted(objects) == ['banana', 'yellow cube']


def test_a_low_piece_of_what_a_hand_carries_does_not_move_what_it_passes():
    """Not risen: the end of the banana hangs beside the cube that is hidden."""
    world = World(BOX)
    lifted(world, yellow_cube(*YELLOW_CUBE))
    piece = yellow_cube(0.30, 0.33, partial=True)
    objects = by_name(world.frames(3, piece, eyes=Eyes(YELLOW_CUBE), hands=(hand(0.36, 0.33, 0.9, closed=True),)))
    assert objects['yellow cube'].pose_world.position_m[:2] == pytest.approx(YELLOW_CUBE)


def test_what_may_be_seen_beside_a_full_hand_is_not_called_gone_before_the_hand_is_away():
    """Its place is empty: it was pushed, or a piece of the banana is all that is seen."""
    world = World(BOX)
    lifted(world, yellow_cube(*YELLOW_CUBE))
    pushed = yellow_cube(0.29, 0.33, partial=True)
    objects = by_name(world.frames(3 * CONFIG.gone_frames, pushed, hands=(hand(0.36, 0.33, 0.9, closed=True),)))
    assert objects['yellow cube'].pose_world.position_m[:2] == pytest.approx(YELLOW_CUBE)
    objects = by_name(world.frame(yellow_cube(0.29, 0.33), hands=(hand(0.36, 0.0, 1.1, closed=True),)))
    assert objects['yellow cube'].pose_world.position_m[:2] == pytest.approx((0.29, 0.33))


@pytest.mark.parametrize(('colour', 'partial'), [('yellow', False), ('red', False), ('red', True)])
@pytest.mark.parametrize('step_m', [0.01, 0.04, 0.07])
def test_what_a_full_hand_pushes_moves_and_keeps_its_id(colour: str, partial: bool, step_m: float):
    world = World()
    cube = (0.45, 0.34)
    before = by_name(world.frames(2, seen('cube', *cube, colour=colour, z=0.822)))
    lifted(world, seen('cube', *cube, colour=colour, z=0.822))
    for step in range(8):
        x = cube[0] + step_m * step
        pushed = seen('cube', x, cube[1], colour=colour, z=0.822, partial=partial)
        moved = by_name(world.frame(pushed, hands=(hand(x - 0.07, 0.34, 0.9, closed=True),)))[f'{colour} cube']
        assert (moved.object_id, moved.visible) == (before[f'{colour} cube'].object_id, True)
        assert moved.pose_world.position_m[0] == pytest.approx(x, abs=0.04 if partial else 0.01)


def test_what_a_hand_pushes_that_holds_something_unknown_moves():
    world = World()
    world.frames(2, yellow_cube(*YELLOW_CUBE), hands=(hand(0.6, 0.0, 0.93, closed=True),))
    pushed = yellow_cube(0.3, 0.33, partial=True)
    (cube,) = world.frames(3, pushed, hands=(hand(0.36, 0.33, 0.93, closed=True),))
    assert cube.visible
    assert cube.pose_world.position_m[:2] == pytest.approx((0.3, 0.33))


def test_what_stands_beside_a_full_hand_is_seen_in_part_but_has_not_risen():
    world = World()
    lifted(world, yellow_cube(*YELLOW_CUBE))
    above = (hand(*YELLOW_CUBE, 0.93, closed=True),)
    part = yellow_cube(0.24, 0.33, partial=True)
    assert by_name(world.frames(3, part, eyes=Eyes(YELLOW_CUBE), hands=above))['yellow cube'].visible
    risen = yellow_cube(0.24, 0.33, z=0.91, partial=True)
    assert by_name(world.frames(3, risen, eyes=Eyes(YELLOW_CUBE), hands=above))['yellow cube'].container == TABLE


def test_a_piece_is_of_what_the_hand_closed_on_before_anything_was_seen_to_rise():
    world = World()
    start = (0.33, 0.33)
    world.frames(2, seen('banana', *start), yellow_cube(*YELLOW_CUBE))
    hidden = Eyes(start, YELLOW_CUBE)
    world.frame(eyes=hidden, hands=(hand(*start, 0.85, closed=True),))
    piece = yellow_cube(0.3, 0.33, z=0.91, partial=True)
    objects = by_name(world.frames(3, piece, eyes=hidden, hands=(hand(*start, 0.94, closed=True),)))
    assert objects['yellow cube'].container == TABLE


@pytest.mark.parametrize('colour', ['green', 'red'])
def test_what_is_pushed_while_hidden_and_then_seen_in_part_is_where_it_is_seen(colour: str):
    """An arm that pushes a thing half hides it; a piece of another colour, or with no hand about, is nothing else's."""
    world = World()
    world.frames(2, seen('can', 0.45, 0.2, colour=colour))
    world.frames(2, eyes=Eyes((0.45, 0.2)))
    far = (hand(0.3, 0.6, 0.95, closed=True), hand(0.3, -0.6, 0.95, closed=True, side='right'))
    (can,) = world.frames(2 * CONFIG.gone_frames, seen('can', 0.52, 0.2, colour=colour, partial=True), hands=far)
    assert can.visible
    assert can.pose_world.position_m[:2] == pytest.approx((0.52, 0.2))


def test_what_a_hand_has_says_nothing_of_a_piece_far_from_it():
    cube = (0.5, -0.3)
    world = World()
    lifted(world, yellow_cube(*cube))
    away = (hand(0.38, 0.34, 0.95, closed=True),)
    world.frames(2, eyes=Eyes(cube), hands=away)
    objects = by_name(world.frames(3, yellow_cube(0.56, -0.3, partial=True), eyes=Eyes(cube), hands=away))
    assert objects['yellow cube'].visible
    assert objects['yellow cube'].pose_world.position_m[:2] == pytest.approx((0.56, -0.3))


def test_a_piece_beside_a_hand_that_has_just_let_go_is_not_a_thing_that_is_hidden():
    place = (0.23, 0.24)
    world = World(BOX)
    lifted(world, yellow_cube(*place))
    world.frame(eyes=Eyes(place), hands=(hand(0.3, 0.1, 0.93, closed=True),))
    opened = hand(0.3, 0.1, 0.93, closed=False)
    piece = yellow_cube(0.29, 0.12, z=0.83, partial=True)
    objects = by_name(world.frames(4, piece, eyes=Eyes(place, (0.3, 0.1)), hands=(opened,)))
    assert objects['yellow cube'].container == TABLE
    assert objects['banana'].container == 'box 1'
    objects = by_name(world.frames(3, yellow_cube(*place), seen('banana', 0.29, 0.12, z=0.83)))
    assert {name: item.container for name, item in objects.items()} == {'yellow cube': TABLE, 'banana': 'box 1'}


def test_what_a_hand_took_before_perception_began_is_no_thing_that_is_hidden():
    """A restart in the middle of carrying: of the banana in the hand nothing is known, and it looks like the cube."""
    world = World()
    tool = hand(0.3, 0.33, 0.957, closed=True)
    world.frames(2, yellow_cube(*YELLOW_CUBE), hands=(tool,))
    piece = yellow_cube(0.29, 0.33, z=0.93, partial=True)
    objects = by_name(world.frames(3, piece, eyes=Eyes(YELLOW_CUBE), hands=(tool,)))
    assert objects['yellow cube'].container == TABLE
    assert objects['yellow cube'].pose_world.position_m[:2] == pytest.approx(YELLOW_CUBE)


def test_two_pieces_of_what_lies_in_a_box_are_neither_what_a_hand_carries_past():
    world = World(BOX)
    banana, start = (0.26, 0.12), (0.2, 0.45)
    there = seen('banana', *banana), seen('lemon', *start, colour='yellow')
    world.frames(2, *there)
    world.frame(there[0], eyes=Eyes(start), hands=(hand(*start, 0.85, closed=True),))
    world.frame(there[0], hands=(hand(*start, 0.95, closed=True),))
    pieces = seen('banana', 0.26, 0.14, partial=True), seen('lemon', 0.26, 0.1, colour='yellow')
    objects = by_name(world.frames(2, *pieces, hands=(hand(0.26, 0.3, 0.95, closed=True),)))
    assert (objects['lemon'].container, objects['banana'].container) == (HAND, 'box 1')


@given(
    steps=st.lists(st.tuples(st.floats(-0.04, 0.04), st.floats(-0.04, 0.04)), min_size=1, max_size=20),
    pieces=st.lists(
        st.tuples(st.sampled_from(['banana', 'cube', 'lemon']), st.floats(-0.11, 0.11), st.floats(-0.06, 0.06)),
        max_size=3,
    ),
    shown=st.lists(st.booleans(), min_size=20, max_size=20),
)
def test_carrying_one_thing_takes_nothing_else_along(steps, pieces, shown):
    """However the pieces of a carried thing look in each frame, objects on the table keep their identity and place."""
    others = {
        'yellow cube': yellow_cube(*YELLOW_CUBE),
        'lemon': seen('lemon', 0.45, 0.2, colour='yellow', z=0.822),
        'red cube': seen('cube', 0.3, 0.22, colour='red', z=0.822),
    }
    places = {name: item.pose_world.position_m[:2] for name, item in others.items()}
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
