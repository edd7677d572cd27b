"""Conversation with a small model: it chooses, and writes; a scripted model stands in for it."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from coordinator_node.interfaces import Tally, never
from coordinator_node.talk.interpretation import Heard
from coordinator_node.talk.said_tasks import is_asked_for
from coordinator_node.talk.tools import Wish
from coordinator_node.waits import Interrupted
from lucca_core.errors import MemoryFault
from lucca_core.protocol.tasks import TaskState
from lucca_llm.model import ChatReply
from lucca_llm.talk_kinds import TalkKind, name_in, open_kinds

TIDY = TaskState(task='tidy', description='All fruit goes to box 1.', status='new')


@dataclass
class Choosing:
    """A model that chooses as told, by a word of the question, and writes the given words in pieces."""

    chooses: dict[str, str] = field(default_factory=dict)
    writes: str = ''
    asked: list = field(default_factory=list)
    offered: list = field(default_factory=list)
    spec: str = 'choosing'
    on_piece: object = None

    def chat(self, messages, options, *, on_text=None, cancelled=None) -> ChatReply:
        self.asked.append(list(messages))
        self.offered.append(options.choices)
        text = self.writes
        if options.choices:
            question = messages[-1].content
            text = next(choice for word, choice in self.chooses.items() if word in question)
        elif on_text is not None:
            for at in range(0, len(text), 3):
                if cancelled is not None and cancelled():
                    break
                on_text(text[at : at + 3])
        return ChatReply(text=text, prompt_tokens=10, completion_tokens=5, model_s=0.1)

    def check(self, deadline_s: float) -> None:
        pass


@pytest.fixture
def running(harness, monkeypatch):
    """The tidy task runs."""
    monkeypatch.setattr(harness.world, 'tasks', lambda: (replace(TIDY, status='running'),))


@pytest.fixture
def talk(harness, people):
    """Says something with a model that chooses like this; returns the meaning and what was spoken."""

    def say(text, chooses, writes='', *, person='Ana', interrupted=never, **settings):
        harness.model = Choosing(chooses, writes)
        agent = harness.agent(people, talk_prompts='short', **settings)
        spoken: list[str] = []
        heard = Heard(text=text, person=person, source='cli')
        return agent.turn(heard, Tally(), interrupted, spoken.append), spoken

    return say


def test_what_is_asked_about_memory_is_told_from_the_line_that_the_model_chose(talk, people, harness):
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    people._add('Ana', 'My boat is blue.', 'Ana')
    chooses = {'What is that?': TalkKind.TOLD_BEFORE, 'What was told': 'My boat is called Petrel', 'Petrel': 'yes'}
    meaning, spoken = talk('What is the name of my boat?', chooses, 'Your boat is called Petrel.')
    assert (meaning.wish, meaning.argument) == (Wish.SAY, 'Your boat is called Petrel.')
    assert spoken == ['Your boat is called Petrel.']
    assert [item.item_id for item in meaning.rests_on] == ['said:1']
    assert 'You know: Earlier today Ana said: My boat is called Petrel' in harness.model.asked[-1][0].content


@pytest.mark.parametrize(
    'writes', ['Your boat is called Albatross.', 'Your boat is not called Petrel.', 'Your ship is called Petrel.', '']
)
def test_words_that_memory_does_not_hold_are_replaced_by_the_line_itself(talk, people, writes):
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    chooses = {'What is that?': TalkKind.TOLD_BEFORE, 'What was told': 'My boat is called Petrel', 'Petrel': 'yes'}
    meaning, spoken = talk('What is the name of my boat?', chooses, writes)
    assert spoken == ['Earlier today you told me: “My boat is called Petrel”.']
    assert meaning.argument == spoken[0]


def test_what_no_longer_holds_or_another_said_or_denies_is_quoted(talk, people):
    chooses = {'What is that?': TalkKind.TOLD_BEFORE, 'What was told': 'My boat is called Petrel', 'Petrel': 'yes'}
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    told = people.said['Ana']
    told[0] = replace(told[0], valid_to=told[0].time)
    meaning, _ = talk('What is the name of my boat?', chooses, 'Your boat is called Petrel.')
    assert meaning.argument == 'Earlier today Ana said: My boat is called Petrel; that no longer holds.'
    told[0] = replace(told[0], valid_to=None, speaker='Bo')
    meaning, _ = talk('What is the name of my boat?', chooses, 'Your boat is called Petrel.')
    assert meaning.argument == 'Earlier today Bo said: My boat is called Petrel.'
    told[0] = replace(told[0], speaker='Ana', text='I am not allergic to nuts.')
    chooses = {'What is that?': TalkKind.TOLD_BEFORE, 'What was told': 'I am not allergic to nuts', 'nuts': 'yes'}
    meaning, _ = talk('Am I allergic to nuts?', chooses, 'You are allergic to nuts.')
    assert meaning.argument == 'Earlier today you told me: “I am not allergic to nuts”.'


def test_a_note_that_something_was_forgotten_is_no_answer(talk, people):
    note = '(asked for something to be forgotten)'
    people._add('Ana', note, 'Ana')
    chooses = {'What is that?': TalkKind.TOLD_BEFORE, 'What was told': note, 'asked': 'yes'}
    meaning, _ = talk('What was to be forgotten?', chooses, '')
    assert meaning.argument.startswith('I do not know.')


def test_without_a_line_that_answers_it_says_that_it_does_not_know(talk, people):
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    meaning, _ = talk(
        'What is my name day?', {'What is that?': TalkKind.TOLD_BEFORE, 'What was told': 'nothing'}, 'It is May.'
    )
    assert meaning.argument.startswith('I do not know.')


def test_a_request_names_the_task_that_the_model_chose(talk):
    chooses = {'What is that?': TalkKind.REQUEST, 'Which task': 'tidy'}
    assert talk('Please do the tidy task.', chooses)[0].wish is Wish.START


def test_a_request_for_no_known_task_becomes_one_in_the_persons_words(talk):
    meaning, _ = talk('Put the pear in box 1.', {'What is that?': TalkKind.REQUEST, 'Which task': 'another'})
    assert (meaning.wish, meaning.argument) == (Wish.DO, 'Put the pear in box 1.')


@pytest.mark.parametrize(
    'text',
    [
        'I put the pear in box 1 yesterday.',
        'What would happen if you put the pear in the box?',
        'My sister always tidies.',
        'How are you?',
        'Bananas are nice.',
        'yes. I will give you some.',
        'Hello.',
        'Ok! That sounds fun.',
    ],
)
def test_what_is_no_request_cannot_be_taken_for_one(text):
    kinds = open_kinds(text, person='Ana', tasks=(TIDY,)).kinds
    assert not {TalkKind.REQUEST, TalkKind.STOP, TalkKind.FORGET, TalkKind.LESSON} & set(kinds)


@pytest.mark.parametrize(
    ('text', 'kind'),
    [
        ('Put the pear in box 1.', TalkKind.REQUEST),
        ('tidy', TalkKind.REQUEST),
        ('Remember that the key hangs behind the clock.', TalkKind.REMEMBER),
        ('Forget that the key hangs behind the clock.', TalkKind.FORGET),
        ('a new task called lunch: give me the bowl', TalkKind.LESSON),
        ('What is the capital of France?', TalkKind.WORLD),
    ],
)
def test_the_form_of_what_is_said_opens_kinds(text, kind):
    assert kind in open_kinds(text, person='Ana', tasks=(TIDY,)).kinds


@pytest.mark.parametrize(
    'text', ['what can you do?', 'So, who are you?', 'Where do you live?', 'Can’t you fly?', "what's your name?"]
)
def test_what_is_asked_of_the_robot_is_not_looked_for_in_what_was_told(text):
    kinds = set(open_kinds(text, person='Ana', tasks=()).kinds)
    assert TalkKind.ABOUT_ME in kinds
    assert not {TalkKind.TOLD_BEFORE, TalkKind.LAST_TALK} & kinds


@pytest.mark.parametrize(
    'text',
    [
        'What did I tell you?',
        'Do you remember Mira?',
        'Can you tell me what Mira plays?',
        'What do you know about Mira?',
        'What can my sister do?',
        'What are your notes about Mira?',
        'Are you done with the sorting?',
        "Do you still have the name of Bob's dog?",
        "Would you repeat Bob's address?",
        'Do you like what Bob told you?',
    ],
)
def test_what_a_person_may_have_told_is_looked_for(text):
    assert {TalkKind.TOLD_BEFORE, TalkKind.LAST_TALK} <= set(open_kinds(text, person='Ana', tasks=()).kinds)


@pytest.mark.parametrize(
    ('text', 'kind'),
    [
        ('Please remember that the key hangs behind the clock.', TalkKind.REMEMBER),
        ('Forget that I cannot stand lilies.', TalkKind.FORGET),
    ],
)
def test_what_is_said_to_memory_is_left_to_no_model(text, kind):
    assert open_kinds(text, person='Ana', tasks=(TIDY,)).kinds == (kind,)
    running = TaskState(task='tidy', description='', status='running')
    assert len(open_kinds('Forget the pear.', person='Ana', tasks=(running,)).kinds) > 1


def test_a_request_beside_what_is_to_be_remembered_stays_open():
    running = TaskState(task='tidy', description='', status='running')
    for text in (
        "Don't forget to put the pear in box 1.",
        'Remember to put the pear in box 1',
        'Remember that the pear is mine. Put it in box 1.',
        'Do not forget the pear. Sort the objects.',
    ):
        assert len(open_kinds(text, person='Ana', tasks=(TIDY,)).kinds) > 1, text
    assert TalkKind.STOP in open_kinds('Note: stop!', person='Ana', tasks=(running,)).kinds
    for text in ('Are you holding the pear?', 'Where are you putting the pear?', 'What are you doing?'):
        assert TalkKind.DEEDS in open_kinds(text, person='Ana', tasks=()).kinds, text


def test_only_a_guest_can_give_a_name_and_only_a_running_task_can_stop():
    running = TaskState(task='tidy', description='', status='running')
    assert open_kinds('I am Dora', person='', tasks=()).name == 'Dora'
    assert TalkKind.NAME not in open_kinds('I am Dora', person='Ana', tasks=()).kinds
    assert TalkKind.STOP not in open_kinds('stop the tidy task', person='', tasks=(TIDY,)).kinds
    assert TalkKind.STOP in open_kinds('stop the tidy task', person='', tasks=(running,)).kinds


@pytest.mark.parametrize('text', ['Please do the tidy task.', 'What is the capital of France?'])
def test_an_answer_outside_the_offered_ones_starts_nothing(talk, harness, people, text):
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    meaning, _ = talk(text, {'What is that?': '<start_task(tidy)>'}, 'I like that.')
    assert (meaning.wish, meaning.argument) == (Wish.SAY, 'I like that.')
    assert harness.model.offered[0][-1] not in (TalkKind.SMALL_TALK, TalkKind.STATEMENT)


def test_a_prohibition_beside_a_request_is_kept_first(talk, harness):
    chooses = {'What is that?': TalkKind.REQUEST, 'Which task': 'another'}
    meaning, spoken = talk('Put the pear in box 1. Never touch the apple.', chooses)
    assert [item.what for item in harness.prohibitions.kept] == ['the apple']
    assert meaning.wish is Wish.DO
    assert 'not move the apple' in ' '.join(spoken)


def test_a_long_lesson_or_request_is_taken_whole(talk, harness):
    long = 'give me the bowl, ' + 'then the blue cup beside the red box, ' * 10 + 'but leave the knife'
    talk(f'a new task called lunch: {long}', {'What is that?': TalkKind.LESSON})
    assert harness.world.taught == {'lunch': long}
    meaning, _ = talk(f'Remember that {long}.', {'What is that?': TalkKind.REMEMBER})
    assert meaning.argument == f'I will remember: {long}.'
    with pytest.raises(ValueError, match='answer_chars must be at least text_chars'):
        talk('hello', {}, answer_chars=100)


@pytest.mark.parametrize(
    'text',
    [
        'I want you to stop sorting now.',
        'Could you stop, please?',
        "That's enough.",
        'Please halt.',
        'Put the pear in box 1 and stop.',
        'Give me the pear, then stop!',
    ],
)
def test_a_stop_needs_no_model_while_a_task_runs(talk, harness, running, text):
    meaning, _ = talk(text, {})
    assert (meaning.wish, meaning.argument) == (Wish.STOP, 'tidy')
    assert harness.model.asked == []


@pytest.mark.parametrize('text', ['No, not the pear!', 'Not the pear.', 'No more of that'])
def test_what_is_forbidden_reaches_the_running_task(talk, running, text):
    meaning, _ = talk(text, {})
    assert (meaning.wish, meaning.argument, meaning.words) == (Wish.CHANGE, 'tidy', text)


@pytest.mark.parametrize(
    ('text', 'is_so'),
    [
        ('tidy', True),
        ('Please do the tidy task again.', True),
        ('Put all the fruit in box 1.', True),
        ('Put the fruit in box 2', False),
        ('Move the fruit.', False),
        ('Bring me the fruit.', False),
        ('Do the tidy task. Leave the knife.', False),
        ('Do the tidy task in box 2', False),
    ],
)
def test_only_a_task_that_is_all_that_was_asked_for_is_begun(text, is_so):
    assert is_asked_for(TIDY, text) is is_so


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('my name is Ana nice to meet you', 'Ana'),
        ('my name is ana', 'ana'),
        ('I am Dora Klein', 'Dora Klein'),
        ('Hi, I am tired today', ''),
        ('This is my third visit', ''),
        ("i'm " + 'a' * 100, ''),
        ('my name is ' + 'a' * 100, ''),
    ],
)
def test_a_name_is_read_as_such(text, name):
    assert name_in(text) == name


def test_turns_that_may_have_been_forgotten_are_not_shown(harness, people):
    harness.model = Choosing({'What is that?': TalkKind.SMALL_TALK}, 'I like that.')
    agent = harness.agent(people, talk_prompts='short')
    heard = Heard(text='My boat is called Petrel.', person='Ana', source='cli')
    agent.turn(heard, Tally(), never, lambda _: None)
    people.faults['meet'] = [MemoryFault('gone')]
    harness.model.asked.clear()
    agent.turn(replace(heard, text='How are you?'), Tally(), never, lambda _: None)
    assert 'Petrel' not in ' '.join(message.content for asked in harness.model.asked for message in asked)


def test_what_is_remembered_forgotten_and_learned_is_what_the_person_said(talk, people, harness):
    meaning, _ = talk('Remember that the key hangs behind the clock.', {'What is that?': TalkKind.REMEMBER})
    assert meaning.argument == 'I will remember: the key hangs behind the clock.'
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    chooses = {'What is that?': TalkKind.FORGET, 'What was told': 'My boat is called Petrel', 'Petrel': 'yes'}
    assert talk('Forget my boat.', chooses)[0].argument == 'I have forgotten it.'
    talk('a new task called lunch: give me the bowl', {'What is that?': TalkKind.LESSON})
    assert harness.world.taught == {'lunch': 'give me the bowl'}


def test_a_prohibition_is_read_by_rules_whatever_the_model_would_choose(talk, harness):
    meaning, spoken = talk('Never move the pear.', {})
    assert meaning.wish is Wish.SAY
    assert harness.model.asked == []
    assert [item.what for item in harness.prohibitions.kept] == ['the pear']
    assert 'not move the pear' in ' '.join(spoken)


def test_repeats_and_copies_of_the_prompt_are_not_spoken(talk):
    chooses = {'What is that?': TalkKind.GREETING}
    copied = 'You are Lucca, a robot with two arms at its table. Hello Ana. Hello Ana. Nice to see you.'
    assert talk('hello', chooses, copied)[1] == ['Hello Ana.']
    assert talk('hello', chooses, 'no no no no no no no no no no no no')[1] == ['Hello, Ana.']


@pytest.mark.parametrize('writes', ['I moved the pear.', 'Your sister is a nurse.', 'Say hi to Ben.', '<say(hi)>'])
def test_claims_are_not_spoken(talk, writes):
    assert talk('It rains.', {'What is that?': TalkKind.STATEMENT}, writes)[1] == [
        'I see.',
        'I will keep that in mind.',
    ]


def test_general_knowledge_is_marked(talk):
    meaning, _ = talk('What is the capital of France?', {'What is that?': TalkKind.WORLD}, 'It is Paris.')
    assert meaning.argument == 'As far as I know: It is Paris.'


def test_a_turn_can_be_interrupted(talk):
    with pytest.raises(Interrupted):
        talk('hello', {'What is that?': TalkKind.GREETING}, interrupted=lambda: True)


@dataclass
class Weighing(Choosing):
    """The same, and it tells likelihoods: of what the question and an answer share, the more the likelier."""

    def chat(self, messages, options, *, on_text=None, cancelled=None) -> ChatReply:
        reply = super().chat(messages, options, on_text=on_text, cancelled=cancelled)
        said = set(messages[-1].content.rpartition(' said: ')[2].lower().replace('?', ' ').split())
        shared = tuple(2.0 * len(said & set(choice.lower().split())) - 9.0 for choice in options.choices)
        return replace(reply, likelihoods=shared)


def test_of_the_lines_that_what_was_said_makes_likelier_the_surest_answer_counts(harness, people):
    for text in ('My boat is called Petrel.', 'My garden is green.', 'My boat is blue.'):
        people._add('Ana', text, 'Ana')
    harness.model = Weighing({'What is that?': TalkKind.TOLD_BEFORE, 'What was told': '', 'Does what': 'yes'})
    harness.agent(people, talk_prompts='short').turn(
        Heard(text='What is my boat called?', person='Ana', source='cli'), Tally(), never, lambda _: None
    )
    weighed = [asked[-1].content for asked in harness.model.asked if 'Does what you know' in asked[-1].content]
    assert 'called Petrel' in weighed[0]


def test_a_task_has_to_gain_by_what_was_said(harness, people):
    def wish(text):
        harness.model = Weighing({'What is that?': TalkKind.REQUEST, 'Which task': 'tidy'})
        heard = Heard(text=text, person='Ana', source='cli')
        return harness.agent(people, talk_prompts='short').turn(heard, Tally(), never, lambda _: None).wish

    assert wish('do the tidy tidy task') is Wish.DO


def test_what_was_said_of_another_day_is_quoted_with_the_day(talk, people):
    people._add('Ana', 'Yesterday I sold my boat.', 'Ana')
    told = people.said['Ana']
    told[0] = replace(told[0], time=told[0].time - timedelta(days=9))
    chooses = {'What is that?': TalkKind.TOLD_BEFORE, 'What was told': 'Yesterday I sold my boat', 'sold': 'yes'}
    meaning, _ = talk('When did I sell my boat?', chooses, 'You sold your boat yesterday.')
    assert meaning.argument.startswith('On ')
    assert 'you told me: “Yesterday I sold my boat”.' in meaning.argument


def test_a_task_of_which_no_word_was_said_is_not_open(talk, harness):
    meaning, _ = talk('Turn right by 180 degrees.', {'What is that?': TalkKind.REQUEST})
    assert meaning.wish is Wish.DO
    assert len(harness.model.asked) == 1
