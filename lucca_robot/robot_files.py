"""Places of robot descriptions: beside a profile, in a ROS package, or in the folder of `lucca robot get`."""

import os
import re
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.regular_file import is_regular
from lucca_robot.mesh_file import resolve

PACKAGE = 'package://'
_PACKAGE_NAME = re.compile(r'[A-Za-z0-9][A-Za-z0-9_-]{0,127}')


def robots_dir() -> Path:
    """The folder of downloaded robots.

    It is `LUCCA_ROBOTS_DIR`, otherwise `$XDG_CACHE_HOME/lucca/robots` or `~/.cache/lucca/robots`.
    """
    if override := os.environ.get('LUCCA_ROBOTS_DIR'):
        return Path(override).expanduser()
    return Path(os.environ.get('XDG_CACHE_HOME') or '~/.cache').expanduser() / 'lucca' / 'robots'


def find_urdf(name: str, profile: Path) -> Path:
    """The file of a profile's `urdf`: a path relative to the profile, or `package://PACKAGE/PATH`.

    Raises:
        ConfigError: the package has an impossible name, or its file was not found; the message says how to get it.
    """
    if not name.startswith(PACKAGE):
        return profile.parent / name
    package, _, rest = name.removeprefix(PACKAGE).partition('/')
    if not _PACKAGE_NAME.fullmatch(package):
        raise ConfigError(f'{package[:40]!r} in {name[:80]!r} is no name of a ROS package', file=str(profile))
    for found in sorted(robots_dir().glob(f'**/{package}')):
        if is_regular(found / rest):
            return found / rest
    try:
        return resolve(name, profile)
    except ConfigError:
        stem = Path(rest).stem
        raise ConfigError(
            f'{name} is not installed: run lucca robot get {stem}, or install the package {package} and source it',
            file=str(profile),
        ) from None
