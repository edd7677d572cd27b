"""The five tasks of config/tasks.yaml through coordinator and worker prompts, under any names."""

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from either_way import either_way
from hypothesis import given, settings
from hypothesis import strategies as st

PARAPHRASES: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name('descriptions.yaml').read_text())
COLOURS = {
    'apple': 'red', 'banana': 'yellow', 'cup': 'blue', 'bowl': 'purple', 'baseball': 'white', 'pear': 'green',
    'jello': 'magenta', 'can': 'red', 'lemon': 'yellow', 'orange': 'orange', 'hammer': 'grey',
    **{f'{colour} cube': colour for colour in ('red', 'green', 'blue', 'yellow', 'black', 'white')},
}  # fmt: skip
FRUIT = {'apple', 'banana', 'pear', 'lemon', 'orange'}
WANTED: dict[str, dict[str, set[str]]] = {
    'sorting': {'move_to_box_1': FRUIT, 'move_to_box_2': {'cup', 'bowl', 'can'}},
    'arrangement': {'place_in_bowl': FRUIT},
    'pointing': {'point': {name for name, colour in COLOURS.items() if colour in ('yellow', 'red')}},
    'recipe': {'give': {'bowl', 'jello', 'banana'}},
    'tower': {'put_on_tower': {f'{colour} cube' for colour in ('red', 'green', 'blue', 'yellow')}},
}
IN_TASK = {
    'sorting': ['apple', 'banana', 'cup', 'bowl', 'baseball', 'pear'],
    'arrangement': ['apple', 'banana', 'can', 'lemon', 'orange', 'pear'],
    'pointing': ['apple', 'can', 'lemon', 'banana', 'orange', 'pear'],
    'recipe': ['apple', 'banana', 'can', 'bowl', 'jello', 'pear'],
    'tower': [name for name in COLOURS if name.endswith('cube')],
}
CASES = [(task, text) for task, texts in PARAPHRASES.items() for text in texts]


def _objects(names: list[str]) -> dict[str, list[str]]:
    return {name: [] if name.endswith('cube') else [COLOURS[name]] for name in names}


def _check(run: Any, task: str, names: list[str]) -> None:
    for action, wanted in WANTED[task].items():
        assert set(run.did(action)) == wanted & set(names)
    assert len(run.done) == len(set(run.done))
    if task == 'pointing':
        colours = [COLOURS[name] for name in run.did('point')]
        assert colours == sorted(colours, reverse=True), 'yellow comes before red'


def test_there_are_ten_paraphrases_of_each_task(tasks: dict[str, Any]) -> None:
    assert set(PARAPHRASES) == set(tasks)
    assert all(len(texts) >= 10 for texts in PARAPHRASES.values())


@pytest.mark.parametrize('memory', [True, False])
@pytest.mark.parametrize('task', list(WANTED))
def test_a_task_is_done_with_the_objects_of_all_tasks_on_the_table(
    task: str, memory: bool, table: Any, tasks: dict[str, Any]
) -> None:
    names = list(COLOURS)
    random.Random(task).shuffle(names)
    run = table(_objects(names), tasks[task]['description'], tasks[task]['actions'], task).run(memory=memory)
    _check(run, task, names)
    assert run.end == f'<finish_task({task})>'


@pytest.mark.parametrize('task', list(WANTED))
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_the_order_on_the_table_does_not_matter(
    task: str, data: st.DataObject, table: Any, tasks: dict[str, Any]
) -> None:
    names = data.draw(st.permutations(IN_TASK[task]))
    run = table(_objects(names), tasks[task]['description'], tasks[task]['actions'], task).run(
        memory=data.draw(st.booleans())
    )
    _check(run, task, names)
    assert run.finished


@pytest.mark.parametrize('task', list(WANTED))
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_any_objects_that_the_task_names_or_not_are_handled(
    task: str, data: st.DataObject, table: Any, tasks: dict[str, Any]
) -> None:
    needed = IN_TASK[task] if task in ('recipe', 'tower') else ['apple']
    extra = data.draw(
        st.lists(st.sampled_from([name for name in COLOURS if name not in needed]), unique=True, max_size=8)
    )
    names = [*needed, *extra]
    run = table(_objects(names), tasks[task]['description'], tasks[task]['actions'], task).run(
        memory=data.draw(st.booleans())
    )
    _check(run, task, names)
    assert run.finished


@pytest.mark.parametrize(('task', 'text', 'memory'), either_way(CASES, lambda case: f'{case[0]}-{case[1][:50]}'))
def test_a_paraphrase_is_done_alike_under_a_nonsense_name(
    task: str, text: str, memory: bool, table: Any, tasks: dict[str, Any]
) -> None:
    names = list(COLOURS)
    run = table(_objects(names), text, tasks[task]['actions'], 'blorp').run(memory=memory)
    _check(run, task, names)
    assert run.end == '<finish_task(blorp)>'


@pytest.mark.parametrize('memory', [True, False], ids=['memory', 'dialogue'])
@pytest.mark.parametrize('task', list(WANTED))
def test_actions_are_known_by_their_descriptions(task: str, memory: bool, table: Any, tasks: dict[str, Any]) -> None:
    import dataclasses

    specs = next(field.default_factory for field in dataclasses.fields(table) if field.name == 'specs')()
    renamed = {f'zap_{letter}': spec for letter, spec in zip('abcdefgh', specs.values(), strict=False)}
    new_name = dict(zip(specs, renamed, strict=True))
    names = list(COLOURS)
    actions = [new_name[action] for action in tasks[task]['actions']]
    run = table(_objects(names), tasks[task]['description'], actions, 'blorp', specs=renamed).run(memory=memory)
    for action, wanted in WANTED[task].items():
        assert set(run.did(new_name[action])) == wanted
    assert run.finished


@pytest.mark.parametrize('task', list(WANTED))
def test_a_task_that_was_interrupted_is_taken_up_where_it_was_left(
    task: str, table: Any, tasks: dict[str, Any]
) -> None:
    names = IN_TASK[task]
    world = table(_objects(names), tasks[task]['description'], tasks[task]['actions'], task)
    first = world.run(steps=2)
    second = world.run(resume=True)
    assert not set(first.done) & set(second.done)
    assert {*first.done, *second.done} == set(world.run().done)
    assert second.finished
