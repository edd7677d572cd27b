"""`lucca attack`: its figures as JSON, its list, and what it exits with."""

import json
import os
from contextlib import nullcontext

from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_lab.attack.attack import Attack
from lucca_lab.commands import attack
from lucca_lab.dds_domains import DOMAINS, FIRST_DOMAIN


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


def test_nothing_that_an_attack_sends_reaches_a_stack_that_runs(monkeypatch):
    seen = []

    def trial(chance):
        seen.append((os.environ['ROS_DOMAIN_ID'], os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE']))
        return {}

    part = Attack(name='look', promise='It looks.', open=lambda folder: nullcontext(trial), sample=1, count=1)
    monkeypatch.setattr(attack, 'find_part', lambda name: part)
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    assert CliRunner().invoke(app, ['attack', 'look']).exit_code == 0
    [(domain, reach)] = seen
    assert int(domain) in range(FIRST_DOMAIN, FIRST_DOMAIN + DOMAINS)
    assert (reach, os.environ['ROS_DOMAIN_ID']) == ('LOCALHOST', '7')
