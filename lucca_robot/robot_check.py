"""A check whether a robot description or profile is complete, and a list of what is missing."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.regular_file import read_regular
from lucca_core.yaml_file import LocatedMapping, load_yaml
from lucca_robot.description import RobotDescription
from lucca_robot.intake import FoundArm, begun_profile, find_arms, missing_for
from lucca_robot.profile import RobotProfile, load_description, load_profile
from lucca_robot.urdf import load_urdf
from lucca_robot.xacro_file import NO_ARGUMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotCheck:
    """The result of a check.

    `profile`: for a description, a first version of a profile, with parts still to be set by hand. `sha256`: checksum
    of the file, which identifies the version that was checked.
    """

    ok: bool
    missing: tuple[str, ...]
    joints: tuple[str, ...] = ()
    arms: tuple[tuple[str, ...], ...] = ()
    hands: tuple[tuple[str, ...], ...] = ()
    profile: dict[str, Any] | None = None
    sha256: str = ''


def check_robot(file: Path, arguments: Mapping[str, str] = NO_ARGUMENTS) -> RobotCheck:
    """Checks a profile (`.yaml`), a URDF or a xacro file. Problems are listed in `missing`; nothing is raised.

    `arguments`: values of the arguments of a xacro file; those of a profile stand in it.
    """
    try:
        digest = hashlib.sha256(read_regular(file)).hexdigest()
        if file.suffix in ('.yaml', '.yml'):
            if arguments:
                raise ConfigError('is a profile: write the arguments below its key `arguments`', file=str(file))
            document = load_yaml(file)
            return _of_profile(load_profile(file), digest) if 'arms' in document else _of_begun(document, file, digest)
        description = load_urdf(file, arguments)
    except OSError as error:
        return RobotCheck(ok=False, missing=(f'a readable file: {error}',))
    except ConfigError as error:
        return RobotCheck(ok=False, missing=(f'a valid description: {error}',), sha256=digest)
    found = _of_description(description, file, find_arms(description), digest)
    if found.profile is None or not arguments:
        return found
    begun = {'name': found.profile['name'], 'urdf': found.profile['urdf'], 'arguments': dict(arguments)}
    return replace(found, profile=begun | found.profile)


def _of_begun(document: LocatedMapping, file: Path, digest: str) -> RobotCheck:
    """A profile without arms yet: what its description lacks, and the profile with the arms that were found in it."""
    description, given = load_description(file), _plain(document)
    found = _of_description(description, file, find_arms(description), digest, given)
    if found.profile is None:
        return found
    begun = {key: value for key, value in found.profile.items() if key != 'urdf'}
    return replace(found, ok=False, profile=begun | given | {'arms': begun['arms']})


def _plain(document: Any) -> Any:
    """A document of YAML without the line numbers."""
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items()}
    return [_plain(value) for value in document] if isinstance(document, list) else document


def _of_profile(profile: RobotProfile, digest: str) -> RobotCheck:
    missing = []
    for side in profile.arms:
        if not [link for link in profile.hand_links(side) if profile.description.link(link).shapes]:
            missing.append(f'collision solids on the {side} hand, without which its collisions go unnoticed')
    return RobotCheck(
        ok=not missing,
        missing=tuple(missing),
        joints=tuple(joint.name for joint in profile.moving_joints),
        arms=tuple(arm.joints for arm in profile.arms.values()),
        hands=tuple(arm.hand.joints for arm in profile.arms.values()),
        sha256=digest,
    )


def _of_description(
    description: RobotDescription, file: Path, arms: Sequence[FoundArm], digest: str, given: Collection[str] = ()
) -> RobotCheck:
    missing = missing_for(description, arms, given)
    with_hands = [arm.hand for arm in arms if arm.hand is not None]
    return RobotCheck(
        ok=not missing,
        missing=tuple(missing),
        joints=tuple(joint.name for joint in description.moving_joints),
        arms=tuple(arm.joints for arm in arms),
        hands=tuple(hand.joints for hand in with_hands),
        profile=begun_profile(description, file.resolve(), arms) if with_hands else None,
        sha256=digest,
    )
