"""A robot, and tables with an object in its hand's reach."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.scene import load_scene

ENGINES = {'physics': PhysicsTable, 'kinematic': KinematicTable}


@pytest.fixture(scope='session')
def profile() -> RobotProfile:
    return load_profile('nicol')


@pytest.fixture(params=sorted(ENGINES))
def table(request: pytest.FixtureRequest, profile: RobotProfile) -> RobotAtTable:
    """Each kind of table with the tower scene, at rest."""
    return ENGINES[request.param](load_scene('tower', 0), profile)


@pytest.fixture
def put_in_hand(profile: RobotProfile) -> Callable[..., None]:
    """Before the first step: puts a weightless object where a hand grasps it, or `away` m further from the palm."""

    def put(table: RobotAtTable, name: str, side: str, away: float = 0.0) -> None:
        table.model.opt.gravity[:] = 0
        site = table.model.site(f'{side} tool').id
        item = table.scene.object_named(name)
        assert item is not None
        # The tool frame marks the nearest point of an object, seen by a hand whose fingers point down by its best tilt.
        tilt = profile.arms[side].hand.tilts_rad[0]
        ahead = np.array((np.cos(tilt), 0.0, -np.sin(tilt)))
        up = np.array((-np.sin(tilt), 0.0, -np.cos(tilt)))
        centre = -ahead * item.size_m[0] / 2 - up * item.size_m[2] / 2 + (0.0, 0.0, away)
        tool = table.data.site_xmat[site].reshape(3, 3)
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, (tool @ np.column_stack([ahead, np.cross(up, ahead), up])).ravel())
        address = table.model.jnt_qposadr[table.model.joint(name).id]
        table.data.qpos[address : address + 3] = table.data.site_xpos[site] + tool @ centre
        table.data.qpos[address + 3 : address + 7] = quat
        mujoco.mj_forward(table.model, table.data)

    return put
