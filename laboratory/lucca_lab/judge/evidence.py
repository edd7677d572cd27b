"""Evidence in a trace: which bodies touched, by the scene's geometry, and what could have moved each object."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import mujoco
import numpy as np
import numpy.typing as npt

from lucca_lab.judge.traces import Floats, SimulationTrace
from lucca_robot.profile import RobotProfile
from lucca_sim.mujoco_world import build_world
from lucca_sim.scene import Scene

Mask = npt.NDArray[np.bool_]

NEAR_M = 0.004
"""Largest gap between the bodies of a pair that is examined."""

TOUCH_M = 0.0015
"""Bodies closer than this may have pushed each other: they may have touched between two samples, which are 20 ms
apart."""

REST_MPS = 0.01


@dataclass(frozen=True)
class Touches:
    """The m pairs of neighbouring bodies; at least one body of each pair is an object.

    rows (m,): sample; columns (m,): object; others (m,): number of the other body in the world model; normals (m, 3):
    point into the object, at the deepest point; lifts (m,): the largest upward z of the normals at all points, since a
    box may touch from the side and from below; gaps_m (m,): negative if the two overlap. A pair of two objects is
    listed twice, once for each object.
    """

    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    others: npt.NDArray[np.int64]
    normals: Floats
    lifts: Floats
    gaps_m: Floats


@dataclass(frozen=True)
class NearPairs:
    """The m pairs of neighbouring bodies; at least one body of each pair is an object.

    rows (m,): sample; bodies (m, 2): numbers; normals (m, 3): from the first body to the second, at the deepest point;
    lowest_z and highest_z (m,): range of z of the normals at all points; gaps_m (m,): at the deepest point.
    """

    rows: npt.NDArray[np.int64]
    bodies: npt.NDArray[np.int64]
    normals: Floats
    lowest_z: Floats
    highest_z: Floats
    gaps_m: Floats


@dataclass(frozen=True)
class _Contacts:
    """The m points at which bodies are near. Normals point from the first body to the second."""

    rows: npt.NDArray[np.int64]
    bodies: npt.NDArray[np.int64]
    normals: Floats
    gaps_m: Floats

    def __getitem__(self, chosen: npt.NDArray[np.int64]) -> '_Contacts':
        return _Contacts(self.rows[chosen], self.bodies[chosen], self.normals[chosen], self.gaps_m[chosen])

    def by_pairs(self) -> NearPairs:
        """One entry for each two bodies of a sample."""
        first, second = np.sort(self.bodies, axis=1).T
        # By sample and pair, then by distance: the first contact of each pair is its deepest.
        order = np.lexsort((self.gaps_m, second, first, self.rows))
        contacts, first, second = self[order], first[order], second[order]
        keys = np.stack([contacts.rows, first, second])
        begins = np.ones(len(order), dtype=bool)
        begins[1:] = (np.diff(keys, axis=1) != 0).any(axis=0)
        starts = np.flatnonzero(begins)
        deepest = contacts[starts]
        same = np.where((contacts.bodies == deepest.bodies[np.cumsum(begins) - 1]).all(axis=1), 1.0, -1.0)
        heights = same * contacts.normals[:, 2]
        return NearPairs(
            rows=deepest.rows,
            bodies=deepest.bodies,
            normals=deepest.normals,
            lowest_z=np.minimum.reduceat(heights, starts) if len(starts) else heights,
            highest_z=np.maximum.reduceat(heights, starts) if len(starts) else heights,
            gaps_m=deepest.gaps_m,
        )


@dataclass(frozen=True)
class RobotOverlaps:
    """The m overlaps of a link with something fixed or with a link of the other arm.

    rows (m,): sample; bodies (m, 2): numbers in the world model; depths_m (m,).
    """

    rows: npt.NDArray[np.int64]
    bodies: npt.NDArray[np.int64]
    depths_m: Floats


class World:
    """The scene's geometry. It can be put into any state of a trace, but is never simulated."""

    def __init__(self, scene: Scene, profile: RobotProfile, trace: SimulationTrace) -> None:
        self.model = build_world(scene, profile).compile()
        self.data = mujoco.MjData(self.model)
        model = self.model
        self.bodies = np.array([model.body(name).id for name in trace.object_names], dtype=int)
        self.column_of = np.full(model.nbody, -1)
        self.column_of[self.bodies] = np.arange(len(self.bodies))
        self.side_of = np.full(model.nbody, '', dtype='<U16')
        for side in profile.arms:
            self.side_of[[model.body(link).id for link in profile.arm_links(side)]] = side
        self.finger_of = np.full(model.nbody, '', dtype='<U16')
        for side in profile.arms:
            self.finger_of[[model.body(link).id for link in profile.finger_links(side)]] = side
        self.palm_of = {side: model.body(arm.tool_link).id for side, arm in profile.arms.items()}
        starts = np.array([model.jnt_qposadr[model.joint(name).id] for name in trace.object_names], dtype=int)
        self._object_qpos = starts[:, None] + np.arange(7)
        self._joint_qpos = np.array([model.jnt_qposadr[model.joint(name).id] for name in trace.joint_names], dtype=int)
        # MuJoCo's tree of a link with several solids ignores the margins set below and would hide pairs within them.
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
        for body in self.bodies:
            first = model.body_geomadr[body]
            model.geom_margin[first : first + model.body_geomnum[body]] = NEAR_M

    def put(self, positions_m: Floats, orientations_wxyz: Floats, joints: Floats) -> None:
        """Puts objects and joints into the state of one sample."""
        self.data.qpos[self._object_qpos] = np.hstack([positions_m, orientations_wxyz])
        self.data.qpos[self._joint_qpos] = joints
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def contacts(self, row: int = 0) -> _Contacts:
        """All points at which two bodies are near in the current state, that of sample `row`."""
        mujoco.mj_collision(self.model, self.data)
        contact = self.data.contact
        bodies = self.model.geom_bodyid[contact.geom.reshape(-1, 2)].astype(np.int64)
        return _Contacts(
            np.full(len(bodies), row), bodies, contact.frame.reshape(-1, 9)[:, :3].copy(), contact.dist.copy()
        )

    def near_pairs(self, contacts: _Contacts | None = None) -> NearPairs:
        """All pairs of an object and a body near it among contacts, by default those in the current state."""
        contacts = self.contacts() if contacts is None else contacts
        return contacts[np.flatnonzero((self.column_of[contacts.bodies] >= 0).any(axis=1))].by_pairs()

    def robot_overlaps(self, contacts: _Contacts) -> RobotOverlaps:
        """Those of links with bodies that are not objects."""
        bodies = contacts.bodies
        links = (self.column_of[bodies] < 0).all(axis=1) & (self.side_of[bodies] != '').any(axis=1)
        overlaps = contacts[np.flatnonzero(links & (contacts.gaps_m < 0))]
        return RobotOverlaps(overlaps.rows, overlaps.bodies, -overlaps.gaps_m)

    def points_between(self, first: int, second: int) -> tuple[Floats, Floats]:
        """Normals (m, 3) from the first body to the second, and depths (m,), at all points where they are near."""
        mujoco.mj_collision(self.model, self.data)
        contact = self.data.contact
        bodies = self.model.geom_bodyid[contact.geom.reshape(-1, 2)]
        mine = np.flatnonzero((np.sort(bodies, axis=1) == sorted((first, second))).all(axis=1))
        signs = np.where(bodies[mine, 0] == first, 1.0, -1.0)
        return signs[:, None] * contact.frame.reshape(-1, 9)[mine, :3], -contact.dist[mine]

    def points_on(self, body: int) -> tuple[Floats, Floats]:
        """Points (m, 3) at which a body is touched in the current state, and normals (m, 3) that point into it."""
        mujoco.mj_collision(self.model, self.data)
        contact = self.data.contact
        bodies = self.model.geom_bodyid[contact.geom.reshape(-1, 2)]
        mine = np.flatnonzero((bodies == body).any(axis=1) & (contact.dist <= TOUCH_M))
        signs = np.where(bodies[mine, 1] == body, 1.0, -1.0)
        return contact.pos[mine].copy(), signs[:, None] * contact.frame.reshape(-1, 9)[mine, :3]


class Evidence:
    """A trace together with the geometry of its scene. Each derived quantity is computed once."""

    def __init__(self, trace: SimulationTrace, scene: Scene, profile: RobotProfile) -> None:
        self.trace = trace
        self.scene = scene
        self.profile = profile
        self.world = World(scene, profile, trace)

    @cached_property
    def step_s(self) -> Floats:
        """(n - 1,), time from each sample to the next."""
        return np.asarray(np.diff(self.trace.time_s))

    @cached_property
    def speeds_mps(self) -> Floats:
        """(n, k), from positions: the speed since the last sample or to the next, whichever is larger."""
        ways = np.linalg.norm(np.diff(self.trace.object_positions_m, axis=0), axis=2) / self.step_s[:, None]
        edge = np.zeros((1, ways.shape[1]))
        return np.asarray(np.maximum(np.vstack([ways, edge]), np.vstack([edge, ways])))

    @cached_property
    def resting(self) -> Mask:
        """(n, k), true where an object does not move within 0.1 s before and after the sample."""
        return _eroded(self.speeds_mps < REST_MPS, 5)

    @cached_property
    def touches(self) -> Touches:
        """Every pair of an object and a body near it, at every sample."""
        trace, world = self.trace, self.world
        parts = []
        for row in range(len(trace.time_s)):
            world.put(
                trace.object_positions_m[row], trace.object_orientations_wxyz[row], trace.joint_positions_rad[row]
            )
            parts.append(world.contacts(row))
        contacts = _Contacts(
            *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(_Contacts))
        )
        self._overlaps = world.robot_overlaps(contacts)
        near = world.near_pairs(contacts)
        columns = world.column_of[near.bodies]
        # Once for each object of a pair.
        pair, side = np.nonzero(columns >= 0)
        sign = np.where(side == 1, 1.0, -1.0)
        return Touches(
            rows=near.rows[pair],
            columns=columns[pair, side],
            others=near.bodies[pair, 1 - side],
            normals=sign[:, None] * near.normals[pair],
            lifts=np.where(side == 1, near.highest_z[pair], -near.lowest_z[pair]),
            gaps_m=near.gaps_m[pair],
        )

    @property
    def robot_overlaps(self) -> RobotOverlaps:
        """Overlaps of the robot with fixed bodies or with its other arm. They are found together with `touches`."""
        assert self.touches is not None
        return self._overlaps

    @cached_property
    def touched(self) -> Mask:
        """(n, k), true where anything is near an object or holds it."""
        mask = self.trace.attached.copy()
        mask[self.touches.rows, self.touches.columns] = True
        return mask

    @cached_property
    def driven(self) -> Mask:
        """(n, k), true where the robot could have moved an object, directly or through objects that touch it."""
        touches = self.touches
        close = touches.gaps_m <= TOUCH_M
        rows, columns, others = touches.rows[close], touches.columns[close], touches.others[close]
        driven = self.trace.attached.copy()
        robot = self.world.side_of[others] != ''
        driven[rows[robot], columns[robot]] = True
        object_of = self.world.column_of[others]
        pairs = object_of >= 0
        rows, columns, object_of = rows[pairs], columns[pairs], object_of[pairs]
        for _ in range(driven.shape[1]):
            passed_on = driven[rows, object_of] & ~driven[rows, columns]
            if not passed_on.any():
                break
            driven[rows[passed_on], columns[passed_on]] = True
        return _dilated(driven, 3)

    @cached_property
    def agitated(self) -> Mask:
        """(n, k), true while the robot, or an object set in motion by it, moves an object, and until that rests."""
        touches = self.touches
        object_of = self.world.column_of[touches.others]
        pairs = np.flatnonzero((object_of >= 0) & (touches.gaps_m <= TOUCH_M))
        starts = np.searchsorted(touches.rows[pairs], np.arange(len(self.trace.time_s) + 1))
        columns, others = touches.columns[pairs], object_of[pairs]
        agitated = self.driven.copy()
        for row in range(1, len(agitated)):
            here = agitated[row] | (agitated[row - 1] & ~self.resting[row])
            first, last = starts[row], starts[row + 1]
            for _ in range(last - first):
                passed_on = (
                    here[others[first:last]] & ~here[columns[first:last]] & ~self.resting[row][others[first:last]]
                )
                if not passed_on.any():
                    break
                here[columns[first:last][passed_on]] = True
            agitated[row] = here
        return agitated

    @cached_property
    def alone(self) -> Mask:
        """(n, k), true where no other object is near an object, also one sample before and after."""
        mask = np.ones_like(self.trace.attached)
        objects = self.world.column_of[self.touches.others] >= 0
        mask[self.touches.rows[objects], self.touches.columns[objects]] = False
        return _eroded(mask, 1)

    @cached_property
    def supported(self) -> Mask:
        """(n, k), true where something pushes an object upwards."""
        mask = np.zeros_like(self.trace.attached)
        up = (self.touches.lifts > 0.05) & (self.touches.gaps_m <= TOUCH_M)
        mask[self.touches.rows[up], self.touches.columns[up]] = True
        return mask

    @cached_property
    def by_scene(self) -> Mask:
        """(n, k), true where an object is near any body but the robot."""
        return self._beside_scene(NEAR_M)

    @cached_property
    def on_scene(self) -> Mask:
        """(n, k), true where an object touches any body but the robot."""
        return self._beside_scene(TOUCH_M)

    def _beside_scene(self, gap_m: float) -> Mask:
        mask = np.zeros_like(self.trace.attached)
        near = (self.world.side_of[self.touches.others] == '') & (self.touches.gaps_m <= gap_m)
        mask[self.touches.rows[near], self.touches.columns[near]] = True
        return mask

    @cached_property
    def sunk_m(self) -> Floats:
        """(n, k), how deep an object is in what pushes it up. Contacts are springs, which lift it out again."""
        sunk = np.zeros(self.trace.attached.shape)
        touches = self.touches
        np.maximum.at(sunk, (touches.rows, touches.columns), touches.lifts * np.maximum(0.0, -touches.gaps_m))
        return sunk


def runs_of(mask: npt.NDArray[np.bool_] | Sequence[bool], least: int = 1) -> list[tuple[int, int]]:
    """Half-open ranges of at least `least` samples in which a mask (n,) is true throughout."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(mask, dtype=np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= least]


def _dilated(mask: Mask, rows: int) -> Mask:
    result = mask.copy()
    for shift in range(1, rows + 1):
        result[shift:] |= mask[:-shift]
        result[:-shift] |= mask[shift:]
    return result


def _eroded(mask: Mask, rows: int) -> Mask:
    return ~_dilated(~mask, rows)
