"""Inverse kinematics of one arm, with mink on a model of this arm alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import mink
import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.arm_profile import ArmProfile
from lucca_robot.description import rotation_from_rpy
from lucca_robot.kinematics import LinkPoses
from lucca_robot.mujoco_model import quaternion_wxyz
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]
Match = Literal['pose', 'ray', 'place']

TOOL = 'tool'
POINTER = 'pointer'

_SOLVER = 'daqp'
_LARGEST_STEP_RAD = 0.5
_POSE_STEPS, _PLACE_STEPS = 40, 80
"""Most steps towards a pose, and towards a place beyond reach."""
# A step does not help if it leaves more than this share of the least error so far. The first value is for poses; the
# second is for places beyond reach, towards which each step helps less.
_PROGRESS = 0.9
_SLOW_PROGRESS = 0.998
_SLACK_M = 0.01
"""A step may take a joint a little beyond its limit."""
_QUICK_STEPS, _QUICK_SHARE = 12, 0.25
"""Most steps of a quick search, and the share of the tolerances within which it has to end: with all of them, it would
now and then lead where `solve` does not."""
_WEIGHTS = np.array([1.0, 1.0, 1.0, 0.3, 0.3, 0.3])
"""What errors of position (m) and direction (rad) along and about the axes of the frame count for."""
_DAMPING = 1e-3


@dataclass(frozen=True, slots=True)
class IkTarget:
    """The wanted pose of a frame: position (3,) in m and rotation (3, 3), both in the world frame."""

    position_m: Array
    rotation: Array


class ArmIk:
    """Finds joint positions of one arm. Not thread-safe.

    The model has the links from the world to the tool, with the joints of other groups at home. `TOOL` is the tool
    frame. `POINTER` is the frame at the tip of the pointing finger, with the hand in its pointing posture; its x axis
    is the ray.
    """

    def __init__(
        self, profile: RobotProfile, arm: str, *, position_tolerance_m: float, angle_tolerance_rad: float
    ) -> None:
        self.arm: ArmProfile = profile.arms[arm]
        self._position_tolerance_m = position_tolerance_m
        self._angle_tolerance_rad = angle_tolerance_rad
        self._model = _arm_model(profile, self.arm)
        self._configuration = mink.Configuration(self._model)
        self._sites = {name: self._model.site(name).id for name in (TOOL, POINTER)}
        self._outreach = {name: _outreach(self._model, site) for name, site in self._sites.items()}
        self._limits = [mink.ConfigurationLimit(self._model)]
        self.lower = self._model.jnt_range[:, 0].copy()
        self.upper = self._model.jnt_range[:, 1].copy()
        self._posture = mink.PostureTask(self._model, cost=2e-3)
        self._tasks = {
            (name, kind): mink.FrameTask(name, 'site', position_cost=1.0, orientation_cost=cost, lm_damping=1e-4)
            for name in (TOOL, POINTER)
            for kind, cost in (('pose', 0.3), ('ray', [0.0, 0.3, 0.3]), ('place', 0.0))
        }

    def forward(self, positions: Array, frame: str = TOOL) -> IkTarget:
        """Pose of a frame for joint positions (k,)."""
        data = self._configuration.data
        data.qpos[:] = positions
        mujoco.mj_kinematics(self._model, data)
        site = self._sites[frame]
        return IkTarget(data.site_xpos[site].copy(), data.site_xmat[site].reshape(3, 3).copy())

    def solve(
        self,
        target: IkTarget,
        start: Array,
        *,
        frame: str = TOOL,
        match: Match = 'pose',
    ) -> Array | None:
        """Joint positions (k,) within the limits that bring a frame to a target, or None.

        Args:
            target: the pose.
            start: joint positions (k,) where the search begins.
            frame: `TOOL` or `POINTER`.
            match: what has to match: the whole pose, all but a turn about the frame's x axis (`ray`), or the position
                (`place`).
        """
        if self._is_beyond(target.position_m, frame):
            return None
        for distance_m, angle_rad in self._descent(
            target, start, frame=frame, match=match, iterations=_POSE_STEPS, progress=_PROGRESS
        ):
            if distance_m < self._position_tolerance_m and angle_rad < self._angle_tolerance_rad:
                found: Array = np.clip(self._configuration.q, self.lower, self.upper)
                return found
        return None

    def solve_quickly(self, target: IkTarget, start: Array, *, near_m: float | None = None) -> Array | None:
        """As `solve` for the tool, with a few steps of damped least squares, which take a fraction of the time.

        None proves nothing: `solve` may still lead there.

        Args:
            target: the pose.
            start: joint positions (k,) where the search begins.
            near_m: if given, only the position has to match, within this distance.
        """
        if self._is_beyond(target.position_m, TOOL):
            return None
        axes = slice(6 if near_m is None else 3)
        near_m = _QUICK_SHARE * self._position_tolerance_m if near_m is None else near_m
        positions: Array = np.clip(start, self.lower, self.upper)
        for _ in range(_QUICK_STEPS):
            error, jacobian = (part[axes] for part in self._linearised(target, positions))
            if np.linalg.norm(error[:3]) < near_m and (
                np.linalg.norm(error[3:]) < _QUICK_SHARE * self._angle_tolerance_rad
            ):
                return positions
            weighted = _WEIGHTS[axes, None] * jacobian
            damped = weighted @ weighted.T + _DAMPING * np.eye(len(error))
            step = weighted.T @ np.linalg.solve(damped, _WEIGHTS[axes] * error)
            step *= min(1.0, _LARGEST_STEP_RAD / max(float(np.abs(step).max()), 1e-9))
            positions = np.clip(positions + step, self.lower, self.upper)
        return None

    def _linearised(self, target: IkTarget, positions: Array) -> tuple[Array, Array]:
        """How far the tool is from a target, (6,) in m and rad along its own axes, and its Jacobian there, (6, k)."""
        model, data, site = self._model, self._configuration.data, self._sites[TOOL]
        data.qpos[:] = positions
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        rotation = data.site_xmat[site].reshape(3, 3)
        quaternions, turn, jacobian = np.zeros((2, 4)), np.zeros(3), np.zeros((2, 3, model.nv))
        mujoco.mju_mat2Quat(quaternions[0], target.rotation.ravel())
        mujoco.mju_mat2Quat(quaternions[1], data.site_xmat[site])
        mujoco.mju_subQuat(turn, quaternions[0], quaternions[1])
        mujoco.mj_jacSite(model, data, jacobian[0], jacobian[1], site)
        error = np.concatenate([rotation.T @ (target.position_m - data.site_xpos[site]), turn])
        return error, (rotation.T @ jacobian).reshape(6, -1)

    def _is_beyond(self, place_m: Array, frame: str) -> bool:
        """Whether a place is farther away than the stretched arm is long, so that no search comes near."""
        shoulder_m, length_m = self._outreach[frame]
        return float(np.linalg.norm(place_m - shoulder_m)) > length_m + self._position_tolerance_m + _SLACK_M

    def nearest_place(self, place_m: Array, starts: Sequence[Array]) -> Array:
        """The position (3,) of the tool nearest to a place (3,), both in m in the world frame, in any orientation.

        Args:
            place_m: the place.
            starts: joint positions (k,) where searches begin; the first that leads within the position tolerance ends
                them.
        """
        nearest, least_m = np.full(3, np.inf), np.inf
        for start in starts:
            for distance_m, _ in self._descent(
                IkTarget(place_m, np.eye(3)), start, match='place', iterations=_PLACE_STEPS, progress=_SLOW_PROGRESS
            ):
                if distance_m < least_m:
                    nearest, least_m = self.forward(self._configuration.q).position_m, distance_m
                if distance_m < self._position_tolerance_m:
                    return nearest
        return nearest

    def _descent(
        self,
        target: IkTarget,
        start: Array,
        *,
        frame: str = TOOL,
        match: Match,
        iterations: int,
        progress: float,
    ) -> Iterator[tuple[float, float]]:
        """Steps from a start towards a target; yields the distance (m) and angle (rad) left before each step.

        Ends after `iterations`, or if several steps have not brought the error below `progress` times the best one.
        """
        task = self._tasks[frame, match]
        task.set_target(
            mink.SE3.from_rotation_and_translation(mink.SO3.from_matrix(target.rotation), target.position_m)
        )
        self._posture.set_target(start)
        self._configuration.update(np.clip(start, self.lower, self.upper))
        best, stalled = np.inf, 0
        for _ in range(iterations):
            distance, angle = self._errors(task, match)
            yield distance, angle
            error = distance + 0.3 * angle
            stalled = 0 if error < progress * best else stalled + 1
            best = min(best, error)
            if stalled > 6:
                return
            try:
                step = mink.solve_ik(
                    self._configuration, [task, self._posture], 1.0, _SOLVER, damping=1e-6, limits=self._limits
                )
            except mink.NoSolutionFound:
                return
            step = step * min(1.0, _LARGEST_STEP_RAD / max(float(np.abs(step).max()), 1e-9))
            self._configuration.integrate_inplace(step, 1.0)

    def _errors(self, task: mink.FrameTask, match: Match) -> tuple[float, float]:
        error = task.compute_error(self._configuration)
        turn = error[{'pose': 3, 'ray': 4, 'place': 6}[match] :]
        return float(np.linalg.norm(error[:3])), float(np.linalg.norm(turn))


def _outreach(model: mujoco.MjModel, site: int) -> tuple[Array, float]:
    """Where the first joint is (3,), in m in the world frame, and how far from there a site is at most, in m."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    sliding = model.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE
    length_m = float(
        np.linalg.norm(model.site_pos[site]) + np.abs(model.jnt_range[sliding]).max(axis=1, initial=0).sum()
    )
    body = model.site_bodyid[site]
    while body != model.jnt_bodyid[0]:
        length_m += float(np.linalg.norm(model.body_pos[body]))
        body = model.body_parentid[body]
    return data.xanchor[0].copy(), length_m


def _arm_model(profile: RobotProfile, arm: ArmProfile) -> mujoco.MjModel:
    description = profile.description
    resting = LinkPoses(description)
    resting.update(profile.home)
    chain = description.chain(arm.tool_link)
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    body = spec.worldbody
    for joint in chain:
        body = body.add_body(name=joint.child, pos=joint.origin.xyz, mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
        body.explicitinertial = True
        rotation = joint.origin.rotation
        if joint.moves and joint.name not in arm.joints:
            raise ValueError(f'{joint.name} carries the arm {arm.name} but is none of its joints')
        body.quat = quaternion_wxyz(rotation)
        if joint.moves:
            body.add_joint(
                name=joint.name,
                type=mujoco.mjtJoint.mjJNT_HINGE if joint.kind == 'revolute' else mujoco.mjtJoint.mjJNT_SLIDE,
                axis=joint.axis,
                range=(joint.lower, joint.upper),
                limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            )
    tool = body.add_site(name=TOOL, pos=arm.tool.xyz)
    tool.quat = quaternion_wxyz(rotation_from_rpy(arm.tool.rpy))
    resting.update(profile.home | dict(zip(arm.hand.joints, arm.hand.point, strict=True)))
    hand_rotation, hand_position = resting.link_pose(arm.tool_link)
    ray_rotation, ray_position = resting.frame_pose(arm.hand.pointer_link, arm.hand.pointer)
    pointer = body.add_site(name=POINTER, pos=hand_rotation.T @ (ray_position - hand_position))
    pointer.quat = quaternion_wxyz(hand_rotation.T @ ray_rotation)
    model = spec.compile()
    names = tuple(model.joint(index).name for index in range(model.njnt))
    if names != arm.joints:
        raise ValueError(f'joints of the arm {arm.name} must be listed from the base outwards: {names}')
    return model
