"""`lucca memory` and its neighbours, on a data folder of their own."""

import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from action_node.prohibition_store import ProhibitionStore
from lucca_cli.main import app
from lucca_core.errors import StackError
from lucca_core.paths import default_state_dir
from lucca_core.protocol.prohibitions import Prohibition
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.people.opening import open_people
from lucca_memory.people.values import Told

NOW = datetime(2026, 3, 9, tzinfo=UTC)


@pytest.fixture
def run(tmp_path):
    data_dir = tmp_path / 'data'
    with DataFolder.open(data_dir, write=True) as folder, open_people(folder, NoEmbedder()) as memory:
        anna = memory.person('Anna')
        memory.remember(anna, Told(conversation='c', utterance='My cat is Tofu.', answer='Nice.', time=NOW))

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(app, [*arguments, '--data-dir', str(data_dir)])
        assert result.exit_code == code, result.output
        return result.output

    return invoke


def test_people_and_lines_are_listed_and_found(run):
    assert json.loads(run('memory', 'people', '--json'))[0]['lines'] == 2
    assert 'My cat is Tofu.' in run('memory', 'show', 'anna')
    found = json.loads(run('memory', 'search', 'Anna', 'cat', '--embedding', 'none', '--json'))
    assert found[0]['text'] == 'My cat is Tofu.'


def test_a_line_is_forgotten_and_restored(run):
    run('memory', 'forget', 'Anna', '--item', 'said:1')
    assert json.loads(run('memory', 'forgotten', 'Anna', '--json'))[0]['text'] == 'My cat is Tofu.'
    assert '1 lines are back' in run('memory', 'restore', 'Anna', 'said:1')


def test_a_person_is_exported_erased_and_brought_in_again(run, tmp_path):
    file = tmp_path / 'anna.json'
    run('memory', 'export', 'Anna', '--out', str(file))
    assert 'known already' in run('memory', 'import', str(file), code=1)
    run('memory', 'forget', 'Anna', '--yes')
    assert json.loads(run('memory', 'people', '--json')) == []
    run('memory', 'import', str(file))
    assert json.loads(run('memory', 'people', '--json'))[0]['lines'] == 2


def test_what_others_said_is_told_and_blanked_on_request(run, tmp_path):
    with DataFolder.open(tmp_path / 'data', write=True) as folder, open_people(folder, NoEmbedder()) as memory:
        ben = memory.person('Ben')
        memory.remember(ben, Told(conversation='d', utterance='Anna lost her keys.', answer='Poor Anna.', time=NOW))
    told = ' '.join(run('memory', 'forget', 'Anna', '--yes').split())
    assert 'memory of Ben: the name is still in 2 texts' in told
    assert 'run it again with --blank-mentions to remove the name from what others said' in told
    assert 'Anna lost her keys.' in run('memory', 'show', 'Ben')
    told = ' '.join(run('memory', 'forget', 'Anna', '--yes', '--blank-mentions').split())
    assert 'memory of Ben: the name was removed from 2 texts' in told
    assert '--blank-mentions' not in told
    shown = run('memory', 'show', 'Ben')
    assert 'Anna' not in shown
    assert 'lost her keys.' in shown


def test_what_an_erased_person_prohibited_is_named(run):
    ProhibitionStore(default_state_dir()).change(
        lambda kept: (*kept, Prohibition(what='the cup', person='ANNA', said_at=NOW))
    )
    told = ''.join(run('memory', 'forget', 'Anna', '--yes').split())  # wherever the lines of a terminal break
    assert 'prohibitions.jsonnamestheperson:lifttheprohibition' in told


def test_recordings_in_the_folder_are_rewritten_and_those_elsewhere_are_named(run, tmp_path):
    session = pytest.importorskip('recorded_session')
    places = pytest.importorskip('lucca_view.recording.places')
    reader = pytest.importorskip('lucca_view.recording.reader')
    said = session.events((session.Said(by_robot=False, person='Anna', text='My cat is Tofu.'), *session.values()))
    inside, outside = places.recordings_folder(tmp_path / 'data') / 'one.mcap', tmp_path / 'elsewhere' / 'two.mcap'
    for file in (inside, outside):
        file.parent.mkdir(parents=True)
        session.write(file, said)
        places.note_place(tmp_path / 'data', file)
    told = run('memory', 'forget', 'Anna', '--yes').replace('\n', '')
    assert '1 events were removed from 1 recordings' in told
    assert f'this recording was not rewritten: {outside}' in told
    assert len(reader.read_session(inside).events) == len(said)
    assert 'Tofu' not in str(reader.read_session(inside).events)
    assert 'Tofu' in str(reader.read_session(outside).events)


def test_backup_restore_and_feedback(run, tmp_path):
    run('backup', str(tmp_path / 'b.tar.gz'))
    run('feedback', 'good', '--person', 'Anna')
    run('feedback', 'well', '--person', 'Anna', code=2)
    run('restore', str(tmp_path / 'b.tar.gz'), code=1)
    run('restore', str(tmp_path / 'b.tar.gz'), '--replace')


def test_nobody_is_said(run):
    assert 'nobody is known' in run('memory', 'show', 'Zed', code=1)


def test_writing_to_a_folder_in_use_by_no_worker_says_who_uses_it(run, tmp_path, monkeypatch):
    @contextmanager
    def nobody():
        raise StackError('service /worker/change_state is not available')
        yield

    requests = pytest.importorskip('lucca_cli.worker_requests')
    monkeypatch.setattr(requests, 'paused_worker', nobody)
    with DataFolder.open(tmp_path / 'data', write=True):
        said = run('memory', 'forget', 'Anna', '--yes', code=1)
        assert f'process {os.getpid()}' in said
        assert 'could not be asked to release it' in said
        assert 'My cat is Tofu.' in run('memory', 'show', 'Anna')


def test_a_shared_store_is_named_by_the_environment(run, monkeypatch):
    monkeypatch.setenv('LUCCA_STORE', 'mysql://me:hunter2@host')
    said = run('memory', 'people', code=1)
    assert 'is not a store' in said
    assert 'hunter2' not in said


@pytest.mark.parametrize('item', ['said:999999999999999999999999', '17', 'said:x', 'node:1'])
def test_what_names_no_line_is_said(run, item):
    for command in (['forget', 'Anna', '--item', item], ['restore', 'Anna', item]):
        assert 'is not the id of a line; ids look like "said:17"' in ' '.join(run('memory', *command, code=1).split())
