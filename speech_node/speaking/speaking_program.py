"""Runs a program that speaks; whatever goes wrong is one kind of error, with the program's own words."""

import subprocess
from collections.abc import Sequence

from lucca_core.errors import SpeechError
from lucca_core.process_priority import at_ordinary_priority


def run(command: Sequence[str], *, name: str, timeout_s: float, text: str = '') -> subprocess.CompletedProcess[bytes]:
    """What the program printed.

    Args:
        command: the program and its arguments.
        name: the speaker, as errors name it.
        timeout_s: time limit, in s.
        text: standard input.

    Raises:
        SpeechError: it cannot be run, failed, or did not end in time.
    """
    try:
        return subprocess.run(
            at_ordinary_priority(list(command)),
            input=text.encode(),
            capture_output=True,
            check=True,
            timeout=timeout_s,
            # The node's session has a raised priority; see lucca_core/process_priority.py.
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise SpeechError(f'{name} did not answer within {timeout_s:g} s') from error
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode(errors='replace').strip() or f'exit code {error.returncode}'
        raise SpeechError(f'{name} failed: {told}') from error
    except OSError as error:
        raise SpeechError(f'{name} cannot be run: {error}') from error
