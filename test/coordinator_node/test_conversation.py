import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.config import CoordinatorConfig
from coordinator_node.conversation import Conversation, Meaning, Wish, described_name, read_meaning
from coordinator_node.ports import Tally, TaskStatus, never
from coordinator_node.waits import Interrupted, Waits
from lucca_memory.procedural import check_task_name

TASKS = [TaskStatus(task='tidy', description='Tidy up.'), TaskStatus(task='tower', description='Build.')]


@pytest.fixture
def conversation(harness):
    return Conversation(
        harness.model, harness.world, CoordinatorConfig(), waits=Waits(harness.clock, harness.clock.sleep)
    )


@pytest.mark.parametrize(
    ('answer', 'meaning'),
    [
        ('<start_task(tower)>', Meaning(Wish.START, 'tower')),
        (' <resume_task(tidy)>\n', Meaning(Wish.RESUME, 'tidy')),
        ('<stop_task(tidy)>', Meaning(Wish.STOP, 'tidy')),
        ('<do(put the cans (both) in box 1)>', Meaning(Wish.DO, 'put the cans (both) in box 1')),
        ('<say(Hello.)>', Meaning(Wish.SAY, 'Hello.')),
        ('<cannot_do(robots do not fly)>', Meaning(Wish.CANNOT, 'robots do not fly')),
    ],
)
def test_each_call_is_read(answer, meaning):
    assert read_meaning(answer, TASKS, 600) == meaning


@pytest.mark.parametrize(
    'answer',
    [
        '',
        'start tower',
        '<start_task(juggling)>',
        '<do()>',
        '<start_task(tidy)> <start_task(tower)>',
        '<move(x)>',
        'x' * 10**7,
    ],
)
def test_anything_else_is_told_to_the_model(answer):
    with pytest.raises(ValueError, match=r'answer with exactly one|no task is named|needs an argument'):
        read_meaning(answer, TASKS, 600)


@given(st.text())
def test_a_text_without_brackets_is_no_call(answer):
    with pytest.raises(ValueError, match='answer with exactly one'):
        read_meaning(answer.replace('<', ''), TASKS, 600)


@given(st.text(alphabet=st.characters(exclude_characters='<>'), max_size=100))
def test_any_text_can_be_described_and_stays_one_line(text):
    if text.split() and text.isprintable():
        assert read_meaning(f'<do({text})>', TASKS, 600).argument == ' '.join(text.split())


def test_a_wrong_answer_is_mended(conversation, harness):
    harness.model.answers = ['<start_task(tidying)>', '<start_task(tidy)>']
    tally = Tally()
    assert conversation.understand('tidy up please', 'Ada', tally, never) == Meaning(Wish.START, 'tidy')
    assert "no task is named 'tidying'; known are tidy" in harness.model.asked[1][0].content
    assert 'Ada said: tidy up please' in harness.model.asked[1][0].content
    assert tally.refusals == 1
    assert tally.coordinator.calls == 2


def test_a_model_that_never_mends_leads_to_a_refusal_and_no_task(conversation, harness):
    harness.model.answers = ['nonsense'] * 10
    meaning = conversation.understand('tidy up', '', Tally(), never)
    assert meaning == Meaning(Wish.CANNOT, 'I did not understand: tidy up')


def test_silence_is_not_sent_to_the_model(conversation, harness):
    assert conversation.understand(' \n', '', Tally(), never).wish is Wish.CANNOT
    assert harness.model.asked == []


def test_a_cancelled_goal_is_not_understood(conversation):
    with pytest.raises(Interrupted):
        conversation.understand('tidy up', '', Tally(), lambda: True)


def test_a_described_task_is_taught_once_under_a_name_of_its_own(conversation, harness):
    text = 'Put the cans in box 1.'
    name = conversation.task_for(text, never)
    assert name == described_name('put the  cans in BOX 1.')
    assert check_task_name(name) == name
    assert harness.world.taught == {name: text}
    assert conversation.task_for(text, never) == name
    assert harness.world.calls.count('teach') == 1
