import pytest

from coordinator_node.prompts import CoordinatorPrompts, TurnView
from coordinator_node.tasks.task_definitions import TaskDefinitions, for_conversation, listed, spoken_name
from lucca_core.protocol.tasks import TaskState
from lucca_memory.procedural import TaskSpec, load_actions, load_tasks


@pytest.fixture
def definitions():
    return TaskDefinitions(load_tasks(), load_actions())


def test_a_task_of_the_file_keeps_its_actions(definitions):
    spec = definitions.spec(TaskState(task='tower', description='Build high.'))
    assert spec == TaskSpec(name='tower', description='Build high.', actions=('put_on_tower',))


def test_a_task_of_the_file_has_its_own_description_where_memory_gives_none(definitions):
    assert definitions.spec(TaskState(task='tower', description='')) == load_tasks()['tower']


def test_a_task_of_which_memory_names_no_actions_may_use_all(definitions):
    assert definitions.spec(TaskState(task='new', description='Do.')).actions == tuple(load_actions())


def test_a_taught_task_may_use_what_memory_says_it_was_taught_with(definitions):
    assert definitions.spec(TaskState(task='new', description='Do.', actions=('point',))).actions == ('point',)


def test_the_prompt_holds_the_files_tasks_and_the_current_one(definitions):
    new = TaskSpec(name='new', description='Do.', actions=('point',))
    assert [item.name for item in definitions.for_prompt(new)] == [*load_tasks(), 'new']
    tower = load_tasks()['tower']
    assert [item.name for item in definitions.for_prompt(tower)] == list(load_tasks())


def test_a_task_without_a_name_is_spoken_of_by_its_description():
    text = 'Put the pear in box 1.'
    spec = TaskSpec(name='request-1', description=text, actions=(), described=True)
    assert spoken_name(spec) == '“Put the pear in box 1”'
    assert spoken_name(TaskSpec(name='tidy', description=text, actions=())) == 'tidy'


def _tasks(described: int, status: str = 'finished') -> list[TaskState]:
    return [
        TaskState(task='sorting', description='Sort.'),
        *(
            TaskState(
                task=f'request-{number:04}', description=f'Put can {number:04} in box 1.', status=status, described=True
            )
            for number in range(described)
        ),
    ]


@pytest.mark.parametrize('status', ['new', 'running', 'suspended', 'finished'])
def test_the_prompt_of_a_conversation_is_as_long_with_1000_described_tasks_as_with_10(status):
    def prompt(described: int) -> str:
        tasks = for_conversation(_tasks(described, status), 'go on')
        return CoordinatorPrompts().conversation_turn(TurnView(text='go on', now='now', tasks=tasks), 600, native=False)

    assert len(prompt(1000)) == len(prompt(10))
    assert 'Sort.' in prompt(1000)


def test_a_described_task_is_in_the_prompt_of_what_names_it_and_of_its_own_words():
    tasks = _tasks(1000)
    for said in ('go on with request-0007', 'what about request 0007?', 'put can 0007 in BOX 1'):
        assert [item.task for item in for_conversation(tasks, said)] == ['sorting', 'request-0007']


def test_the_newest_unfinished_described_tasks_may_be_meant_by_going_on():
    tasks = [
        *_tasks(5, 'suspended'),
        TaskState(task='request-9', description='Do.', status='finished', described=True),
    ]
    assert [item.task for item in for_conversation(tasks, 'go on')] == [
        'sorting',
        'request-0002',
        'request-0003',
        'request-0004',
    ]


def test_an_error_counts_described_tasks():
    assert listed(_tasks(1000)) == 'sorting, 1000 described'
