"""Small models are asked about each object by itself, and not at all for what the log says."""

from typing import Any

import pytest

from lucca_core.errors import ModelRetryable

NAMES = ('pear', 'cup', 'ball')


def test_each_object_is_decided_on_by_itself(bench: Any, make_table: Any) -> None:
    bench.model.script = ['move_to_box_1', 'move_to_box_2', 'none']
    found = bench.again(prompts='short').worker.retrieve_working('sorting', make_table(*NAMES).snapshot())
    assert found.to_do == ('pear', 'cup')
    assert found.calls == ('<move_to_box_1(pear)>', '<move_to_box_2(cup)>')
    last_lines = [prompt.rstrip().rsplit('\n', 1)[-1] for prompt in bench.model.prompts]
    assert last_lines == [f'Object: {name}' for name in NAMES]
    assert found.text.endswith('Calls still to make: <move_to_box_1(pear)>, <move_to_box_2(cup)>')


def test_an_answer_that_is_no_action_of_the_task_is_shown_back_and_then_given_up(bench: Any, make_table: Any) -> None:
    bench.model.script = ['throw'] * 2
    with pytest.raises(ModelRetryable, match="'throw' is not one of: move_to_box_1, move_to_box_2, none"):
        bench.again(prompts='short').worker.retrieve_working('sorting', make_table(*NAMES).snapshot())
    assert "Your last answer was not accepted: 'throw'" in bench.model.prompts[-1]


def test_what_was_pointed_at_is_not_asked_about_again(bench: Any, make_table: Any) -> None:
    table = make_table(*NAMES)
    bench.do(table, 'pointing', 'point', 'cup')
    bench.model.script = ['point'] * 2
    found = bench.again(prompts='short').worker.retrieve_working('pointing', table.snapshot())
    assert found.to_do == ('pear', 'ball')


def test_the_log_is_read_without_the_model(bench: Any, make_table: Any) -> None:
    table = make_table(*NAMES)
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    found = bench.again(prompts='short').worker.retrieve_declarative('sorting', table.snapshot())
    assert 'In box 1: pear' in found.text
    assert bench.model.prompts == []
