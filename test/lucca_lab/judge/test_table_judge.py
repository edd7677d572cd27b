"""The judge that the product loads: it says that a run is physical only where there was physics."""

import numpy as np
import pytest

from lucca_lab.judge.table_judge import TableJudge
from lucca_lab.runs.carried_out import Carrier
from lucca_robot.profile import load_profile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import load_scene
from lucca_sim.trace_recorder import TRACE_FILE, TraceRecorder

SCENE = load_scene('recipe', 3)
AS_IT_IS = {"user's side": []}
CLAIMS_TOO_MUCH = {"user's side": ['jello']}
TOLD = "user's side holds [], not ['jello']"


@pytest.mark.parametrize(('claimed', 'faults'), [(AS_IT_IS, ()), (CLAIMS_TOO_MUCH, (TOLD,))])
def test_a_run_without_physics_is_not_called_physical_and_its_faults_are_told(tmp_path, claimed, faults):
    table = KinematicTable(SCENE, load_profile())
    recorder = TraceRecorder(table, tmp_path, engine='kinematic')
    for tick in range(101):
        table.step(0.02 * tick)
        recorder.sample()
    recorder.finish()
    judgement = TableJudge().judge_run(tmp_path / TRACE_FILE, SCENE, claimed)
    assert (judgement.physical, judgement.faults) == (None, faults)


@pytest.mark.physics
def test_a_run_in_physics_is_physical_if_nothing_is_wrong_and_its_contacts_were_recorded(tmp_path):
    table = PhysicsTable(SCENE, load_profile())
    recorder = TraceRecorder(table, tmp_path, engine='physics')
    Carrier(table, recorder).advance(3.0)
    recorder.finish()
    file, judge = tmp_path / TRACE_FILE, TableJudge()
    honest, claims = judge.judge_run(file, SCENE, AS_IT_IS), judge.judge_run(file, SCENE, CLAIMS_TOO_MUCH)
    assert (honest.physical, honest.faults) == (True, ())
    assert (claims.physical, claims.faults) == (False, (TOLD,))
    with np.load(file) as data:
        values = dict(data)
    np.savez(file, **{**values, 'format': np.array(1)})
    older = judge.judge_run(file, SCENE, AS_IT_IS)
    assert (older.physical, older.faults) == (None, ())
    np.savez(file, **{**values, 'has_contacts': np.array(False)})
    without = judge.judge_run(file, SCENE, AS_IT_IS)
    assert without.physical is None
    assert without.faults == ("contacts: the trace has no contacts, and says that its engine is 'physics'",)
