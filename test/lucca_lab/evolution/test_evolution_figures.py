"""`lucca eval evolution`: laws of the dialogues, and scores that separate a memory that notices changes from one that
does not."""

import pytest

from lucca_lab.evolution.chats import SPLITS, chats
from lucca_lab.evolution.measure import SHARES, VARIANTS, EvolutionOutcome, measure, pooled
from lucca_lab.evolution.weeks import weeks
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.semantic.answering import context as answering

CUES = ('no longer', 'anymore', 'instead', 'used to', 'moved to', 'changed', 'new ', 'now ', 'actually', 'correction')


@pytest.fixture(scope='module')
def chat():
    return next(iter(chats('train', 3, 1)))


def test_the_same_seed_gives_the_same_chat_and_another_another(chat):
    assert next(iter(chats('train', 3, 1))).said == chat.said
    assert next(iter(chats('train', 4, 1))).said != chat.said


def test_a_chat_says_every_fact_and_says_what_follows_after_what_it_replaces(chat):
    first = {}
    for said in chat.said:
        for fact in chat.facts_in(said.text):
            first.setdefault(fact, said.time)
    for probe in chat.probes:
        assert {*probe.valid, *probe.outdated} <= first.keys()
        if probe.changed:
            assert max(first[fact] for fact in probe.outdated) < first[probe.valid[0]]


def test_no_chat_says_that_something_changed(chat):
    assert not [said.text for said in chat.said if any(cue in said.text.lower() for cue in CUES)]


def test_the_test_split_mentions_other_things():
    asked = {split: {probe.question for probe in next(iter(chats(split, 0, 1))).probes} for split in SPLITS}
    assert not asked['train'] & asked['test']
    assert not asked['fresh'] & (asked['train'] | asked['test'])


def test_every_slot_of_the_weeks_is_asked_for():
    dialogue = next(iter(weeks('train', 1, 1)))
    told = set().union(*(dialogue.facts_in(said.text) for said in dialogue.said))
    assert {fact for probe in dialogue.probes for fact in (*probe.valid, *probe.outdated)} == told


def test_a_memory_that_closes_nothing_is_seen_to_leave_everything_open(chat):
    whole, without = (measure(chat, HashedEmbedder(64), VARIANTS[name]) for name in ('lucca', 'without'))
    assert without.counts['left_open'][0] > whole.counts['left_open'][0]
    assert without.counts['closed_wrongly'][0] == 0
    assert without.counts['history_marked'][0] == 0
    assert whole.counts.keys() == SHARES.keys()


def test_a_mark_of_doubt_is_a_mark(chat):
    with_doubt, without = (measure(chat, HashedEmbedder(64), VARIANTS[name]) for name in ('lucca', 'no_doubt'))
    assert with_doubt.counts['stale'][0] < without.counts['stale'][0]
    assert with_doubt.counts['left_open'] == without.counts['left_open']
    assert without.counts['doubted_wrongly'][0] == 0


def test_who_doubts_everything_is_found_out(chat, monkeypatch):
    """What holds has to be told without a mark: doubt is no way to a better figure."""
    monkeypatch.setattr(answering, 'newer_versions', lambda wanted, told: dict.fromkeys(range(1, len(told)), 0))
    found = measure(chat, HashedEmbedder(64), VARIANTS['lucca']).counts
    assert found['doubted_wrongly'][0] > 0
    assert found['valid'][0] + found['steady'][0] < found['valid'][1] + found['steady'][1]


def test_shares_are_pooled_over_cases_and_nothing_counted_has_no_share():
    outcomes = [
        EvolutionOutcome('a', {'valid': (1.0, 1)}),
        EvolutionOutcome('b', {'valid': (1.0, 3)}),
        EvolutionOutcome('c', {'valid': (0.0, 0)}),
    ]
    found = pooled(outcomes, 'valid')
    assert found['value'] == 0.5
    assert found['n'] == 4
    assert found['ci'][0] <= 0.5 <= found['ci'][1]
    assert pooled(outcomes[2:], 'valid')['value'] is None
