"""`lucca doctor --new-memory`: a memory that is gone is given up, and only then."""

from datetime import UTC, datetime

from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_memory.data_folder import DataFolder
from lucca_memory.people.opening import PEOPLE_FILE, open_store


def test_the_command_begins_anew_only_when_it_is_told_to(tmp_path):
    path = tmp_path / 'data'
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        store.create('Anna', datetime.now(UTC))
    (path / PEOPLE_FILE).unlink()
    run = CliRunner().invoke
    refused = run(app, ['memory', 'people', '--data-dir', str(path)])
    assert refused.exit_code == 1
    assert 'doctor' in refused.output
    done = run(app, ['doctor', '--new-memory', '--data-dir', str(path)])
    assert done.exit_code == 0, done.output
    assert 'people.sqlite is missing; a new memory will be created' in ' '.join(done.output.split())
    with DataFolder.open(path, write=True) as folder, open_store(folder) as store:
        assert store.people() == ()
    again = run(app, ['doctor', '--new-memory', '--data-dir', str(path)])
    assert 'nothing was changed' in again.output


def test_a_folder_that_is_not_there_is_not_made(tmp_path):
    said = CliRunner().invoke(app, ['doctor', '--new-memory', '--data-dir', str(tmp_path / 'misspelt')])
    assert said.exit_code == 1
    assert 'is not a lucca data folder' in ' '.join(said.output.split())
    assert not (tmp_path / 'misspelt').exists()
