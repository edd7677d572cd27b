"""Robots of public descriptions do the five tasks in physics: planner, simulator and judge, with perfect perception.

ROBOT_DESCRIPTIONS_DIR names the folder to which `lucca robot get panda` brought the descriptions. SOAK_ROBOT_SEEDS
chooses the number of seeds, SOAK_ROBOT_FIRST_SEED the first of them; figures go to out/soak/.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from action_node.motion.motion_plan import MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Snapshot
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import judge_table
from lucca_lab.runs.carried_out import Carrier, seen
from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene, load_scene
from lucca_sim.trace_recorder import TRACE_FILE, TraceRecorder

pytestmark = pytest.mark.slow

OUT = Path('out/soak')
ROBOTS = ('panda', 'ur5_pair', 'baxter')
CALL = re.compile(r'<(\w+)\((.*)\)>')
PLACES = {
    'move_to_box_1': 'box 1',
    'move_to_box_2': 'box 2',
    'put_on_tower': 'tower',
    'place_in_bowl': 'bowl',
    'give': USERS_SIDE,
}


@pytest.fixture(autouse=True)
def descriptions(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.environ.get('ROBOT_DESCRIPTIONS_DIR', 'nowhere')
    if not list(Path(folder).rglob('*.urdf')):
        pytest.skip('ROBOT_DESCRIPTIONS_DIR names no folder of URDF files')
    monkeypatch.setenv('LUCCA_ROBOTS_DIR', folder)


def look(scene: Scene, table: PhysicsTable) -> Snapshot:
    """The table with a bowl that stands on it as the container that it is."""
    snapshot = seen(scene, table)
    bowls = [
        Container(name=item.name, position_world_m=(*item.pose_world.position_m[:2], 0.8), size_m=item.size_m)
        for item in snapshot.objects
        if item.label == 'bowl' and item.container == 'table' and snapshot.container_named(item.name) is None
    ]
    return replace(snapshot, containers=(*snapshot.containers, *bowls))


def do(profile: RobotProfile, planner: MotionPlanner, task: str, seed: int, folder: Path) -> tuple[bool, list[str]]:
    """Does what a task needs in the truth's order, then once more what was refused, as the stack comes back to it.

    Returns whether it is right, and what is not.
    """
    scene = load_scene(task, seed)
    table = PhysicsTable(scene, profile)
    recorder = TraceRecorder(table, folder, engine='physics')
    carrier = Carrier(table, recorder)
    carrier.advance(0.5)
    refused = dict.fromkeys(load_truth()[task].actions, '')
    for _ in range(2):
        for action in tuple(refused):
            try:
                plan = planner.plan(request(action), look(scene, table), table.joint_positions())
            except MotionError as error:
                refused[action] = f'{action}: {error}'
            else:
                del refused[action]
                carrier.carry_out(plan)
    carrier.advance(1.5)
    recorder.finish()
    judgement = judge_table(folder / TRACE_FILE, task, seed, (task,))[task]
    return bool(judgement.complete and judgement.physical), [*refused.values(), *map(str, judgement.faults)]


def request(action: str) -> MotionRequest:
    """What a call asks the planner for."""
    call = CALL.fullmatch(action)
    assert call is not None
    kind = {'point': 'point', 'give': 'give'}.get(call[1], 'pick_and_place')
    return MotionRequest(kind, call[2], PLACES.get(call[1], ''))  # type: ignore[arg-type]


@pytest.mark.parametrize('name', ROBOTS)
def test_a_public_robot_does_the_five_tasks(name: str, tmp_path: Path, soak_size: Callable[[str, int], int]) -> None:
    profile = load_profile(name)
    planner, first = MotionPlanner(profile), soak_size('ROBOT_FIRST_SEED', 0)
    runs = {
        f'{task} {seed}': do(profile, planner, task, seed, tmp_path / f'{task}{seed}')
        for seed in range(first, first + soak_size('ROBOT_SEEDS', 20))
        for task in ('sorting', 'arrangement', 'recipe', 'tower', 'pointing')
    }
    OUT.mkdir(parents=True, exist_ok=True)
    report = {'runs': len(runs), 'right': sum(right for right, _ in runs.values())}
    report |= {'wrong': {run: faults for run, (right, faults) in runs.items() if not right}}  # type: ignore[dict-item]
    (OUT / f'robot_{name}_{first}.json').write_text(json.dumps(report, indent=2), encoding='utf-8')
    assert report['right'] >= 14 / 15 * len(runs), report
