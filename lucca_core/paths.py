"""Folders of lucca: configuration, data and state."""

import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from lucca_core.namespace import chosen_namespace, own_path


def config_dir() -> Path:
    """The folder `config/`.

    It is `LUCCA_CONFIG_DIR`, otherwise the folder beside the source, otherwise the one in the share folder that colcon
    or pip installed.

    Raises:
        FileNotFoundError: none of them exists.
    """
    candidates = []
    if override := os.environ.get('LUCCA_CONFIG_DIR'):
        candidates.append(Path(override))
    candidates.append(Path(__file__).resolve().parent.parent / 'config')
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if prefix:
            candidates.append(Path(prefix) / 'share' / 'lucca' / 'config')
    # Installed by pip without ament: into the environment, for the user, or with --target.
    bases = (sys.prefix, sysconfig.get_path('data', 'posix_user'), Path(__file__).resolve().parent.parent)
    candidates += [Path(base) / 'share' / 'lucca' / 'config' for base in bases]
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f'no config folder; looked in {", ".join(map(str, candidates))}; set LUCCA_CONFIG_DIR')


def default_data_dir(namespace: str | None = None) -> Path:
    """`LUCCA_DATA_DIR`, otherwise `$XDG_DATA_HOME/lucca` or `~/.local/share/lucca`; for a namespace, see `own_path`.

    `namespace`: that of the robot; None for `LUCCA_NAMESPACE`.
    """
    override, base = os.environ.get('LUCCA_DATA_DIR'), os.environ.get('XDG_DATA_HOME') or '~/.local/share'
    folder = Path(override).expanduser() if override else Path(base).expanduser() / 'lucca'
    return own_path(folder, chosen_namespace() if namespace is None else namespace)


def default_state_dir(environment: Mapping[str, str] | None = None) -> Path:
    """The folder that marks a stop and holds the prohibitions.

    It is `LUCCA_STATE_DIR`, otherwise `$XDG_STATE_HOME/lucca` or `~/.local/state/lucca`. Emptying it lifts them.

    `environment`: that of another process; None for this one.
    """
    known = os.environ if environment is None else environment
    if override := known.get('LUCCA_STATE_DIR'):
        return _at_home(override, known)
    return _at_home(known.get('XDG_STATE_HOME') or '~/.local/state', known) / 'lucca'


def _at_home(path: str, environment: Mapping[str, str]) -> Path:
    home = environment.get('HOME')
    return Path(home) / path[2:] if home and path.startswith('~/') else Path(path).expanduser()
