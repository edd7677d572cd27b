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


def test_a_task_without_actions_may_use_all_and_one_without_a_name_gets_one(folder: DataFolder) -> None:
    known = book(folder)
    assert known.teach('', 'Give me the cup.').actions == tuple(load_actions())
    assert [known.teach('', 'Give me the can.').name, book(folder).teach('', 'And the pear.').name] == [
        'taught 2',
        'taught 3',
    ]


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
        ('x', 'Do.', ['fly'], "'fly' is no action; known are point"),
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
