"""Log files stay bounded in size and number, and keep the newest lines."""

import os
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.rotating_file import RotatingFile, cut_when_long, keep_newest


@given(st.lists(st.text(st.characters(codec='utf-8', exclude_characters='\n\r'), max_size=30), max_size=200))
def test_the_files_are_bounded_and_end_with_the_newest_lines(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp('logs') / 'node.log'
    log = RotatingFile(path, most_bytes=100, kept=2)
    for line in lines:
        log.write(f'{line}\n')
    log.close()
    files = [file for file in (path.with_name('node.log.2'), path.with_name('node.log.1'), path) if file.exists()]
    assert sorted(path.parent.iterdir()) == sorted(files)
    assert all(file.stat().st_size <= 100 for file in files)
    kept = b''.join(file.read_bytes() for file in files)
    whole = ''.join(f'{line}\n' for line in lines).encode()
    assert whole.endswith(kept) or any(len(line.encode()) >= 100 for line in lines)
    assert len(kept) >= min(len(whole), 70) or any(len(line.encode()) >= 60 for line in lines)


def test_a_log_continues_that_of_an_earlier_process(tmp_path):
    for line in ('one\n', 'two\n'):
        log = RotatingFile(tmp_path / 'node.log')
        log.write(line)
        log.close()
    assert (tmp_path / 'node.log').read_text() == 'one\ntwo\n'


def test_after_a_failed_rotation_the_log_is_written_again(tmp_path, monkeypatch):
    log = RotatingFile(tmp_path / 'node.log', most_bytes=10)
    log.write('one\n')
    with monkeypatch.context() as full:
        full.setattr(type(tmp_path), 'replace', Mock(side_effect=OSError(28, 'no space')))
        with pytest.raises(OSError, match='no space'):
            log.write('two and three\n')
    log.write('four\n')
    log.close()
    assert (tmp_path / 'node.log').read_text().endswith('four\n')


def test_a_file_is_emptied_while_another_process_appends_to_it(tmp_path):
    file = tmp_path / 'node.log'
    with file.open('ab', buffering=0) as writer:
        for number in range(50):
            writer.write(b'%04d\n' % number)
            cut_when_long(file, 100)
        assert file.stat().st_size <= 105
    kept = (tmp_path / 'node.log.1').read_bytes() + file.read_bytes()
    assert kept.endswith(b'0048\n0049\n')
    assert b'\0' not in kept


def test_only_the_newest_files_of_a_pattern_stay(tmp_path):
    for number in range(10):
        file = tmp_path / f'lucca_action_{number}.log'
        file.touch()
        os.utime(file, (number, number))
    (tmp_path / 'others.log').touch()
    keep_newest(tmp_path, 'lucca_action_*.log', 3)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        'lucca_action_7.log',
        'lucca_action_8.log',
        'lucca_action_9.log',
        'others.log',
    ]
