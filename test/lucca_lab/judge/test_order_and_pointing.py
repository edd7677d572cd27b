"""The judge finds what is pointed at too early, again, not at all or only nearly, by law and object."""

from dataclasses import replace

import pytest
from pointing_cases import DOCTORED_POINTING, aside

from lucca_lab.judge.traces import SimulationTrace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import Judgement, judge_trace
from lucca_sim.scene import load_scene

pytestmark = pytest.mark.physics


def judged(trace: SimulationTrace) -> Judgement:
    """These laws hold for every engine: without the contacts, the laws of physics, which take longest, are left out."""
    trace = replace(trace, engine='kinematic', contacts=None)
    return judge_trace(trace, load_scene('pointing', 3), {'pointing': load_truth()['pointing']})['pointing']


@pytest.mark.parametrize(
    ('law', 'name', 'doctor'),
    DOCTORED_POINTING,
    ids=[f'{index} {law} {name}' for index, (law, name, _) in enumerate(DOCTORED_POINTING)],
)
def test_a_doctored_pointing_is_found_out_by_law_and_object(recorded_with_starts, law, name, doctor):
    judgement = judged(doctor(*recorded_with_starts('pointing')))
    assert (law, name) in {(fault.law, fault.object) for fault in judgement.faults}, list(map(str, judgement.faults))
    # Each of the three is told apart from the other two.
    assert (judgement.order, judgement.repeated, judgement.complete) == (
        law != 'order',
        int(law == 'repeats'),
        law != 'pointing',
    )


def test_a_ray_that_passes_within_the_margin_points(recorded_with_starts):
    judgement = judged(aside('lemon', (0.0, 0.02, 0.0))(*recorded_with_starts('pointing')))
    assert judgement.complete, list(map(str, judgement.faults))
