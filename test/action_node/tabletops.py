"""Random tables, what is perceived of them, and the truth in which a plan is played point by point."""

import dataclasses
import functools

import mujoco
import numpy as np

from action_node.motion.motion_plan import MotionPlan
from action_node.motion.planner import MotionPlanner
from action_node.motion.trajectory import positions_at
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import load_profile

TOP = 0.8
PROFILES = {name: load_profile(name) for name in ('nicol', 'two_six_dof')}
CONTAINERS = (
    Container(name='box 1', position_world_m=(0.3, 0.115, TOP), size_m=(0.22, 0.2, 0.085)),
    Container(name='box 2', position_world_m=(0.3, -0.115, TOP), size_m=(0.22, 0.2, 0.085)),
    Container(name='tower', position_world_m=(0.54, 0.0, TOP), size_m=(0.11, 0.11, 0.004)),
    Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, TOP), size_m=(0.32, 1.94, 0.0)),
)
SIZES = {
    'sphere': [(0.062, 0.062, 0.062), (0.07, 0.07, 0.07)],
    'box': [(0.045, 0.045, 0.045), (0.078, 0.056, 0.036), (0.09, 0.05, 0.05)],
    'cylinder': [(0.058, 0.058, 0.092), (0.068, 0.068, 0.075), (0.104, 0.104, 0.042)],
}


@functools.cache
def planner(name: str) -> MotionPlanner:
    return MotionPlanner(PROFILES[name])


@dataclasses.dataclass(frozen=True)
class Thing:
    name: str
    shape: str
    size_m: tuple[float, float, float]
    x: float
    y: float
    yaw: float

    @property
    def centre(self) -> np.ndarray:
        return np.array([self.x, self.y, TOP + self.size_m[2] / 2])


def random_table(seed: int, count: int) -> list[Thing]:
    rng = np.random.default_rng(seed)
    things: list[Thing] = []
    for index in range(400):
        x, y = rng.uniform(0.24, 0.6), rng.choice([-1, 1]) * rng.uniform(0.13, 0.48)
        in_box = x < 0.5 and abs(y) < 0.31
        if in_box or (x > 0.4 and abs(y) < 0.15) or any(np.hypot(x - t.x, y - t.y) < 0.12 for t in things):
            continue
        shape = str(rng.choice(list(SIZES)))
        size = SIZES[shape][rng.integers(len(SIZES[shape]))]
        things.append(Thing(f'thing {index}', shape, size, float(x), float(y), float(rng.uniform(-3, 3))))
        if len(things) == count:
            break
    return things


def seen(things: list[Thing], seed: int, noise_m: float = 0.002) -> Snapshot:
    rng = np.random.default_rng(seed)
    objects = []
    for thing in things:
        x, y, z = thing.centre + rng.normal(size=3) * noise_m
        turn = (0.0, 0.0, float(np.sin(thing.yaw / 2)), float(np.cos(thing.yaw / 2)))
        objects.append(
            TableObject(
                object_id=thing.name,
                name=thing.name,
                label='thing',
                pose_world=Pose((float(x), float(y), float(z)), turn),
                size_m=thing.size_m,
            )
        )
    return Snapshot(objects=tuple(objects), containers=CONTAINERS)


class Truth:
    """A model of the table as it really is, in which a plan is played point by point."""

    def __init__(self, name: str, things: list[Thing]) -> None:
        self.profile = PROFILES[name]
        spec = robot_spec(self.profile)
        world = spec.worldbody
        box = mujoco.mjtGeom.mjGEOM_BOX
        world.add_geom(name='table', type=box, size=(0.48, 0.97, 0.02), pos=(0.5, 0.0, TOP - 0.02))
        for container in CONTAINERS[:3]:
            (x, y, _), (sx, sy, sz) = container.position_world_m, container.size_m
            walls = [((sx / 2, sy / 2, 0.002), (x, y, TOP + 0.002))]
            if container.name.startswith('box'):
                for side in (-1, 1):
                    walls.append(((0.003, sy / 2, sz / 2), (x + side * (sx / 2 - 0.003), y, TOP + sz / 2)))
                    walls.append(((sx / 2, 0.003, sz / 2), (x, y + side * (sy / 2 - 0.003), TOP + sz / 2)))
            for index, (size, pos) in enumerate(walls):
                world.add_geom(name=f'{container.name}/{index}', type=box, size=size, pos=pos)
        kinds = {'sphere': mujoco.mjtGeom.mjGEOM_SPHERE, 'box': box, 'cylinder': mujoco.mjtGeom.mjGEOM_CYLINDER}
        for thing in things:
            x, y, z = (extent / 2 for extent in thing.size_m)
            body = world.add_body(name=thing.name, pos=thing.centre)
            body.add_freejoint()
            body.quat = (np.cos(thing.yaw / 2), 0.0, 0.0, np.sin(thing.yaw / 2))
            size = {'sphere': (x, 0, 0), 'box': (x, y, z), 'cylinder': (x, z, 0)}[thing.shape]
            body.add_geom(name=thing.name, type=kinds[thing.shape], size=size)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.things = {thing.name for thing in things}
        self.address = {j.name: int(self.model.joint(j.name).qposadr[0]) for j in self.profile.moving_joints}
        for joint, value in self.profile.home.items():
            self.data.qpos[self.address[joint]] = value
        self.hands = {arm: set(self.profile.hand_links(arm)) for arm in self.profile.arms}
        self._names = [self._name(geom) for geom in range(self.model.ngeom)]

    def stand(self, joints: dict[str, float]) -> None:
        for joint, value in joints.items():
            self.data.qpos[self.address[joint]] = value
        mujoco.mj_kinematics(self.model, self.data)

    def touches(self, plan: MotionPlan, held: str, *, carrying: bool = False) -> list[tuple[str, str, str, float]]:
        """All contacts of the whole plan but those of the hand with its object and of that with what it stands on."""
        found = []
        grasped = carrying
        for segment in plan.segments:
            closing = segment.name == 'close'
            addresses = [self.address[joint] for joint in segment.joints]
            for row in positions_at(segment, np.arange(0.0, segment.duration_s, 0.02)):
                relative = self._held_pose(plan.arm, held) if carrying else None
                self.data.qpos[addresses] = row
                if relative is not None:
                    self._put(plan.arm, held, relative)
                mujoco.mj_kinematics(self.model, self.data)
                mujoco.mj_collision(self.model, self.data)
                # Arrays: one object for each contact takes most of the time.
                geoms, distances = self.data.contact.geom, self.data.contact.dist
                for at in np.flatnonzero(distances < 0.0):
                    first, second = (self._names[geom] for geom in geoms[at])
                    if not self._is_fine(plan.arm, first, second, held, closing or grasped):
                        found.append((segment.name, first, second, float(distances[at])))
            if closing:
                carrying = grasped = True
            if segment.name == 'open' and grasped:
                carrying = False
        return found

    def _is_fine(self, arm: str, first: str, second: str, held: str, grasped: bool) -> bool:
        pair = {first, second}
        if held not in pair:
            return pair <= self.things | {'table', 'tower', 'box 1', 'box 2'}
        other = (pair - {held}).pop()
        return (grasped and other in self.hands[arm]) or other in ('table', 'tower')

    def _name(self, geom: int) -> str:
        return str(self.model.geom(int(geom)).name.rsplit('/', 1)[0])

    def _held_pose(self, arm: str, held: str) -> tuple[np.ndarray, np.ndarray]:
        palm, body = self.data.body(self.profile.arms[arm].tool_link), self.data.body(held)
        rotation = palm.xmat.reshape(3, 3)
        return rotation.T @ (body.xpos - palm.xpos), rotation.T @ body.xmat.reshape(3, 3)

    def _put(self, arm: str, held: str, relative: tuple[np.ndarray, np.ndarray]) -> None:
        mujoco.mj_kinematics(self.model, self.data)
        palm = self.data.body(self.profile.arms[arm].tool_link)
        rotation = palm.xmat.reshape(3, 3)
        address = int(self.model.jnt_qposadr[self.model.body(held).jntadr[0]])
        self.data.qpos[address : address + 3] = palm.xpos + rotation @ relative[0]
        turned = np.zeros(4)
        mujoco.mju_mat2Quat(turned, (rotation @ relative[1]).ravel())
        self.data.qpos[address + 3 : address + 7] = turned
