"""Assembly of one robot from several descriptions: an arm on a table, a gripper on a flange, a camera on a pole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lucca_robot.description import Joint, Link, Origin, RobotDescription

WORLD = 'world'


@dataclass(frozen=True, slots=True)
class Part:
    """A description fixed to the world or to a link of an earlier part. `prefix` is put before all its names."""

    description: RobotDescription
    prefix: str = ''
    parent: str = WORLD
    origin: Origin = field(default_factory=Origin)


def put_together(parts: Sequence[Part], frames: Mapping[str, tuple[str, Origin]]) -> RobotDescription:
    """Joins parts to one description and adds frames: for each, its name, the link to which it is fixed, and its pose.

    The root is `world`. A part whose own root is `world`, and that is fixed there without an offset, is merged with it.

    Raises:
        ValueError: two links or two joints have the same name, or something is fixed to a missing link.
    """
    links, joints = [Link(WORLD)], []
    for part in parts:
        description = _renamed(part)
        known = {link.name for link in links}
        # If the description has a root `world` of its own, that is ours.
        if part.description.root == WORLD and part.parent in (WORLD, '') and part.origin == Origin():
            links += [link for link in description.links if link.name != description.root]
            joints += [
                replace(joint, parent=WORLD) if joint.parent == description.root else joint
                for joint in description.joints
            ]
        else:
            description = _with_own_root(description)
            _fix(joints, known, part.parent or WORLD, description.root, part.origin)
            links += description.links
            joints += description.joints
    for name, (link, origin) in frames.items():
        _fix(joints, {each.name for each in links}, link, name, origin)
        links.append(Link(name))
    for kind, names in (('link', [link.name for link in links]), ('joint', [joint.name for joint in joints])):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f'two parts have a {kind} named {twice[0]!r}; give one of them another prefix')
    name = '+'.join(dict.fromkeys(part.description.name for part in parts))
    return RobotDescription(name, WORLD, tuple(links), tuple(joints))


def _fix(joints: list[Joint], known: set[str], parent: str, child: str, origin: Origin) -> None:
    if parent not in known:
        raise ValueError(f'{child!r} cannot be fixed to {parent!r}: the parts before it have no such link')
    joints.append(Joint(f'{parent} carries {child}', 'fixed', parent, child, origin))


def _with_own_root(description: RobotDescription) -> RobotDescription:
    """The description with another name for its root where that is `world`, as it stands elsewhere than ours."""
    if description.root != WORLD:
        return description
    root = f'{WORLD} of {description.name}'
    return RobotDescription(
        description.name,
        root,
        tuple(replace(link, name=root) if link.name == WORLD else link for link in description.links),
        tuple(replace(joint, parent=root) if joint.parent == WORLD else joint for joint in description.joints),
    )


def _renamed(part: Part) -> RobotDescription:
    """The description of a part with the part's prefix before each name."""
    if not part.prefix:
        return part.description
    before = part.prefix
    return RobotDescription(
        part.description.name,
        before + part.description.root,
        tuple(replace(link, name=before + link.name) for link in part.description.links),
        tuple(
            replace(
                joint,
                name=before + joint.name,
                parent=before + joint.parent,
                child=before + joint.child,
                mimic=joint.mimic and replace(joint.mimic, joint=before + joint.mimic.joint),
            )
            for joint in part.description.joints
        ),
    )
