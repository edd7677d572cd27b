"""`lucca attack`: its figures as JSON, its list, and what it exits with."""

import json
import os
from contextlib import nullcontext

from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_lab.attack import campaign
from lucca_lab.attack.attack import Attack, Broken
from lucca_lab.attack.registry import PARTS
from lucca_lab.commands import attack
from lucca_lab.dds_domains import DOMAINS, FIRST_DOMAIN


def test_figures_are_printed_as_json(tmp_path):
    result = CliRunner().invoke(
        app, ['attack', 'yaml', '--count', '20', '--seed', '7', '--json', '--out', str(tmp_path)]
    )
    figures = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (figures['part'], figures['tried'], figures['broke'], figures['first_failing_seed']) == ('yaml', 20, 0, None)
    assert sum(figures['counts'].get(verdict, 0) for verdict in ('refused', 'read')) == 20


def test_the_list_has_one_line_for_each_part_which_begins_with_its_name(monkeypatch):
    monkeypatch.setenv('COLUMNS', '60')
    result = CliRunner().invoke(app, ['attack', '--list'])
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(PARTS)


def test_a_campaign_that_was_ended_goes_on_with_the_seeds_that_were_not_tried(monkeypatch, tmp_path):
    seeds = []

    def trial(chance):
        if len(seeds) == 3 and not tmp_path.joinpath('ended').exists():
            tmp_path.joinpath('ended').touch()
            raise KeyboardInterrupt
        seeds.append(chance.trial_seed)
        return {'held': 1}

    part = Attack(name='look', promise='It looks.', open=lambda folder: nullcontext(trial), sample=1, count=5)
    monkeypatch.setattr(attack, 'find_part', lambda name: part)
    monkeypatch.setattr(campaign, '_SAVE_EVERY_S', 0.0)
    words = ['attack', 'look', '--seed', '40', '--out', str(tmp_path / 'out'), '--json']
    assert CliRunner().invoke(app, words).exit_code == 130
    result = CliRunner().invoke(app, [*words, '--resume'])
    figures = json.loads(result.stdout)
    assert (figures['tried'], figures['counts'], seeds) == (5, {'held': 5}, [40, 41, 42, 43, 44])


def test_a_broken_promise_ends_with_1_and_names_the_seed_that_repeats_it(monkeypatch, tmp_path):
    def trial(chance):
        if chance.trial_seed >= 8:
            raise Broken('it did not hold')
        return {}

    part = Attack(name='look', promise='It looks.', open=lambda folder: nullcontext(trial), sample=1, count=1)
    monkeypatch.setattr(attack, 'find_part', lambda name: part)
    words = ['attack', 'look', '--count', '4', '--seed', '6', '--json', '--out', str(tmp_path)]
    result = CliRunner().invoke(app, words)
    figures = json.loads(result.stdout)
    named = ('part', 'promise', 'tried', 'broke', 'first_failing_seed')
    assert [figures[name] for name in named] == ['look', 'It looks.', 4, 2, 8]
    assert result.exit_code == 1


def test_progress_of_another_part_is_refused_by_its_file(monkeypatch, tmp_path):
    part = Attack(name='look', promise='It looks.', open=lambda folder: nullcontext(dict), sample=1, count=1)
    monkeypatch.setattr(attack, 'find_part', lambda name: part)
    tmp_path.joinpath('look-from-0.json').write_text('[]')
    result = CliRunner().invoke(app, ['attack', 'look', '--resume', '--out', str(tmp_path)])
    assert (result.exit_code, 'look-from-0.json' in ''.join(result.output.split())) == (1, True)


def test_an_unknown_part_is_wrong_usage():
    result = CliRunner().invoke(app, ['attack', 'nothing'])
    assert result.exit_code == 2
    assert 'there is no attack' in result.output


def test_nothing_that_an_attack_sends_reaches_a_stack_that_runs(monkeypatch, tmp_path):
    seen = []

    def trial(chance):
        seen.append((os.environ['ROS_DOMAIN_ID'], os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE']))
        return {}

    part = Attack(name='look', promise='It looks.', open=lambda folder: nullcontext(trial), sample=1, count=1)
    monkeypatch.setattr(attack, 'find_part', lambda name: part)
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    assert CliRunner().invoke(app, ['attack', 'look', '--out', str(tmp_path)]).exit_code == 0
    [(domain, reach)] = seen
    assert int(domain) in range(FIRST_DOMAIN, FIRST_DOMAIN + DOMAINS)
    assert (reach, os.environ['ROS_DOMAIN_ID']) == ('LOCALHOST', '7')
