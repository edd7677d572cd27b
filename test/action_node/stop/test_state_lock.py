"""Two action nodes never keep their stops in the same files."""

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from action_node.stop.state_lock import StateLock, check_state_folder
from lucca_core.errors import StackError


def test_a_second_node_is_refused_with_the_first_named_and_what_helps(tmp_path: Path) -> None:
    folder = tmp_path / 'state'
    first = StateLock(folder, '/', 'process 7, domain 3')
    with pytest.raises(StackError, match=r'in use by another action node .*process 7, domain 3.*LUCCA_STATE_DIR'):
        StateLock(folder, '/', 'process 8, domain 4')
    StateLock(folder, '/robot_2', 'process 8, domain 4').release()
    first.release()
    first.release()
    StateLock(folder, '/', 'process 8, domain 4').release()


def test_a_killed_node_leaves_the_folder_free(tmp_path: Path) -> None:
    program = (
        'import os, signal, sys; from pathlib import Path; from action_node.stop.state_lock import StateLock\n'
        'kept = StateLock(Path(sys.argv[1]), "/", "dies"); os.kill(os.getpid(), signal.SIGKILL)'
    )
    assert subprocess.run([sys.executable, '-c', program, str(tmp_path)], check=False).returncode == -9
    StateLock(tmp_path, '/', 'next').release()


def test_a_folder_that_cannot_be_written_is_told_and_refuses_no_node(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / 'state').write_text('a file in its place', encoding='utf-8')
    StateLock(tmp_path / 'state', '/', 'here').release()
    assert 'cannot be written' in caplog.text


@pytest.mark.parametrize(
    ('number', 'said'),
    [
        (errno.EAGAIN, 'in use by another action node'),
        (errno.EACCES, 'in use by another action node'),
        (errno.ENOLCK, r'cannot be locked \(No locks available\).* local disk'),
        (errno.EOPNOTSUPP, r'cannot be locked \(Operation not supported\).* local disk'),
    ],
)
def test_whatever_a_network_file_system_answers_a_second_node_does_not_share_the_folder(
    number: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    assert check_state_folder(tmp_path) == str(tmp_path)
    monkeypatch.setattr(fcntl, 'flock', refused)
    with pytest.raises(StackError, match=said):
        StateLock(tmp_path, '/', 'here')
    if number in (errno.ENOLCK, errno.EOPNOTSUPP):
        with pytest.raises(StackError, match=said):
            check_state_folder(tmp_path / 'not made yet')
