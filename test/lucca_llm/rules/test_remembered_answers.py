"""Answers from memory in conversation: told word for word with their source, or not known."""

import pytest
from conversation import ask

from lucca_llm.rules.utterances.quotation import is_bare_phrase

KEYS = 'm1 (said; Ada, 2026-11-20 18:04): I left my keys in the blue drawer.'


@pytest.mark.parametrize(
    ('text', 'memories', 'answer'),
    [
        ('Where did I leave my keys?', [KEYS], 'On 20 November 2026 you told me: “I left my keys in the blue drawer”.'),
        (
            'Where did I leave my keys?',
            [KEYS, 'm2 (said; Ada, 2026-11-22 08:00): I have left my keys at the gate.'],
            'Earlier today you told me: “I have left my keys at the gate”.',
        ),
        (
            'When does the ferry leave?',
            ['m1 (fact; harbour.md:3): Harbour: The ferry leaves at 7:40. It is red.'],
            'harbour.md:3 says: “Harbour: The ferry leaves at 7:40”.',
        ),
        (
            'What is the name of my sister?',
            ['m1 (summary; 2026-10-01): Ada: My sister is called Mira.'],
            'On 1 October 2026 I noted: “Ada: My sister is called Mira”.',
        ),
    ],
)
def test_a_question_is_answered_word_for_word_with_its_date_or_place(
    text: str, memories: list[str], answer: str
) -> None:
    assert ask(text, memories=memories) == f'<say({answer})>'


@pytest.mark.parametrize(
    'memory',
    [
        'm1 (said; Ada, 2026-11-20 18:04): Where did I leave my keys?',
        'm1 (said; robot, 2026-11-20 18:04): You left your keys in the blue drawer.',
        'm1 (said; Ada, 2026-11-20 18:04): My brother has keys.',
        'm1 (task; sorting, entry 3): sorting: done, leave keys',
    ],
)
def test_what_nothing_retrieved_answers_it_does_not_know(memory: str) -> None:
    asked = 'Where did I leave my keys?'
    assert ask(asked, memories=[memory]) == f'<search_facts({asked})>'
    found = [(f'<search_facts({asked})>', ['nothing'])]
    assert ask(asked, memories=[memory], results=found).startswith('<say(I do not know.')


def test_half_of_a_question_is_another_question() -> None:
    assert ask(
        "What is my brother's name?", memories=["m1 (said; Ada, 2026-11-20 18:04): My sister's name is Mira."]
    ) == ("<search_facts(What is my brother's name?)>")


def test_it_greets_with_something_from_last_time_once() -> None:
    opening = ['- Ada, 2026-11-20 18:04: x'.removeprefix('- '), 'Ada, 2026-11-20 18:05: I sail to Vrango tomorrow.']
    greeting = ask('hello', opening=opening)
    assert greeting.startswith('<say(Hello Ada. On 20 November 2026 you told me: “I sail to Vrango tomorrow”.')
    assert ask('hello', opening=opening, before=['hi']) == '<say(Hello Ada.)>'


def test_what_was_talked_about_is_told_or_not_remembered() -> None:
    opening = ['Ada, 2026-11-20 18:05: I sail to Vrango.', 'Ada, 2026-11-20 18:06: When does the ferry leave?']
    told = ask('What did we talk about?', opening=opening)
    assert told == ('<say(On 20 November 2026 you said: “I sail to Vrango”; you asked: “When does the ferry leave?”.)>')
    begun = ask('What did we talk about?', before=['hello', 'My boat is called Petrel.'])
    assert begun == '<say(We have only just begun to talk: you said: “My boat is called Petrel”.)>'
    assert ask('What did we talk about last time?') == '<say(I do not remember an earlier conversation with you.)>'


OLD_HOME = 'm1 (said; Ada, 2026-11-01 10:00; no longer true since 2026-11-20): My flat is in Bonn.'


NEW_HOME = 'm2 (said; Ada, 2026-11-20 10:00): My flat is in Kiel.'


@pytest.mark.parametrize('memories', [(OLD_HOME, NEW_HOME), (NEW_HOME, OLD_HOME)])
def test_what_holds_is_told_and_what_used_to_hold_only_when_it_is_asked_for(memories: tuple[str, ...]) -> None:
    assert 'Kiel' in (told := ask('Where is my flat?', memories=memories))
    assert 'Bonn' not in told
    told = ask('Where was my flat before?', memories=memories)
    assert '“My flat is in Bonn”; that no longer holds.' in told


def test_what_no_longer_holds_is_never_told_without_saying_so() -> None:
    assert 'Bonn”; that no longer holds.' in ask('Where is my flat?', memories=(OLD_HOME,))
    partly = 'm1 (said; Ada, 2026-11-01 10:00; partly no longer true since 2026-11-20): My flat is in Bonn. I like tea.'
    assert 'some of that no longer holds' in ask('Where is my flat?', memories=(partly,))


def test_what_may_be_outdated_is_told_after_what_is_newer_and_with_a_word_on_it() -> None:
    doubtful = 'm1 (said; Ada, 2026-11-01 10:00; something newer was said on 2026-11-20): My flat is in Bonn.'
    assert 'Kiel' in ask('Where is my flat?', memories=(doubtful, NEW_HOME))
    assert 'Bonn”; something newer was said about this.' in ask('Where is my flat?', memories=(doubtful,))
    assert 'Kiel' in ask('Where is my flat?', memories=(OLD_HOME, doubtful.replace('Bonn', 'Kiel')))


def test_a_statement_of_the_network_is_told_as_what_was_said() -> None:
    memories = ('m1 (statement; Ada, 2026-11-20 10:00): My flat is in Kiel.',)
    assert 'you told me: “My flat is in Kiel”.' in ask('Where is my flat?', memories=memories)


def test_a_noun_phrase_is_a_question_if_something_recalled_answers_it() -> None:
    fact = 'm1 (fact; house.md:3): Router: The router password is on its back.'
    assert ask('router password', memories=[fact]) == (
        '<say(house.md:3 says: “Router: The router password is on its back”.)>'
    )
    assert 'on its back' in ask('the router password', memories=[fact])
    assert 'did not understand' in ask('router password')
    assert 'did not understand' in ask('cellar password', memories=[fact])


@pytest.mark.parametrize(
    'phrase', ['the gym locker code', 'my gym locker code', 'The gym locker code?', 'gym locker code']
)
def test_what_was_only_asked_for_by_its_name_is_not_told_as_something_said(phrase: str) -> None:
    asked = 'm1 (said; Ada, 2026-11-20 10:00): the locker code of the gym'
    told = 'm2 (said; Ada, 2026-11-19 10:00): The gym locker code is 4417.'
    assert '4417' in ask(phrase, memories=[told, asked])
    assert 'you told me' not in ask(phrase, memories=[asked])


@pytest.mark.parametrize(
    ('told', 'asked', 'part'),
    [
        ('I live in Kiel', 'Where do I live?', 'Kiel'),
        ('I work at Bosch', 'Where do I work?', 'Bosch'),
        ('My cat died', 'What happened to my cat?', ''),
        ('alarm code 1234', 'What is the alarm code?', '1234'),
        ('I lost my keys', 'Did I lose my keys?', ''),
    ],
)
def test_short_statements_are_no_names_of_things(told: str, asked: str, part: str) -> None:
    assert not is_bare_phrase(told)
    if part:
        assert part in ask(asked, memories=[f'm1 (said; Ada, 2026-11-20 10:00): {told}'])


@pytest.mark.parametrize('phrase', ['the gym locker code', 'red umbrella handle', 'kitchen light bulb', 'my bed'])
def test_names_of_things_say_nothing(phrase: str) -> None:
    assert is_bare_phrase(phrase)


def test_a_short_statement_is_kept_and_not_taken_for_a_question() -> None:
    memory = 'm1 (said; Ada, 2026-11-20 10:00): My cat is called Tofu.'
    assert 'keep that in mind' in ask('My cat is ill', memories=[memory])
    assert 'keep that in mind' in ask('Tofu likes fish', memories=[memory])
