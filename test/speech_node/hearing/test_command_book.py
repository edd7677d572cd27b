"""The book of commands: made of what is in use, without contradictions, and understood by the coordinator as meant."""

from dataclasses import dataclass

import pytest

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Tally, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.talk.agent import Agent
from coordinator_node.talk.interpretation import Heard
from coordinator_node.talk.tools import Wish
from coordinator_node.waits import Waits
from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.protocol.tasks import TaskState
from lucca_core.stop_command import STOP_WORDS
from lucca_llm.model_spec import make_model
from lucca_memory.procedural import load_actions, load_tasks
from speech_node.hearing.command_book import CommandBook, Phrase, load_commands, object_names
from speech_node.interfaces import Intent, IntentKind

ANSWER = (IntentKind.YES, IntentKind.NO)


@dataclass(frozen=True)
class Listed:
    """A memory that only lists tasks."""

    listed: tuple[TaskState, ...]

    def tasks(self) -> tuple[TaskState, ...]:
        return self.listed


def test_each_task_action_and_object_can_be_asked_for(book):
    intents = set(book.sentences.values())
    assert {item.name for item in intents if item.kind is IntentKind.START} == set(load_tasks())
    acts = [item for item in intents if item.kind is IntentKind.ACT]
    assert {item.name for item in acts} == set(load_actions())
    assert {item.thing for item in acts} == set(object_names(config_dir() / 'objects.yaml'))
    assert 'red cube' in {item.thing for item in acts}


def test_the_coordinator_understands_each_kind_of_sentence_as_it_is_meant(book):
    config = CoordinatorConfig()
    asker = ModelCaller(make_model('embedded'), config, Waits())
    known = load_tasks()
    tasks = [TaskState(task=name, description=spec.description) for name, spec in known.items()]
    wrong = []
    for phrase in book.phrases:
        sentence, intent = next(iter(phrase.sentences()))
        if intent.kind in ANSWER:
            continue
        status = 'suspended' if intent.kind in (IntentKind.RESUME, IntentKind.GO_ON, IntentKind.CANCEL) else 'new'
        listed = [TaskState(task=item.task, description=item.description, status=status) for item in tasks]
        agent = Agent(asker, Listed(tuple(listed)), config)
        meaning = agent.turn(Heard(text=book.text_of(sentence)), Tally(), never)
        wanted = {
            IntentKind.START: (Wish.START, intent.name),
            IntentKind.RESUME: (Wish.RESUME, intent.name),
            IntentKind.CANCEL: (Wish.STOP, intent.name),
            IntentKind.ACT: (Wish.DO, book.text_of(sentence)),
            IntentKind.GO_ON: (Wish.RESUME, meaning.argument),
            IntentKind.ASK: (Wish.SAY, meaning.argument),
        }[intent.kind]
        if (meaning.wish, meaning.argument) != wanted:
            wrong.append((sentence, meaning))
    assert not wrong


def test_no_sentence_holds_a_stop_word(book):
    assert not book.words() & set(STOP_WORDS)
    with pytest.raises(ValueError, match='stop word'):
        CommandBook((Phrase('stop the arm', Intent(IntentKind.CANCEL)),))


def test_spoken_and_written_mean_the_same(book):
    wanted = Intent(IntentKind.ACT, 'move_to_box_1', 'apple')
    assert book.intent_of('put the apple in box one') == wanted
    assert book.text_of('put the apple in box one') == 'put the apple in box 1'
    assert book.intent_of('Put the apple in box 1.') == wanted
    assert book.intent_of('put the apple in the sea') is None


def test_a_sentence_that_asks_for_two_things_is_refused():
    phrases = (Phrase('do it', Intent(IntentKind.GO_ON)), Phrase('do it', Intent(IntentKind.ASK)))
    with pytest.raises(ValueError, match=r'has two meanings: \w+ .*and \w+'):
        CommandBook(phrases)


def test_with_a_wake_word_sentences_are_known_with_and_without_it():
    book = load_commands(wake_word='Hey  Lucca')
    assert book.intent_of('hey lucca build a tower') == book.intent_of('build a tower') != None  # noqa: E711
    assert {'hey', 'lucca'} <= book.words()


def test_a_task_that_was_taught_can_be_started_by_its_name():
    book = load_commands(tasks=['breakfast', 'described-12ab'])
    assert book.intent_of('start the breakfast') == Intent(IntentKind.START, 'breakfast')
    assert not [sentence for sentence in book.sentences if 'described' in sentence]


def test_people_may_introduce_themselves(tmp_path):
    text = (config_dir() / 'speech.yaml').read_text().replace('people: []', 'people: [Anna, tom]')
    file = tmp_path / 'speech.yaml'
    file.write_text(text)
    assert load_commands(file).intent_of('my name is anna') == Intent(IntentKind.INTRODUCE, 'anna')


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('starting: []\n', r'speech\.yaml:1: unknown key .starting.'),
        ('start: [begin]\n', r'speech\.yaml:1: .begin. must contain .task. once'),
        ('tasks:\n  cooking: [cook]\n', r'speech\.yaml:2: unknown name .cooking. under tasks'),
        ('actions:\n  point: [point]\n', r'speech\.yaml:2: .point. must contain .object. once'),
        ('actions: 3\n', 'actions must be a mapping'),
        ('talk:\n  go_on: [Go On]\n', 'lower-case words'),
        ('talk:\n  sing: [sing]\n', r'speech\.yaml:2: .sing. is not one of go_on, ask'),
        ('talk:\n  go_on: sing\n', 'must be a list of texts'),
        ('talk:\n  go_on: [freeze now]\n', 'stop word'),
        ('written: {one: 1}\n', 'one must be a text'),
        ('people: [tom]\nintroduce: [hello]\n', 'must contain .person. once'),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, text, match):
    file = tmp_path / 'speech.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=match):
        load_commands(file)


def test_objects_without_a_file_of_them(tmp_path):
    file = tmp_path / 'objects.yaml'
    file.write_text('colours: {}\n')
    with pytest.raises(ConfigError, match='lists no objects'):
        object_names(file)


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('objects: 3', r'objects\.yaml:1: objects must be a mapping'),
        ('objects:\n  cube: 3', r'objects\.yaml:2: cube must be a mapping'),
        ('objects:\n  cube:\n    {name_with_colour: true, colours: red}', r'objects\.yaml:3: colours must be a list'),
    ],
)
def test_a_wrong_file_of_objects_is_refused_with_its_line(tmp_path, text, match):
    file = tmp_path / 'objects.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=match):
        object_names(file)
