"""`lucca eval changes`, and with it changes of mind from the sentence to the log."""

import json

import pytest
from typer.testing import CliRunner

from lucca_lab.commands.groups import eval_app
from lucca_lab.understanding.changes import ChangeVerdict, judge_changes
from lucca_lab.understanding.changes_drawn import USER, DrawnChange, draw_changes
from lucca_lab.understanding.outcomes import End

OBJECTS = ('apple (red)', 'pear (green)', 'cup (blue)', 'can (white)', 'plum')
TEXT = 'Put the apple and the pear in box 1 and give me the cup.'
PLAN = {'apple': 'box 1', 'pear': 'box 1', 'cup': USER}


def judged(said, wanted, at=0):
    drawn = DrawnChange(text=TEXT, objects=OBJECTS, plan=PLAN, kind='test', at=at, say=lambda _: (said, wanted))
    return judge_changes([drawn], llm='embedded').judged[0]


@pytest.mark.parametrize(
    ('said', 'wanted', 'at'),
    [
        ('And put the can in box 2, too.', {**PLAN, 'can': 'box 2'}, 0),
        ('And put the can in box 2, too.', {**PLAN, 'can': 'box 2'}, 2),
        ('No, the pear into box 2.', {**PLAN, 'pear': 'box 2'}, 0),
        ('No, the apple into box 2.', PLAN, 1),
        ('Leave the cup after all.', {'apple': 'box 1', 'pear': 'box 1'}, 0),
        ('Leave the cup after all.', PLAN, 2),
        ('Not the pear, the plum.', {'apple': 'box 1', 'plum': 'box 1', 'cup': USER}, 0),
        ('Not that one, the plum!', {**PLAN, 'plum': 'box 1'}, 1),
    ],
)
def test_a_change_is_taken_in_and_logged_and_nothing_is_done_twice(said, wanted, at):
    found = judged(said, wanted, at)
    assert found.verdict is ChangeVerdict.RIGHT, (found.answer.said, found.outcome.contents)
    assert (found.repeated, found.logged) == (0, True)
    assert found.answer.end is End.TOLD


@pytest.mark.parametrize(
    'said', ['No, the pear into the zorble.', 'And the can, too.', 'Not that one.', 'No, gleep the pear instead.']
)
def test_a_change_that_is_not_clear_is_asked_about_and_nothing_more_moves(said):
    found = judged(said, {})
    assert found.answer.said.endswith('?')
    assert len(found.outcome.performed) == 1


def test_the_same_seed_draws_the_same_tasks():
    nouns = [f'noun{chr(97 + number)}' for number in range(26)]
    first, again = draw_changes(16, 3, nouns), draw_changes(16, 3, nouns)
    assert [item.text for item in first] == [item.text for item in again]
    assert [item.say([next(iter(item.plan))]) for item in first] == [
        item.say([next(iter(item.plan))]) for item in again
    ]


def test_the_command_counts_what_came_of_each(tmp_path):
    nouns = tmp_path / 'nouns.txt'
    nouns.write_text(
        '\n'.join(('apple pear cup can plum lemon book doll fork hammer sponge kettle spoon ' * 1).split())
    )
    out = tmp_path / 'changes.jsonl'
    run = ['changes', '--trials', '4', '--nouns', str(nouns), '--json', '--out', str(out)]
    result = CliRunner().invoke(eval_app, run)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures['trials'] == 4
    assert figures['right'] + figures['asked'] + figures['refused'] + figures['wrong'] == pytest.approx(1, abs=0.001)
    assert len(out.read_text().splitlines()) == 4
