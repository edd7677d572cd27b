import pytest

from coordinator_node.ports import TaskStatus
from coordinator_node.task_book import TaskBook, described_name, spoken_name
from lucca_memory.procedural import TaskSpec, load_actions, load_tasks


@pytest.fixture
def book():
    return TaskBook(load_tasks(), load_actions())


def test_a_task_of_the_file_keeps_its_actions(book):
    spec = book.spec(TaskStatus(task='tower', description='Build high.'))
    assert spec == TaskSpec(name='tower', description='Build high.', actions=('put_on_tower',))


def test_a_task_of_the_file_has_its_own_description_where_memory_gives_none(book):
    assert book.spec(TaskStatus(task='tower', description='')) == load_tasks()['tower']


def test_a_task_of_which_memory_names_no_actions_may_use_all(book):
    assert book.spec(TaskStatus(task='new', description='Do.')).actions == tuple(load_actions())


def test_a_taught_task_may_use_what_memory_says_it_was_taught_with(book):
    assert book.spec(TaskStatus(task='new', description='Do.', actions=('point',))).actions == ('point',)


def test_the_prompt_holds_the_files_tasks_and_the_current_one(book):
    new = TaskSpec(name='new', description='Do.', actions=('point',))
    assert [item.name for item in book.for_prompt(new)] == [*load_tasks(), 'new']
    tower = load_tasks()['tower']
    assert [item.name for item in book.for_prompt(tower)] == list(load_tasks())


def test_a_task_without_a_name_is_spoken_of_by_its_description():
    text = 'Put the pear in box 1.'
    assert spoken_name(TaskSpec(name=described_name(text), description=text, actions=())) == '“Put the pear in box 1”'
    assert spoken_name(TaskSpec(name='tidy', description=text, actions=())) == 'tidy'
