"""Containers named for what is in them: a cookie jar is no cookie, and nobody who asks for cookies is given it."""

from typing import Any

import pytest

from lucca_language.reading.selectors import Knowledge, ListedObject, Noun
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.kinds.meaning import has_meanings

needs_meanings = pytest.mark.skipif(not has_meanings(), reason='all-MiniLM-L6-v2 is not installed')


@needs_meanings
@pytest.mark.parametrize(
    ('kind', 'holder'),
    [
        ('cookies', 'cookie jar'),
        ('snacks', 'bread bin'),
        ('bread', 'bread bin'),
        ('wine', 'wine rack'),
        ('clothes', 'laundry basket'),
        ('pens', 'pen holder'),
        ('phones', 'phone case'),
        ('office supplies', 'wine rack'),
    ],
)
def test_a_container_is_asked_about_and_not_taken_for_what_is_in_it(table: Any, kind: str, holder: str) -> None:
    run = table({holder: [], 'apple': []}, f'Put {kind} in box 1 and fruit in box 2.').run()
    assert run.done == ['<move_to_box_2(apple)>']
    assert run.end == f'<cannot_do(Where does the {holder} belong?)>'


@needs_meanings
@pytest.mark.parametrize(
    ('kind', 'thing'),
    [
        ('containers', 'cookie jar'),
        ('office supplies', 'pen holder'),
        ('drinks', 'lemonade bottle'),
        ('spices', 'cardamom pods'),
    ],
)
def test_a_container_may_belong_to_a_kind_of_its_own(table: Any, kind: str, thing: str) -> None:
    run = table({thing: [], 'apple': []}, f'Put {kind} in box 1 and fruit in box 2.').run()
    assert run.containers['box 1'] == [thing]
    assert run.finished


@needs_meanings
@pytest.mark.parametrize(('kind', 'holder'), [('sweets', 'chocolate box'), ('toys', 'toy chest'), ('toys', 'toy box')])
def test_a_container_stays_where_it_is(table: Any, kind: str, holder: str) -> None:
    run = table({holder: [], 'apple': []}, f'Put {kind} in box 1 and fruit in box 2.').run()
    assert not run.containers['box 1']


@needs_meanings
def test_a_package_is_asked_about_if_just_its_contents_are_named(table: Any) -> None:
    run = table({'lemonade bottle': [], 'apple': []}, 'Put lemonade in box 1 and fruit in box 2.').run()
    assert '<move_to_box_1(lemonade bottle)>' not in run.done
    assert 'lemonade bottle' in run.end


@pytest.mark.parametrize('holder', ['toy box', 'toy chest', 'toy basket', 'toy bag'])
def test_a_box_for_toys_is_no_toy(holder: str) -> None:
    knowledge = Knowledge(lexicon())
    assert not knowledge.matches(Noun('toy'), ListedObject(holder, (), 'table'))
    assert knowledge.matches(Noun('toy'), ListedObject('toy hammer', (), 'table'))
    assert knowledge.matches(Noun('toy'), ListedObject('toy cup', (), 'table'))


def test_who_asks_for_toys_is_not_given_their_box(table: Any) -> None:
    run = table({'toy box': [], 'apple': []}, 'Put the toys in box 1.').run()
    assert run.done == []
    assert 'toy box' in run.end
