"""Names for files that are set aside: no file that was set aside before is replaced."""

import itertools
import os
from collections.abc import Iterable
from pathlib import Path


def free_ending(files: Iterable[Path], ending: str) -> str:
    """The ending, followed by a number if a file with it exists beside one of `files`: a clock may be set back."""
    files = tuple(files)
    endings = (f'{ending}-{number}' if number > 1 else ending for number in itertools.count(1))
    return next(free for free in endings if not any(os.path.lexists(f'{file}{free}') for file in files))
