"""`lucca eval self`: what counts as a right answer, and that histories are real."""

import json

import pytest
from typer.testing import CliRunner

from lucca_lab.commands.groups import eval_app
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.self_questions import SelfQuestion, ask_about_itself

QUESTION = SelfQuestion('where', 'Where is the cup?', (('box 1',),), ('box 2', 'table'))


def said(text, **changes):
    return SentenceOutcome(**{'end': End.TOLD, 'said': text, 'contents': {}, **changes})


@pytest.mark.parametrize(
    ('outcome', 'right'),
    [
        (said('The cup is in box 1.'), True),
        (said('The cup is in box 12.'), False),
        (said('The cup is in box 1 or in box 2.'), False),
        (said('I do not know.'), False),
        (said('The cup is in box 1.', performed=('<point(cup)>',)), False),
        (said('The cup is in box 1.', started=('sorting',)), False),
    ],
)
def test_an_answer_is_right_with_all_that_it_needs_nothing_wrong_and_no_motion(outcome, right):
    assert QUESTION.is_answered_by(outcome) is right


def test_drawn_histories_are_carried_out_and_asked_about():
    report = ask_about_itself(12, 5, llm='embedded')
    assert len(report.asked) == 12
    assert all(set(outcome.contents) >= {'box 1', 'box 2', 'bowl', 'tower'} for _, outcome in report.asked)
    assert any(any(outcome.contents.values()) for _, outcome in report.asked)
    assert report.as_json()['motions'] == 0


def test_the_command_gives_shares_by_kind(tmp_path):
    out = tmp_path / 'asked.jsonl'
    result = CliRunner().invoke(eval_app, ['self', '--trials', '4', '--json', '--out', str(out)])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert (figures['questions'], figures['motions']) == (4, 0)
    assert 0 <= figures['right'] <= 1
    assert len(out.read_text().splitlines()) == 4
