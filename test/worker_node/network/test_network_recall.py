"""What the network adds to a recall: updates above what they replaced, statements, nothing of other people."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_core.protocol.remembered import Recollection
from lucca_memory.semantic.graph.change import Change
from worker_node.network.network_recall import Added, placed

TALK = (
    'Paula lives in Bonn.',
    'The kiln is in Ulm.',
    'I like tea with milk.',
    'My bike is green.',
    'The harbour gala is on Friday.',
    'Ole bakes bread.',
)


def test_without_a_network_a_recall_is_as_it_was(make_house: Any) -> None:
    """The order and the memories are those of a network that adds nothing, and of no network at all."""
    off, idle = make_house('off').open(network=False), make_house('idle').open(recall_statements=0)
    for house in (off, idle):
        house.say('Anna', *TALK)
    for query in ('Where does Paula live?', 'tea', 'What is on Friday?'):
        assert [item.text for item in off.recall('Anna', query)] == [item.text for item in idle.recall('Anna', query)]
    assert all(item.kind != 'statement' and item.valid_to is None for item in off.recall('Anna', 'Paula'))


def test_what_does_not_hold_any_more_is_marked_and_stands_behind_what_took_its_place(house: Any) -> None:
    house.open().say('Anna', 'Paula lives in Bonn.', *TALK[1:], 'Paula lives in Kiel.')
    found = house.recall('Anna', 'Where does Paula live?', 'said')
    by_text = {item.text: item for item in found}
    assert by_text['Paula lives in Bonn.'].valid_to is not None
    assert by_text['Paula lives in Kiel.'].valid_to is None
    whole = [item.text for item in house.recall('Anna', 'Where does Paula live?')]
    assert whole.index('Paula lives in Kiel.') < whole.index('Paula lives in Bonn.')


def test_a_greeting_does_not_take_up_what_no_longer_holds_unmarked(house: Any) -> None:
    house.open().say('Anna', 'Paula lives in Bonn.', 'Paula lives in Kiel.')
    met = house.desks.people.meet('cli', 'Anna', 'another day')
    held = {item.text: item.valid_to is None for item in met.opening}
    assert held == {'Paula lives in Bonn.': False, 'Paula lives in Kiel.': True}


def test_a_line_of_which_only_a_part_is_outdated_says_so(house: Any) -> None:
    house.open().say('Anna', 'Paula lives in Bonn. The kiln is in Ulm.', 'Paula lives in Kiel.')
    [item] = [item for item in house.recall('Anna', 'kiln', 'said') if 'kiln' in item.text]
    assert item.valid_to is not None
    assert item.partly


def test_a_line_is_not_outdated_by_what_another_told_that_was_joined_with_it(house: Any) -> None:
    house.open().say('Anna', 'Paula lives in Bonn.', 'The rent is nine hundred.')
    bonn, rent = (house.nodes()[text] for text in ('Paula lives in Bonn.', 'The rent is nine hundred.'))
    # What a compressed node leaves behind when one of its parts no longer holds: the part, and the sources of all.
    part = replace(bonn, node_id=100_000, sources=(*bonn.sources, *rent.sources), valid_to=bonn.born + 1, vector=None)
    house.memory.store.commit(Change(nodes=(part,)))
    outdated = {item.text: item.valid_to is not None for item in house.recall('Anna', 'Paula and the rent', 'said')}
    assert outdated['Paula lives in Bonn.']
    assert not outdated['The rent is nine hundred.']


def test_what_took_the_place_of_an_outdated_line_comes_up_though_the_words_of_the_question_are_not_in_it(
    house: Any,
) -> None:
    house.open().say('Anna', 'Paula lives in Bonn.', *TALK[1:])
    house.say('Anna', 'Paula lives in Kiel.')
    found = house.recall('Anna', 'Bonn', limit=3)
    texts = [item.text for item in found]
    assert texts.index('Paula lives in Kiel.') < texts.index('Paula lives in Bonn.')


def test_a_line_that_may_be_outdated_says_so_and_stands_behind_what_is_newer(house: Any) -> None:
    house.open().say('Anna', 'My uncle Jonas is a baker.', *TALK[1:], 'My uncle Jonas works as a florist.')
    found = house.recall('Anna', 'What does my uncle Jonas do for work?')
    by_text = {item.text: item for item in found}
    old, new = by_text['My uncle Jonas is a baker.'], by_text['My uncle Jonas works as a florist.']
    assert old.valid_to is None
    assert old.newer == new.time
    assert new.newer is None
    texts = [item.text for item in found]
    assert texts.index(new.text) < texts.index(old.text)
    assert all(item.newer is None for item in house.recall('Anna', 'uncle Jonas'))


def test_nothing_newer_is_spoken_of_where_it_is_not_told(house: Any) -> None:
    house.open(recall_statements=0).say('Anna', 'My uncle Jonas is a baker.', *TALK[1:])
    house.say('Anna', 'My uncle Jonas works as a florist.')
    for limit in (1, 2, 8):
        found = house.recall('Anna', 'What does my uncle Jonas do for work?', limit=limit)
        times = {item.time for item in found}
        assert all(item.newer is None or item.newer in times for item in found)


def test_a_doubtful_statement_without_its_line_is_kept_with_its_mark_if_the_newer_one_is_there() -> None:
    line, newer, old = item_of(1), item_of(2, 'statement'), item_of(3, 'statement')
    when = datetime(2026, 1, 1, tzinfo=UTC)
    added = Added({old.item_id: newer}, (newer, old), {old.item_id: when})
    found = placed([line], added, 9, 100, 2)
    assert [(item.item_id, item.newer) for item in found] == [
        (line.item_id, None),
        (newer.item_id, None),
        (old.item_id, when),
    ]
    assert [item.item_id for item in placed([line], replace(added, others=(old,)), 9, 100, 2)] == [line.item_id]
    assert placed([line, old], replace(added, others=()), 1, 100, 0)[0].newer is None


def test_a_doubtful_statement_is_among_what_the_network_adds(house: Any) -> None:
    house.open().say('Anna', 'My uncle Jonas is a baker.', 'My uncle Jonas works as a florist.')
    found = house.recall('Anna', 'What does my uncle Jonas do for work?', 'statement')
    by_text = {item.text: item for item in found}
    old, new = by_text['My uncle Jonas is a baker.'], by_text['My uncle Jonas works as a florist.']
    assert (old.newer, new.newer) == (new.time, None)
    assert found.index(new) < found.index(old)


def test_a_statement_whose_line_was_found_is_not_told_twice(house: Any) -> None:
    house.open().say('Anna', *TALK)
    found = house.recall('Anna', 'Where does Paula live?')
    assert [item.text for item in found].count('Paula lives in Bonn.') == 1


def test_nobody_is_told_the_statements_of_another(house: Any) -> None:
    house.open().say('Anna', 'The safe opens with 4711.', 'My locker is number 12.')
    for who in ('Bert', ''):
        for query in ('What opens the safe?', 'locker number', 'What did Anna say about the safe?'):
            assert all('4711' not in item.text and '12' not in item.text for item in house.recall(who, query))


def test_what_is_put_away_is_told_by_no_statement_even_before_the_network_follows(house: Any) -> None:
    house.open()
    house.say('Anna', 'The safe opens with 4711.')
    [line] = house.say('Anna', 'The safe opens with 4711!')
    desk, conversation = house.desks.people, house.meet('Anna')
    # The keeper may or may not have come to it: what counts is the store of people.
    desk.forget(conversation, [line])
    assert all(item.kind != 'statement' for item in house.recall('Anna', 'What opens the safe?'))


def test_a_statement_can_be_named_to_be_forgotten_and_its_lines_go(house: Any) -> None:
    house.open().say('Anna', 'The safe opens with 4711.')
    node = house.nodes()['The safe opens with 4711.']
    assert house.desks.people.forget(house.meet('Anna'), [f'node:{node.node_id}']) == 1
    house.settle()
    assert all('4711' not in item.text for item in house.recall('Anna', 'What opens the safe?'))
    house.say('Bert', 'The sky is grey.')
    other = house.nodes()['The sky is grey.']
    with pytest.raises(Exception, match='nothing was named'):
        house.desks.people.forget(house.meet('Anna'), [f'node:{other.node_id}'])


def test_being_recalled_counts_as_use_and_is_stored_in_the_background(house: Any) -> None:
    house.open(recall_statements=2).say('Anna', *TALK)
    before = house.nodes()['Paula lives in Bonn.'].used
    house.recall('Anna', 'Where does Paula live?')
    house.settle()
    assert house.nodes()['Paula lives in Bonn.'].used > before
    house.open().settle()
    assert house.nodes()['Paula lives in Bonn.'].used > before


def item_of(number: int, kind: str = 'said', words: int = 5) -> Recollection:
    item_id = f'{kind}:{number}'
    return Recollection(kind=kind, item_id=item_id, text='word ' * words, source='')  # type: ignore[arg-type]


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 30), max_size=20),
    st.lists(st.integers(1, 30), max_size=6),
    st.dictionaries(st.integers(0, 19), st.integers(0, 9), max_size=5),
    st.integers(1, 12),
    st.integers(0, 200),
    st.integers(0, 4),
)
def test_statements_take_few_places_and_the_best_of_what_was_found_stays(
    sizes: list[int], others: list[int], instead: dict[int, int], limit: int, tokens: int, most: int
) -> None:
    base = [item_of(number, words=words) for number, words in enumerate(sizes)]
    added = Added(
        {f'said:{number}': item_of(by, 'statement') for number, by in instead.items()},
        tuple(item_of(100 + number, 'statement', words) for number, words in enumerate(others)),
    )
    found = placed(base, added, limit, tokens, most)
    ids = [item.item_id for item in found]
    assert len(ids) == len(set(ids)) <= limit
    assert sum(len(item.text) // 4 + 1 for item in found) <= tokens
    statements = [item for item in found if item.kind == 'statement']
    assert len(statements) <= (most if base else limit)
    # What was found stays in order, from the best on.
    kept = [item.item_id for item in found if item.kind == 'said']
    assert kept == [item.item_id for item in base if item.item_id in kept]
    for number, by in instead.items():
        if f'said:{number}' in ids and f'statement:{by}' in ids:
            assert ids.index(f'statement:{by}') < ids.index(f'said:{number}')
    without = placed(base, Added({}, ()), limit, tokens, most)
    assert [item for item in without if item.kind == 'statement'] == []
