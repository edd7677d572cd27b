"""`lucca up --web` as a process."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from rig import pause

from lucca_lab.quick_table import quick_parameters

TOKEN = 'the-token-of-the-tests'  # noqa: S105 - of the tests
MAIN = 'from lucca_cli.main import main; main()'
LONG_S = 120.0


class Up:
    """`lucca up --web`, in a domain of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        file = quick_parameters(folder / 'params.yaml', {'coordinator': {'confirm_understanding': 'always'}})
        command = [sys.executable, '-c', MAIN, 'up', '--web', '0', '--scene', 'sorting', '--engine', 'kinematic']
        command += ['--speed', '2', '--data-dir', str(folder / 'memory'), '--params-file', str(file)]
        self._log = (folder / 'up.log').open('w+', encoding='utf-8')
        self.process = subprocess.Popen(
            command,
            env={**os.environ, 'LUCCA_VIEW_TOKEN': TOKEN, 'LUCCA_STATE_DIR': str(folder / 'state')},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self.folder = folder

    def said(self) -> str:
        """Everything that it has printed."""
        return (self.folder / 'up.log').read_text(encoding='utf-8')

    def until_said(self, pattern: str) -> 're.Match[str]':
        """The first that matches of what it prints."""
        end_s = time.monotonic() + LONG_S
        while not (found := re.search(pattern, self.said())):
            assert self.process.poll() is None, self.said()[-3000:]
            assert time.monotonic() < end_s, self.said()[-3000:]
            pause(0.1)
        return found

    def page_process(self) -> int:
        """The process id of the page."""
        children = Path(f'/proc/{self.process.pid}/task/{self.process.pid}/children').read_text(encoding='utf-8')
        (found,) = [int(pid) for pid in children.split() if b'\0view\0' in Path(f'/proc/{pid}/cmdline').read_bytes()]
        return found

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60.0)
        self._log.close()
