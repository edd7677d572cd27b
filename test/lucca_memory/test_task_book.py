"""Taught tasks are kept, whole, and cannot be what no model could call."""

import os

import pytest

from lucca_core.errors import ConfigError, MemoryFault
from lucca_memory.data_folder import DataFolder
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TAUGHT_FILE, TaskBook


def book(folder: DataFolder | None) -> TaskBook:
    return TaskBook(load_tasks(), load_actions(), folder)


def test_a_taught_task_is_there_after_a_restart(folder: DataFolder) -> None:
    spec = book(folder).teach('Bänke 🍐: "leer"', 'Put  the cans\nin box 1.', ['move_to_box_1'])
    assert spec.description == 'Put the cans in box 1.'
    again = book(folder)
    assert again.get(spec.name) == spec
    assert list(again.tasks) == [*load_tasks(), spec.name]


def test_a_task_without_actions_may_use_all_and_one_without_a_name_gets_a_short_one(folder: DataFolder) -> None:
    known = book(folder)
    spec = known.teach('', 'Give me the cup.')
    assert (spec.name, spec.described, spec.actions) == ('request-1', True, tuple(load_actions()))
    assert [known.teach('', 'Give me the can.').name, book(folder).teach('', 'And the pear.').name] == [
        'request-2',
        'request-3',
    ]


def test_the_same_words_are_the_same_described_task(folder: DataFolder) -> None:
    name = book(folder).teach('', 'Put the cans in box 1.').name
    again = book(folder).teach('', 'put the  cans in BOX 1.')
    assert (again.name, again.description) == (name, 'put the cans in BOX 1.')
    assert book(folder).teach('', 'put the cans in box 1.', ['point']).name != name


def test_a_forgotten_name_is_never_given_again(folder: DataFolder) -> None:
    known = book(folder)
    name = known.teach('', 'Give me the cup.').name
    (folder.tasks_path / f'{name}.log').touch()
    known.forget(name)
    assert known.teach('', 'Give me the cup.').name == book(folder).teach('', 'Give me the can.').name.replace('3', '2')
    assert book(folder).get(name) is None


def test_teaching_costs_the_same_however_many_tasks_there_are(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    write = DataFolder.write_atomically

    def counted(self: DataFolder, name: str, text: str) -> None:
        written.append(len(text))
        write(self, name, text)

    monkeypatch.setattr(DataFolder, 'write_atomically', counted)
    known = book(folder)
    for number in range(100):
        known.teach('', f'Put the {number:03} cans in box 1.')
        known.teach(f'tidy {number:03}', 'Put the cans in box 1.')
    assert max(written) < 2 * min(written)


def test_tasks_that_an_earlier_version_taught_are_read_on(folder: DataFolder) -> None:
    text = 'tasks:\n'
    for name, description in [('breakfast', 'Eggs.'), ('described-0123abcd', 'Give me the cup.'), ('huge', 'x' * 3000)]:
        text += f'  {name}: {{description: {description}, actions: [give]}}\n'
    (folder.path / TAUGHT_FILE).write_text(text, encoding='utf-8')
    known = book(folder)
    assert [(name, known.tasks[name].described) for name in known.tasks if name not in load_tasks()] == [
        ('breakfast', False),
        ('described-0123abcd', True),
    ]
    known.teach('breakfast', 'Toast.')
    known.forget('described-0123abcd')
    again = book(folder)
    assert [again.tasks[name].description for name in again.tasks if name not in load_tasks()] == ['Toast.']
    # What is not used is not thrown away.
    assert 'huge' in (folder.path / TAUGHT_FILE).read_text(encoding='utf-8')


def test_a_task_may_use_an_action_that_came_later_if_it_was_taught_with_all(folder: DataFolder) -> None:
    actions = load_actions()
    fewer = {name: item for name, item in actions.items() if name != 'point'}
    name = TaskBook({}, actions, folder).teach('', 'Give me the cup.').name
    restarted = TaskBook({}, fewer, folder).get(name)
    assert restarted is not None
    assert restarted.actions == tuple(fewer)


def test_an_error_lists_no_described_tasks_by_name() -> None:
    known = book(None)
    for number in range(300):
        known.teach('', f'Give me cup {number}.')
    assert known.listed() == ', '.join([*load_tasks(), '300 described'])


def test_a_taught_task_replaces_one_of_its_name(folder: DataFolder) -> None:
    known = book(folder)
    known.teach('sorting', 'Do nothing.')
    assert known.tasks['sorting'].description == 'Do nothing.'
    assert len(known.tasks) == len(load_tasks())


@pytest.mark.parametrize(
    ('name', 'description', 'actions', 'reason'),
    [
        ('<x>', 'Do.', [], 'printable line without'),
        ('x', '  ', [], 'needs a description'),
        ('x', 'a\0b', [], 'printable prose'),
        ('x', 'x' * 2001, [], '2000 characters at most, got 2001'),
        ('x', ' ' * 2_000_000, [], '2000 characters at most'),
        ('x' * 81, 'Do.', [], '80 characters at most, got 81'),
        ('x', 'Do.', ['fly'], "'fly' is not an action; known are point"),
    ],
)
def test_what_cannot_be_a_task_is_refused(name: str, description: str, actions: list[str], reason: str) -> None:
    known = book(None)
    with pytest.raises(ValueError, match=reason):
        known.teach(name, description, actions)
    assert list(known.tasks) == list(load_tasks())


def test_a_task_that_cannot_be_kept_is_not_taught(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    known = book(folder)

    def full(descriptor: int) -> None:
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(os, 'fsync', full)
    with pytest.raises(MemoryFault, match='No space left'):
        known.teach('x', 'Do.')
    assert known.get('x') is None


def test_a_spoiled_file_of_taught_tasks_is_named_with_its_line(folder: DataFolder) -> None:
    (folder.path / TAUGHT_FILE).write_text('tasks:\n  x:\n    description: Do.\n    actions: [fly]\n', encoding='utf-8')
    with pytest.raises(ConfigError, match=rf'{TAUGHT_FILE}:4: .*fly'):
        book(folder)


@pytest.mark.parametrize(
    ('entry', 'reason'),
    [
        ('{', 'Expecting'),
        ('[]', 'should have actions'),
        (
            '{"task": "x", "description": "Do.", "actions": ["fly"], "described": true, "used": "2026-01-01T00:00Z"}',
            'fly',
        ),
        (
            '{"task": "x", "description": "Do.", "actions": [], "described": true, "used": "2026-01-01T00:00"}',
            'a time zone',
        ),
        ('{"task": "x", "description": "", "actions": [], "described": true, "used": "2026-01-01T00:00Z"}', 'prose'),
    ],
)
def test_a_spoiled_file_of_a_taught_task_is_named(folder: DataFolder, entry: str, reason: str) -> None:
    (folder.path / 'taught').mkdir()
    (folder.path / 'taught' / 'x.json').write_text(entry, encoding='utf-8')
    with pytest.raises(ConfigError, match=rf'x\.json: is not a taught task: .*{reason}'):
        book(folder)
