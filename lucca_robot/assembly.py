"""One robot from several descriptions: an arm on a table, two arms, a gripper on a flange, a camera on a pole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lucca_robot.description import Joint, Link, Origin, RobotDescription

WORLD = 'world'


@dataclass(frozen=True, slots=True)
class Part:
    """A description that is fixed to a link of the parts before it, or to the world, with a prefix before its names."""

    description: RobotDescription
    prefix: str = ''
    parent: str = WORLD
    origin: Origin = field(default_factory=Origin)


def put_together(parts: Sequence[Part], frames: Mapping[str, tuple[str, Origin]]) -> RobotDescription:
    """The parts as one description, with further frames: for each its name, and the link and place it is fixed to.

    A single part that has no prefix and is fixed to nothing keeps its root; otherwise the root is `world`.

    Raises:
        ValueError: two links or joints have one name, or a link that something is fixed to is not there.
    """
    links, joints = [Link(WORLD)], []
    for part in parts:
        description = _renamed(part)
        known = {link.name for link in links}
        # A description with a world of its own stands in ours.
        if part.description.root == WORLD and part.parent in (WORLD, '') and part.origin == Origin():
            links += [link for link in description.links if link.name != description.root]
            joints += [
                replace(joint, parent=WORLD) if joint.parent == description.root else joint
                for joint in description.joints
            ]
        else:
            _fix(joints, known, part.parent or WORLD, description.root, part.origin)
            links += description.links
            joints += description.joints
    for name, (link, origin) in frames.items():
        _fix(joints, {each.name for each in links}, link, name, origin)
        links.append(Link(name))
    for kind, names in (('link', [link.name for link in links]), ('joint', [joint.name for joint in joints])):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f'two parts have a {kind} {twice[0]!r}; give one of them a prefix')
    name = '+'.join(dict.fromkeys(part.description.name for part in parts))
    return RobotDescription(name, WORLD, tuple(links), tuple(joints))


def _fix(joints: list[Joint], known: set[str], parent: str, child: str, origin: Origin) -> None:
    if parent not in known:
        raise ValueError(f'{child!r} is to be fixed to {parent!r}, which is no link of the parts before it')
    joints.append(Joint(f'{parent} carries {child}', 'fixed', parent, child, origin))


def _renamed(part: Part) -> RobotDescription:
    """The description with the part's prefix before each name."""
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
