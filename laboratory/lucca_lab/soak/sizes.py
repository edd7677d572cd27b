"""Sizes of a process (memory, file descriptors and threads, from `/proc`) and of a data folder's files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PAGE_KB = os.sysconf('SC_PAGE_SIZE') // 1024


@dataclass(frozen=True, slots=True)
class ProcessSizes:
    """One process: resident memory (kB), open file descriptors, and threads."""

    pid: int
    memory_kb: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> 'ProcessSizes | None':
        """The current sizes of a process; None if it has ended."""
        place = Path('/proc') / str(pid)
        try:
            pages = int((place / 'statm').read_text(encoding='ascii').split()[1])
            descriptors = len(os.listdir(place / 'fd'))
            threads = len(os.listdir(place / 'task'))
        except (OSError, IndexError):
            return None
        return cls(pid, pages * _PAGE_KB, descriptors, threads)


def folder_bytes(data: Path) -> Mapping[str, int]:
    """Bytes of task logs (including heads), of databases (including write-ahead logs), and of everything else."""
    sizes = {'log': 0, 'database': 0, 'other files': 0}
    for folder, _, names in os.walk(data):
        for name in names:
            try:
                size = (Path(folder) / name).stat().st_size
            except FileNotFoundError:
                continue
            in_tasks = Path(folder).name == 'tasks'
            sizes['log' if in_tasks else 'database' if '.sqlite' in name else 'other files'] += size
    return sizes
