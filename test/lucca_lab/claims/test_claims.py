"""Each published figure stands in its page as its command printed it last, and its command exists."""

import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command

from lucca_cli.main import app
from lucca_core.errors import ConfigError
from lucca_lab.claims.claims import Claim, Result, counts, load_claims, load_results, save_result, standing, tried
from lucca_lab.tasks.suites import SUITES

ROOT = Path(__file__).parents[3]
CLAIMS = load_claims()


@pytest.mark.parametrize('claim', CLAIMS, ids=lambda claim: claim.name)
def test_a_figure_stands_in_its_page_as_its_command_printed_it_last(claim):
    assert standing(claim, ROOT, load_results()) == ''


lucca = cache(lambda: get_command(app))
# Each call makes a group of commands anew.
command_in = cache(lambda group, name: group.get_command(None, name))


@pytest.mark.parametrize('text', [text for claim in CLAIMS for text in (claim.command, claim.small) if text])
def test_the_command_of_a_claim_exists_with_its_options(text):
    words = shlex.split(text)
    if words[0] == 'make':
        assert any(line.startswith(f'{words[1]}:') for line in (ROOT / 'Makefile').read_text().splitlines())
        return
    assert words[0] == 'lucca'
    command, rest = lucca(), words[1:]
    while hasattr(command, 'get_command') and rest and (inner := command_in(command, rest[0])) is not None:
        command, rest = inner, rest[1:]
    context = command.make_context(command.name, rest)
    assert all(suite in SUITES for suite in context.params.get('suite') or ())


def test_every_claim_has_a_result_of_its_command_and_counts_where_it_has_a_small_form():
    results = load_results()
    assert set(results) == {claim.name for claim in CLAIMS}
    for claim in CLAIMS:
        result = results[claim.name]
        assert result.command == claim.command
        assert result.commit
        assert result.date
        assert result.tasks or not claim.small


# `make soak` has all. These differ from others by the mode alone, or have the faults of one and the repair of another.
CROSSED = ('correlated-other-ways-consecutive', 'prompt-correlated-plain-consecutive')


@pytest.mark.parametrize(
    'claim',
    [
        pytest.param(
            claim, marks=pytest.mark.slow if claim.name.endswith('-intervened') or claim.name in CROSSED else ()
        )
        for claim in CLAIMS
        if claim.small
    ],
    ids=lambda claim: claim.name,
)
def test_the_small_form_of_a_claim_agrees_with_it(claim, monkeypatch):
    # Figures are drawn in test/lucca_lab/tasks/test_runs.py; here they would take a third of the time.
    monkeypatch.setattr('lucca_lab.tasks.report.draw_all', lambda *_: [])
    assert tried(claim, load_results()[claim.name]) == ''


def test_a_figure_that_is_not_what_the_command_printed_is_told(tmp_path):
    (tmp_path / 'page.md').write_text('It did 356 of\n400 tasks.')
    claim = Claim(name='one', says='', page='page.md', figure='356 of 400', command='lucca')
    assert standing(claim, tmp_path, {'one': Result(done=356, tasks=400)}) == ''
    assert 'printed last' in standing(claim, tmp_path, {'one': Result(done=350, tasks=400)})
    assert 'does not say' in standing(
        Claim(name='one', says='', page='page.md', figure='400 of 400', command='lucca'), tmp_path, {}
    )
    assert 'no last result' in standing(claim, tmp_path, {})


@pytest.mark.parametrize(
    ('figure', 'result'),
    [
        ('| 42 | 0.881 |', Result(done=37, tasks=42)),
        ('| 1,000 | 0 |', Result(done=1000, tasks=1000)),
        ('396 of 400 (0.990', Result(done=396, tasks=400)),
    ],
)
def test_a_page_may_write_a_result_as_counts_or_as_a_count_and_a_share(figure, result, tmp_path):
    (tmp_path / 'page.md').write_text(f'| what | {figure} more')
    claim = Claim(name='one', says='', page='page.md', figure=figure, command='lucca')
    assert standing(claim, tmp_path, {'one': result}) == ''
    for done in (0, result.done - 7):
        assert 'printed last' in standing(claim, tmp_path, {'one': Result(done=done, tasks=result.tasks)})


def test_a_figure_without_counts_is_compared_as_it_was_printed(tmp_path):
    (tmp_path / 'page.md').write_text('It kept 0.982 of it.')
    claim = Claim(name='one', says='', page='page.md', figure='kept 0.982', command='lucca')
    assert standing(claim, tmp_path, {'one': Result(figure='0.982')}) == ''
    assert 'not the 0.967' in standing(claim, tmp_path, {'one': Result(figure='0.967')})
    assert 'not the 0.98' in standing(claim, tmp_path, {'one': Result(figure='0.98')})


def test_what_came_right_is_read_from_what_a_command_printed():
    rows = [{'mode': 'a', 'memory': False, 'done': 3, 'tasks': 5}, {'mode': 'b', 'memory': True, 'done': 5, 'tasks': 5}]
    assert counts({'modes': rows}, '') == (8, 10)
    assert counts({'modes': rows}, 'mode=a, memory=false') == (3, 5)
    with pytest.raises(ValueError, match='no row'):
        counts({'modes': rows}, 'mode=c')
    assert counts({'part': 'texts', 'tried': 100, 'broke': 2}, '') == (98, 100)
    assert counts({'requests': 42, 'right': 0.881}, '') == (37, 42)
    assert counts({'sentences': 60, 'still': 59}, '') == (59, 60)


def test_a_small_form_that_gives_another_figure_or_none_is_told():
    claim = Claim(name='', says='', page='', figure='', command='', small='lucca attack texts --count 20 --seed 1')
    assert tried(claim, Result(done=100, tasks=100)) == ''
    assert 'is not 0.010' in tried(claim, Result(done=1, tasks=100))
    nothing = Claim(name='', says='', page='', figure='', command='', small='lucca eval requests --requests 0')
    assert 'ended with 2' in tried(nothing, Result(done=1, tasks=1))


def test_make_claims_takes_the_option_that_make_has_too():
    said = subprocess.run(['make', '-n', 'claims', '--check'], cwd=ROOT, capture_output=True, text=True, check=True)
    assert 'claims.py --check' in said.stdout


def test_a_claim_has_a_small_form_or_the_reason_for_none(tmp_path):
    (tmp_path / 'claims.yaml').write_text('claims:\n  one: {says: a, page: b, figure: c, command: d}\n')
    with pytest.raises(ConfigError, match='either `small` or `no_small`'):
        load_claims(tmp_path / 'claims.yaml')


def test_a_result_takes_the_place_of_the_last_one(tmp_path):
    file = tmp_path / 'results.json'
    file.write_text('{"two": {"done": 1, "tasks": 2}}')
    save_result('one', Result(done=3, tasks=4, command='lucca', commit='abc', date='2026-01-01'), file)
    save_result('two', Result(done=2, tasks=2), file)
    assert load_results(file) == {
        'one': Result(done=3, tasks=4, command='lucca', commit='abc', date='2026-01-01'),
        'two': Result(done=2, tasks=2),
    }
