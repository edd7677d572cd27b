"""What a person says becomes one of the calls that the prompt offers."""

import jinja2
import pytest
import yaml

from lucca_core.paths import config_dir
from lucca_llm.embedded import EmbeddedModel
from lucca_llm.model import ChatOptions, Message

TASKS = yaml.safe_load((config_dir() / 'tasks.yaml').read_text())['tasks']
TEMPLATE = jinja2.Environment(autoescape=False, trim_blocks=True).from_string(  # noqa: S701 - the output is a prompt
    (config_dir() / 'prompts' / 'coordinator_goal.j2').read_text()
)


def ask(text: str, **status: str) -> str:
    tasks = [{'name': name, 'status': status.get(name, 'not started'), **spec} for name, spec in TASKS.items()]
    prompt = TEMPLATE.render(tasks=tasks, text=text, person='Ada', correction='')
    return EmbeddedModel().chat([Message('user', prompt)], ChatOptions()).text


@pytest.mark.parametrize(
    ('text', 'call'),
    [
        ('build a tower', '<start_task(tower)>'),
        ('Build a tower, please.', '<start_task(tower)>'),
        ('please sort the table', '<start_task(sorting)>'),
        ('do the sorting', '<start_task(sorting)>'),
        ('Start the pointing task', '<start_task(pointing)>'),
        ('Could you do the recipe?', '<start_task(recipe)>'),
        ('start sorting', '<start_task(sorting)>'),
        ('help me with the dessert', '<start_task(recipe)>'),
        ('tidy up', '<start_task(sorting)>'),
        ('put every can into box 1', '<do(put every can into box 1)>'),
        ('point at the banana', '<do(point at the banana)>'),
        ('Give me the cup, then the banana.', '<do(Give me the cup, then the banana.)>'),
        ('put the red cube on the tower', '<do(put the red cube on the tower)>'),
        ('hand me the apple', '<do(hand me the apple)>'),
        ('build a tower out of the red and the blue cube', '<do(build a tower out of the red and the blue cube)>'),
        ('bring me something to eat', '<do(bring me something to eat)>'),
    ],
)
def test_a_new_wish_starts_a_known_task_or_something_new(text: str, call: str) -> None:
    assert ask(text) == call


@pytest.mark.parametrize(
    ('text', 'call'),
    [
        ('go on with the sorting', '<resume_task(sorting)>'),
        ('continue', '<resume_task(sorting)>'),
        ('Please carry on with sorting.', '<resume_task(sorting)>'),
        ('resume', '<resume_task(sorting)>'),
        ('finish the sorting', '<resume_task(sorting)>'),
        ('now do the sorting', '<resume_task(sorting)>'),
        ('do the sorting again from the beginning', '<start_task(sorting)>'),
        ('stop', '<stop_task(tower)>'),
        ('Stop!', '<stop_task(tower)>'),
        ('stop the sorting', '<stop_task(sorting)>'),
        ('pause the tower', '<stop_task(tower)>'),
        ('cancel that', '<stop_task(tower)>'),
    ],
)
def test_tasks_are_resumed_and_stopped(text: str, call: str) -> None:
    assert ask(text, sorting='suspended', tower='running') == call


@pytest.mark.parametrize('text', ['What are you?', 'are you a language model?', 'Who are you'])
def test_it_says_that_it_is_no_language_model_when_asked(text: str) -> None:
    assert 'no language model' in ask(text)


@pytest.mark.parametrize('text', ['hello', 'how are you today', 'build a tower', 'fly to the moon'])
def test_it_speaks_of_itself_only_when_asked(text: str) -> None:
    assert 'language model' not in ask(text)


def test_a_question_about_a_task_is_answered_with_what_the_prompt_says() -> None:
    answer = ask('What did you do in the sorting?', sorting='suspended')
    assert answer.startswith('<say(')
    assert 'sorting is suspended' in answer


@pytest.mark.parametrize(
    'text', ['colourless green ideas sleep furiously', 'fly to the moon', 'asdf qwer zxcv', 'make me a coffee']
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    assert ask(text).startswith('<cannot_do(I did not understand')


@pytest.mark.parametrize('text', ['hello', 'Good morning!', 'what can you do?', 'Which tasks do you know?'])
def test_a_greeting_and_a_question_are_answered(text: str) -> None:
    assert ask(text).startswith('<say(')


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('sort the table, then build a tower', 'sorting and tower'),
        ('build a tower and then do the sorting', 'tower and sorting'),
        ('Stop the sorting and build a tower.', 'sorting and tower'),
        ('start the pointing; after that do the recipe', 'pointing and recipe'),
        ('put the apple in box 1, then build a tower', 'tower and what to do with the objects'),
        ('first sort, then point at all red things', 'sorting and what to do with the objects'),
    ],
)
def test_of_several_tasks_at_once_none_is_dropped_silently(text: str, names: str) -> None:
    assert ask(text).startswith(f'<cannot_do(that is more than one thing at a time, {names}')


def test_another_task_said_by_the_way_is_no_second_wish() -> None:
    text = 'go back to the sorting now that the tower is finished'
    assert ask(text, sorting='suspended') == '<resume_task(sorting)>'
