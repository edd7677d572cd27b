"""The drawn chats hold what they claim, and the figures on them are what they are called."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_lab.chats.generator import KINDS, SPLITS, ChatQuestion, generate
from lucca_lab.chats.run import DEPTH, evaluate, freshness
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_lab.locomo.data import LocomoQuestion
from lucca_lab.locomo.scoring import Ranked

CUES = ('now', 'new', 'anymore', 'moved', 'changed', 'switched', 'instead', 'used to', 'since', 'recently', 'no longer')


@pytest.fixture(params=SPLITS)
def chat(request):
    return generate(request.param, 7)


def test_the_same_seed_gives_the_same_chat_and_another_seed_another(chat):
    split = chat.chat_id.partition('-')[0]
    assert generate(split, 7) == chat
    assert generate(split, 8).turns != chat.turns


def test_a_split_that_is_none_is_refused():
    with pytest.raises(ValueError, match="got 'train'"):
        generate('train', 0)


def test_every_kind_is_asked_for_and_its_evidence_is_there(chat):
    lines = {name for turn in chat.turns for name in (turn.said, turn.answered)}
    assert {asked.kind for asked in chat.questions} == set(KINDS)
    for asked in chat.questions:
        assert asked.evidence
        assert asked.evidence | asked.outdated <= lines
        assert not asked.evidence & asked.outdated
        assert bool(asked.outdated) == (asked.kind == 'updated')


def test_what_holds_was_said_after_all_that_it_replaces(chat):
    for asked in chat.questions:
        if asked.outdated:
            newest_old = max(int(name[:-1]) for name in asked.outdated)
            assert min(int(name[:-1]) for name in asked.evidence) > newest_old


def test_no_statement_says_that_it_is_an_update(chat):
    lines = {turn.said: turn.utterance for turn in chat.turns}
    told = [lines[name] for asked in chat.questions for name in asked.evidence | asked.outdated if name in lines]
    for text in told:
        words = f' {text.lower()} '
        assert not [cue for cue in CUES if f' {cue} ' in words], text


def test_time_rises_and_sessions_are_apart(chat):
    for before, after in zip(chat.turns, chat.turns[1:], strict=False):
        assert after.time > before.time
        assert (after.time - before.time).days >= 1 or after.session == before.session


def test_the_splits_share_no_wording():
    texts = [{turn.utterance for seed in range(3) for turn in generate(split, seed).turns} for split in SPLITS]
    assert not texts[0] & texts[1]


def ranked(*names: str) -> Ranked:
    return Ranked('c', LocomoQuestion('q', 1, frozenset({'9u'})), names)


UPDATED = ChatQuestion('q', 'updated', frozenset({'9u', '11u'}), frozenset({'1u', '3u'}))


@pytest.mark.parametrize(
    ('names', 'fresh'),
    [
        (('9u', '1u', '3u'), 1.0),
        (('1u', '9u', '3u'), 0.0),
        (('5u', '11u'), 1.0),
        (('5u', '3u'), 0.0),
        (('5u',) * DEPTH, 0.0),
    ],
)
def test_fresh_is_what_holds_above_all_that_it_replaced(names, fresh):
    assert freshness([UPDATED], [ranked(*names)]) == fresh


def test_fresh_counts_updates_only():
    told = ChatQuestion('q', 'told', frozenset({'9u'}))
    assert freshness([told, UPDATED], [ranked('1u'), ranked('9u')]) == 1.0


def test_the_whole_table_of_a_chat():
    report = evaluate([generate('develop', 1)], HashedEmbedder()).as_json()
    assert report['questions'] == sum(row['questions'] for row in report['by_kind'].values())
    assert set(report['baselines']) == {'bm25', 'dense', 'rrf', 'min_max_sum'}
    for row in (report, *report['baselines'].values(), *report['variants'].values()):
        assert 0 <= row['recall_at_5'] <= row['recall_at_10'] <= row['recall_at_20'] <= 1
        assert 0 <= row['fresh'] <= 1
    # Within the first ten an order is an order: what is among them does not change.
    assert report['recall_at_10'] == report['variants']['without newest first']['recall_at_10']


def test_the_command_prints_json(tmp_path: Path):
    result = CliRunner().invoke(
        app, ['eval', 'chats', '--chats', '1', '--embedding', 'none', '--only-shipped', '--json']
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)['chats'] == 1


def test_the_command_names_the_splits():
    result = CliRunner().invoke(app, ['eval', 'chats', '--split', 'train'])
    assert result.exit_code == 2
