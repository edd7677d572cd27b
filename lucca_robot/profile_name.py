"""Names of robot profiles, told from paths of files."""

import re
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir

_NAME = re.compile(r'[A-Za-z0-9_-]{1,60}')


def is_profile_name(text: str) -> bool:
    """Whether this can only name a profile in `config/robots`, and never a file elsewhere.

    A recording may come from anybody. A profile that it chose by path could name xacro files, which are evaluated.
    """
    return _NAME.fullmatch(text) is not None


def profile_file(name_or_path: str | Path) -> Path:
    """The file of a profile, by its name in `config/robots` or its path.

    Raises:
        ConfigError: no profile has this name; the message says which there are.
    """
    file = Path(name_or_path)
    if file.suffix in ('.yaml', '.yml'):
        return file
    folder = config_dir() / 'robots'
    file = folder / f'{name_or_path}.yaml'
    if not file.exists():
        names = ', '.join(sorted(item.stem for item in folder.glob('*.yaml')))
        told = f'no robot {str(name_or_path)!r}; there are {names}, or give a file, NAME.yaml'
        raise ConfigError(told, file=str(file))
    return file
