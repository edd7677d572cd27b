"""Requests about prohibitions: only what is understood is kept, and only what is meant is lifted."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from action_node.prohibition_desk import ProhibitionDesk
from action_node.prohibition_store import NAME, ProhibitionStore
from lucca_core.errors import MemoryFault
from lucca_core.protocol.prohibitions import EVERY_PLACE, Prohibition, ProhibitionChange, ProhibitionRequest
from lucca_core.protocol.snapshots import Snapshot, TableObject

NOW = datetime(2026, 11, 28, 1, 2, 3, 400, tzinfo=UTC)
SEEN = Snapshot(objects=(TableObject(object_id='1', name='blorp', label='blorp'),))


@pytest.fixture
def desk(tmp_path: Path) -> ProhibitionDesk:
    return ProhibitionDesk(ProhibitionStore(tmp_path), ('', 'box 1', 'bowl'), lambda: SEEN, lambda: NOW)


def add(what: str, place: str = '', person: str = '') -> ProhibitionRequest:
    return ProhibitionRequest(change=ProhibitionChange.ADD, what=what, place=place, person=person)


def lift(what: str, place: str = EVERY_PLACE) -> ProhibitionRequest:
    return ProhibitionRequest(change=ProhibitionChange.LIFT, what=what, place=place)


def test_what_is_added_is_listed_with_who_said_it_and_when(desk: ProhibitionDesk) -> None:
    said = Prohibition(what='the red cup', person='Ana', said_at=NOW.replace(microsecond=0))
    assert desk.answer(add('the  red cup', person='Ana')).changed == (said,)
    assert desk.answer(ProhibitionRequest()).prohibitions == (said,)


def test_a_place_gets_the_name_that_actions_have_for_it(desk: ProhibitionDesk) -> None:
    assert desk.answer(add('anything', 'The Bowl')).changed[0].place == 'bowl'
    with pytest.raises(MemoryFault, match='I put things in box 1, bowl'):
        desk.answer(add('anything', 'the drawer'))
    with pytest.raises(MemoryFault, match='I put nothing in'):
        desk.answer(add('anything', EVERY_PLACE))


@pytest.mark.parametrize('what', ['it', 'the gizmo', 'the big cup', '', ' ', 'x' * 500])
def test_what_is_not_understood_is_not_kept(what: str, desk: ProhibitionDesk) -> None:
    with pytest.raises(MemoryFault):
        desk.answer(add(what))
    assert desk.answer(ProhibitionRequest()).prohibitions == ()


def test_a_label_on_the_table_is_a_known_word(desk: ProhibitionDesk) -> None:
    assert desk.answer(add('the blorp')).changed[0].what == 'the blorp'


def test_the_same_is_kept_once(desk: ProhibitionDesk) -> None:
    first = desk.answer(add('fruit', person='Ana')).changed
    again = desk.answer(add('the fruit', person='Bob'))
    assert again.changed == first == again.prohibitions
    assert len(desk.answer(add('fruit', 'bowl')).prohibitions) == 2


def test_lifting_takes_other_words_of_the_same_meaning_and_nothing_else(desk: ProhibitionDesk) -> None:
    desk.answer(add('anything yellow'))
    desk.answer(add('fruit', 'bowl'))
    with pytest.raises(MemoryFault, match='nothing is prohibited of exactly “the banana”; prohibited is: do not move'):
        desk.answer(lift('the banana'))
    with pytest.raises(MemoryFault):
        desk.answer(lift('fruit', ''))
    assert [item.what for item in desk.answer(lift('yellow things')).changed] == ['anything yellow']
    assert [item.place for item in desk.answer(lift('the fruit', 'bowl')).changed] == ['bowl']
    assert desk.answer(ProhibitionRequest()).prohibitions == ()


def test_nothing_is_listed_while_the_file_is_damaged(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('{')
    broken = ProhibitionDesk(ProhibitionStore(tmp_path), ('box 1',))
    for request in (ProhibitionRequest(), add('fruit'), lift('fruit')):
        with pytest.raises(MemoryFault, match='nothing moves'):
            broken.answer(request)
