"""What people prohibit, permit again and ask about, by mood and tense, and what they do not."""

import conversation
import pytest
from conversation import ask

from lucca_llm.rules.prompts.table_view import read_table_lines
from lucca_llm.rules.utterances.requests import sentences_in
from lucca_llm.rules.utterances.said_prohibitions import (
    asks_what_is_prohibited,
    is_conditional,
    lifted_in,
    prohibited_beside,
    prohibited_in,
)

LINES = [
    'Objects on the table: cup (red), cup 2 (blue), pear (green), banana (yellow), phone (black), blorp',
    'In box 1: none',
    'In box 2: none',
    'In bowl: none',
    "In user's side: none",
]
TABLE = read_table_lines(LINES)


@pytest.fixture(autouse=True)
def with_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {
        'prohibit': ['what', 'place'],
        'allow': ['what', 'place'],
        'prohibitions': [],
        'change_task': ['name', 'text'],
    }
    for name, parameters in more.items():
        monkeypatch.setitem(conversation.CALLS, name, parameters)


@pytest.mark.parametrize(
    ('text', 'calls'),
    [
        ("Don't touch the red cup.", ['the red cup, anywhere']),
        ('never move anything yellow', ['anything yellow, anywhere']),
        ('Leave my phone alone.', ['my phone, anywhere']),
        ('keep your hands off the pear', ['the pear, anywhere']),
        ('you must not move the fruit', ['the fruit, anywhere']),
        ("please don't touch the pear", ['the pear, anywhere']),
        ('Robot, do not move the cup and the pear.', ['the cup and the pear, anywhere']),
        ("don't you dare touch the blue cup", ['the blue cup, anywhere']),
        ('you are not allowed to touch the banana', ['the banana, anywhere']),
        ("I don't want you to touch my phone", ['my phone, anywhere']),
        ('the red cup must not be moved', ['the red cup, anywhere']),
        ('nothing yellow may be moved', ['anything yellow, anywhere']),
        ('Could you please not touch the phone?', ['the phone, anywhere']),
        ('hands off the pear', ['the pear, anywhere']),
        ('the pear stays where it is', ['the pear, anywhere']),
        ('the pear is off limits', ['the pear, anywhere']),
        ("Don't touch anything except the pear.", ['anything except the pear, anywhere']),
        ("Don't touch anything but the pear.", ['anything except the pear, anywhere']),
        ('Only fruit may go in box 1.', ['anything except fruit, box 1']),
        ('only the pear belongs in the bowl', ['anything except the pear, bowl']),
        ('Only the pear in box 2!', ['anything except the pear, box 2']),
        ('Nothing but fruit may go in box 1.', ['anything except fruit, box 1']),
        ('only the cups may be moved', ['anything except the cups, anywhere']),
        ("Don't pick the cup up.", ['the cup, anywhere']),
        ('Do not ever take the blue cup away.', ['the blue cup, anywhere']),
        ("Don't move any fruit, okay?", ['any fruit, anywhere']),
        ("It is fragile. Don't touch the red cup.", ['the red cup, anywhere']),
        ("Don't touch the cup. Never move the pear.", ['the cup, anywhere', 'the pear, anywhere']),
        ("you shouldn't move the pear, it is fragile", ['the pear, anywhere']),
        ('you must not move the pear because it is fragile', ['the pear, anywhere']),
        ('keep the pear where it is', ['the pear, anywhere']),
        ("don't move the apple or the pear", ['the apple or the pear, anywhere']),
        ('never again touch the pear', ['the pear, anywhere']),
        ('nothing may go into box 2', ['anything, box 2']),
        ('Never put anything in box 2!', ['anything, box 2']),
        ('no fruit in box 1', ['fruit, box 1']),
        ('fruit must not go into box 1', ['fruit, box 1']),
        ('fruit never goes in box 1', ['fruit, box 1']),
        ("don't put fruit in the second box", ['fruit, box 2']),
        ("don't put things in the bowl", ['anything, bowl']),
        ('leave box 2 alone', ['anything, box 2']),
        ("don't give me the banana", ["the banana, user's side"]),
        ('Would you mind not touching the pear?', ['the pear, anywhere']),
        ("I'd rather you didn't touch the pear.", ['the pear, anywhere']),
        ("Hey lucca, make sure you don't move the cup", ['the cup, anywhere']),
        ('Would you mind leaving the pear alone?', ['the pear, anywhere']),
        ('No pears allowed in box 1.', ['pears, box 1']),
        ("Oh! I'd rather you didn't touch that pear.", ['that pear, anywhere']),
    ],
)
def test_these_prohibit(text: str, calls: list[str]) -> None:
    said = prohibited_in(sentences_in(text), TABLE)
    assert said is not None
    assert [str(item) for item in said.found] == calls
    assert lifted_in(sentences_in(text), TABLE) is None


@pytest.mark.parametrize(
    'text',
    [
        "don't do that",
        "she said don't touch it",
        'She said the fruit must not be moved.',
        '"Don\'t touch the red cup" is what she said.',
        "you don't touch the cup, do you?",
        'Did I say you must not move the fruit?',
        'Is the pear off limits?',
        "If I am away, don't touch the cup.",
        'You should not have touched the cup.',
        'I would not touch the cup.',
        'you need not move the fruit',
        "Don't you touch the cups?",
        "put the fruit in box 1, but don't touch the pear",
        "Put the fruit in box 1. Don't touch the pear.",
        "don't touch the red cup but put the pear in box 1",
        'Suppose you must not move the fruit.',
        'nothing is in box 2',
        'there is no fruit in box 1',
        'never mind the cup',
        "don't forget the cup",
        "don't drop the cup",
        'yesterday you must not move the fruit',
        'you may touch the red cup again',
        'My parents stay where they are.',
        'Put the pear in box 2.',
        "Ana says don't touch the pear",
        'the pear is mine',
        'stop moving the pear',
    ],
)
def test_these_prohibit_nothing(text: str) -> None:
    assert prohibited_in(sentences_in(text), TABLE) is None


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ("don't touch it", 'it'),
        ("don't touch the cup until I am back", 'the cup until I am back'),
        ("don't touch two cups", 'two cups'),
        ("don't touch the pear yet", 'the pear yet'),
        ("don't touch the red ones", 'the red ones'),
        ("don't touch the rest", 'the rest'),
        ('leave the pear alone if it rains', ''),
    ],
)
def test_these_are_not_understood_and_said_not_to_be_kept(text: str, words: str) -> None:
    said = prohibited_in(sentences_in(text), TABLE)
    if words:
        assert said is not None
        assert (said.found, said.unclear) == ((), words)
        assert ask(text, table='\n'.join(LINES)) == (
            f'<say(I do not know which things you mean by “{words}”. I keep no prohibition. '
            'Please say it in other words.)>'
        )
    else:
        assert said is None


def test_a_condition_cannot_be_kept_and_that_is_said() -> None:
    assert is_conditional(sentences_in("If I am away, don't touch the cup."))
    assert 'I have kept none' in ask("If I am away, don't touch the cup.", table='\n'.join(LINES))
    assert not is_conditional(sentences_in("If there is a pear, don't touch the cup and put the pear in box 1."))


@pytest.mark.parametrize(
    ('text', 'calls'),
    [
        ('you may touch the red cup again', ['the red cup, anywhere']),
        ('you can move yellow things again', ['yellow things, anywhere']),
        ('The red cup may be moved again.', ['The red cup, anywhere']),
        ('You may touch the pear now.', ['the pear, anywhere']),
        ('you may put fruit in box 1 again', ['fruit, box 1']),
        ('things may go into box 2 again', ['anything, box 2']),
        ('forget the rule about the red cup', ['the red cup, all']),
        ('lift the ban on fruit', ['fruit, all']),
        ('cancel the prohibition against the pear', ['the pear, all']),
    ],
)
def test_these_lift(text: str, calls: list[str]) -> None:
    said = lifted_in(sentences_in(text), TABLE)
    assert said is not None
    assert [str(item) for item in said.found] == calls
    assert prohibited_in(sentences_in(text), TABLE) is None


@pytest.mark.parametrize(
    'text',
    [
        'you can move the yellow things to box 1',
        'can you touch the cup again?',
        'you may move the cup',
        'put the red cup in box 1 again',
        'she said you may touch the cup again',
        'forget the red cup',
        'May I touch the red cup again?',
    ],
)
def test_these_lift_nothing(text: str) -> None:
    assert lifted_in(sentences_in(text), TABLE) is None


@pytest.mark.parametrize(
    'text',
    [
        'what must you not touch?',
        'which rules do you keep?',
        'What are you not allowed to move?',
        'what is off limits?',
        "what mustn't you touch?",
        'which prohibitions are there?',
    ],
)
def test_these_ask_for_the_prohibitions(text: str) -> None:
    assert asks_what_is_prohibited(text)
    assert ask(text) == '<prohibitions()>'


@pytest.mark.parametrize('text', ['what can you move?', 'what did you not move?', 'which cup is red?'])
def test_these_ask_for_something_else(text: str) -> None:
    assert not asks_what_is_prohibited(text)


DONE = ['Done: From now on …', 'The person is told this; say nothing more of it.']


def test_a_prohibition_is_kept_before_it_is_answered() -> None:
    table = '\n'.join(LINES)
    assert ask("don't touch the red cup", table=table) == '<prohibit(the red cup, anywhere)>'
    call = '<prohibit(the red cup, anywhere)>'
    assert ask("don't touch the red cup", table=table, results=[(call, DONE)]) == '<say(All right.)>'
    not_done = ['Not done: the disk is full']
    assert ask("don't touch the red cup", table=table, results=[(call, not_done)]) == '<say(Sorry.)>'


def test_several_are_kept_one_after_the_other() -> None:
    text, first = "Don't touch the cup. Never move the pear.", '<prohibit(the cup, anywhere)>'
    assert ask(text) == first
    assert ask(text, results=[(first, DONE)]) == '<prohibit(the pear, anywhere)>'
    assert ask(text, results=[(first, DONE), ('<prohibit(the pear, anywhere)>', DONE)]) == '<say(All right.)>'


def test_a_running_task_is_changed_or_stopped_afterwards() -> None:
    table, call = '\n'.join(LINES), '<prohibit(the cup, anywhere)>'
    assert ask("don't touch the cup", table=table, tower='running') == call
    changed = ask("don't touch the cup", table=table, tower='running', results=[(call, DONE)])
    assert changed == "<change_task(tower, don't touch the cup)>"
    call = '<prohibit(the vase, anywhere)>'
    assert ask("don't touch the vase", table=table, tower='running') == call
    assert ask("don't touch the vase", table=table, tower='running', results=[(call, DONE)]) == '<stop_task(tower)>'


def test_a_limit_of_what_may_go_somewhere_starts_nothing() -> None:
    text, call, table = 'only fruit goes in box 1', '<prohibit(anything except fruit, box 1)>', '\n'.join(LINES)
    for state in ('idle', 'running'):
        assert ask(text, table=table, tower=state) == call
        assert ask(text, table=table, tower=state, results=[(call, DONE)]) == '<say(All right.)>'
    assert ask('Only fruit in box 1, please.', table=table).startswith('<do(')
    assert ask('Put the cups in box 2. Only fruit goes in box 1.', table=table).startswith('<do(')


def test_lifting_is_a_call_and_a_word() -> None:
    call = '<allow(the red cup, anywhere)>'
    assert ask('you may touch the red cup again') == call
    assert ask('you may touch the red cup again', results=[(call, DONE)]) == '<say(All right.)>'
    assert 'I have lifted nothing' in ask('you may touch it again')


def test_what_holds_is_told_as_it_was_found() -> None:
    lines = ['Prohibited: do not move the red cup (Ana said so).']
    assert ask('what must you not touch?', results=[('<prohibitions()>', lines)]) == f'<say({lines[0]})>'


@pytest.mark.parametrize(
    ('text', 'calls'),
    [
        ('Ben is wrong, never move the pear', ['the pear, anywhere']),
        ("It's fragile, don't touch the phone", ['the phone, anywhere']),
        ("My son isn't finished; do not put anything in box 2", ['anything, box 2']),
        ('The banana is not ripe — leave it. Never move the banana', ['the banana, anywhere']),
        ('never touch the pear, the banana or the phone', ['the pear or the banana or the phone, anywhere']),
        ('do not move the pear, the banana, and the phone', ['the pear and the banana and the phone, anywhere']),
    ],
)
def test_a_prohibition_behind_a_statement_and_of_a_list(text, calls):
    found = prohibited_in(sentences_in(text), TABLE)
    assert found is not None
    assert [str(item) for item in found.found] == calls


@pytest.mark.parametrize(
    'text',
    [
        'My mother said, never move the pear',
        'Ben is telling everybody, never move the pear',
        'When it is hot, never move the pear',
        'The rule is simple, never move the pear',
        'We were poor, never have a party',
        'The pear is mine, never touch it',
    ],
)
def test_what_is_reported_or_conditional_behind_a_comma_is_none(text):
    assert prohibited_in(sentences_in(text), TABLE) is None


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        ('put the pear in box 1 and never touch the banana', ['the banana, anywhere']),
        ('Give me the pear. Never put fruit in box 2.', ['fruit, box 2']),
        ("Put the pear in box 1. Don't ever touch the phone again.", ['the phone, anywhere']),
        ('put the pear in box 1 and do not touch the banana', []),
        ('put the pear in box 1 and never touch it again', []),
        ('put the pear in box 1 and never touch the pear again', []),
        ('give me the pear, never mind', []),
        ('give me the pear. I never touch the cup.', []),
    ],
)
def test_what_is_prohibited_for_good_beside_a_request_is_kept(text, found):
    said = prohibited_beside(sentences_in(text), TABLE)
    assert [str(item) for item in said.found] == found if said is not None else found == []


@pytest.mark.parametrize(
    'text',
    [
        "That pear is mine, so you'd do better not to take it.",
        'The pear should not be handled unless you are told to.',
        'We do not touch the pear.',
        'I hate it when anybody takes the pear.',
        "I'd rather keep the pear on the table.",
    ],
)
def test_what_may_forbid_is_never_answered_as_if_it_were_kept(text: str) -> None:
    answer = ask(text, table='\n'.join(LINES))
    assert 'no prohibition' in answer


@pytest.mark.parametrize(
    'text',
    [
        "I'd rather you put the pear in box 1.",
        'Better put the pear in box 1.',
        'No problem, put the pear in box 1.',
        'Nothing else matters, put the pear in box 1.',
        "The pear isn't in box 1, put it there.",
        'You did not put the pear in box 1.',
        "I don't mind you touching the pear.",
        "I'm glad you didn't move the pear.",
        'Without moving the banana, put the pear in box 1.',
    ],
)
def test_what_asks_or_reports_is_not_answered_as_a_prohibition(text: str) -> None:
    assert 'no prohibition' not in ask(text, table='\n'.join(LINES))


@pytest.mark.parametrize('text', ["I'd rather you put the pear in box 1.", 'Better put the pear in box 1.'])
def test_what_would_be_better_is_asked_about(text: str) -> None:
    assert 'not sure that you asked' in ask(text, table='\n'.join(LINES))


@pytest.mark.parametrize('text', ['You told me not to touch the cup.', 'But you asked us never to move the pear.'])
def test_to_what_it_is_said_to_have_prohibited_it_tells_what_it_keeps(text: str) -> None:
    assert ask(text, table=LINES) == '<prohibitions()>'


@pytest.mark.parametrize(
    'text',
    ['You told me not to touch the cup. Put the pear in box 1.', 'You told me not to move the pear, so move it now.'],
)
def test_a_request_behind_what_it_is_said_to_have_prohibited_is_heard(text: str) -> None:
    assert ask(text, table=LINES) != '<prohibitions()>'
