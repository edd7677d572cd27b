"""The worker's second opinion, and what it reads from a log besides the task's own places."""

from typing import Any

import pytest

from lucca_core.errors import MemoryFault


def test_a_second_opinion_is_the_models_own_from_one_prompt(bench: Any, make_table: Any) -> None:
    bench.model.wanted = lambda name: name == 'pear'
    table = make_table('pear', 'cup')
    opinions = [
        bench.worker.review('sorting', f'<move_to_box_1({name})>', table.snapshot()) for name in ('pear', 'cup')
    ]
    assert [item.fits for item in opinions] == [True, False]
    assert opinions[0].usage.calls == 1
    assert 'Proposed: <move_to_box_1(pear)>' in bench.model.prompts[0]
    assert 'Description: Tidy up into two boxes.' in bench.model.prompts[0]


@pytest.mark.parametrize(
    ('script', 'fits'), [(['perhaps', 'Yes.'], True), (['perhaps', 'well'], False), (['', ''], False)]
)
def test_an_answer_that_is_no_opinion_is_shown_back_once_and_then_a_no(
    bench: Any, make_table: Any, script, fits
) -> None:
    bench.model.script = list(script)
    assert bench.worker.review('sorting', '<move_to_box_1(pear)>', make_table('pear').snapshot()).fits is fits
    assert 'Your last answer was not accepted: answer with yes or no' in bench.model.prompts[1]


def test_an_end_is_asked_about_as_an_end(bench: Any, make_table: Any) -> None:
    bench.worker.review('sorting', '<finish_task(sorting)>', make_table('pear').snapshot())
    assert 'nothing is left to do' in bench.model.prompts[0]


def test_no_opinion_on_a_task_that_nobody_knows(bench: Any, make_table: Any) -> None:
    with pytest.raises(MemoryFault, match='no task is named'):
        bench.worker.review('dancing', '<point(pear)>', make_table('pear').snapshot())


def test_what_is_left_on_the_table_is_read_where_it_is_wanted(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    assert 'Objects on the table' not in bench.worker.retrieve_declarative('sorting', table.snapshot()).text
    found = bench.again(environment=True).worker.retrieve_declarative('sorting', table.snapshot())
    assert found.text.endswith('Objects on the table: cup')


def test_a_log_can_be_read_without_the_model(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    bench.model.script = ['nonsense'] * 9
    found = bench.again(exact_log=True).worker.retrieve_declarative('sorting', table.snapshot())
    assert 'In box 1: pear\n' in found.text
    assert (found.usage.calls, found.corrections) == (0, 0)
