"""What honest physics does and no law blames, beside the smallest change of it that is a fault."""

from dataclasses import replace

import numpy as np
import pytest
from still import SAMPLES, evidence_of, on_ways, still_trace, turned

from lucca_lab.judge.contacts import contacts_agree_with_places, contacts_carry_what_lies
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.motion import nothing_gains_energy_by_itself, nothing_moves_untouched, what_rests_is_supported
from lucca_lab.judge.solids import nothing_is_inside_another
from lucca_lab.judge.traces import ContactTrack, SimulationTrace
from lucca_sim.scene import Scene, load_scene

FAR_OFF = (0.85, 0.8, 0.86)
"""Where nothing else is."""


@pytest.fixture(scope='module')
def scene() -> Scene:
    return load_scene('sorting', 0)


@pytest.fixture
def still(scene: Scene) -> SimulationTrace:
    return still_trace(scene)


def on_the_way(start_m: tuple[float, float, float], way_m: tuple[float, float, float]) -> np.ndarray:
    """Positions (SAMPLES, 3) of what moves evenly, and rests before and after."""
    part = np.clip(np.linspace(-0.05, 1.05, SAMPLES), 0.0, 1.0)
    return np.array(start_m) + part[:, None] * np.array(way_m)


def blamed(faults: list[Fault]) -> set[tuple[str, str]]:
    return {(fault.law, fault.object) for fault in faults}


@pytest.mark.parametrize(('rise_m', 'is_fault'), [(-0.01, False), (0.0, True), (0.01, True)])
def test_what_slips_down_from_a_rim_is_not_moved_by_nothing(still, scene, rise_m, is_fault):
    trace = on_ways(still, {'apple': on_the_way(FAR_OFF, (0.027, 0.0, rise_m))})
    faults = nothing_moves_untouched(evidence_of(trace, scene))
    assert blamed(faults) == ({('unheld motion', 'apple')} if is_fault else set())


@pytest.mark.parametrize(('rise_m', 'is_fault'), [(-0.008, False), (0.0, True), (0.008, True)])
def test_what_comes_down_among_others_may_slip_farther(still, scene, rise_m, is_fault):
    x, y, z = FAR_OFF
    beside = (x + 0.065, y, z)
    trace = on_ways(still, {'apple': np.array(FAR_OFF), 'baseball': on_the_way(beside, (0.0, 0.055, rise_m))})
    # Slow enough to count as rest.
    slow = replace(trace, time_s=np.arange(SAMPLES) * 0.045)
    faults = nothing_moves_untouched(evidence_of(slow, scene))
    assert blamed(faults) == ({('unheld motion', 'baseball')} if is_fault else set())


@pytest.mark.parametrize(('above_m', 'is_fault'), [(0.0005, False), (0.02, True)])
def test_what_leans_on_a_wall_and_stands_on_the_floor_of_the_same_box_is_supported(above_m, is_fault):
    """It is deeper in the wall than in the floor, and both are one body."""
    scene = load_scene('sorting_tower', 0)
    box, cube = scene.container_named('box 1'), scene.object_named('red cube')
    assert box is not None
    assert cube is not None
    x, y, z = box.position_world_m
    beside = x + box.size_m[0] / 2 - box.wall_m - cube.size_m[0] / 2 + 0.003
    place = np.array((beside, y, z + box.wall_m + cube.size_m[2] / 2 + above_m))
    trace = on_ways(still_trace(scene), {'red cube': place})
    faults = what_rests_is_supported(evidence_of(trace, scene))
    assert ({('support', 'red cube')} <= blamed(faults)) is is_fault


PASSING = np.abs(np.arange(SAMPLES) - 100)[:, None] * 0.0095 * np.array((0.0, -0.7, 0.7))
"""Ways from a place, down to it and back."""
TIPPED = (0.1652, -0.6075, -0.1156, 0.7683)


def test_a_disc_at_the_edge_of_a_thin_wall_is_not_in_it(still, scene):
    """The engine tells 36 mm of a bowl and the corner of a box; 15 mm to one side they are free of each other."""
    at_corner = np.array((0.1801, 0.0105, 0.8984)) + PASSING
    evidence = evidence_of(turned(on_ways(still, {'bowl': at_corner}), 'bowl', TIPPED), scene)
    assert evidence.touches.gaps_m[evidence.touches.columns == still.index_of('bowl')].min() < -0.03
    assert blamed(nothing_is_inside_another(evidence)) == set()


def test_a_disc_that_reaches_through_a_wall_is_in_it(still, scene):
    """The same bowl and the same way, 6 cm farther into the box."""
    in_wall = np.array((0.1801, 0.0705, 0.8384)) + PASSING
    evidence = evidence_of(turned(on_ways(still, {'bowl': in_wall}), 'bowl', TIPPED), scene)
    assert blamed(nothing_is_inside_another(evidence)) == {('solids', 'bowl')}


TO_THE_SIDE, DOWN = (0.99, 0.1, -0.08), (0.0, 0.0, -1.0)


@pytest.mark.parametrize(
    ('depth_m', 'normal', 'is_fault'),
    [(0.0102, TO_THE_SIDE, False), (0.06, TO_THE_SIDE, True), (0.0102, DOWN, True)],
)
def test_at_the_impact_of_a_bowl_on_a_cup_one_contact_may_be_as_deep_as_another(depth_m, normal, is_fault):
    """As a run in physics had it: 10 mm to the side, where the geometry says 3 mm below and 34 mm through a wall."""
    scene = load_scene('sorting_tower', 0)
    trace = on_ways(
        still_trace(scene),
        {'cup': np.array((0.29907, -0.11562, 0.84379)), 'bowl': np.array((0.33621, -0.14478, 0.89724))},
    )
    trace = turned(trace, 'cup', (0.33641, 0.00354, -0.00182, 0.94171))
    trace = turned(trace, 'bowl', (0.98775, 0.05133, 0.06968, -0.12982))
    contact = ContactTrack(
        body_names=('cup', 'bowl'),
        rows=np.array([100], dtype=np.int32),
        bodies=np.array([[0, 1]], dtype=np.int16),
        normals=np.array([normal]),
        depths_m=np.array([depth_m]),
        forces_n=np.array([140.0]),
    )
    evidence = evidence_of(replace(trace, contacts=contact), scene)
    far = [fault for fault in contacts_agree_with_places(evidence) if 'not as deep' in fault.text]
    assert blamed(far) == ({('contacts', 'cup'), ('contacts', 'bowl')} if is_fault else set())


@pytest.mark.parametrize(
    ('under', 'samples', 'share', 'is_fault'),
    [
        ('world', 20, 1.0, False),
        ('world', 20, 1.8, True),
        ('world', 6, 1.8, False),
        ('box 1', 20, 1.8, False),
        ('world', 6, 0.1, True),
        ('box 1', 6, 0.1, True),
    ],
)
def test_what_lies_still_may_press_with_more_than_its_weight_in_a_box_or_for_a_moment(
    still, scene, under, samples, share, is_fault
):
    weight_n = scene.object_named('apple').mass_kg * 9.81
    contacts = ContactTrack(
        body_names=(under, 'apple'),
        rows=np.arange(100, 100 + samples, dtype=np.int32),
        bodies=np.repeat(np.array([[0, 1]], dtype=np.int16), samples, axis=0),
        normals=np.repeat(np.array([(0.0, 0.0, 1.0)]), samples, axis=0),
        depths_m=np.full(samples, 0.0005),
        forces_n=np.full(samples, share * weight_n),
    )
    trace = on_ways(replace(still, contacts=contacts), {'apple': np.array(FAR_OFF)})
    faults = contacts_carry_what_lies(evidence_of(trace, scene))
    assert blamed(faults) == ({('contacts', 'apple')} if is_fault else set())


@pytest.mark.parametrize(('fell_m', 'is_fault'), [(0.012, False), (0.0, True)])
def test_what_sank_into_the_table_as_it_fell_is_lifted_out_again(still, scene, fell_m, is_fault):
    """12 mm, within a second: from within the table, and from on it."""
    rise = np.clip((np.arange(SAMPLES) - 100) / 50, 0.0, 1.0) * 0.012
    places = np.array((0.85, 0.8, scene.table.height_m + 0.033 - fell_m)) + rise[:, None] * np.array((0.0, 0.0, 1.0))
    faults = nothing_gains_energy_by_itself(evidence_of(on_ways(still, {'baseball': places}), scene))
    assert blamed(faults) == ({('energy', 'baseball')} if is_fault else set())


def test_a_table_on_which_nothing_touches_anything_can_be_judged(still, scene):
    high = on_ways(still, {name: np.array((0.3 * index, 0.0, 3.0)) for index, name in enumerate(still.object_names)})
    evidence = evidence_of(high, scene)
    assert len(evidence.touches.rows) == 0
    assert not evidence.supported.any()
    assert nothing_is_inside_another(evidence) == []
