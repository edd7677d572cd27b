"""Each published figure stands in its page as its command printed it last, and its command exists."""

import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from lucca_cli.main import app
from lucca_lab.claims.claims import Claim, Result, counts, load_claims, load_results, standing, tried
from lucca_lab.tasks.suites import SUITES

ROOT = Path(__file__).parents[3]
CLAIMS = load_claims()


@pytest.mark.parametrize('claim', CLAIMS, ids=lambda claim: claim.name)
def test_a_figure_stands_in_its_page_as_its_command_printed_it_last(claim):
    assert standing(claim, ROOT, load_results()) == ''


@pytest.mark.parametrize('text', [text for claim in CLAIMS for text in (claim.command, claim.small) if text])
def test_the_command_of_a_claim_exists_with_its_options(text):
    words = shlex.split(text)
    if words[0] == 'make':
        assert any(line.startswith(f'{words[1]}:') for line in (ROOT / 'Makefile').read_text().splitlines())
        return
    assert words[0] == 'lucca'
    command, rest = get_command(app), words[1:]
    while hasattr(command, 'get_command') and rest and (inner := command.get_command(None, rest[0])) is not None:
        command, rest = inner, rest[1:]
    context = command.make_context(command.name, rest)
    assert all(suite in SUITES for suite in context.params.get('suite') or ())


def test_every_claim_that_is_tried_in_a_small_form_has_a_result():
    assert {claim.name for claim in CLAIMS if claim.small} == set(load_results())


@pytest.mark.parametrize('claim', [claim for claim in CLAIMS if claim.small][:1], ids=lambda claim: claim.name)
def test_the_small_form_of_a_claim_agrees_with_it_and_with_no_other_figure(claim):
    assert tried(claim, load_results()[claim.name]) == ''
    assert 'is not 0.010' in tried(claim, Result(done=1, tasks=100))


def test_a_figure_that_is_not_what_the_command_printed_is_told(tmp_path):
    (tmp_path / 'page.md').write_text('It did 356 of\n400 tasks.')
    claim = Claim(name='one', says='', page='page.md', figure='356 of 400', command='lucca')
    assert standing(claim, tmp_path, {'one': Result(done=356, tasks=400)}) == ''
    assert 'printed last' in standing(claim, tmp_path, {'one': Result(done=350, tasks=400)})
    assert 'does not say' in standing(
        Claim(name='one', says='', page='page.md', figure='400 of 400', command='lucca'), tmp_path, {}
    )


def test_what_came_right_is_read_from_what_an_evaluation_or_an_attack_printed():
    assert counts({'modes': [{'done': 3, 'tasks': 5}, {'done': 5, 'tasks': 5}]}) == (8, 10)
    assert counts({'part': 'texts', 'tried': 100, 'broke': 2}) == (98, 100)


def test_the_small_form_of_an_attack_is_compared_too():
    claim = Claim(name='', says='', page='', figure='', command='', small='lucca attack texts --count 20 --seed 1')
    assert tried(claim, Result(done=100, tasks=100)) == ''
    assert 'is not 0.010' in tried(claim, Result(done=1, tasks=100))
