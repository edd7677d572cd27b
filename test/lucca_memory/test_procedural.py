"""The specifications of tasks and actions are data, and every mistake in them is named by file, line and reason."""

from pathlib import Path

import pytest

from lucca_core.errors import ConfigError
from lucca_memory.procedural import Confirm, Effect, EffectKind, Lane, Motion, Precondition, load_actions, load_tasks

ACTION = """\
actions:
  wave:
    description: Wave.
    motion: point
    effect: {kind: pointed_at}
"""
TASK = """\
tasks:
  greet:
    description: Wave at everything.
    actions: [wave]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / 'actions.yaml').write_text(ACTION, encoding='utf-8')
    (tmp_path / 'tasks.yaml').write_text(TASK, encoding='utf-8')
    return tmp_path


def refusal(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(text, encoding='utf-8')
    with pytest.raises(ConfigError) as caught:
        load_actions(file) if name == 'actions.yaml' else load_tasks(file)
    assert str(caught.value).startswith(f'{file}:')
    assert caught.value.line > 0
    return f'{caught.value.line}: {caught.value.reason}'


def test_the_shipped_files_hold_five_tasks_and_six_actions() -> None:
    assert list(load_tasks()) == ['sorting', 'arrangement', 'pointing', 'recipe', 'tower']
    assert list(load_actions()) == ['point', 'give', 'move_to_box_1', 'move_to_box_2', 'put_on_tower', 'place_in_bowl']


def test_a_shipped_task_is_prose_and_the_names_of_its_actions() -> None:
    for task in load_tasks().values():
        assert set(task.__dataclass_fields__) == {'name', 'description', 'actions', 'described'}
        assert not task.described


def test_effects_preconditions_and_lanes_are_read_as_declared() -> None:
    actions = load_actions()
    spec = actions['move_to_box_1']
    assert spec.motion is Motion.PICK_AND_PLACE
    assert spec.effect == Effect(EffectKind.CONTAINED, 'box 1')
    assert spec.effect.lasts
    assert Precondition.CONTAINER_PRESENT in spec.preconditions
    assert spec.lanes == (Lane.ARM,)
    assert spec.confirm is Confirm.NEVER
    assert not actions['point'].effect.lasts
    assert actions['give'].effect == Effect(EffectKind.GIVEN, "user's side")


def test_a_new_action_and_task_need_nothing_but_yaml(folder: Path) -> None:
    (folder / 'actions.yaml').write_text(
        ACTION + '    confirm: always\n    lanes: [arm, voice]\n    preconditions: [on_table]\n', encoding='utf-8'
    )
    task = load_tasks(folder / 'tasks.yaml')['greet']
    action = load_actions(folder / 'actions.yaml')['wave']
    assert task.actions == ('wave',)
    assert action.confirm is Confirm.ALWAYS
    assert action.lanes == (Lane.ARM, Lane.VOICE)


def test_a_given_object_goes_to_the_users_side_unless_told_otherwise(folder: Path) -> None:
    file = folder / 'actions.yaml'
    file.write_text(
        'actions:\n  hand:\n    description: Hand.\n    motion: give\n    effect: {kind: given}\n', encoding='utf-8'
    )
    assert load_actions(file)['hand'].effect.container == "user's side"


@pytest.mark.parametrize(
    ('old', 'new', 'reason'),
    [
        ('actions:', 'action:', "1: the file has no 'action'"),
        ('motion: point', 'motoin: point', "4: action 'wave' has no 'motoin'"),
        ('    description: Wave.\n', '', "2: action 'wave' lacks 'description'"),
        ('description: Wave.', 'description:', "3: description of action 'wave' must be text"),
        ('description: Wave.', 'description: [1]', "3: description of action 'wave' must be text"),
        ('motion: point', 'motion: dance', "4: motion of 'wave' must be one of point, give, pick_and_place, got"),
        ('motion: point', 'motion: give', "5: motion 'give' of 'wave' cannot bring about 'pointed_at'"),
        ('{kind: pointed_at}', 'pointed_at', "5: effect of 'wave' must be a mapping"),
        ('{kind: pointed_at}', '{kind: magic}', "5: effect kind of 'wave' must be one of contained"),
        ('{kind: pointed_at}', '{container: box}', "5: effect of 'wave' lacks 'kind'"),
        ('{kind: pointed_at}', '{kind: pointed_at, to: x}', "5: effect of 'wave' has no 'to'"),
        ('{kind: pointed_at}', '{kind: pointed_at, container: box}', "5: effect pointed_at of 'wave' has no"),
        ('{kind: pointed_at}', '{kind: contained}', "5: effect contained of 'wave' needs a container"),
        ('{kind: pointed_at}', '{kind: contained, container: 1}', "5: container of 'wave' must be one line"),
        ('{kind: pointed_at}', '{kind: contained, container: ""}', "5: container of 'wave' must be one line"),
        ('{kind: pointed_at}', '{kind: pointed_at}\n    preconditions: [luck]', "6: preconditions of 'wave' must be"),
        ('{kind: pointed_at}', '{kind: pointed_at}\n    preconditions: luck', "6: preconditions of action 'wave' must"),
        ('{kind: pointed_at}', '{kind: pointed_at}\n    preconditions: [container_present]', '6: precondition contain'),
        ('{kind: pointed_at}', '{kind: pointed_at}\n    lanes: [tail]', "6: lanes of 'wave' must be one of arm"),
        ('{kind: pointed_at}', '{kind: pointed_at}\n    lanes: [arm, arm]', "6: lanes of action 'wave' names some"),
        ('{kind: pointed_at}', '{kind: pointed_at}\n    confirm: often', "6: confirm of 'wave' must be one of never"),
        ('  wave:', '  finish_task:', "2: 'finish_task' is a call of its own"),
        ('  wave:', '  wave now:', '2: an action name is ASCII letters'),
    ],
)
def test_a_mistake_in_the_actions_is_named(folder: Path, old: str, new: str, reason: str) -> None:
    assert refusal(folder, 'actions.yaml', ACTION.replace(old, new)).startswith(reason)


@pytest.mark.parametrize(
    ('old', 'new', 'reason'),
    [
        ('[wave]', '[wink]', "4: task 'greet' allows 'wink', which is not an action; known are wave"),
        ('[wave]', '[]', "4: task 'greet' allows no action; known are wave"),
        ('[wave]', 'wave', "4: actions of task 'greet' must be a list of names"),
        ('[wave]', '[wave, wave]', "4: actions of task 'greet' names something twice"),
        ('    description: Wave at everything.\n', '', "2: task 'greet' lacks 'description'"),
        ('actions: [wave]', 'actions: [wave]\n    rules: {apple: wave}', "5: task 'greet' has no 'rules'"),
        ('  greet:', '  <greet>:', '2: a task name is one printable line'),
        ('  greet:', '  " greet":', '2: a task needs a name without spaces around it'),
        ('  greet:', '  greet: 3\n  other:', "2: a task must be a mapping, 'greet' is 3"),
        ('tasks:\n', 'tasks: 3\nx:\n', "2: the file has no 'x'"),
    ],
)
def test_a_mistake_in_the_tasks_is_named(folder: Path, old: str, new: str, reason: str) -> None:
    assert refusal(folder, 'tasks.yaml', TASK.replace(old, new)).startswith(reason)


def test_a_file_that_is_no_mapping_of_tasks_is_refused(folder: Path) -> None:
    assert refusal(folder, 'tasks.yaml', 'tasks: [1]').startswith('1: tasks must map names to entries')
