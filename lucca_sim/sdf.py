"""Export of a scene with the robot as an SDF world for Gazebo.

Gazebo's trajectory controller ignores the stamp of a trajectory and jumps from point to point. So the world only
listens for setpoints: one point at a time, published by the node `relay` at a fixed rate. Gazebo starts every joint at
zero, and its friction does not hold our objects; the plugin in `lucca_gazebo` starts the robot at home and holds the
objects. With a `ControllerManager`, ros2_control's controllers take the place of Gazebo's.
"""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from lucca_robot.description import Inertial, Joint, Link, LinkShape, Mimic
from lucca_robot.profile import RobotProfile
from lucca_robot.ros2_control import number_list
from lucca_sim.controller_manager import ControllerManager, add_controller_manager, effort_limit, servo_per_s
from lucca_sim.joint_servos import JointServo, joint_servos
from lucca_sim.mujoco_world import ROLLING_FRICTION_M, ROUND, CameraIntrinsics, build_world
from lucca_sim.scene import Scene
from lucca_sim.scene_elements import SceneObject
from lucca_sim.shapes import Primitive, container_parts, object_parts

SDF_VERSION = '1.9'
ROBOT_MODEL = 'robot'

_SYSTEMS = (
    ('gz-sim-physics-system', 'gz::sim::systems::Physics'),
    ('gz-sim-user-commands-system', 'gz::sim::systems::UserCommands'),
    ('gz-sim-scene-broadcaster-system', 'gz::sim::systems::SceneBroadcaster'),
)
_SENSORS = {'filename': 'gz-sim-sensors-system', 'name': 'gz::sim::systems::Sensors'}
_JOINT_STATES = {
    'filename': 'gz-sim-joint-state-publisher-system',
    'name': 'gz::sim::systems::JointStatePublisher',
}
_CONTROLLER = {
    'filename': 'gz-sim-joint-trajectory-controller-system',
    'name': 'gz::sim::systems::JointTrajectoryController',
}
GRASPS_FILE, GRASPS_NAME = 'lucca_grasps', 'lucca::Grasps'
STEP_S = 0.004
_CAMERA_RATE_HZ = 10
# Number of spheres that replace a long ellipsoid.
_SPHERES = 9
# A link without inertial is only a frame, but Gazebo needs a mass to move it.
_FRAME_MASS_KG, _FRAME_INERTIA = 1e-3, 1e-6


def setpoint_topic(controller: str) -> str:
    """The topic in Gazebo on which a controller of the world listens."""
    return f'/{controller}/setpoints'


def write_sdf(scene: Scene, profile: RobotProfile, path: Path, manager: ControllerManager | None = None) -> None:
    """Writes the world of a scene and a robot to `path`, with all numbers in full precision."""
    root = sdf_of(scene, profile, manager)
    ET.indent(root)
    ET.ElementTree(root).write(path, encoding='utf-8', xml_declaration=True)


def sdf_of(scene: Scene, profile: RobotProfile, manager: ControllerManager | None = None) -> ET.Element:
    """Builds the `<sdf>` element of a scene with a robot, moved by setpoints or, with `manager`, by ros2_control."""
    root = ET.Element('sdf', version=SDF_VERSION)
    world = ET.SubElement(root, 'world', name=scene.name)
    _filled(world, 'physics', {'name': 'step', 'type': 'ignored'}, max_step_size=STEP_S, real_time_factor=1.0)
    for filename, name in _SYSTEMS:
        ET.SubElement(world, 'plugin', filename=filename, name=name)
    _filled(world, 'plugin', _SENSORS, render_engine='ogre2')
    _add_light(world)
    _add_table(world, scene)
    for container in scene.containers:
        link = _static_model(world, container.name, container.position_world_m)
        for index, part in enumerate(container_parts(container)):
            _add_part(link, str(index), part, container.rgb)
    _add_objects(world, scene, profile)
    _add_robot(world, profile, scene, manager)
    return root


def _add_light(world: ET.Element) -> None:
    light = ET.SubElement(world, 'light', name='key light', type='directional')
    _pose(light, (1.2, -1.0, 3.4))
    _fill(light, cast_shadows='false', diffuse='0.8 0.8 0.8 1', specular='0.1 0.1 0.1 1', direction='-0.3 0.3 -0.9')


def _add_table(world: ET.Element, scene: Scene) -> None:
    floor = _static_model(world, 'floor', (0.0, 0.0, -0.005))
    _add_part(floor, 'plate', Primitive(kind='box', size_m=(8.0, 8.0, 0.01)), (0.52, 0.53, 0.55))
    (x0, x1), (y0, y1), thick = scene.table.x_m, scene.table.y_m, 0.04
    table = _static_model(world, 'table', ((x0 + x1) / 2, (y0 + y1) / 2, scene.table.height_m - thick / 2))
    _add_part(table, 'plate', Primitive(kind='box', size_m=(x1 - x0, y1 - y0, thick)), scene.table.rgb)


def _add_objects(world: ET.Element, scene: Scene, profile: RobotProfile) -> None:
    compiled = build_world(scene, profile).compile()
    for item in scene.objects:
        model = ET.SubElement(world, 'model', name=item.name)
        _pose(model, item.pose.position_m, quat_xyzw=item.pose.orientation_xyzw)
        link = ET.SubElement(model, 'link', name='link')
        _add_inertial_of_body(link, compiled, item)
        for index, part in enumerate(object_parts(item)):
            _add_part(link, str(index), part, item.rgb, friction=0.9)


def _add_inertial_of_body(link: ET.Element, model: mujoco.MjModel, item: SceneObject) -> None:
    body = model.body(item.name)
    w, x, y, z = (float(value) for value in body.iquat)
    inertial = ET.SubElement(link, 'inertial')
    _pose(inertial, tuple(map(float, body.ipos)), quat_xyzw=(x, y, z, w))
    _fill(inertial, mass=float(body.mass[0]))
    _add_inertia(inertial, (*map(float, body.inertia), 0.0, 0.0, 0.0))


def _add_robot(world: ET.Element, profile: RobotProfile, scene: Scene, manager: ControllerManager | None) -> None:
    description = profile.description
    model = ET.SubElement(world, 'model', name=ROBOT_MODEL)
    if description.root != 'world':
        _add_link(model, description.link(description.root), None)
        _filled(model, 'joint', {'name': 'anchor', 'type': 'fixed'}, parent='world', child=description.root)
    servos = joint_servos(profile, STEP_S)
    commanded = _controlled(profile) if manager else set()
    for joint in description.joints:
        link = _add_link(model, description.link(joint.child), joint)
        if joint.child == profile.camera_link:
            _add_camera(link)
        limit = effort_limit(joint, servos[joint.name]) if joint.name in commanded else None
        _add_joint(model, joint, servos[joint.name].damping if joint.moves else 0.0, limit)
    if manager is None:
        _add_gazebo_controllers(model, profile, servos)
    else:
        add_controller_manager(model, manager)
    plugin = _add_grasps(model, profile, servos, relayed=manager is None)
    for item in scene.objects:
        if item.shape in ROUND:
            _filled(plugin, 'round', model=item.name, rolling_m=ROLLING_FRICTION_M)


def _controlled(profile: RobotProfile) -> set[str]:
    return {joint for joints in profile.controllers.values() for joint in joints}


def _add_grasps(
    model: ET.Element, profile: RobotProfile, servos: Mapping[str, JointServo], *, relayed: bool
) -> ET.Element:
    """Adds our plugin after the controllers, which it overrides for the joints of a hand that holds something.

    Without a relay no setpoints reach Gazebo: the plugin infers what a hand is asked for from the servos of its joints.
    The initial values in the description then bring the controlled joints home.
    """
    plugin = ET.SubElement(model, 'plugin', filename=GRASPS_FILE, name=GRASPS_NAME)
    for side, arm in profile.arms.items():
        hand = _filled(plugin, 'hand', name=side, palm=arm.tool_link)
        if relayed:
            _fill(hand, setpoints=setpoint_topic(arm.hand.controller))
        else:
            _fill(hand, servo_per_s=servo_per_s(STEP_S))
        _fill(hand, closed_above=arm.hand.closed_above)
        for name, opened, closed in zip(arm.hand.joints, arm.hand.open, arm.hand.closed, strict=True):
            joint = _filled(hand, 'joint', name=name, open=opened, closed=closed)
            if relayed:
                _fill(joint, stiffness=servos[name].stiffness)
        for link in profile.finger_links(side):
            _fill(hand, finger=link)
    controlled = _controlled(profile)
    for name, position in profile.home.items():
        if relayed or name not in controlled:
            _filled(plugin, 'start', joint=name, position=position)
    for each in profile.moving_joints:
        if each.name in controlled:
            continue
        # A joint that follows no other joint stays at home.
        mimic = each.mimic or Mimic(each.name, multiplier=0.0, offset=profile.home[each.name])
        follower = _filled(plugin, 'follower', joint=each.name, leader=mimic.joint, multiplier=mimic.multiplier)
        _fill(follower, offset=mimic.offset, stiffness=servos[each.name].stiffness)
    return plugin


def _add_gazebo_controllers(model: ET.Element, profile: RobotProfile, servos: Mapping[str, JointServo]) -> None:
    states = _filled(model, 'plugin', _JOINT_STATES, topic='/joint_states')
    for moving in profile.moving_joints:
        _fill(states, joint_name=moving.name)
    for name, joints in profile.controllers.items():
        plugin = _filled(model, 'plugin', _CONTROLLER, topic=setpoint_topic(name))
        for joint in joints:
            _fill(plugin, joint_name=joint, initial_position=profile.home[joint])
            # Damping here would act explicitly, so it is in the joint instead.
            _fill(plugin, position_p_gain=servos[joint].stiffness, position_d_gain=0.0)


def _add_link(model: ET.Element, link: Link, joint: Joint | None) -> ET.Element:
    element = ET.SubElement(model, 'link', name=link.name)
    if joint is not None:
        # The link is posed relative to its parent link; the joint's frame coincides with the child's.
        relative_to = '__model__' if joint.parent == 'world' else joint.parent
        _pose(element, joint.origin.xyz, rpy=joint.origin.rpy, relative_to=relative_to)
    _fill(element, gravity='false')
    inertial = ET.SubElement(element, 'inertial')
    _add_robot_inertial(inertial, link.inertial)
    for index, shape in enumerate(link.shapes):
        for kind in ('collision', 'visual'):
            solid = ET.SubElement(element, kind, name=f'{kind} {index}')
            # A hull is replaced by its bounding box, because an SDF world without other files cannot contain a mesh.
            centre = shape.origin.rotation @ np.array(shape.box_centre_m) + np.array(shape.origin.xyz)
            _pose(solid, tuple(map(float, centre)), rpy=shape.origin.rpy)
            _add_robot_geometry(solid, shape)
            if kind == 'visual':
                _add_material(solid, shape.rgba[:3])
    return element


def _add_robot_inertial(element: ET.Element, inertial: Inertial | None) -> None:
    if inertial is None:
        _fill(element, mass=_FRAME_MASS_KG)
        _add_inertia(element, (_FRAME_INERTIA, _FRAME_INERTIA, _FRAME_INERTIA, 0.0, 0.0, 0.0))
        return
    _pose(element, inertial.origin.xyz, rpy=inertial.origin.rpy)
    _fill(element, mass=max(inertial.mass_kg, _FRAME_MASS_KG))
    _add_inertia(element, _of_a_body(inertial.inertia))


def _of_a_body(inertia: Sequence[float]) -> tuple[float, ...]:
    """A tensor (ixx, iyy, izz, ixy, ixz, iyz) that a real body can have; vendors' descriptions contain others.

    Corrected like in MuJoCo: if one principal inertia exceeds the sum of the others, all are replaced by their mean.
    """
    ixx, iyy, izz, ixy, ixz, iyz = inertia
    principal, axes = np.linalg.eigh([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    if principal[0] >= _FRAME_INERTIA and principal[2] <= principal[0] + principal[1]:
        return tuple(inertia)
    principal = np.maximum(principal, _FRAME_INERTIA)
    if principal[2] > principal[0] + principal[1]:
        principal[:] = principal.mean()
    tensor = axes @ np.diag(principal) @ axes.T
    return tuple(float(tensor[row, column]) for row, column in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def _add_inertia(inertial: ET.Element, values: Sequence[float]) -> None:
    _filled(inertial, 'inertia', **dict(zip(('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'), values, strict=True)))


def _add_joint(model: ET.Element, joint: Joint, damping: float, effort: float | None) -> None:
    kind = joint.kind if joint.moves else 'fixed'
    element = _filled(model, 'joint', {'name': joint.name, 'type': kind}, parent=joint.parent, child=joint.child)
    if not joint.moves:
        return
    axis = _filled(element, 'axis', xyz=number_list(joint.axis))
    limit = _filled(axis, 'limit', lower=joint.lower, upper=joint.upper, velocity=joint.velocity)
    # The published effort limits count neither here nor in MuJoCo, because they are far from what the arms need.
    if effort is not None:
        _fill(limit, effort=effort)
    _filled(axis, 'dynamics', damping=damping)


def _add_camera(link: ET.Element) -> None:
    camera = CameraIntrinsics()
    for kind, topic in (('camera', 'camera/color/image_raw'), ('depth_camera', 'camera/depth/image_raw')):
        sensor = ET.SubElement(link, 'sensor', name=f'realsense {kind}', type=kind)
        # Gazebo's cameras look along x with z up; the link's optical frame looks along z with y down.
        _pose(sensor, (0.0, 0.0, 0.0), quat_xyzw=(0.5, -0.5, 0.5, 0.5))
        _fill(sensor, topic=topic, update_rate=_CAMERA_RATE_HZ)
        element = _filled(sensor, 'camera', horizontal_fov=float(2 * np.arctan(camera.width / 2 / camera.focal_px)))
        layout = 'R_FLOAT32' if kind == 'depth_camera' else 'R8G8B8'
        _filled(element, 'image', width=camera.width, height=camera.height, format=layout)
        _filled(element, 'clip', near=0.05, far=10.0)


def _static_model(world: ET.Element, name: str, position: tuple[float, float, float]) -> ET.Element:
    model = _filled(world, 'model', {'name': name}, static='true')
    _pose(model, position)
    link = ET.SubElement(model, 'link', name='link')
    _add_inertia(_filled(link, 'inertial', mass=10.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    return link


def _add_part(
    link: ET.Element, name: str, part: Primitive, rgb: tuple[float, float, float], friction: float = 0.8
) -> None:
    for index, solid_part in enumerate(_colliding(part)):
        number = name if index == 0 else f'{name}.{index}'
        _add_primitive(ET.SubElement(link, 'collision', name=f'collision {number}'), solid_part, friction=friction)
    _add_primitive(ET.SubElement(link, 'visual', name=f'visual {name}'), part, rgb=rgb)


def _colliding(part: Primitive) -> list[Primitive]:
    """The primitives that collide in place of a part; for a long ellipsoid, spheres that touch it from within.

    Gazebo's physics treats an ellipsoid as a mesh, in which fingertips sink and stick.
    """
    long, wide = max(part.size_m) / 2, min(part.size_m) / 2
    if part.kind != 'ellipsoid' or sorted(part.size_m)[1] > 2.001 * wide or long < 1.001 * wide:
        return [part]
    w, x, y, z = part.quat_wxyz
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, np.array((w, x, y, z)))
    axis = rotation.reshape(3, 3)[:, int(np.argmax(part.size_m))]
    # The outermost sphere fits the curvature of the tip.
    furthest = (long**2 - wide**2) / long
    spheres = []
    for along in np.linspace(-furthest, furthest, _SPHERES):
        size = 2 * wide * float(np.sqrt(1 - along**2 / (long**2 - wide**2)))
        x, y, z = (float(value) for value in np.array(part.position_m) + along * axis)
        spheres.append(replace(part, kind='sphere', size_m=(size, size, size), position_m=(x, y, z)))
    return spheres


def _add_primitive(
    solid: ET.Element, part: Primitive, *, friction: float = 0.0, rgb: tuple[float, float, float] | None = None
) -> None:
    w, x, y, z = part.quat_wxyz
    _pose(solid, part.position_m, quat_xyzw=(x, y, z, w))
    geometry = ET.SubElement(solid, 'geometry')
    sx, sy, sz = part.size_m
    match part.kind:
        case 'box':
            _filled(geometry, part.kind, size=number_list(part.size_m))
        case 'sphere':
            _filled(geometry, part.kind, radius=sx / 2)
        case 'ellipsoid':
            _filled(geometry, part.kind, radii=number_list((sx / 2, sy / 2, sz / 2)))
        case 'cylinder':
            _filled(geometry, part.kind, radius=sx / 2, length=sz)
        case _:
            _filled(geometry, part.kind, radius=sx / 2, length=sz - sx)
    if rgb is not None:
        _add_material(solid, rgb)
        return
    _filled(ET.SubElement(ET.SubElement(solid, 'surface'), 'friction'), 'ode', mu=friction, mu2=friction)


def _add_robot_geometry(solid: ET.Element, shape: LinkShape) -> None:
    geometry = ET.SubElement(solid, 'geometry')
    if shape.kind in ('box', 'hull'):
        _filled(geometry, 'box', size=number_list(shape.dimensions_m))
        return
    element = _filled(geometry, shape.kind, radius=shape.dimensions_m[0])
    if shape.kind == 'capsule':
        _fill(element, length=shape.dimensions_m[1])


def _add_material(visual: ET.Element, rgb: Sequence[float]) -> None:
    colour = number_list((*rgb, 1.0))
    _filled(visual, 'material', ambient=colour, diffuse=colour)


def _pose(
    parent: ET.Element,
    position: Sequence[float],
    *,
    rpy: Sequence[float] = (0.0, 0.0, 0.0),
    quat_xyzw: Sequence[float] | None = None,
    relative_to: str = '',
) -> None:
    element = ET.SubElement(parent, 'pose')
    if relative_to:
        element.set('relative_to', relative_to)
    if quat_xyzw is not None:
        element.set('rotation_format', 'quat_xyzw')
    element.text = number_list((*position, *(rpy if quat_xyzw is None else quat_xyzw)))


def _filled(
    parent: ET.Element, tag: str, attributes: Mapping[str, str] | None = None, /, **texts: float | str
) -> ET.Element:
    """A new element with attributes, and an element in it for each text."""
    element = ET.SubElement(parent, tag, dict(attributes or {}))
    _fill(element, **texts)
    return element


def _fill(parent: ET.Element, /, **texts: float | str) -> None:
    """Adds an element for each text, named as its argument. Numbers are written in full precision."""
    for tag, value in texts.items():
        ET.SubElement(parent, tag).text = value if isinstance(value, str) else repr(value)
