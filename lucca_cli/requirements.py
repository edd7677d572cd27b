"""Checks before a command begins: packages it needs are installed, files it will write can be written."""

import os
from importlib.util import find_spec
from pathlib import Path

from lucca_core.errors import ConfigError

INSTALL = {
    'matplotlib': '"matplotlib>=3.9,<4"',
    'networkx': '"networkx>=3,<4"',
    'gymnasium': '"gymnasium>=1,<2"',
    'stable_baselines3': '"stable-baselines3>=2.4,<3"',
    'mcap': '"mcap>=1.2,<2"',
    'zstandard': '"zstandard>=0.22,<1"',
    'aiohttp': '"aiohttp>=3.10,<4"',
    'opentelemetry.sdk': '"opentelemetry-sdk>=1.27,<2"',
    'opentelemetry.exporter.otlp.proto.http': '"opentelemetry-exporter-otlp-proto-http>=1.27,<2"',
    'rerun': '"rerun-sdk>=0.41,<1"',
    'torch': '"torch>=2.4,<3"',
}
"""What pip calls each package."""


def require_packages(what: str, *names: str, instead: str = '') -> None:
    """Returns if these packages can be imported.

    Args:
        what: that needs them, such as `figures`.
        names: as they are imported.
        instead: what else can be done.

    Raises:
        ConfigError: one is not installed.
    """
    if missing := [name for name in names if not _is_installed(name)]:
        packages = ' '.join(INSTALL.get(name, name) for name in missing)
        raise ConfigError(f'{what} need {" and ".join(missing)}: pip install {packages}{instead and f"; or {instead}"}')


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        # The package that it is a part of.
        return False


def require_writable(file: Path | None) -> None:
    """Returns if a file can be written where it is to be, or none is wanted.

    Raises:
        ConfigError: its folder is missing or may not be written, or it is a folder itself.
    """
    if file is None:
        return
    if file.is_dir():
        raise ConfigError('is a folder; a file is to be written there', file=str(file))
    if not file.parent.is_dir():
        raise ConfigError(f'there is no folder {file.parent}', file=str(file))
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ConfigError('may not be written', file=str(file))
