"""Collision checks of whole trajectories in MuJoCo, on a model that is compiled once.

The model has the robot, the table and a fixed number of obstacles, which a snapshot moves and resizes, so nothing is
compiled again. Perceived objects are represented by boxes and upright cylinders that contain them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from action_node.motion.config import MotionConfig
from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

SLOTS = 48
TABLE = 'table'
CARRIED = 'carried'

_BASE, _TABLE, _OBSTACLE = 1, 2, 4
_ARM = {'left': 8, 'right': 16}
_HAND = {'left': 32, 'right': 64}
_LOAD = {'left': 128, 'right': 256}
_FAR_BELOW_M = -50.0
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)
# How much closer two solids may come while they separate: a straight line in joint space is not quite straight for the
# hand.
_BEND_M = 0.001
# Pairs of links that overlap in more than this share of random postures are not checked against each other.
_POSTURES = 100
_ALWAYS = 0.95

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Solid:
    """An obstacle: a box (full extents) or an upright cylinder (extents of its bounding box).

    It is turned by `yaw_rad` about the vertical; `centre_m` is in the world frame. `hollow`: open at the top, like a
    bowl.
    """

    name: str
    centre_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    round: bool = False
    yaw_rad: float = 0.0
    hollow: bool = False

    @property
    def top_m(self) -> float:
        """World z of its highest point."""
        return self.centre_m[2] + self.size_m[2] / 2


@dataclass(frozen=True, slots=True)
class ClearanceViolation:
    """Two solids closer than allowed; `distance_m` is negative if they overlap."""

    first: str
    second: str
    distance_m: float

    def __str__(self) -> str:
        if self.distance_m < 0:
            return f'{self.first} would run into {self.second} by {-self.distance_m * 1000:.0f} mm'
        return f'{self.first} would come within {self.distance_m * 1000:.0f} mm of {self.second}'


@dataclass(frozen=True, slots=True)
class ContactAllowance:
    """Allows solids of the robot (geom ids) within `least_m` of an obstacle; below 0 they may press on it."""

    geoms: frozenset[int]
    name: str
    least_m: float = -1.0


@dataclass(frozen=True, slots=True)
class Leeway:
    """Pairs that are already too close at the start may separate, but not approach by more than 1 mm.

    Once a pair has reached its clearance, it must keep it. This is for motions that lead away, upwards: solids that
    overlap and slide along each other do not count as approaching.

    Attributes:
        overlap_m: pairs that overlap by more than this are excluded.
        robot: whether it also applies to pairs of the robot's own solids.
    """

    overlap_m: float
    robot: bool = False


class CollisionChecker:
    """Checks motions against the robot itself and the obstacles of `set_scene`. Not safe for two threads at once."""

    def __init__(self, profile: RobotProfile, config: MotionConfig) -> None:
        self._profile = profile
        self._config = config
        self._model = _checking_model(profile, config)
        self._data = mujoco.MjData(self._model)
        model = self._model
        self._slots = [model.geom(f'slot {index}').id for index in range(SLOTS)]
        self._slot_names = [''] * SLOTS
        self._loads = {arm: model.geom(f'{CARRIED} {arm}').id for arm in profile.arms}
        self._kept: dict[str, tuple[Array, Array, str]] = {}
        self._palms = {arm: model.body(profile.arms[arm].tool_link).id for arm in profile.arms}
        self._followers = [
            (model.joint(joint.name).qposadr[0], model.joint(joint.mimic.joint).qposadr[0], joint.mimic)
            for joint in profile.description.followers
            if joint.mimic is not None
        ]
        self._addresses = {joint.name: int(model.joint(joint.name).qposadr[0]) for joint in profile.moving_joints}
        self._hand_geoms = {arm: self._geoms_of(profile.hand_links(arm)) for arm in profile.arms}
        self._names = [model.geom(index).name.rsplit('/', 1)[0] for index in range(model.ngeom)]
        self._table = model.geom(TABLE).id
        self._moved = {arm: self._moved_by(arm) for arm in profile.arms}
        self._overlapping = self._always_overlapping()

    @property
    def hand_geoms(self) -> Mapping[str, frozenset[int]]:
        """The solids of each arm's hand."""
        return self._hand_geoms

    def columns(self, joints: Sequence[str]) -> Array:
        """Indices of joints in the model's position vector."""
        return np.array([self._addresses[name] for name in joints])

    def positions(self, joint_positions: Mapping[str, float]) -> Array:
        """The model's position vector; joints that are not given are at home."""
        vector: Array = self._model.qpos0.copy()
        for name, value in {**self._profile.home, **joint_positions}.items():
            if name in self._addresses:
                vector[self._addresses[name]] = value
        return vector

    def set_scene(self, solids: Sequence[Solid]) -> None:
        """Sets the obstacles to keep away from, and empties the hands.

        Raises:
            ValueError: there are more solids than slots.
        """
        if len(solids) > SLOTS:
            raise ValueError(f'at most {SLOTS} obstacles can be avoided, got {len(solids)}')
        for index, geom in enumerate(self._slots):
            body = int(self._model.geom_bodyid[geom])
            mocap = int(self._model.body_mocapid[body])
            if index >= len(solids):
                self._slot_names[index] = ''
                self._data.mocap_pos[mocap] = (0.0, 0.0, _FAR_BELOW_M - index)
                continue
            solid = solids[index]
            self._slot_names[index] = solid.name
            self._names[geom] = solid.name
            self._data.mocap_pos[mocap] = solid.centre_m
            self._data.mocap_quat[mocap] = (np.cos(solid.yaw_rad / 2), 0.0, 0.0, np.sin(solid.yaw_rad / 2))
            self._resize(geom, solid.size_m, solid.round)
        for arm in self._loads:
            self.carry(arm, None)

    def carry(self, arm: str, solid: Solid | None, joint_positions: Array | None = None) -> None:
        """Attaches a solid to a hand; None empties the hand.

        The solid's position is given for the robot standing at `joint_positions` (nq,). A carried solid is no longer an
        obstacle in a slot.
        """
        geom = self._loads[arm]
        body = int(self._model.geom_bodyid[geom])
        if solid is None or joint_positions is None:
            self._kept[arm] = (self._model.body_pos[body].copy(), self._model.body_quat[body].copy(), self._names[geom])
            self._model.body_pos[body] = (0.0, 0.0, _FAR_BELOW_M)
            self._model.body_quat[body] = _UPRIGHT
            self._names[geom] = CARRIED
            return
        self.remove(solid.name)
        self._place(joint_positions)
        palm = self._palms[arm]
        rotation, position = self._data.xmat[palm].reshape(3, 3), self._data.xpos[palm]
        self._model.body_pos[body] = rotation.T @ (np.array(solid.centre_m) - position)
        turn = np.array([np.cos(solid.yaw_rad / 2), 0.0, 0.0, np.sin(solid.yaw_rad / 2)])
        inverse = np.zeros(4)
        mujoco.mju_negQuat(inverse, self._data.xquat[palm])
        result = np.zeros(4)
        mujoco.mju_mulQuat(result, inverse, turn)
        self._model.body_quat[body] = result
        self._resize(geom, solid.size_m, solid.round)
        self._names[geom] = solid.name

    def restore_load(self, arm: str) -> None:
        """Undoes the last `carry(arm, None)`."""
        body = int(self._model.geom_bodyid[self._loads[arm]])
        self._model.body_pos[body], self._model.body_quat[body], self._names[self._loads[arm]] = self._kept[arm]

    def remove(self, name: str) -> None:
        """Removes the obstacle with this name."""
        for index, slot_name in enumerate(self._slot_names):
            if slot_name == name:
                mocap = int(self._model.body_mocapid[self._model.geom_bodyid[self._slots[index]]])
                self._data.mocap_pos[mocap] = (0.0, 0.0, _FAR_BELOW_M - index)
                self._slot_names[index] = ''

    def first_touch(
        self,
        positions: Array,
        *,
        arm: str | None = None,
        may_touch: Collection[ContactAllowance] = (),
        leeway: Leeway | None = None,
        leeway_rows: int | None = None,
    ) -> ClearanceViolation | None:
        """The first pair that comes too close along rows of position vectors (n, nq); None if none does.

        Args:
            positions: rows to check, in the order of time.
            arm: the arm that moves; pairs that do not move with it are left out. None: all pairs are checked.
            may_touch: permitted contacts.
            leeway: for pairs that are too close in the first row; None: no pair may be too close.
            leeway_rows: number of rows for which the leeway applies; None: all.
        """
        parting: dict[Pair, float] = {}
        for index, row in enumerate(positions):
            near = self._too_near(row, may_touch, arm)
            if index == 0 and leeway is not None:
                parting = {pair: gap - _BEND_M for pair, gap in near.items() if self._may_part(pair, gap, leeway)}
            if leeway_rows is not None and index >= leeway_rows:
                parting = {}
            for (first, second), distance in near.items():
                if distance < parting.get((first, second), np.inf):
                    mover, other = (second, first) if self._is_thing(first) else (first, second)
                    return ClearanceViolation(self._names[mover], self._names[other], distance)
            parting = {pair: max(least, near[pair] - _BEND_M) for pair, least in parting.items() if pair in near}
        return None

    def beside(self, geoms: Collection[int], positions: Array) -> list[str]:
        """Names of the obstacles too close to `geoms` of the robot at a position vector (nq,), the nearest first."""
        gaps: dict[str, float] = {}
        for pair, distance in self._too_near(positions).items():
            for one, other in (pair, pair[::-1]):
                if one in geoms and other in self._slots:
                    name = self._names[other]
                    gaps[name] = min(distance, gaps.get(name, np.inf))
        return sorted(gaps, key=lambda name: gaps[name])

    def _may_part(self, pair: Pair, distance_m: float, leeway: Leeway) -> bool:
        return distance_m >= -leeway.overlap_m and (leeway.robot or any(self._is_thing(geom) for geom in pair))

    def _too_near(
        self, positions: Array, may_touch: Collection[ContactAllowance] = (), arm: str | None = None
    ) -> dict[Pair, float]:
        """Distances of the pairs of solids that are closer than allowed."""
        self._place(positions)
        mujoco.mj_collision(self._model, self._data)
        found: dict[Pair, float] = {}
        if self._data.ncon == 0:
            return found
        contact = self._data.contact
        pairs, distances = contact.geom, contact.dist
        near = (distances < self._required(pairs)) & ~self._overlapping[pairs[:, 0], pairs[:, 1]]
        if arm is not None:
            near &= self._moved[arm][pairs].any(axis=1)
        for index in np.flatnonzero(near):
            first, second = int(pairs[index, 0]), int(pairs[index, 1])
            distance = float(distances[index])
            if not self._allowed(first, second, distance, may_touch):
                found[first, second] = min(distance, found.get((first, second), np.inf))
        return found

    def _always_overlapping(self) -> NDArray[np.bool_]:
        """Which pairs of the robot's geoms (n, n) overlap in nearly every posture, because links are modelled too big.

        Found with a fixed set of random postures, like in MoveIt's setup assistant.
        """
        model, draw = self._model, np.random.default_rng(0)
        counts = np.zeros((model.ngeom, model.ngeom))
        for row in draw.uniform(model.jnt_range[:, 0], model.jnt_range[:, 1], size=(_POSTURES, model.nq)):
            self._place(row)
            mujoco.mj_collision(model, self._data)
            deep = self._data.contact.geom[self._data.contact.dist < 0.0] if self._data.ncon else ()
            for first, second in {(int(a), int(b)) for a, b in deep}:
                counts[first, second] += 1
        overlapping = counts + counts.T > _ALWAYS * _POSTURES
        things = [self._table, *self._slots, *self._loads.values()]
        overlapping[things, :] = overlapping[:, things] = False
        return np.asarray(overlapping)

    def _required(self, pairs: Array) -> Array:
        table = (pairs == self._table).any(axis=1)
        required: Array = np.where(table, self._config.table_clearance_m * 0.8, self._config.clearance_m)
        return required

    def _allowed(self, first: int, second: int, distance_m: float, may_touch: Collection[ContactAllowance]) -> bool:
        names = self._names
        return any(
            distance_m >= permit.least_m
            and (
                (first in permit.geoms and names[second] == permit.name)
                or (second in permit.geoms and names[first] == permit.name)
            )
            for permit in may_touch
        )

    def _is_thing(self, geom: int) -> bool:
        return geom == self._table or geom in self._slots

    def _place(self, positions: Array) -> None:
        self._data.qpos[:] = positions
        for follower, leader, mimic in self._followers:
            self._data.qpos[follower] = mimic.multiplier * positions[leader] + mimic.offset
        mujoco.mj_kinematics(self._model, self._data)

    def _moved_by(self, arm: str) -> NDArray[np.bool_]:
        """Which geoms move with an arm: its links, its hand, and the object that it carries."""
        links = (*self._profile.arm_links(arm), *self._profile.hand_links(arm))
        moved = np.zeros(self._model.ngeom, bool)
        moved[[*self._geoms_of(links), self._loads[arm]]] = True
        return moved

    def _geoms_of(self, links: Collection[str]) -> frozenset[int]:
        bodies = {self._model.body(link).id for link in links}
        return frozenset(index for index in range(self._model.ngeom) if int(self._model.geom_bodyid[index]) in bodies)

    def _resize(self, geom: int, size_m: tuple[float, float, float], is_round: bool) -> None:
        """Resizes a solid in place, with the bounds by which MuJoCo skips pairs that are far apart."""
        model = self._model
        x, y, z = (extent / 2 for extent in size_m)
        radius = max(x, y)
        model.geom_type[geom] = mujoco.mjtGeom.mjGEOM_CYLINDER if is_round else mujoco.mjtGeom.mjGEOM_BOX
        model.geom_size[geom] = (radius, z, 0.0) if is_round else (x, y, z)
        half = (radius, radius, z) if is_round else (x, y, z)
        model.geom_rbound[geom] = float(np.linalg.norm(half))
        model.geom_aabb[geom] = (0.0, 0.0, 0.0, *half)
        address = model.body_bvhadr[model.geom_bodyid[geom]]
        if address >= 0:
            model.bvh_aabb[address] = (0.0, 0.0, 0.0, *half)


def _checking_model(profile: RobotProfile, config: MotionConfig) -> mujoco.MjModel:
    spec = robot_spec(profile)
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    for geom in spec.geoms:
        group, mask = _group(profile, geom.name.rsplit('/', 1)[0])
        geom.contype, geom.conaffinity = group, mask
        geom.margin = config.clearance_m if group in _ARM.values() else 0.0
    movers = sum(_ARM.values()) + sum(_HAND.values()) + sum(_LOAD.values())
    (x_low, x_high), (y_low, y_high) = config.table_x_m, config.table_y_m
    thickness = 0.04
    spec.worldbody.add_geom(
        name=TABLE,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=((x_high - x_low) / 2, (y_high - y_low) / 2, thickness / 2),
        pos=((x_high + x_low) / 2, (y_high + y_low) / 2, profile.table_top_m - thickness / 2),
        contype=_TABLE,
        conaffinity=movers,
        margin=config.table_clearance_m,
    )
    for index in range(SLOTS):
        body = spec.worldbody.add_body(name=f'slot {index}', mocap=True, pos=(0.0, 0.0, _FAR_BELOW_M - index))
        body.add_geom(
            name=f'slot {index}',
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=(0.01, 0.01, 0.01),
            contype=_OBSTACLE,
            conaffinity=movers,
            margin=config.clearance_m,
        )
    for arm in profile.arms:
        palm = spec.body(profile.arms[arm].tool_link)
        body = palm.add_body(name=f'{CARRIED} {arm}', pos=(0.0, 0.0, _FAR_BELOW_M))
        others = [name for name in profile.arms if name != arm]
        mask = _BASE | _TABLE | _OBSTACLE | _ARM[arm] | sum(_ARM[o] | _HAND[o] | _LOAD[o] for o in others)
        body.add_geom(
            name=f'{CARRIED} {arm}',
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=(0.01, 0.01, 0.01),
            mass=0.0,
            contype=_LOAD[arm],
            conaffinity=mask,
        )
    return spec.compile()


def _group(profile: RobotProfile, link: str) -> tuple[int, int]:
    """The collision group of a link's solids, and the groups against which they are checked."""
    for arm in profile.arms:
        others = [name for name in profile.arms if name != arm]
        strangers = _BASE | _TABLE | _OBSTACLE | sum(_ARM[o] | _HAND[o] | _LOAD[o] for o in others)
        if link in profile.hand_links(arm):
            return _HAND[arm], strangers | _ARM[arm]
        if link in profile.arm_links(arm):
            return _ARM[arm], strangers | _ARM[arm] | _HAND[arm] | _LOAD[arm]
    return _BASE, sum(_ARM.values()) + sum(_HAND.values()) + sum(_LOAD.values())
