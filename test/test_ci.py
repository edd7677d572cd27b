"""The script of CI, with stand-ins for what it calls: whatever fails, what `make check` found is printed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

MAKE = """#!/bin/bash
case "$1" in
    check) sleep 0.3; echo "the checks of $1"; exit ${CHECK:-0};;
    colcon) echo built; exit ${COLCON:-0};;
    test) echo '===== 3 passed in 0.1s =====';;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that holds only the script; the commands that it calls do nothing."""
    (tmp_path / '.ci').mkdir()
    (tmp_path / 'scripts').mkdir()
    (tmp_path / '.venv' / 'bin').mkdir(parents=True)
    (tmp_path / 'bin').mkdir()
    for name in ('.ci/run', '.ci/skips.py', '.ci/known_skips.txt', 'scripts/uv_as_pip.sh'):
        shutil.copy(ROOT / name, tmp_path / name)
    stand_ins = {
        'bin/make': MAKE,
        'bin/dpkg-query': "#!/bin/bash\necho 'install ok installed'\n",
        '.venv/bin/uv': '#!/bin/bash\nexit ${PACKAGES:-0}\n',
        '.venv/bin/python': '#!/bin/bash\nexit ${PACKAGES:-0}\n',
        '.venv/bin/lucca': '#!/bin/bash\necho "no answer for $3" >&2\nexit ${MODEL:-0}\n',
    }
    for name, text in stand_ins.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def ci(checkout: Path, **ends: str) -> tuple[int, str]:
    """The exit code of the script, and all that it prints."""
    path = f'{checkout}/bin:{os.environ["PATH"]}'
    done = subprocess.run(
        [checkout / '.ci' / 'run'],
        env={**os.environ, 'PATH': path, **ends},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize('ends', [{'COLCON': '2'}, {'MODEL': '3'}, {'PACKAGES': '1'}, {'CHECK': '2'}])
def test_whatever_fails_what_the_checks_found_is_printed_and_ci_fails(ends: dict[str, str], checkout: Path) -> None:
    code, told = ci(checkout, **ends)
    assert code == 1
    assert 'the checks of check' in told
    assert ('make check failed' in told) is ('CHECK' in ends)
    assert '3 passed' not in told, 'no test runs after that'


def test_if_nothing_fails_the_tests_run(checkout: Path) -> None:
    code, told = ci(checkout)
    assert code == 0, told
    assert told.count('3 passed') == 2
    assert told.index('the checks of check') < told.index('3 passed')
