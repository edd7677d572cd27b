"""What a hand takes, carries and lets go."""

import pytest
from identity_world import BOX, CONFIG, PAD, Eyes, World, by_name, hand, seen

from lucca_core.protocol.snapshots import HAND, TABLE
from perception_node.robot_view import HandState


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


@pytest.mark.parametrize(('colour', 'banana_hidden', 'partial'), [('blue', True, False), ('yellow', False, True)])
def test_a_hand_has_what_is_seen_with_it_though_it_closed_nearer_to_something_else(
    colour: str, banana_hidden: bool, partial: bool
):
    world = World()
    start, cube = (0.38, 0.34), (0.38, 0.41)
    banana = seen('banana', *start)
    world.frames(2, banana, seen('cube', *cube, colour=colour, z=0.822))
    world.frame(eyes=Eyes(start), hands=(hand(0.38, 0.37, 0.83, closed=True),))
    raised = seen('cube', *cube, colour=colour, z=0.93, partial=partial)
    shown = (raised,) if banana_hidden else (banana, raised)
    objects = by_name(world.frames(3, *shown, eyes=Eyes(start), hands=(hand(0.38, 0.37, 0.96, closed=True),)))
    assert (objects['banana'].container, objects[f'{colour} cube'].container) == (TABLE, HAND)


@pytest.mark.parametrize('step_m', [0.005, 0.01, 0.02])
@pytest.mark.parametrize('partial', [False, True])
def test_what_a_hand_lifts_slowly_is_in_it_though_it_closed_nearer_to_something_else(step_m: float, partial: bool):
    world = World()
    start, pear = (0.38, 0.34), (0.38, 0.41)
    world.frames(2, seen('can', *start), seen('pear', *pear))
    world.frame(eyes=Eyes(start), hands=(hand(0.38, 0.37, 0.83, closed=True),))
    z = 0.83
    while z < 1.0:
        z += step_m
        raised = seen('pear', *pear, z=z, partial=partial)
        objects = by_name(world.frame(raised, eyes=Eyes(start), hands=(hand(0.38, 0.37, z + 0.03, closed=True),)))
    assert objects['pear'].container == HAND


@pytest.mark.parametrize('step_m', [0.005, 0.01, 0.02])
def test_what_a_hand_lifts_slowly_off_the_tower_is_in_it_though_only_pieces_are_seen(step_m: float):
    world = World(PAD)
    place = (0.54, 0.0)
    world.frames(3, seen('can', *place))
    world.frame(hands=(hand(*place, 0.86, closed=True),), eyes=Eyes(place))
    z = 0.83
    while z < 1.0:
        z += step_m
        piece = seen('can', *place, z=z, partial=True)
        objects = by_name(world.frame(piece, eyes=Eyes(place), hands=(hand(*place, z + 0.03, closed=True),)))
    assert objects['can'].container == HAND
    assert world.tower_height_m() < 0.01


def test_of_two_equal_things_side_by_side_the_one_that_rises_is_in_the_hand():
    world = World()
    near, far = (0.38, 0.36), (0.38, 0.46)
    ids = {
        item.pose_world.position_m[1]: item.object_id
        for item in world.frames(2, seen('pear', *near), seen('pear', *far))
    }
    world.frame(eyes=Eyes(near, far), hands=(hand(0.38, 0.40, 0.85, closed=True),))
    raised = seen('pear', *far, z=0.94)
    objects = world.frames(3, raised, eyes=Eyes(near), hands=(hand(0.38, 0.43, 0.97, closed=True),))
    assert {item.object_id: item.container for item in objects} == {ids[near[1]]: TABLE, ids[far[1]]: HAND}


def both(left: tuple[float, float], right: tuple[float, float], *, closed: bool = True) -> tuple[HandState, HandState]:
    return hand(*left, 0.95, closed=closed), hand(*right, 0.95, closed=closed, side='right')


@pytest.mark.parametrize('turned', [False, True])
def test_two_hands_that_come_near_keep_what_each_has(turned: bool):
    """The right hand has the pear; the left, closed on nothing, passes by."""
    world = World()
    start = (0.4, -0.2)
    world.frames(2, seen('pear', *start))
    for share in (0.0, 0.5, 1.0):
        left = (0.4, 0.2 - 0.3 * share)
        hands = both(left, start)
        height = 0.85 if share == 0.0 else 0.93
        shown = () if share == 0.0 else (seen('pear', *start, z=height),)
        eyes = Eyes(start) if share == 0.0 else None
        (pear,) = world.frame(*shown, eyes=eyes, hands=hands[::-1] if turned else hands)
    assert pear.container == HAND
    (pear,) = world.frame(hands=both((0.4, 0.3), (0.5, -0.3)))
    assert pear.pose_world.position_m[:2] == pytest.approx((0.5, -0.3), abs=0.02)


def test_a_piece_of_what_one_hand_has_is_not_what_the_other_has():
    world = World()
    lemon, banana = (0.4, 0.2), (0.4, -0.2)
    there = seen('lemon', *lemon, colour='yellow'), seen('banana', *banana)
    world.frames(2, *there)
    world.frame(eyes=Eyes(lemon, banana), hands=both(lemon, banana))
    world.frames(2, hands=both((0.4, 0.15), (0.4, -0.1)))
    piece = seen('lemon', 0.4, 0.01, colour='yellow', z=0.92, partial=True)
    objects = by_name(world.frames(2, piece, hands=both((0.4, 0.12), (0.4, -0.05))))
    assert objects['lemon'].pose_world.position_m[1] == pytest.approx(0.12, abs=0.02)
    assert objects['banana'].pose_world.position_m[1] == pytest.approx(-0.05, abs=0.02)
    own = seen('lemon', 0.4, 0.06, colour='yellow', z=0.92, partial=True)
    objects = by_name(world.frame(own, hands=both((0.4, 0.08), (0.4, 0.0))))
    assert objects['lemon'].visible


def let_go_between_two_frames(world: World, over: tuple[float, float], away: tuple[float, float]):
    """The next frame after one with the hand closed over a place sees it open and far from there already."""
    start = (0.5, 0.4)
    (before,) = world.frames(2, seen('banana', *start))
    world.frame(hands=(hand(*start, 0.9, closed=False),), eyes=Eyes(start))
    world.frame(eyes=Eyes(start), hands=(hand(*start, 0.85, closed=True),))
    world.frame(hands=(hand(*over, 0.95, closed=True),))
    return before, world.frame(eyes=Eyes(inside_hidden=True), hands=(hand(*away, 1.05, closed=False),))


def test_what_was_let_go_between_two_frames_is_where_the_hand_was_last_seen_closed():
    """A busy machine drops frames, and the hand is on its way back when it is seen open."""
    world = World(BOX)
    before, (banana,) = let_go_between_two_frames(world, (0.3, 0.1), (0.36, 0.35))
    assert (banana.object_id, banana.container, banana.inferred) == (before.object_id, 'box 1', True)
    (banana,) = world.frames(3 * CONFIG.gone_frames, eyes=Eyes(inside_hidden=True))
    assert banana.container == 'box 1'


def test_what_was_let_go_where_nobody_looked_comes_back_as_a_piece():
    """Neither end of the hand's way is where it let go: what was called gone shows a part of itself in the box."""
    world = World(BOX)
    before, _ = let_go_between_two_frames(world, (0.5, 0.3), (0.36, 0.35))
    assert world.frames(CONFIG.gone_frames) == ()
    piece = seen('banana', 0.32, 0.12, partial=True)
    (banana,) = world.frames(3, piece, eyes=Eyes(inside_hidden=True))
    assert (banana.object_id, banana.container) == (before.object_id, 'box 1')


def test_what_no_hand_let_go_does_not_come_back_as_a_piece():
    world = World(BOX)
    world.frames(3, seen('banana', 0.5, 0.4))
    assert world.frames(CONFIG.gone_frames) == ()
    assert world.frames(9, seen('banana', 0.32, 0.12, partial=True), eyes=Eyes(inside_hidden=True)) == ()


def test_a_hand_has_what_it_closed_on_once_that_left_its_place_and_not_a_piece_that_it_passes():
    world = World()
    start, pear = (0.5, 0.4), (0.52, 0.3)
    world.frames(2, seen('banana', *start), seen('pear', *pear))
    world.frame(seen('pear', *pear), eyes=Eyes(start), hands=(hand(*start, 0.85, closed=True),))
    piece = seen('pear', pear[0] + 0.01, pear[1], z=0.88, partial=True)
    objects = by_name(world.frame(piece, eyes=Eyes(pear), hands=(hand(0.49, 0.34, 0.96, closed=True),)))
    assert (objects['banana'].container, objects['pear'].container) == (HAND, TABLE)
