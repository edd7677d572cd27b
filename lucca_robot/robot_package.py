"""Public robot descriptions with their meshes, from a package in the Python registry."""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from lucca_core.errors import ConfigError, StackError

PACKAGE, VERSION = 'example-robot-data', '6.0.0'
SHA256 = '424092a8093411ac2cd4ccc0572382bfc6b5eb4833aa984ef5e671dd67cd0a6e'
_INSIDE = 'cmeel.prefix/share/'
_DOWNLOAD_S = 900.0

Run = Callable[[Sequence[str]], None]


def get_robot(name: str, folder: Path, run: Run | None = None, sha256: str = SHA256) -> Path:
    """The URDF called `name` in the package; the package is downloaded (131 MB) unless it is already in `folder`.

    Args:
        name: name of the file, without `.urdf`.
        folder: folder of downloaded descriptions, see `robots_dir`.
        run: runs the download with these arguments; pip by default.
        sha256: checksum of the package's wheel.

    Raises:
        StackError: the download failed, or the checksum is wrong; the message says how to do it by hand.
        ConfigError: the package has no such description; the message names those it has.
    """
    place = folder / f'{PACKAGE}-{VERSION}'
    if not place.is_dir():
        _download(place, run or _pip, sha256)
    found = {file.stem: file for file in sorted(place.rglob('*.urdf'))}
    if name not in found:
        known = ', '.join(sorted(found))
        raise ConfigError(
            f'{PACKAGE} {VERSION} has no robot {name!r}; it has {known}. Ask its maker for the description, or look '
            'in a package such as ros-jazzy-NAME-description, and give --robot the path of a profile'
        )
    return found[name]


def _download(place: Path, run: Run, sha256: str) -> None:
    by_hand = f'by hand: pip download --no-deps {PACKAGE}=={VERSION}, and unpack it to {place}'
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix='.unpacking-') as temporary:
        base = Path(temporary)
        try:
            run(['download', '--no-deps', '--only-binary=:all:', '-d', str(base), f'{PACKAGE}=={VERSION}'])
        except (OSError, subprocess.SubprocessError) as error:
            raise StackError(f'{PACKAGE} {VERSION} could not be downloaded ({error}); {by_hand}') from error
        wheels = list(base.glob('*.whl'))
        if len(wheels) != 1:
            raise StackError(f'pip downloaded {len(wheels)} files instead of one; {by_hand}')
        found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
        if found != sha256:
            raise StackError(f'{wheels[0].name} should have the checksum {sha256}, has {found}; nothing was unpacked')
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(base, [name for name in wheel.namelist() if name.startswith(_INSIDE)])
        (base / _INSIDE).rename(place)


def _pip(arguments: Sequence[str]) -> None:
    subprocess.run(
        [sys.executable, '-m', 'pip', *arguments], check=True, timeout=_DOWNLOAD_S, stdout=subprocess.DEVNULL
    )
