"""Position servos for a Gazebo world, with gains that are stable at its step, from the inertia that each joint moves.

Gazebo applies a controller's force explicitly, for a whole step. For a step dt and a joint that moves the inertia I, a
damping D diverges from D·dt/I = 2, and a stiffness P oscillates from P·dt²/I = 1. Damping in the joint itself
(`<dynamics><damping>`) is applied implicitly and is always stable, so all damping is put there.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.mujoco_model import robot_spec, servo_gains
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

_SHARE = 0.25
"""Largest P·dt²/I of one joint. The joints of an arm affect each other, so that their shares add up."""
_POSTURES = 64


@dataclass(frozen=True, slots=True)
class JointInertia:
    """Inertia that a joint moves, in kg m² (or kg): `least` with all other joints free, `most` with all locked."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class JointServo:
    """A position servo: stiffness in Nm/rad (or N/m), and damping in the joint in Nms/rad (or Ns/m)."""

    stiffness: float
    damping: float


def joint_servos(profile: RobotProfile, step_s: float) -> dict[str, JointServo]:
    """Servos of all moving joints for a physics step, as stiff as in our own simulation, or as the step allows."""
    servos = {}
    for name, inertia in joint_inertias(profile).items():
        stiffness = min(servo_gains(profile, name)[0], _SHARE * inertia.least / step_s**2)
        servos[name] = JointServo(stiffness, 2.0 * float(np.sqrt(stiffness * inertia.most)))
    return servos


def joint_inertias(profile: RobotProfile) -> dict[str, JointInertia]:
    """The inertias that the joints move, over the home posture and random ones (always the same)."""
    spec = robot_spec(profile)
    for joint in spec.joints:
        joint.armature = 0.0  # rotors are in neither URDF nor SDF
    model = spec.compile()
    data = mujoco.MjData(model)
    least, most = np.full(model.nv, np.inf), np.zeros(model.nv)
    for qpos in _postures(model, profile):
        data.qpos[:] = qpos
        mass = mass_matrix(model, data)
        least = np.minimum(least, 1.0 / np.diag(np.linalg.inv(mass)))
        most = np.maximum(most, np.diag(mass))
    return {
        model.joint(index).name: JointInertia(float(least[dof]), float(most[dof]))
        for index, dof in enumerate(model.jnt_dofadr)
    }


def mass_matrix(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """The joint-space inertia (nv, nv) at the present posture, in kg m² and kg."""
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    return mass


def _postures(model: mujoco.MjModel, profile: RobotProfile) -> list[Array]:
    home = np.zeros(model.nq)
    for name, position in profile.home.items():
        home[model.jnt_qposadr[model.joint(name).id]] = position
    draw = np.random.default_rng(0)
    return [home, *draw.uniform(model.jnt_range[:, 0], model.jnt_range[:, 1], size=(_POSTURES - 1, model.nq))]
