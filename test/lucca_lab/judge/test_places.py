"""Where things lie, and what the judge makes of traces without physics."""

from dataclasses import replace

import pytest
from still import still_trace

from lucca_lab.judge.places import claim_faults, final_places
from lucca_lab.judge.traces import SimulationTrace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import judge_trace, law_faults
from lucca_sim.scene import Scene, load_scene


@pytest.fixture(scope='module')
def scene() -> Scene:
    return load_scene('sorting', 0)


@pytest.fixture
def still(scene: Scene) -> SimulationTrace:
    return still_trace(scene)


def put(trace: SimulationTrace, scene: Scene, name: str, container: str, sample: int = 0) -> SimulationTrace:
    """The trace with an object in a container from one sample on."""
    positions = trace.object_positions_m.copy()
    place, item = scene.container_named(container), scene.object_named(name)
    assert place is not None
    assert item is not None
    x, y, _ = place.position_world_m
    positions[sample:, trace.index_of(name)] = (x, y, scene.table.height_m + item.size_m[2] / 2 + place.wall_m)
    return replace(trace, object_positions_m=positions)


def test_still_table_breaks_no_law(still, scene):
    assert law_faults(still, scene) == []


def test_jump_between_two_samples_is_found(still, scene):
    (fault,) = law_faults(put(still, scene, 'apple', 'box 1', sample=100), scene)
    assert (fault.law, fault.object, fault.time_s) == ('jump', 'apple', 1.98)


def test_object_still_welded_at_the_end_is_found(still, scene):
    still.held_by[-1, still.index_of('cup')] = 'left'
    (fault,) = law_faults(still, scene)
    assert (fault.law, fault.object) == ('rest', 'cup')


def test_weld_that_was_dropped_before_the_end_is_none(still, scene):
    still.held_by[50:150, still.index_of('cup')] = 'left'
    assert law_faults(still, scene) == []


def test_motion_in_the_last_second_is_found(still, scene):
    still.object_velocities[-20, still.index_of('pear'), 0] = 0.02
    (fault,) = law_faults(still, scene)
    assert 'still moves at 2.0 cm/s' in str(fault)


def test_motion_before_the_last_second_is_none(still, scene):
    still.object_velocities[:100, :, 0] = 0.2
    assert [fault for fault in law_faults(still, scene) if fault.law == 'rest'] == []


def test_empty_trace_is_not_followed(still, scene):
    (fault,) = law_faults(replace(still, time_s=still.time_s[:0]), scene)
    assert fault.law == 'time'


@pytest.mark.parametrize(
    'changes', [{'engine': 'kinematic'}, {'engine': 'physics', 'format': 1}], ids=['engine', 'format']
)
def test_what_has_no_physics_is_not_called_physical(still, scene, changes):
    judgement = judge_trace(replace(still, **changes), scene, {'sorting': load_truth()['sorting']})['sorting']
    assert (judgement.complete, judgement.physical) == (False, None)
    assert {fault.law for fault in judgement.faults} == {'place'}


def test_places_are_told_from_positions_alone(still, scene):
    places = final_places(put(still, scene, 'apple', 'box 1'), scene)
    assert places['apple'] == 'box 1'
    assert places['cup'] == 'table'


def test_object_elsewhere_than_claimed_is_found(still, scene):
    trace = put(still, scene, 'apple', 'box 2')
    assert claim_faults(trace, scene, {'box 1': ['apple'], 'box 2': []}) == [
        "box 1 holds [], not ['apple']",
        "box 2 holds ['apple'], not []",
    ]
    assert claim_faults(trace, scene, {'box 1': [], 'box 2': ['apple']}) == []


def test_object_below_the_table_is_off_it(still, scene):
    still.object_positions_m[:, still.index_of('apple'), 2] = 0.1
    assert final_places(still, scene)['apple'] == 'off the table'


def test_truth_knows_the_order_of_groups():
    truth = load_truth()['pointing']
    assert truth.in_order(('<point(lemon)>', '<point(banana)>', '<point(can)>', '<point(apple)>'))
    assert not truth.in_order(('<point(lemon)>', '<point(can)>', '<point(banana)>', '<point(apple)>'))


def test_truth_counts_the_actions_of_the_five_tasks():
    assert {name: len(task.actions) for name, task in load_truth().items()} == {
        'sorting': 5,
        'arrangement': 5,
        'pointing': 4,
        'recipe': 3,
        'tower': 4,
    }


def test_what_lies_in_a_bowl_that_stands_on_the_table_is_in_it(still: SimulationTrace, scene: Scene) -> None:
    bowl, apple = scene.object_names.index('bowl'), scene.object_names.index('apple')
    positions = still.object_positions_m.copy()
    positions[100:, apple] = positions[0, bowl] + (0.0, 0.0, 0.014)
    filled = replace(still, object_positions_m=positions)
    assert final_places(filled, scene)['apple'] == 'bowl'
    assert final_places(filled, scene)['bowl'] == 'table'
    assert claim_faults(filled, scene, {'bowl': ['apple'], 'box 1': [], 'box 2': []}) == []
    assert claim_faults(filled, scene, {'bowl': [], 'box 1': [], 'box 2': []}) == ["bowl holds ['apple'], not []"]
    positions[100:, apple] += (0.0, 0.0, 0.1)
    assert final_places(replace(still, object_positions_m=positions), scene)['apple'] == 'table'


def test_an_object_that_is_missing_in_the_record_or_stands_in_it_twice_is_told(still: SimulationTrace, scene: Scene):
    names = tuple('pear' if name == 'apple' else name for name in still.object_names)
    judgement = judge_trace(replace(still, object_names=names), scene, {'sorting': load_truth()['sorting']})['sorting']
    assert not judgement.complete
    assert {(fault.law, fault.object) for fault in judgement.faults} == {('two places', 'pear'), ('vanishing', 'apple')}
