"""Entries that nodes ask for are bounded before they stand in a log for good."""

import pytest
from lucca_interfaces.msg import Entry as EntryMsg

from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import Snapshot
from worker_node.conversions import entry_from_msg, entry_to_msg, word


def _message(**values: str) -> EntryMsg:
    return entry_to_msg(EntryRequest(task='sorting', kind=EntryKind.OUTCOME, table=Snapshot(), **values))


@pytest.mark.parametrize('name', ['action', 'object_id', 'object_name', 'code'])
def test_a_name_that_is_longer_than_any_is_refused(name: str) -> None:
    assert getattr(entry_from_msg(_message(**{name: 'x' * 300})), name) == 'x' * 300
    with pytest.raises(ValueError, match=f'{name} has 301 characters, 300 at most are taken'):
        entry_from_msg(_message(**{name: 'x' * 301}))


def test_a_long_note_is_cut_as_what_was_done_has_to_be_recorded() -> None:
    assert entry_from_msg(_message(note='x' * 2_000)).note == 'x' * 2_000
    assert entry_from_msg(_message(note='x' * 2_000_000)).note == 'x' * 1_999 + '…'


def test_a_call_to_be_reviewed_is_as_short_as_one_that_is_recorded() -> None:
    assert word('proposed', '<give(pear)>') == '<give(pear)>'
    with pytest.raises(ValueError, match='proposed has 301 characters'):
        word('proposed', 'x' * 301)
