"""A stop that no action node answers is left wherever a stack of this machine would find it."""

import os
import subprocess
import sys

import pytest

from action_node.stop.unheard_stop import UnheardStop
from lucca_cli.unheard_stops import left_on_disk
from lucca_core import claim

HOLDING = """
import sys
from pathlib import Path
from lucca_core import claim
claim.FOLDER = Path(sys.argv[1])
held = claim.Claim('action', 7, '/')
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def locks(tmp_path, monkeypatch):
    monkeypatch.setattr(claim, 'FOLDER', tmp_path)
    monkeypatch.setenv('LUCCA_STATE_DIR', str(tmp_path / 'here'))
    return tmp_path


@pytest.fixture
def stack(locks):
    """A process that holds the claim of an action node, with a state folder of its own."""
    environment = os.environ | {'LUCCA_STATE_DIR': '~/there', 'HOME': str(locks)}
    with subprocess.Popen(
        [sys.executable, '-c', HOLDING, str(locks)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        process.stdout.readline()
        yield
        process.stdin.close()


def test_it_is_left_in_the_state_folder_of_the_stack_as_well(stack, locks):
    said = left_on_disk(7, '/')
    for folder in ('here', 'there'):
        stop = UnheardStop(locks / folder, '/', 7)
        assert stop.is_set()
        assert str(stop.file) in said


def test_a_folder_that_cannot_be_found_or_written_is_told(stack, locks, monkeypatch):
    def refused(*_):
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr('lucca_cli.unheard_stops.environment_of', refused)
    (locks / 'here').write_text('no folder')
    said = left_on_disk(7, '/')
    assert 'looks is not known: Permission denied' in said
    assert 'nor could the stop be left on the disk' in said
    assert 'waits in' not in said


def test_where_no_stack_runs_the_others_of_this_machine_are_named(stack, locks):
    assert left_on_disk(8, '/') == (
        '. An action node runs elsewhere on this machine; to stop it: ROS_DOMAIN_ID=7 LUCCA_NAMESPACE=/ lucca stop'
    )
    assert not (locks / 'here').exists()


def test_what_root_leaves_belongs_to_the_user_of_the_stack(stack, locks, monkeypatch):
    given = {}
    monkeypatch.setattr('lucca_cli.unheard_stops.owner_of', lambda *_: (1234, 1235))
    monkeypatch.setattr('lucca_cli.unheard_stops.os.geteuid', lambda: 0)
    monkeypatch.setattr('lucca_cli.unheard_stops.os.chown', lambda path, *owner, **_: given.update({path: owner}))
    left_on_disk(7, '/')
    file = UnheardStop(locks / 'there', '/', 7).file
    assert given == {file: (1234, 1235), file.parent: (1234, 1235)}
