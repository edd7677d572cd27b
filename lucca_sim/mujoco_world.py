"""The MuJoCo world of a scene and a robot, built in code because MuJoCo's XML keeps only six digits."""

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.kinematics import RobotKinematics
from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import RobotProfile
from lucca_sim.scene import Scene
from lucca_sim.scene_elements import SceneObject
from lucca_sim.shapes import Primitive, container_parts, object_parts

CAMERA = 'realsense'
SHOWCASE = 'showcase'

# Collision groups. Links of one arm do not collide with each other, because motions are checked for that beforehand.
_STATIC, _OBJECT, _LEFT, _RIGHT, _BASE = 1, 2, 4, 8, 16
_TURN_DAMPING = 5e-4
_AT_REST_MPS = 1e-3
ROLLING_FRICTION_M = 0.005
"""For round objects: the lever arm of the contact force, in m."""

ROUND = frozenset({'sphere', 'ellipsoid', 'cylinder', 'capsule', 'arc', 'pear'})

_GEOMS = {
    'box': mujoco.mjtGeom.mjGEOM_BOX,
    'sphere': mujoco.mjtGeom.mjGEOM_SPHERE,
    'ellipsoid': mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    'cylinder': mujoco.mjtGeom.mjGEOM_CYLINDER,
    'capsule': mujoco.mjtGeom.mjGEOM_CAPSULE,
}

# The colour camera of a RealSense D415 has about 43 degrees vertically at 640x480; two more degrees give a margin at
# the sides.
CAMERA_FOV_Y_DEG = 45.0
CAMERA_WIDTH, CAMERA_HEIGHT = 640, 480
# Size of a video frame. Stills are rendered twice as large and averaged, which smooths edges.
SHOWCASE_WIDTH, SHOWCASE_HEIGHT = 1280, 720


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraIntrinsics:
    """A pinhole camera in pixels; pixel centres have integer coordinates."""

    width: int = CAMERA_WIDTH
    height: int = CAMERA_HEIGHT
    fov_y_deg: float = CAMERA_FOV_Y_DEG

    @property
    def focal_px(self) -> float:
        """fx and fy."""
        return self.height / 2 / math.tan(math.radians(self.fov_y_deg) / 2)

    @property
    def centre_px(self) -> tuple[float, float]:
        """cx, cy."""
        return (self.width - 1) / 2, (self.height - 1) / 2


def holds_name(side: str, object_name: str) -> str:
    """The name of the weld by which a hand holds an object."""
    return f'{side} holds {object_name}'


def build_world(
    scene: Scene,
    profile: RobotProfile,
    camera_offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
    *,
    looks: bool = False,
) -> mujoco.MjSpec:
    """Builds the world: table, floor, lights, containers, objects, robot, cameras, and inactive welds for grasps.

    Bodies are named after objects, containers and the robot's links, welds by `holds_name`. `camera_offset_m` displaces
    the camera along the world's axes. `looks`: the robot has the meshes that pictures show, see `robot_spec`.
    """
    # The scene is added to the robot, because MuJoCo warns about attaching a robot to a scene without a prefix.
    # Collision groups make the robot's excluded pairs redundant, and searching that list takes time in every step.
    spec = robot_spec(profile, exclude_pairs=False, looks=looks)
    _set_up_robot(spec, profile, camera_offset_m)
    spec.modelname = f'{scene.name} {scene.seed}'
    spec.compiler.degree = False
    spec.option.timestep = 0.004
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    # Friction is soft in this solver: bodies that lean on each other by a thousandth of a radian creep for ever. A
    # higher ratio makes them creep more slowly.
    spec.option.impratio = 10.0
    # An island of bodies slower than this (in m/s) is put to sleep until an awake body touches it.
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    spec.option.sleep_tolerance = _AT_REST_MPS
    _add_looks(spec)
    _add_room(spec, scene)
    for container in scene.containers:
        body = spec.worldbody.add_body(name=container.name, pos=container.position_world_m)
        for index, part in enumerate(container_parts(container)):
            geom = _add_part(body, f'{container.name}/{index}', part, container.rgb)
            geom.contype, geom.conaffinity = _STATIC, 0
            geom.friction = (0.8, 0.005, 0.004)
    for item in scene.objects:
        _add_object(spec, item)
    for side, arm in profile.arms.items():
        for item in scene.objects:
            weld = spec.add_equality(
                name=holds_name(side, item.name),
                type=mujoco.mjtEq.mjEQ_WELD,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=arm.tool_link,
                name2=item.name,
                active=False,
                solref=(0.012, 1.0),
            )
            weld.data[10] = 1.0
    return spec


def rest_pose(model: mujoco.MjModel, profile: RobotProfile) -> NDArray[np.float64]:
    """The qpos with the robot at home and every object at its place in the scene."""
    qpos: NDArray[np.float64] = model.qpos0.copy()
    for name, position in profile.home.items():
        qpos[model.jnt_qposadr[model.joint(name).id]] = position
    return qpos


def _add_looks(spec: mujoco.MjSpec) -> None:
    looks = spec.visual
    looks.global_.offwidth, looks.global_.offheight = 2 * SHOWCASE_WIDTH, 2 * SHOWCASE_HEIGHT
    looks.quality.offsamples = 0  # multisampling makes software rendering three times slower
    looks.quality.shadowsize = 4096
    looks.headlight.ambient = (0.42, 0.42, 0.42)
    looks.headlight.diffuse = (0.18, 0.18, 0.18)
    looks.headlight.specular = (0.0, 0.0, 0.0)
    # Fixed, because these values scale the near and far planes, and the depth resolution must not depend on the
    # objects.
    spec.stat.extent = 1.0
    spec.stat.center = (0.4, 0.0, 0.9)
    looks.map.znear, looks.map.zfar = 0.05, 12.0
    spec.add_texture(
        name='sky',
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.86, 0.89, 0.93),
        rgb2=(0.58, 0.63, 0.70),
        width=128,
        height=768,
    )


def _add_room(spec: mujoco.MjSpec, scene: Scene) -> None:
    world, table = spec.worldbody, scene.table
    # Shadows are rendered only in images for people; without them, the camera's frames are rendered five times faster.
    # The key light hangs inside the robot's frame, so that the frame's shadow falls beside the table.
    key = world.add_light(name='key light', pos=(0.75, -0.35, 2.5), castshadow=True)
    key.type, key.cutoff, key.exponent = mujoco.mjtLightType.mjLIGHT_SPOT, 80.0, 1.0
    key.dir, key.diffuse = (-0.25, 0.2, -1.0), (0.46, 0.46, 0.46)
    fill = world.add_light(name='fill light', pos=(-0.4, 1.6, 3.2), dir=(0.8, -1.6, -2.4), castshadow=False)
    fill.type, fill.diffuse = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, (0.20, 0.20, 0.20)
    key.specular = fill.specular = (0.08, 0.08, 0.08)
    floor = world.add_geom(name='floor', type=mujoco.mjtGeom.mjGEOM_PLANE, size=(4, 4, 0.1), rgba=(0.52, 0.53, 0.55, 1))
    floor.contype, floor.conaffinity = _STATIC, 0
    (x0, x1), (y0, y1) = table.x_m, table.y_m
    thick = 0.04
    plate = world.add_geom(
        name='table',
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=((x1 - x0) / 2, (y1 - y0) / 2, thick / 2),
        pos=((x0 + x1) / 2, (y0 + y1) / 2, table.height_m - thick / 2),
        rgba=(*table.rgb, 1),
    )
    plate.contype, plate.conaffinity = _STATIC, 0
    plate.friction = (0.8, 0.005, 0.004)
    leg = 0.03
    for x in (x0 + leg, x1 - leg):
        for y in (y0 + leg, y1 - leg):
            world.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=(leg, leg, (table.height_m - thick) / 2),
                pos=(x, y, (table.height_m - thick) / 2),
                rgba=(0.25, 0.26, 0.28, 1),
                contype=0,
                conaffinity=0,
            )
    eye = (1.58, -0.86, 1.70)
    showcase = world.add_camera(name=SHOWCASE, pos=eye, fovy=44.0)
    showcase.quat = _looking(eye, (0.20, 0.03, 1.02))


def _add_object(spec: mujoco.MjSpec, item: SceneObject) -> None:
    x, y, z, w = item.pose.orientation_xyzw
    body = spec.worldbody.add_body(name=item.name, pos=item.pose.position_m, quat=(w, x, y, z))
    # Damping stops a turning fruit within a tenth of a second, and hardly affects a falling one.
    body.add_joint(name=item.name, type=mujoco.mjtJoint.mjJNT_FREE, damping=_TURN_DAMPING)
    parts = object_parts(item)
    volume = sum(part.volume_m3 for part in parts)
    for index, part in enumerate(parts):
        geom = _add_part(body, f'{item.name}/{index}', part, item.rgb)
        geom.mass = item.mass_kg * part.volume_m3 / volume
        geom.contype, geom.conaffinity = _OBJECT, _STATIC | _OBJECT | _LEFT | _RIGHT | _BASE
        # Rolling friction (the third number, in m) brings round objects to rest; flat ones need none.
        geom.condim = 6 if item.shape in ROUND else 4
        geom.friction = (0.9, 0.01, ROLLING_FRICTION_M) if item.shape in ROUND else (0.9, 0.005, 0.0001)


def _add_part(body: mujoco.MjsBody, name: str, part: Primitive, rgb: tuple[float, float, float]) -> mujoco.MjsGeom:
    x, y, z = part.size_m
    size = {
        'sphere': (x / 2, 0, 0),
        'cylinder': (x / 2, z / 2, 0),
        'capsule': (x / 2, (z - x) / 2, 0),
    }.get(part.kind, (x / 2, y / 2, z / 2))
    return body.add_geom(
        name=name, type=_GEOMS[part.kind], size=size, pos=part.position_m, quat=part.quat_wxyz, rgba=(*rgb, 1)
    )


def _set_up_robot(robot: mujoco.MjSpec, profile: RobotProfile, camera_offset_m: tuple[float, float, float]) -> None:
    sides = {link: side for side in profile.arms for link in profile.arm_links(side)}
    for geom in robot.geoms:
        if not (geom.contype or geom.conaffinity):
            continue  # only for pictures
        side = sides.get(geom.name.rsplit('/', 1)[0])
        if side is None:
            geom.contype, geom.conaffinity = _BASE, 0
        elif side == 'left':
            geom.contype, geom.conaffinity = _LEFT, _STATIC
        else:
            geom.contype, geom.conaffinity = _RIGHT, _STATIC | _LEFT
    kinematics = RobotKinematics(profile)
    kinematics.update(profile.home)
    rotation, _ = kinematics.camera_pose()
    camera = robot.body(profile.camera_link).add_camera(
        name=CAMERA, pos=rotation.T @ np.array(camera_offset_m), fovy=CAMERA_FOV_Y_DEG
    )
    for side, arm in profile.arms.items():
        tool = robot.body(arm.tool_link).add_site(
            name=f'{side} tool', pos=arm.tool.xyz, size=(0.005, 0.005, 0.005), group=4
        )
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.ascontiguousarray(arm.tool.rotation).ravel())
        tool.quat = quat
    # OpenCV's optical frame looks along +z with y down, MuJoCo's along -z with y up.
    camera.quat = (0.0, 1.0, 0.0, 0.0)
    camera.resolution = (CAMERA_WIDTH, CAMERA_HEIGHT)


def _looking(eye: tuple[float, float, float], target: tuple[float, float, float]) -> NDArray[np.float64]:
    """The orientation (w, x, y, z) of a MuJoCo camera at `eye` that looks at `target` with z up."""
    back = np.array(eye) - np.array(target)
    back /= np.linalg.norm(back)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.column_stack([right, np.cross(back, right), back]).ravel())
    return quat
