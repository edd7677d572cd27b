"""The network is in line with what people said, what was done and what was put away, whatever happened in between."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.item_ids import owner_of
from lucca_memory.manifest import begin_anew
from lucca_memory.people.erasure import erase_person
from lucca_memory.people.opening import PEOPLE_FILE, open_store
from lucca_memory.people.values import Feedback, NewLine
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.graph.change import OPEN
from lucca_memory.semantic.opening import NETWORK_FILE
from lucca_memory.semantic.store.values import Mark
from worker_node.network.config import NetworkConfig
from worker_node.network.follower import TAKEN_BACK, telling_text


def test_what_is_said_becomes_part_of_the_network_with_its_speaker_and_line(house: Any) -> None:
    house.open()
    [line] = house.say('Anna', 'Paula lives in Bonn.')
    node = house.nodes()['Paula lives in Bonn.']
    uid = house.store.uid
    assert (node.speaker, node.sources) == ('Anna', (f'{line}@{uid}',))
    assert node.owner == owner_of(uid, house.store.find('Anna').person_id)


def test_the_robots_words_and_questions_are_no_statements(house: Any) -> None:
    house.open().say('Anna', 'Where does Paula live?', 'Is it late? The kiln is in Ulm.', '(asked for something)')
    assert list(house.nodes()) == ['The kiln is in Ulm.']
    assert telling_text('Why?') == ''


def test_what_was_said_before_the_network_was_there_or_while_it_was_off_is_made_up_for(house: Any) -> None:
    house.open(network=False)
    assert house.desks.network is None
    house.say(
        'Anna', 'Paula lives in Bonn.', 'The kiln is in Ulm.', 'My bike is green.', 'My car is blue.', 'Ole bakes.'
    )
    house.open(consolidate_at_once=2).settle()
    assert len(house.nodes()) == 5


def test_nothing_is_heard_twice_over_restarts(house: Any) -> None:
    house.open().say('Anna', 'Paula lives in Bonn.')
    house.open().settle()
    node = house.nodes()['Paula lives in Bonn.']
    assert (node.told, len(node.sources)) == (1, 1)
    house.say('Anna', 'Paula lives in Bonn.')
    assert house.nodes()['Paula lives in Bonn.'].told == 2


def test_what_is_done_belongs_to_everybody_and_is_strengthened_by_being_done_again(house: Any) -> None:
    done = Entry(kind=EntryKind.OUTCOME, action='<move_to_box_1(pear)>', object_name='pear', intent_id=2, code='done')
    house.logs['sorting'] = [
        Entry(kind=EntryKind.STARTED, entry_id=1),
        Entry(kind=EntryKind.INTENT, entry_id=2, action='<move_to_box_1(pear)>'),
        replace(done, entry_id=3),
    ]
    house.open().settle()
    house.logs['sorting'].append(replace(done, entry_id=4))
    house.settle()
    node = house.nodes()['sorting: done, move to box 1: pear']
    assert (node.owner, node.told, node.sources) == ('', 2, ('task:sorting:3', 'task:sorting:4'))
    house.open().settle()
    assert house.nodes()['sorting: done, move to box 1: pear'].told == 2


def test_what_a_guest_says_is_not_kept_until_they_introduce_themselves(house: Any) -> None:
    house.open()
    desk = house.desks.people
    desk.meet('cli', '', 'guest')
    desk.record_turn('guest', 'Paula lives in Bonn.', 'I see.')
    house.settle()
    assert house.nodes() == {}
    desk.introduce('guest', 'Dora')
    house.settle()
    assert list(house.nodes()) == ['Paula lives in Bonn.']


def test_what_is_asked_to_be_kept_and_names_are_pinned(house: Any) -> None:
    house.open()
    house.desks.people.remember(house.meet('Anna'), 'The spare key hangs behind the clock.')
    house.say('Anna', "My sister's name is Mira.", 'The weather is nice.')
    pinned = {text: node.pinned for text, node in house.nodes().items()}
    assert pinned == {
        'The spare key hangs behind the clock.': True,
        "My sister's name is Mira.": True,
        'The weather is nice.': False,
    }


def test_forget_that_puts_the_statement_away_pinned_or_not_and_restoring_the_line_brings_it_back(house: Any) -> None:
    house.open()
    conversation = house.meet('Anna')
    kept = house.desks.people.remember(conversation, 'The spare key hangs behind the clock.')
    house.settle()
    node = house.nodes()['The spare key hangs behind the clock.']
    assert house.desks.people.forget(conversation, [kept]) == 1
    house.settle()
    assert house.nodes() == {}
    [away] = house.memory.forgotten()
    assert (away.node_id, away.reason) == (node.node_id, TAKEN_BACK)
    house.close()
    with DataFolder.open(house.path, write=True) as folder, open_store(folder) as store:
        # As `lucca memory restore` does while no worker runs.
        store.restore(store.find('Anna').person_id, [int(kept.removeprefix('said:'))])
    house.open().settle()
    assert house.nodes()['The spare key hangs behind the clock.'].pinned


def test_a_line_that_was_put_away_before_it_was_heard_is_heard_when_it_comes_back(house: Any) -> None:
    house.open(network=False)
    first, _ = house.say('Anna', 'Paula lives in Bonn.', 'The kiln is in Ulm.')
    person = house.store.find('Anna').person_id
    number = int(first.removeprefix('said:'))
    house.desks.people.forget(house.meet('Anna'), [first])
    house.open().settle()
    assert list(house.nodes()) == ['The kiln is in Ulm.']
    house.store.restore(person, [number])
    house.settle()
    assert set(house.nodes()) == {'The kiln is in Ulm.', 'Paula lives in Bonn.'}


def test_verdicts_count_once_for_what_the_answer_rested_on(house: Any) -> None:
    house.open()
    [line] = house.say('Anna', 'Paula lives in Bonn.')
    desk, conversation = house.desks.people, house.meet('Anna')
    desk.record_turn(conversation, 'Where does Paula live?', 'In Bonn.', recalled=[line])
    before = house.nodes()['Paula lives in Bonn.'].used
    desk.feedback(conversation, 'good')
    house.settle()
    house.open().settle()
    assert house.nodes()['Paula lives in Bonn.'].used == before + 1
    house.meet('Anna')
    house.desks.people.feedback(conversation, 'bad')
    house.settle()
    assert house.nodes()['Paula lives in Bonn.'].used == before


def test_a_verdict_counts_once_if_nothing_can_be_written_after_it(house: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    [line] = house.open().say('Anna', 'Paula lives in Bonn.')
    house.settle()

    def full(*values: object) -> None:
        raise MemoryFault('the disk is full')

    with monkeypatch.context() as patch:
        patch.setattr(house.memory.store, 'set_mark', full)
        first = _rated(house, line, datetime(2026, 1, 1, tzinfo=UTC))
    house.open().settle()
    assert house.nodes()['Paula lives in Bonn.'].used == first == 1.0


def test_what_was_said_twice_stays_if_one_of_the_lines_is_put_away(house: Any) -> None:
    first, second = house.open().say('Anna', 'Paula lives in Bonn.', 'Paula lives in Bonn.')
    person = house.store.find('Anna').person_id
    numbers = [int(line.rpartition(':')[2]) for line in (first, second)]
    house.store.forget(person, numbers[:1], 'by hand', datetime.now(UTC))
    house.settle()
    assert set(house.nodes()) == {'Paula lives in Bonn.'}
    house.store.forget(person, numbers[1:], 'by hand', datetime.now(UTC))
    house.settle()
    assert not house.nodes()
    house.store.restore(person, numbers[1:])
    house.settle()
    assert set(house.nodes()) == {'Paula lives in Bonn.'}


def test_forget_that_puts_away_a_statement_that_was_said_twice(house: Any) -> None:
    first, second = house.open().say('Anna', "The gala's budget is 30 euros.", 'The budget of the gala is 30 euros.')
    assert len(house.nodes()) == 1
    assert house.desks.people.forget(house.meet('Anna'), [first]) == 2
    house.settle()
    assert not house.nodes()
    house.store.restore(house.store.find('Anna').person_id, [int(second.rpartition(':')[2])])
    house.settle()
    assert len(house.nodes()) == 1


@pytest.mark.parametrize('years', [-30, 30])
def test_what_was_said_last_holds_although_the_clock_was_set(house: Any, years: int) -> None:
    house.open().say('Anna', 'The kiln is in Ulm.')
    person, now = house.store.find('Anna').person_id, datetime.now(UTC)
    for text, when in (('The kiln is in Bonn.', now + timedelta(days=365 * years)), ('The kiln is in Kiel.', now)):
        house.store.append(person, [NewLine(conversation='later', speaker='Anna', text=text, time=when)])
        house.settle()
    assert [text for text, node in house.nodes().items() if node.valid_to == OPEN] == ['The kiln is in Kiel.']


def _rated(house: Any, line: str, when: datetime) -> float:
    """The use count of the only statement after a verdict that was given at a time."""
    person = house.store.find('Anna').person_id
    house.store.add_feedback(
        Feedback(person_id=person, verdict='good', question='?', answer='.', recalled=(line,), time=when)
    )
    house.settle()
    return float(house.nodes()['Paula lives in Bonn.'].used)


def test_a_verdict_counts_whatever_the_clock_says(house: Any) -> None:
    [line] = house.open().say('Anna', 'Paula lives in Bonn.')
    times = [datetime(year, 1, 1, tzinfo=UTC) for year in (2099, 2026, 1970)]
    assert [_rated(house, line, when) for when in times] == [1.0, 2.0, 3.0]


def test_verdicts_that_an_earlier_version_counted_are_not_counted_again(house: Any) -> None:
    [line] = house.open().say('Anna', 'Paula lives in Bonn.')
    uid, when = house.store.uid, datetime(2026, 1, 1, tzinfo=UTC)
    assert _rated(house, line, when) == 1.0
    store = house.memory.store
    store.set_mark(f'verdicts@{uid}', Mark(microseconds(when)))
    with store._database.transaction() as connection:
        connection.execute('DELETE FROM mark WHERE name = ?', (f'verdict numbers@{uid}',))
    house.open()
    assert _rated(house, line, when + timedelta(days=1)) == 2.0


def test_nobodys_verdict_reaches_what_is_anothers(house: Any) -> None:
    house.open().say('Anna', 'Paula lives in Bonn.')
    node = house.nodes()['Paula lives in Bonn.']
    conversation = house.meet('Bert')
    house.desks.people.record_turn(conversation, 'Hm?', 'Hm.', recalled=[f'node:{node.node_id}', 'node:x', 'node:'])
    house.desks.people.feedback(conversation, 'good')
    house.settle()
    assert house.nodes()['Paula lives in Bonn.'].used == node.used


def test_a_person_of_another_store_under_the_same_number_has_none_of_it(house: Any) -> None:
    house.open().say('Anna', 'The safe opens with 4711.')
    person_id = house.store.find('Anna').person_id
    house.close()
    for file in house.path.glob(f'{PEOPLE_FILE}*'):
        file.unlink()
    with DataFolder.open(house.path, write=True) as folder:
        begin_anew(folder, datetime.now(UTC))
    house.open().say('Bert', 'The safe is grey.')
    assert house.store.find('Bert').person_id == person_id
    assert all('4711' not in item.text for item in house.recall('Bert', 'What opens the safe?'))
    # Nor was the new line taken for the old one of its number.
    assert 'The safe is grey.' in house.nodes()


def test_erasing_leaves_nothing_of_a_person_in_the_network(house: Any) -> None:
    name, secret = 'Xanthippe Quux', 'zygomorphic'
    house.logs[f'breakfast for {name}'] = [Entry(kind=EntryKind.STARTED, entry_id=1)]
    house.open()
    lines = house.say(name, f'My word is {secret}.', f'My other word is also {secret} twice.', f'My name is {name}.')
    house.say('Anna', 'Paula lives in Bonn.')
    house.desks.people.forget(house.meet(name), lines[:1])
    house.settle()
    assert _holds(house, secret)
    assert _holds(house, 'quux')
    house.close()
    with DataFolder.open(house.path, write=True) as folder, open_store(folder) as store:
        erase_person(folder, store, name)
    for marker in (secret, 'xanthippe', 'quux'):
        assert not _holds(house, marker), marker
    house.logs.clear()
    house.open().settle()
    assert set(house.nodes()) == {'Paula lives in Bonn.', 'breakfast for somebody was started'}


def _holds(house: Any, marker: str) -> bool:
    data = b''.join(file.read_bytes() for file in house.path.rglob(f'{NETWORK_FILE}*'))
    return marker.encode() in data.lower()


def test_owners_without_a_store_are_taken_out_of_an_older_network(house: Any) -> None:
    house.open().say('Anna', 'Paula lives in Bonn.')
    house.close()
    with closing(sqlite3.connect(house.path / NETWORK_FILE)) as connection, connection:
        connection.execute("UPDATE node SET owner = 'person-1' WHERE owner != ''")
        for table in ('told_by', 'mark'):
            connection.execute(f'DROP TABLE {table}')
        connection.execute('ALTER TABLE node DROP COLUMN said')
        connection.execute("DELETE FROM meta WHERE key = 'stamp'")
        connection.execute('PRAGMA user_version = 1')
    house.open().settle()
    assert house.memory.stats().closed == 0
    assert {node.owner for node in house.nodes().values()} <= {owner_of(house.store.uid, 1)}


class Failing(HashedEmbedder):
    """Fails as long as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = False

    def embed(self, texts: Any) -> Any:
        if self.broken:
            raise MemoryFault('away')
        return super().embed(texts)


def test_what_could_not_be_heard_is_heard_later(house: Any) -> None:
    embedder = Failing()
    house.open(embedder)
    embedder.broken = True
    house.say('Anna', 'Paula lives in Bonn.')
    assert house.nodes() == {}
    embedder.broken = False
    house.settle()
    assert 'Paula lives in Bonn.' in house.nodes()


def test_robots_that_share_a_store_each_follow_all_of_it(
    make_house: Callable[[str], Any], postgres_address: str
) -> None:
    one, two = make_house('one').open(store=postgres_address), make_house('two').open(store=postgres_address)
    one.say('Anna', 'Paula lives in Bonn.')
    two.settle()
    assert 'Paula lives in Bonn.' in two.nodes()


@pytest.mark.parametrize('settings', [{'extractor': 'magic'}, {'forget_every_h': -1.0}, {'consolidate_at_once': 0}])
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        NetworkConfig(**settings)
