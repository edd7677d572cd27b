"""Where lucca's own files and its users' data lie."""

import os
import sys
from pathlib import Path

from lucca_core.namespace import chosen_namespace, own_path


def config_dir() -> Path:
    """The folder `config/`: `LUCCA_CONFIG_DIR`, else beside the source, else the share folder of what
    colcon or pip installed.

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
    # What pip installs, without ament.
    candidates.append(Path(sys.prefix) / 'share' / 'lucca' / 'config')
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f'no config folder; looked in {", ".join(map(str, candidates))}; set LUCCA_CONFIG_DIR')


def default_data_dir(namespace: str | None = None) -> Path:
    """`LUCCA_DATA_DIR`, else `$XDG_DATA_HOME/lucca`, else `~/.local/share/lucca`; in a namespace the folder beside it.

    `namespace`: of the robot; None for the one that is chosen (`LUCCA_NAMESPACE`).
    """
    override, base = os.environ.get('LUCCA_DATA_DIR'), os.environ.get('XDG_DATA_HOME') or '~/.local/share'
    folder = Path(override).expanduser() if override else Path(base).expanduser() / 'lucca'
    return own_path(folder, chosen_namespace() if namespace is None else namespace)


def default_state_dir() -> Path:
    """`LUCCA_STATE_DIR`, else `$XDG_STATE_HOME/lucca`, else `~/.local/state/lucca`: what outlives a process and is no data."""
    if override := os.environ.get('LUCCA_STATE_DIR'):
        return Path(override).expanduser()
    base = os.environ.get('XDG_STATE_HOME') or '~/.local/state'
    return Path(base).expanduser() / 'lucca'
