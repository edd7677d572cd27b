"""Entries that nodes ask for are bounded before they stand in a log for good."""

import math
from dataclasses import replace

import pytest

from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import Snapshot
from worker_node.bounds import bounded, bounded_word

ENTRY = EntryRequest(task='sorting', kind=EntryKind.OUTCOME, snapshot=Snapshot())


@pytest.mark.parametrize('name', ['action', 'object_id', 'object_name', 'code'])
def test_a_name_that_is_longer_than_any_is_refused(name: str) -> None:
    longest = replace(ENTRY, **{name: 'x' * 300})
    assert bounded(longest) == longest
    with pytest.raises(ValueError, match=f'{name} has 301 characters, 300 at most are taken'):
        bounded(replace(ENTRY, **{name: 'x' * 301}))


def test_a_long_note_is_cut_as_what_was_done_has_to_be_recorded() -> None:
    assert bounded(replace(ENTRY, note='x' * 2_000)).note == 'x' * 2_000
    assert bounded(replace(ENTRY, note='x' * 2_000_000)).note == 'x' * 1_999 + '…'


def test_an_entry_of_no_task_is_refused() -> None:
    with pytest.raises(ValueError, match='needs a task'):
        bounded(replace(ENTRY, task=''))


@pytest.mark.parametrize('duration_s', [-1.0, math.nan, math.inf])
def test_a_duration_that_cannot_be_is_refused(duration_s: float) -> None:
    with pytest.raises(ValueError, match='finite and not negative'):
        bounded(replace(ENTRY, duration_s=duration_s))


def test_a_call_to_be_reviewed_is_as_short_as_one_that_is_recorded() -> None:
    assert bounded_word('proposed', '<give(pear)>') == '<give(pear)>'
    with pytest.raises(ValueError, match='proposed has 301 characters'):
        bounded_word('proposed', 'x' * 301)
