"""Checks before a command begins: required packages are installed, and files can be written."""

import os
from importlib.util import find_spec
from pathlib import Path

from lucca_core.english import and_list
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
"""pip's name of each package."""


def require_packages(what: str, *names: str, instead: str = '') -> None:
    """Checks that packages can be imported.

    Args:
        what: what needs them, such as `figures`.
        names: their import names.
        instead: an alternative for the message.

    Raises:
        ConfigError: one is not installed.
    """
    if missing := [name for name in names if not _is_installed(name)]:
        packages = ' '.join(INSTALL.get(name, name) for name in missing)
        raise ConfigError(f'{what} need {and_list(missing)}: pip install {packages}{instead and f"; or {instead}"}')


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        # The package that contains it is missing.
        return False


def require_writable(file: Path | None) -> None:
    """Checks that a file can be written; does nothing for None.

    Raises:
        ConfigError: its folder is missing or cannot be written, or the path is a folder.
    """
    if file is None:
        return
    if file.is_dir():
        raise ConfigError('must be a file to write, is a folder', file=str(file))
    if not file.parent.is_dir():
        raise ConfigError(f'there is no folder {file.parent}', file=str(file))
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ConfigError('is not writable', file=str(file))
