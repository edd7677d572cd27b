"""An identity never passes to a thing of another colour or form."""

import pytest
from identity_world import BOX, CONFIG, PAD, Eyes, World, by_name, hand, seen

from lucca_core.protocol.snapshots import HAND, TABLE

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


PLACE = (0.4, 0.2)


def test_what_was_told_under_one_name_is_never_told_under_another():
    """A first mistake is mended by another id: who remembers the first one remembers a can."""
    world = World()
    told: dict[str, set[str]] = {}
    for label in ('can', *['apple'] * 8):
        for item in world.frame(seen(label, *PLACE)):
            told.setdefault(item.object_id, set()).add(item.label)
    assert all(len(labels) == 1 for labels in told.values()), told
    (apple,) = world.frames(CONFIG.gone_frames, seen('apple', *PLACE))
    assert apple.name == 'apple'


def test_three_wrong_looks_out_of_five_rename_nothing():
    world = World()
    (banana,) = world.frames(2, seen('banana', *PLACE))
    objects = world.frames(3, seen('lemon', *PLACE, colour='yellow'))
    assert [item.name for item in objects if item.object_id == banana.object_id] in ([], ['banana'])


def test_what_is_seen_again_and_again_under_another_name_is_another_thing():
    """It was swapped for something else without a frame in between."""
    world = World()
    (apple,) = world.frames(20, seen('apple', *PLACE))
    objects = world.frames(2 * CONFIG.gone_frames, seen('can', *PLACE))
    assert [(item.label, item.object_id != apple.object_id) for item in objects] == [('can', True)]


def test_after_a_time_without_frames_anything_may_stand_there():
    world = World()
    (apple,) = world.frames(20, seen('apple', *PLACE))
    world.wait(5.0)
    objects = world.frames(2, seen('can', *PLACE))
    assert [item.label for item in objects if item.visible] == ['can']
    assert apple.object_id not in {item.object_id for item in objects if item.visible}


def test_one_right_look_in_between_does_not_make_another_thing_the_one_that_stood_there():
    world = World()
    (lemon,) = world.frames(20, seen('lemon', *PLACE, colour='yellow'))
    world.frame(eyes=Eyes(PLACE))
    cube = seen('cube', *PLACE, colour='yellow')
    world.frame(cube, eyes=Eyes(PLACE))
    world.frame(seen('lemon', *PLACE, colour='yellow'), eyes=Eyes(PLACE))
    objects = world.frames(2, cube, eyes=Eyes(PLACE))
    assert lemon.object_id not in {item.object_id for item in objects if item.visible}


def test_a_thing_found_elsewhere_by_one_wrong_look_is_not_there_when_another_name_is_seen():
    world = World()
    (cube,) = world.frames(20, seen('cube', *PLACE, colour='yellow'))
    other = (PLACE[0] + 0.09, PLACE[1])
    world.frame(seen('cube', *other, colour='yellow'))
    objects = world.frames(2, seen('banana', *other))
    assert cube.object_id not in {item.object_id for item in objects if item.visible}


@pytest.mark.parametrize('label', ['can', 'apple'])
def test_a_full_hand_that_passes_over_a_thing_of_its_colour_takes_nothing_along(label: str):
    world = World()
    start, apple = (0.37, -0.42), (0.37, -0.30)
    there = seen('can', *start), seen('apple', *apple)
    before = by_name(world.frames(4, *there))
    world.frames(2, *there, hands=(hand(*start, 0.86, closed=True),))
    piece = seen(label, apple[0] - 0.02, apple[1], z=1.02, partial=True)
    above = hand(apple[0] - 0.02, apple[1], 1.05, closed=True)
    objects = {item.object_id: item for item in world.frame(piece, eyes=Eyes(start, apple), hands=(above,))}
    assert objects[before['apple'].object_id].container == TABLE


def test_a_hand_that_has_something_does_not_lift_what_stands_on_something_unseen():
    """The upper of two cubes wavers by some millimetres as it is seen, near a hand that carries a can past."""
    world = World(PAD)
    can, top = (0.37, -0.42), {'z': 0.88, 'colour': 'red'}
    world.frames(4, seen('can', *can), seen('cube', *ON_TOWER, **top))
    world.frames(2, seen('cube', *ON_TOWER, **top), hands=(hand(*can, 0.86, closed=True),))
    for x, off in ((0.40, 0.0), (0.43, 0.0), (0.45, 0.008)):
        tool = hand(x, 0.08, 1.055, closed=True)
        wavering = seen('cube', ON_TOWER[0] + off, 0.0, **top)
        objects = by_name(world.frame(wavering, hands=(tool,)))
    assert (objects['can'].container, objects['red cube'].container) == (HAND, 'tower')


def test_what_is_on_the_tower_is_not_pushed_off_it_as_a_piece():
    world = World(PAD)
    world.frames(4, seen('cube', *ON_TOWER, colour='green', z=0.83))
    piece = seen('cube', 0.471, -0.1, colour='green', z=0.825, partial=True)
    (cube,) = world.frame(piece)
    assert cube.container == 'tower'


def test_a_second_piece_beside_a_thing_that_stands_where_it_was_is_not_that_thing():
    world = World()
    (can,) = world.frames(5, seen('can', *PLACE))
    piece = seen('can', PLACE[0] + 0.05, PLACE[1], partial=True)
    objects = world.frame(piece, seen('cube', *PLACE, colour='red'))
    (kept,) = (item for item in objects if item.object_id == can.object_id)
    assert kept.pose_world.position_m[:2] == pytest.approx(PLACE)


def test_a_piece_seen_once_on_the_tower_is_not_a_thing_whose_place_one_frame_misreads():
    world = World(PAD)
    (banana,) = world.frames(5, seen('banana', *PLACE))
    piece = seen('banana', *ON_TOWER, z=0.83, partial=True)
    for looks in (1, 2):
        (kept,) = world.frames(looks, piece)
        assert kept.pose_world.position_m[:2] == pytest.approx(PLACE)
        world.frame(seen('banana', *PLACE))
    (moved,) = world.frames(3, piece)
    assert (moved.object_id, moved.container) == (banana.object_id, 'tower')


def test_a_thing_that_is_covered_on_the_tower_is_not_in_the_box_for_one_wrong_look():
    world = World(BOX, PAD)
    world.frames(4, seen('cube', *ON_TOWER, colour='green', z=0.83))
    covered = Eyes(ON_TOWER)
    world.frame(eyes=covered)
    (cube,) = world.frame(seen('cube', *IN_BOX, colour='green', z=0.83), eyes=covered)
    assert cube.container == 'tower'
    (cube,) = world.frames(2, seen('cube', *IN_BOX, colour='green', z=0.83), eyes=covered)
    assert cube.container == 'box 1'


def test_a_piece_high_on_the_tower_is_not_what_lies_below():
    world = World(PAD)
    world.frames(4, seen('cube', *ON_TOWER, colour='yellow', z=0.83))
    high = seen('cube', *ON_TOWER, colour='yellow', z=0.93, partial=True)
    (cube, *_) = world.frames(4, high, eyes=Eyes(ON_TOWER))
    assert cube.pose_world.position_m[2] == pytest.approx(0.83)


def test_one_right_look_after_it_was_hidden_is_no_proof_that_it_still_stands_there():
    world = World()
    (apple,) = world.frames(20, seen('apple', *PLACE))
    world.frames(3, eyes=Eyes(PLACE))
    can = seen('can', *PLACE)
    world.frame(seen('apple', *PLACE))
    objects = world.frames(3, can)
    assert apple.object_id not in {item.object_id for item in objects if item.visible}


def test_what_is_seen_whole_in_its_place_is_not_taken_for_a_piece_beside_it():
    world = World()
    (can,) = world.frames(5, seen('can', *PLACE))
    beside = seen('can', PLACE[0] + 0.04, PLACE[1], partial=True)
    for whole in ((), (seen('can', PLACE[0] + 0.005, PLACE[1]),), ()):
        objects = world.frame(beside, *whole)
        (kept,) = (item for item in objects if item.object_id == can.object_id)
        assert kept.pose_world.position_m[:2] == pytest.approx(PLACE, abs=0.006)
    assert len(objects) == 1


def test_a_piece_does_not_bring_back_what_another_thing_has_replaced():
    """Nor does one whole look: both are wrong too often."""
    world = World()
    can, cube = seen('can', *PLACE), seen('cube', *PLACE, colour='red')
    (before,) = world.frames(5, can)
    world.frames(2, eyes=Eyes(PLACE))
    world.frames(2, cube)
    for wrong in (seen('can', *PLACE, partial=True), can):
        objects = world.frame(wrong)
        assert before.object_id not in {item.object_id for item in objects if item.visible}
        world.frame(cube)


def test_what_was_replaced_by_mistake_is_back_when_it_is_seen_twice():
    world = World()
    can, cube = seen('can', *PLACE), seen('cube', *PLACE, colour='red')
    (before,) = world.frames(5, can)
    world.frames(2, eyes=Eyes(PLACE))
    world.frames(2, cube)
    objects = world.frames(2, can)
    assert before.object_id in {item.object_id for item in objects if item.visible}
    objects = world.frames(CONFIG.gone_frames, can)
    assert [item.object_id for item in objects] == [before.object_id]


@pytest.mark.parametrize('looks', [1, 2])
def test_what_lies_lowest_on_the_tower_is_not_on_top_of_it_for_a_wrong_look(looks: int):
    """A lemon is put on the tower and at first called a cube."""
    world = World(PAD)
    bottom = seen('cube', *ON_TOWER, colour='yellow', z=0.83)
    on_it = seen('cube', *ON_TOWER, colour='green', z=0.88)
    world.frames(4, bottom)
    world.frames(4, on_it, eyes=Eyes(ON_TOWER))
    top = seen('cube', *ON_TOWER, colour='yellow', z=0.93)
    objects = by_name(world.frames(looks, on_it, top, eyes=Eyes(ON_TOWER)))
    assert objects['yellow cube'].pose_world.position_m[2] == pytest.approx(0.83)


def test_what_is_put_on_the_tower_is_known_though_something_of_its_colour_lies_below():
    world = World(PAD)
    world.frames(4, seen('cube', *ON_TOWER, colour='yellow', z=0.83))
    lemon = seen('lemon', *ON_TOWER, colour='yellow', z=0.93)
    objects = by_name(world.frames(CONFIG.new_frames, lemon, eyes=Eyes(ON_TOWER)))
    assert sorted(objects) == ['lemon', 'yellow cube']


def test_a_hand_lifts_nothing_that_something_else_stands_on():
    world = World(PAD)
    bottom = seen('cube', *ON_TOWER, colour='yellow', z=0.83)
    on_it = seen('cube', *ON_TOWER, colour='green', z=0.88)
    world.frames(4, bottom)
    world.frames(4, on_it, eyes=Eyes(ON_TOWER))
    piece = seen('cube', *ON_TOWER, colour='yellow', z=0.93, partial=True)
    closed = (hand(*ON_TOWER, 0.955, closed=True),)
    objects = by_name(world.frames(2, on_it, piece, eyes=Eyes(ON_TOWER), hands=closed))
    assert objects['yellow cube'].pose_world.position_m[2] == pytest.approx(0.83)


def test_what_is_seen_whole_in_a_box_is_not_what_was_taken_out_from_beside_it():
    """Nobody saw the banana leave, and pieces of the cube were taken for both."""
    world = World(BOX)
    cube = seen('cube', 0.28, 0.07, colour='yellow')
    eyes = Eyes(inside_hidden=True)
    before = by_name(world.frames(4, seen('banana', 0.23, 0.075), cube))
    world.frame(cube, seen('banana', 0.28, 0.075, partial=True), eyes=eyes)
    world.frame(seen('cube', 0.319, 0.094, colour='yellow', partial=True), eyes=eyes)
    objects = by_name(world.frame(cube, eyes=eyes))
    assert {name: item.visible for name, item in objects.items()} == {'banana': False, 'yellow cube': True}
    assert {item.object_id for item in objects.values()} == {item.object_id for item in before.values()}


@pytest.mark.parametrize('period_s', [0.5, 1.5, 4.0])
@pytest.mark.parametrize(('right', 'wrong'), [('apple', 'cube'), ('pear', 'apple'), ('can', 'apple')])
@pytest.mark.parametrize('looks', [1, 2, 5])
def test_a_slow_detector_says_what_a_fast_one_says(period_s: float, right: str, wrong: str, looks: int):
    def told(time_s: float):
        world = World()
        all_told = []
        for label in [*[right] * 12, *[wrong] * looks, *[right] * 3]:
            world.wait(time_s - 0.1)
            look = red_cube(0.4, 0.2) if label == 'cube' else seen(label, 0.4, 0.2)
            all_told.append([(item.object_id, item.name) for item in world.frame(look)])
        return all_told

    assert told(period_s) == told(0.1)
