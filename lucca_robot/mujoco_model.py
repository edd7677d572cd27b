"""The robot as a MuJoCo specification, built from its description.

It is built in code, because MuJoCo's XML writer keeps only six digits. The compiled model has the same forward
kinematics as `lucca_robot.kinematics`.
"""

import logging
from pathlib import Path

import mujoco
import numpy as np

from lucca_core.errors import ConfigError
from lucca_robot.description import GREY, Joint, Link, LinkShape, MeshLook, RobotDescription
from lucca_robot.mesh_file import resolve
from lucca_robot.mesh_look import MeshPart, parts_of
from lucca_robot.profile import RobotProfile

_LOG = logging.getLogger(__name__)

SHAPE_TYPES = {
    'box': mujoco.mjtGeom.mjGEOM_BOX,
    'sphere': mujoco.mjtGeom.mjGEOM_SPHERE,
    'capsule': mujoco.mjtGeom.mjGEOM_CAPSULE,
    'hull': mujoco.mjtGeom.mjGEOM_MESH,
}

# Servo stiffness in Nm/rad (or N/m) and armature by kind of joint, chosen so that a 4 ms step is stable and the arms,
# which are weightless here, follow a trajectory within millimetres when the velocity is fed forward.
ARM_STIFFNESS = 1500.0
WRIST_STIFFNESS = 300.0
HAND_STIFFNESS = 0.5
ARM_ARMATURE = 0.3
WRIST_ARMATURE = 0.04
HAND_ARMATURE = 0.0004
HAND_FORCE = 0.08
GRIPPER_STIFFNESS = 400.0
GRIPPER_ARMATURE = 0.05
GRIPPER_FORCE = 20.0
_LEAST_MASS_KG, _LEAST_INERTIA = 1e-6, 1e-9
HIDDEN_GROUP = 3
"""The group of solids that pictures do not show; MuJoCo shows groups 0 to 2 unless told otherwise."""
MOST_TRIANGLES = 1_000_000
"""Largest number of triangles with which a robot is shown."""


def robot_spec(profile: RobotProfile, *, exclude_pairs: bool = True, looks: bool = False) -> mujoco.MjSpec:
    """Builds the robot alone, at the world's origin.

    Bodies are named after links, and joints and position actuators after joints; geoms are called `LINK/0`, `LINK/1`,
    ... in the order of the link's solids. Bodies are weightless (`gravcomp`). Solids of one hand, and of links up to
    two moving joints apart, do not collide with each other, unless `exclude_pairs` is false, which is for worlds whose
    collision groups already ensure this.

    With `looks`, links have further geoms, `LINK/look/0`, ..., for what pictures show, and their solids are hidden
    (`HIDDEN_GROUP`). Nothing collides with looks.
    """
    description = profile.description
    spec = mujoco.MjSpec()
    spec.modelname = description.name
    spec.compiler.degree = False
    spec.compiler.autolimits = True
    # Vendors' descriptions contain inertias that no real body can have.
    spec.compiler.balanceinertia = True
    spec.compiler.boundmass, spec.compiler.boundinertia = _LEAST_MASS_KG, _LEAST_INERTIA
    spec.option.timestep = 0.004
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    bodies = {description.root: spec.worldbody}
    _add_shapes(spec, spec.worldbody, description.link(description.root), profile)
    for joint in description.joints:
        body = bodies[joint.parent].add_body(name=joint.child, pos=joint.origin.xyz, gravcomp=1.0)
        body.quat = quaternion_wxyz(joint.origin.rotation)
        link = description.link(joint.child)
        _add_inertial(body, link)
        if joint.moves:
            _add_joint(spec, body, joint, profile)
        _add_shapes(spec, body, link, profile)
        bodies[joint.child] = body
    if looks:
        _add_looks(spec, bodies, description)
    for first, second in _never_touching(profile) if exclude_pairs else ():
        spec.add_exclude(name=f'{first} {second}', bodyname1=first, bodyname2=second)
    return spec


def servo_gains(profile: RobotProfile, joint_name: str) -> tuple[float, float]:
    """Stiffness and damping of a joint's position servo; damping / stiffness is its lag in s."""
    stiffness, armature, _ = _servo(profile, profile.description.joint(joint_name))
    return stiffness, 2.0 * float(np.sqrt(stiffness * 1.5 * armature))


def _servo(profile: RobotProfile, joint: Joint) -> tuple[float, float, float]:
    """Stiffness, armature and force limit (0 for none) of a joint."""
    for side, arm in profile.arms.items():
        if profile.moves_with(joint, side):
            if joint.kind == 'prismatic':
                return GRIPPER_STIFFNESS, GRIPPER_ARMATURE, GRIPPER_FORCE
            return HAND_STIFFNESS, HAND_ARMATURE, HAND_FORCE
        if joint.name in arm.joints[-2:]:
            return WRIST_STIFFNESS, WRIST_ARMATURE, 0.0
    return ARM_STIFFNESS, ARM_ARMATURE, 0.0


def _add_joint(spec: mujoco.MjSpec, body: mujoco.MjsBody, joint: Joint, profile: RobotProfile) -> None:
    stiffness, armature, force = _servo(profile, joint)
    _, damping = servo_gains(profile, joint.name)
    kind = mujoco.mjtJoint.mjJNT_HINGE if joint.kind == 'revolute' else mujoco.mjtJoint.mjJNT_SLIDE
    body.add_joint(
        name=joint.name,
        type=kind,
        axis=joint.axis,
        range=(joint.lower, joint.upper),
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        armature=armature,
    )
    actuator = spec.add_actuator(
        name=joint.name,
        target=joint.name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
    )
    actuator.gainprm[0] = stiffness
    actuator.biasprm[:3] = (0.0, -stiffness, -damping)
    if force:
        actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        actuator.forcerange = (-force, force)


def _add_inertial(body: mujoco.MjsBody, link: Link) -> None:
    if link.inertial is None:
        # A link without inertial is only a frame; these are the smallest values that the compiler accepts.
        body.mass, body.inertia, body.explicitinertial = 1e-3, (1e-6, 1e-6, 1e-6), True
        return
    body.mass = link.inertial.mass_kg
    body.ipos = link.inertial.origin.xyz
    ixx, iyy, izz, ixy, ixz, iyz = link.inertial.inertia
    rotation = link.inertial.origin.rotation
    tensor = rotation @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ rotation.T
    body.fullinertia = (tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2])
    body.explicitinertial = True


def _add_shapes(spec: mujoco.MjSpec, body: mujoco.MjsBody, link: Link, profile: RobotProfile) -> None:
    hand = any(link.name in profile.hand_links(arm) for arm in profile.arms)
    for index, shape in enumerate(link.shapes):
        name = f'{link.name}/{index}'
        if shape.kind == 'hull':
            mesh = spec.add_mesh(name=name, uservert=np.array(shape.corners_m).ravel())
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        geom = body.add_geom(
            name=name,
            type=SHAPE_TYPES[shape.kind],
            size=shape_size(shape),
            meshname=name if shape.kind == 'hull' else '',
            pos=shape.origin.xyz,
            quat=quaternion_wxyz(shape.origin.rotation),
            rgba=shape.rgba,
        )
        if hand:
            geom.friction = (1.5, 0.02, 0.001)
            geom.condim = 4


def _add_looks(spec: mujoco.MjSpec, bodies: dict[str, mujoco.MjsBody], description: RobotDescription) -> None:
    """Adds what pictures show of each link. A link whose meshes cannot be shown keeps its solids visible."""
    left = MOST_TRIANGLES
    for link in description.links:
        try:
            looks = [(look, _parts(look)) for look in link.looks]
            count = sum(len(part.triangles) for _, parts in looks for part in parts)
            if count > left:
                raise ConfigError(f'the robot would be shown with more than {MOST_TRIANGLES:,} triangles')
        except ConfigError as error:
            _LOG.warning('pictures show the collision solids of %s: %s', link.name, error)
            continue
        left -= count
        geoms = [geom for look, parts in looks for geom in _looks_like(spec, bodies[link.name], look, parts)]
        for index, geom in enumerate(geoms):
            geom.name = f'{link.name}/look/{index}'
            geom.contype, geom.conaffinity = 0, 0
        for solid in bodies[link.name].geoms if geoms else ():
            if solid.name in {f'{link.name}/{index}' for index in range(len(link.shapes))}:
                solid.group = HIDDEN_GROUP


def _parts(look: LinkShape | MeshLook) -> tuple[MeshPart, ...]:
    return parts_of(resolve(look.filename, Path(look.beside)), look.scale) if isinstance(look, MeshLook) else ()


def _looks_like(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, look: LinkShape | MeshLook, parts: tuple[MeshPart, ...]
) -> list[mujoco.MjsGeom]:
    """Adds the geoms of one look."""
    pose = {'pos': look.origin.xyz, 'quat': quaternion_wxyz(look.origin.rotation)}
    if isinstance(look, LinkShape):
        return [body.add_geom(type=SHAPE_TYPES[look.kind], size=shape_size(look), rgba=look.rgba, **pose)]
    geoms = []
    for part in parts:
        name = f'look {len(spec.meshes)}'
        mesh = spec.add_mesh(name=name, uservert=part.points.ravel(), userface=part.triangles.ravel())
        # Of its surface, as the mesh of a picture may be open.
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        rgba = look.rgba or part.rgba or GREY
        geoms.append(body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, rgba=rgba, **pose))
    return geoms


def shape_size(shape: LinkShape) -> tuple[float, float, float]:
    """The size of a solid in MuJoCo's convention: half extents, radius, or radius and half length."""
    if shape.kind in ('box', 'hull'):
        x, y, z = shape.dimensions_m
        return (x / 2, y / 2, z / 2)
    if shape.kind == 'sphere':
        return (shape.dimensions_m[0], 0.0, 0.0)
    radius, length = shape.dimensions_m
    return (radius, length / 2, 0.0)


def quaternion_wxyz(rotation: np.ndarray) -> np.ndarray:
    """The unit quaternion (w, x, y, z) of a rotation matrix (3, 3)."""
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation).ravel())
    return quaternion


def _never_touching(profile: RobotProfile) -> list[tuple[str, str]]:
    """Pairs of links whose solids overlap by design: at most two moving joints apart; a hand counts as one link."""
    description = profile.description
    solid = [link.name for link in description.links if link.shapes]
    palms = {link: arm.tool_link for name, arm in profile.arms.items() for link in profile.hand_links(name)}
    moving = {
        link: tuple(joint.name for joint in description.chain(link) if joint.moves)
        for link in {*solid, *palms.values()}
    }
    pairs = []
    for index, first in enumerate(solid):
        for second in solid[index + 1 :]:
            near = _joints_between(moving[palms.get(first, first)], moving[palms.get(second, second)]) <= 2
            if near or _joints_between(moving[first], moving[second]) <= 2:
                pairs.append((first, second))
    return pairs


def _joints_between(one: tuple[str, ...], two: tuple[str, ...]) -> int:
    """The number of moving joints between two links, of which those from the root to each are given."""
    common = 0
    for first, second in zip(one, two, strict=False):
        if first != second:
            break
        common += 1
    return len(one) + len(two) - 2 * common
