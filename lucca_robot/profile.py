"""Robot profiles: arms, hands, head and camera of a robot, read from `config/robots/NAME.yaml`.

Another robot with one or two arms needs its URDF and a profile, but no change in the code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.yaml_file import KINDS, LocatedMapping, load_yaml
from lucca_robot.arm_profile import ArmProfile, ControllerInterface, HandProfile
from lucca_robot.assembly import Part, put_together
from lucca_robot.description import Joint, Origin, RobotDescription, Vector3
from lucca_robot.profile_checks import accelerations_of, check_controllers, check_keys, is_number
from lucca_robot.profile_name import profile_file
from lucca_robot.robot_files import find_urdf
from lucca_robot.urdf import UNLIMITED, load_urdf

SIDES = ('left', 'right')
_MOST = 10
"""Largest length in m or angle in rad in a profile."""
_UNITS = {'xyz': ' m', 'rpy': ' rad', 'table_top_m': ' m'}
_FARTHEST_TOOL_M = 1.0
_SHORT_RAD = 0.5
_LEAST_WAY = 0.01
"""In m or rad; less cannot be told from the noise of measurements."""


@dataclass(frozen=True, slots=True)
class JointTravel:
    """Where a joint of a hand is (rad or m) when the hand is open and closed.

    `unit`: by what distances are divided before they are compared with tolerances. It is 1, or for a hand that moves
    less, such as a gripper's finger, the whole way from open to closed.
    """

    opened: float
    closed: float
    unit: float = 1.0


@dataclass(frozen=True)
class RobotProfile:
    """A robot with one or two arms at a table; `description` is its assembled description.

    `table_top_m` is the height of its table in the world frame (the description's root, z up). With `source`,
    `load_profile` finds the profile again: its name in the config folder, or its file. `urdf_arguments`: values of the
    arguments of `urdf_file`, if that is a xacro file.
    """

    name: str
    description: RobotDescription
    urdf_file: Path
    arms: Mapping[str, ArmProfile]
    head_controller: str
    head_joints: tuple[str, ...]
    head_home: tuple[float, ...]
    camera_link: str
    table_top_m: float
    source: str = ''
    urdf_arguments: Mapping[str, str] = field(default_factory=dict)

    @property
    def home(self) -> dict[str, float]:
        """Position of every moving joint with the arms at home and the hands open."""
        positions = {joint.name: float(np.clip(0.0, joint.lower, joint.upper)) for joint in self.moving_joints}
        positions.update(zip(self.head_joints, self.head_home, strict=True))
        for arm in self.arms.values():
            positions.update(zip(arm.joints, arm.home, strict=True))
            positions.update(zip(arm.hand.joints, arm.hand.open, strict=True))
        return self.description.with_followers(positions)

    @property
    def moving_joints(self) -> tuple[Joint, ...]:
        """The joints that are not fixed."""
        return self.description.moving_joints

    @property
    def controllers(self) -> dict[str, tuple[str, ...]]:
        """Every controller's joints, in the controller's order."""
        found = {}
        for arm in self.arms.values():
            found[arm.controller] = arm.joints
            found[arm.hand.controller] = arm.hand.joints
        if self.head_joints:
            found[self.head_controller] = self.head_joints
        return found

    @property
    def interfaces(self) -> dict[str, ControllerInterface]:
        """How the controllers of arms and hands are commanded."""
        arms = {arm.controller: arm.interface for arm in self.arms.values()}
        return arms | {arm.hand.controller: arm.hand.interface for arm in self.arms.values()}

    @property
    def hand_travels(self) -> dict[str, JointTravel]:
        """How far each joint of a hand moves, by name."""
        return {
            name: travel_of(self.description.joint(name), opened, closed)
            for arm in self.arms.values()
            for name, opened, closed in zip(arm.hand.joints, arm.hand.open, arm.hand.closed, strict=True)
        }

    @property
    def driven_speeds(self) -> dict[str, float]:
        """Greatest speeds of the joints that only their drives move, in rad/s or m/s, by name.

        A finger is none of them: it springs back faster than its drive goes when what it presses on gives way.
        """
        return {
            joint.name: joint.velocity
            for joint in self.description.moving_joints
            if not any(self.moves_with(joint, arm) for arm in self.arms)
        }

    def moves_with(self, joint: Joint, arm: str) -> bool:
        """Whether a joint belongs to an arm's hand, or follows a joint of it."""
        return (joint.mimic.joint if joint.mimic else joint.name) in self.arms[arm].hand.joints

    def hand_links(self, arm: str) -> tuple[str, ...]:
        """The links of an arm's hand: the tool link and all links that it carries."""
        return self.description.subtree(self.arms[arm].tool_link)

    def finger_links(self, arm: str) -> tuple[str, ...]:
        """The links moved by the joints of an arm's hand or by their followers; the palm is not among them."""
        moved = (self.description.subtree(joint.child) for joint in self.moving_joints if self.moves_with(joint, arm))
        return tuple(dict.fromkeys(link for links in moved for link in links))

    def arm_links(self, arm: str) -> tuple[str, ...]:
        """The links that the arm's first joint carries, including the hand."""
        return self.description.subtree(self.description.joint(self.arms[arm].joints[0]).child)


def travel_of(joint: Joint, opened: float, closed: float) -> JointTravel:
    """How far a joint of a hand moves between its positions (rad or m) in the open and the closed hand.

    The unit is 1 rad. A joint that slides or hardly turns has its way as unit, since its limits may be far wider. One
    that stays where it is has its range.
    """
    way = abs(closed - opened)
    if way < _LEAST_WAY or (joint.kind != 'prismatic' and way >= _SHORT_RAD):
        way = joint.upper - joint.lower
    return JointTravel(opened, closed, min(way, 1.0) if way > 0 else 1.0)


DEFAULT_PROFILE = 'nicol'


def load_profile(name_or_path: str | Path = DEFAULT_PROFILE) -> RobotProfile:
    """Loads a profile by its name in `config/robots`, or from a path.

    Raises:
        ConfigError: the profile or its URDF is missing or invalid.
    """
    file = profile_file(name_or_path)
    document = load_yaml(file)
    check_keys(document, str(file))
    reader = _ProfileReader(file)
    urdf_file, urdf_arguments, description = _description(reader, document, file)
    reader.description = description
    arms_section = reader.value(document, 'arms', dict)
    unknown = [name for name in arms_section if name not in SIDES]
    if unknown or not arms_section:
        raise reader.wrong(document, 'arms', f'arms must be {" or ".join(SIDES)} or both, got {list(arms_section)}')
    head = reader.value(document, 'head', dict)
    head_joints = reader.joints(head, 'joints')
    profile = RobotProfile(
        name=str(reader.value(document, 'name', str)),
        description=description,
        urdf_file=urdf_file,
        urdf_arguments=urdf_arguments,
        arms={name: reader.arm(name, reader.value(arms_section, name, dict)) for name in arms_section},
        head_controller=str(reader.value(head, 'controller', str)),
        head_joints=head_joints,
        head_home=reader.positions(head, 'home', head_joints),
        camera_link=reader.link(document, 'camera_link'),
        table_top_m=reader.numbers(document, 'table_top_m', 1)[0],
        source=file.stem if file.resolve().parent == (config_dir() / 'robots').resolve() else str(file.resolve()),
    )
    check_controllers(document, str(file))
    return profile


def load_description(file: Path) -> RobotDescription:
    """The description of a robot whose profile may have no arms yet: `urdf`, or `parts` put together, and `frames`.

    Raises:
        ConfigError: one of them is missing or invalid.
    """
    return _description(_ProfileReader(file), load_yaml(file), file)[2]


def _description(
    reader: '_ProfileReader', document: LocatedMapping, file: Path
) -> tuple[Path, Mapping[str, str], RobotDescription]:
    """The first URDF file, its arguments and the description, which may be assembled from `parts` and `frames`."""
    several = 'parts' in document
    parts = reader.value(document, 'parts', list) if several else [document]
    if not parts or not all(isinstance(part, LocatedMapping) for part in parts):
        raise reader.wrong(document, 'parts', 'parts must be a list of mappings with urdf, prefix, parent, xyz, rpy')
    loaded = []
    for part in parts:
        urdf_file = find_urdf(str(reader.value(part, 'urdf', str)), file)
        prefix, parent = (str(part.get('prefix') or ''), str(part.get('parent') or 'world')) if several else ('', '')
        place = reader.origin(part) if several else Origin()
        arguments = reader.arguments(part)
        described = load_urdf(urdf_file, arguments)
        loaded.append((urdf_file, arguments, Part(_cut(reader, part, described), prefix, parent, place)))
    frames: LocatedMapping = reader.value(document, 'frames', dict) if 'frames' in document else LocatedMapping()
    placed = {name: (str(reader.value(frames, name, dict).get('link')), reader.origin(frames[name])) for name in frames}
    try:
        if not several and not placed:
            return loaded[0][0], loaded[0][1], loaded[0][2].description
        return loaded[0][0], loaded[0][1], put_together([part for _, _, part in loaded], placed)
    except ValueError as error:
        raise ConfigError(str(error), file=str(file)) from error


def _cut(reader: '_ProfileReader', part: LocatedMapping, description: RobotDescription) -> RobotDescription:
    """The part of a description from the link `root` on, except the links in `without` and what they carry."""
    root, without = str(part.get('root') or description.root), part.get('without') or []
    if not isinstance(without, list):
        raise reader.wrong(part, 'without', f'without must be a list of links, got {without!r}')
    try:
        return description.part_from(root, [str(name) for name in without])
    except KeyError as error:
        key = 'root' if error.args[0] == root else 'without'
        raise reader.wrong(part, key, f'{error.args[0]!r} is not a link of {description.name}') from None


class _ProfileReader:
    def __init__(self, file: Path) -> None:
        self._file = str(file)
        self.description: RobotDescription

    def arguments(self, section: LocatedMapping) -> dict[str, str]:
        """Values of the arguments of a xacro file, as texts; xacro reads `true` and `false`."""
        given: LocatedMapping = self.value(section, 'arguments', dict) if 'arguments' in section else LocatedMapping()
        for name, value in given.items():
            if not isinstance(value, str | bool | int | float):
                raise self.wrong(given, name, f'{name} must be a text, a number, true or false, got {value!r}')
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}

    def arm(self, name: str, section: LocatedMapping) -> ArmProfile:
        joints = self.joints(section, 'joints')
        tool = self.value(section, 'tool', dict)
        seeds = section.get('seeds') or []
        if not isinstance(seeds, list):
            raise self.wrong(section, 'seeds', f'seeds must be a list of lists of {len(joints)} positions')
        return ArmProfile(
            name=name,
            controller=str(self.value(section, 'controller', str)),
            joints=joints,
            home=self.positions(section, 'home', joints),
            seeds=tuple(self._checked_positions(section, 'seeds', seed, joints) for seed in seeds),
            tool_link=self.link(tool, 'link'),
            tool=self.near_origin(tool),
            hand=self.hand(self.value(section, 'hand', dict)),
            interface=self.interface(section, joints, gripper=False),
            accelerations=accelerations_of(section, len(joints), self._file),
        )

    def hand(self, section: LocatedMapping) -> HandProfile:
        joints = self.joints(section, 'joints')
        pointer = self.value(section, 'pointer', dict)
        closed_above = self.numbers(section, 'closed_above', 1)[0]
        if not 0 < closed_above < 1:
            raise self.wrong(section, 'closed_above', f'closed_above must be between 0 and 1, got {closed_above}')
        tilts = self.value(section, 'tilts_rad', list)
        if not tilts or not all(is_number(tilt) and 0 <= tilt < 1.58 for tilt in tilts):
            raise self.wrong(section, 'tilts_rad', f'tilts_rad must be angles from 0 to 1.57, got {tilts}')
        opened, closed = self.positions(section, 'open', joints), self.positions(section, 'closed', joints)
        if opened == closed:
            raise self.wrong(section, 'closed', 'closed must differ from open')
        for name, begin, end in zip(joints, opened, closed, strict=True):
            self._check_way(section, name, abs(end - begin))
        interface = self.interface(section, joints, gripper=True)
        return HandProfile(
            controller=str(self.value(section, 'controller', str)),
            joints=joints,
            open=opened,
            closed=closed,
            point=self.positions(section, 'point', joints),
            closed_above=closed_above,
            tilts_rad=tuple(tilts),
            pointer_link=self.link(pointer, 'link'),
            pointer=self.near_origin(pointer),
            interface=interface,
            max_effort=self.max_effort(section, interface),
        )

    def _check_way(self, section: LocatedMapping, name: str, way: float) -> None:
        if self.description.joint(name).kind == 'prismatic' and 0 < way < _LEAST_WAY:
            reason = f'{name} moves only {way:.3g} m from open to closed; {_LEAST_WAY} m is the least'
            raise self.wrong(section, 'closed', reason)

    def interface(self, section: LocatedMapping, joints: tuple[str, ...], *, gripper: bool) -> ControllerInterface:
        chosen = str(section.get('interface') or ControllerInterface.JOINT_TRAJECTORY)
        known = [item for item in ControllerInterface if gripper or item is not ControllerInterface.GRIPPER_COMMAND]
        if chosen not in known:
            raise self.wrong(section, 'interface', f'interface must be one of {", ".join(known)}, got {chosen!r}')
        if chosen == ControllerInterface.GRIPPER_COMMAND and len(joints) != 1:
            raise self.wrong(section, 'interface', f'{chosen} moves one joint, but this hand has {len(joints)}')
        return ControllerInterface(chosen)

    def max_effort(self, section: LocatedMapping, interface: ControllerInterface) -> float:
        if 'max_effort' in section and interface is not ControllerInterface.GRIPPER_COMMAND:
            gripper = ControllerInterface.GRIPPER_COMMAND
            raise self.wrong(section, 'max_effort', f'max_effort needs the interface {gripper}, but it is {interface}')
        value = section.get('max_effort', 0.0)
        if not is_number(value) or value < 0:
            raise self.wrong(section, 'max_effort', f'max_effort must be 0 or a force in N or Nm, got {value!r}')
        return float(value)

    def value(self, section: LocatedMapping, key: str, kind: type) -> Any:
        if key not in section:
            raise ConfigError(f'{key} is missing', file=self._file, line=section.line)
        if not isinstance(section[key], kind):
            raise self.wrong(section, key, f'{key} must be {KINDS[kind]}, got {section[key]!r}')
        return section[key]

    def joints(self, section: LocatedMapping, key: str) -> tuple[str, ...]:
        names = self.value(section, key, list)
        known = {joint.name for joint in self.description.moving_joints}
        for name in names:
            if not isinstance(name, str) or name not in known:
                raise self.wrong(section, key, f'{name!r} is not a moving joint of {self.description.name}')
            if self.description.joint(name).velocity >= UNLIMITED:
                raise self.wrong(
                    section, key, f'{name!r} has no velocity limit in the URDF; a joint that is moved needs one'
                )
            if self.description.joint(name).mimic:
                raise self.wrong(section, key, f'{name!r} follows another joint; name that one')
        return tuple(names)

    def link(self, section: LocatedMapping, key: str) -> str:
        name = str(self.value(section, key, str))
        try:
            self.description.link(name)
        except KeyError:
            raise self.wrong(section, key, f'{name!r} is not a link of {self.description.name}') from None
        return name

    def positions(self, section: LocatedMapping, key: str, joints: tuple[str, ...]) -> tuple[float, ...]:
        return self._checked_positions(section, key, self.value(section, key, list), joints)

    def origin(self, section: LocatedMapping) -> Origin:
        return Origin(self._vector(section, 'xyz'), self._vector(section, 'rpy'))

    def near_origin(self, section: LocatedMapping) -> Origin:
        """The frame of a tool or pointer; one farther off than any hand is long was probably given in another unit."""
        found = self.origin(section)
        if any(abs(value) > _FARTHEST_TOOL_M for value in found.xyz):
            raise self.wrong(
                section, 'xyz', f'xyz must be within {_FARTHEST_TOOL_M} m of {section["link"]}, got {list(found.xyz)}'
            )
        return found

    def numbers(self, section: LocatedMapping, key: str, count: int) -> tuple[float, ...]:
        raw = section.get(key)
        values: list[Any] = raw if isinstance(raw, list) else [raw]
        if len(values) != count or not all(is_number(v) and abs(v) <= _MOST for v in values):
            raise self.wrong(
                section,
                key,
                f'{key} must be {count} finite number(s) from -{_MOST} to {_MOST}{_UNITS.get(key, "")}, got {raw!r}',
            )
        return tuple(float(v) for v in values)

    def wrong(self, section: LocatedMapping, key: str, reason: str) -> ConfigError:
        return ConfigError(reason, file=self._file, line=section.line_of(key))

    def _vector(self, section: LocatedMapping, key: str) -> Vector3:
        if key not in section:
            return (0.0, 0.0, 0.0)
        x, y, z = self.numbers(section, key, 3)
        return (x, y, z)

    def _checked_positions(
        self, section: LocatedMapping, key: str, values: Any, joints: tuple[str, ...]
    ) -> tuple[float, ...]:
        if not isinstance(values, list) or len(values) != len(joints):
            raise self.wrong(section, key, f'{key} must give {len(joints)} positions, one per joint, got {values!r}')
        for name, value in zip(joints, values, strict=True):
            joint = self.description.joint(name)
            if not is_number(value) or not joint.lower <= value <= joint.upper:
                unit = 'm' if joint.kind == 'prismatic' else 'rad'
                reason = f'{name} must be from {joint.lower} to {joint.upper} {unit}, got {value!r}'
                raise self.wrong(section, key, reason)
        return tuple(float(value) for value in values)
