"""Folders that one process of a test run makes and all of them use."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder `name`, one for all processes of this test run; the first process that asks for it calls `make`."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if 'PYTEST_XDIST_WORKER' in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    with (folder / 'lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / 'made').exists():
            make(folder)
            (folder / 'made').touch()
    return folder
