"""Claims: one holder per kind, domain and namespace, named to others, and freed when its process dies."""

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core import claim
from lucca_core.claim import Claim, domain_id, holder
from lucca_core.errors import AlreadyRunningError, StackError
from lucca_core.namespace import absolute

NAMES = st.from_regex(r'[a-zA-Z][a-zA-Z0-9_]{0,5}', fullmatch=True)
NAMESPACES = st.lists(NAMES, max_size=3).map(lambda parts: '/' + '/'.join(parts))


@pytest.fixture(autouse=True)
def locks(tmp_path, monkeypatch):
    monkeypatch.setattr(claim, 'FOLDER', tmp_path)
    return tmp_path


def test_a_second_claim_names_process_domain_and_namespace_of_the_first():
    Claim('action', 7, '/robot_1')
    with pytest.raises(
        AlreadyRunningError, match=rf'the node action .* domain 7, namespace /robot_1: process {os.getpid()} on '
    ):
        Claim('action', 7, 'robot_1')


def test_the_environment_of_a_holder_is_found_and_every_place_where_there_is_one(locks, monkeypatch):
    assert claim.environment_of('action', 7, '/') is None
    first, second = Claim('action', 7, '/robot_1/left'), Claim('action', 12, '/')
    Claim('worker', 9, '/').release()
    for odd in ('lucca-x.action.lock', 'lucca-7-1.action.lock'):
        (locks / odd).write_text('')
    assert claim.environment_of('action', 12, '/')['PATH'] == os.environ['PATH']
    assert claim.holders_everywhere('action') == [(12, '/'), (7, '/robot_1/left')]
    first.release()
    assert claim.holders_everywhere('action') == [(12, '/')]
    monkeypatch.setattr(claim.socket, 'gethostname', lambda: 'another')
    with pytest.raises(OSError, match='another container'):
        claim.environment_of('action', 12, '/')
    second.release()


def test_a_process_that_has_not_the_lock_is_that_of_another_container(locks):
    held = Claim('action', 7, '/')
    assert claim.owner_of('action', 7, '/') == (os.geteuid(), os.getegid())
    with subprocess.Popen(['sleep', '60']) as other:
        text = claim.this_process().replace(f'process {os.getpid()} ', f'process {other.pid} ')
        os.pwrite(held._lock, text.encode(), 0)
        for asked in (claim.environment_of, claim.owner_of):
            with pytest.raises(OSError, match='another container'):
                asked('action', 7, '/')
        other.kill()
    held.release()
    assert claim.owner_of('action', 7, '/') is None


def test_what_is_released_can_be_claimed_again():
    first = Claim('stack', 7, '/')
    assert f'process {os.getpid()} ' in holder('stack', 7, '/')
    first.release()
    first.release()
    assert holder('stack', 7, '/') == ''
    Claim('stack', 7, '/').release()


@given(NAMESPACES, NAMESPACES, st.integers(0, 232), st.integers(0, 232))
def test_only_the_same_domain_and_namespace_are_the_same(one, other, domain, other_domain):
    same = (domain, absolute(one)) == (other_domain, absolute(other))
    assert (claim._file('action', domain, one) == claim._file('action', other_domain, other)) is same


def test_a_process_that_is_killed_holds_nothing(locks):
    program = (
        'import sys; from pathlib import Path; from lucca_core import claim\n'
        'claim.FOLDER = Path(sys.argv[1]); held = claim.Claim("action", 7, "/"); print("held", flush=True)\n'
        'sys.stdin.read()'
    )
    with subprocess.Popen(
        [sys.executable, '-c', program, str(locks)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == 'held\n'
        with pytest.raises(AlreadyRunningError, match=f'process {process.pid} '):
            Claim('action', 7, '/')
        process.kill()
        process.wait()
    Claim('action', 7, '/').release()


def test_a_lock_file_removed_while_it_is_opened_still_excludes_a_second_claim(monkeypatch):
    opened, left = claim._open, [True]

    def opened_and_removed(file):
        lock = opened(file)
        if left:
            left.clear()
            file.unlink()
        return lock

    monkeypatch.setattr(claim, '_open', opened_and_removed)
    first = Claim('action', 7, '/')
    with pytest.raises(AlreadyRunningError):
        Claim('action', 7, '/')
    first.release()


def test_a_link_in_the_place_of_a_lock_is_not_followed(locks):
    victim = locks / 'victim'
    victim.write_text('mine')
    claim._file('action', 7, '/').symlink_to(victim)
    with pytest.raises(StackError, match='cannot be used'):
        Claim('action', 7, '/')
    assert victim.read_text() == 'mine'
    assert holder('action', 7, '/') == ''


def test_a_domain_that_is_no_number_is_named(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', 'seven')
    with pytest.raises(StackError, match=re.escape("got 'seven'")):
        domain_id()
    monkeypatch.delenv('ROS_DOMAIN_ID')
    assert domain_id() == 0
