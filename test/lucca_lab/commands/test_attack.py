"""`lucca attack`: its figures as JSON, its list, and what it exits with."""

import json

from typer.testing import CliRunner

from lucca_cli.main import app


def test_figures_are_printed_as_json():
    result = CliRunner().invoke(app, ['attack', 'yaml', '--count', '20', '--seed', '7', '--json'])
    figures = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (figures['part'], figures['tried'], figures['broke'], figures['first_failing_seed']) == ('yaml', 20, 0, None)
    assert figures['counts']['refused'] + figures['counts']['read'] == 20


def test_the_list_begins_each_line_with_the_name_of_a_part():
    result = CliRunner().invoke(app, ['attack', '--list'])
    assert any(line.split()[0] == 'yaml' for line in result.stdout.splitlines())


def test_an_unknown_part_is_wrong_usage():
    result = CliRunner().invoke(app, ['attack', 'nothing'])
    assert result.exit_code == 2
    assert 'there is no attack' in result.output
