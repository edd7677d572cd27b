"""`lucca memory graph|why|pin|unpin|restore` on a data folder."""

import json
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.semantic.opening import open_semantic
from lucca_memory.semantic.values import Statement

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / 'data'
    with DataFolder.open(path, write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        memory.hear([Statement(text='The kiln is in Ulm.', speaker='Anna', time=NOW, source='said:1')])
    return path


def run(*words):
    return CliRunner().invoke(app, ['memory', *map(str, words)])


def node_of(data):
    with DataFolder.open(data, write=False) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        return memory.context('kiln', NOW).items[0].node_id


def test_graph_tells_how_the_network_stands_and_writes_it(data, tmp_path):
    found = run('graph', '--data-dir', data, '--json', '--out', tmp_path / 'network.json')
    assert json.loads(found.stdout)['statements'] == 1
    assert len(json.loads((tmp_path / 'network.json').read_text())['nodes']) == 3
    assert 'statements' in run('graph', '--data-dir', data).stdout


def test_why_tells_where_a_node_is_from_and_what_it_is_worth(data):
    found = run('why', f'node:{node_of(data)}', '--data-dir', data)
    assert 'said:1' in found.stdout
    assert 'importance' in found.stdout


def test_why_lists_what_a_general_node_stands_for(data):
    with DataFolder.open(data, write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        told = Statement(text='The kiln of Ada really is new.', speaker='Anna', time=NOW, source='said:2')
        memory.hear([told])
        [ids] = memory.about_to_go(NOW, 0)
        members = list(memory.store.nodes(ids).values())
        assert memory.generalize(members, 'The kiln is in Ulm; kiln of Ada is new', NOW) == ''
        [general] = {item.into for item in memory.forgotten()}
    found = run('why', f'node:{general}', '--data-dir', data)
    assert f'stands for node:{ids[0]} The kiln is in Ulm.' in found.stdout
    assert f'stands for node:{ids[1]} The kiln of Ada really is new.' in found.stdout


def test_pinning_restoring_and_letting_go(data):
    node = f'node:{node_of(data)}'
    assert run('pin', node, '--data-dir', data).exit_code == 0
    with DataFolder.open(data, write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        memory.forget(NOW, 0)
        assert memory.stats().statements == 1
    assert '1 of 1' in run('unpin', node, '--data-dir', data).stdout
    with DataFolder.open(data, write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        memory.forget(NOW, 0)
        assert memory.stats().statements == 0
    assert 'forgotten' in run('why', node, '--data-dir', data).stdout
    assert '1 of 1' in run('restore', node, '--data-dir', data).stdout
    assert json.loads(run('graph', '--data-dir', data, '--json').stdout)['statements'] == 1


@pytest.mark.parametrize('words', [('why', 'node:99'), ('pin', 'kiln'), ('restore', 'Anna')])
def test_what_does_not_exist_is_said_with_its_name(data, words):
    found = run(*words, '--data-dir', data)
    assert found.exit_code == 1
    assert found.output
