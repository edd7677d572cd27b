"""Things that are no regular files, for tests of what reads files."""

import os
import socket
from pathlib import Path

ODD = ['pipe', 'socket', 'device', 'folder', 'loop']


def make_odd(kind: str, path: Path) -> None:
    """Puts something that is no regular file at a path."""
    if kind == 'pipe':
        os.mkfifo(path)
    elif kind == 'socket':
        # Bound by a short name: a path of more than 107 bytes is too long for a socket.
        here = os.getcwd()
        os.chdir(path.parent)
        try:
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(path.name)
        finally:
            os.chdir(here)
    elif kind == 'device':
        path.symlink_to('/dev/zero')
    elif kind == 'folder':
        path.mkdir()
    else:
        path.symlink_to(path)
