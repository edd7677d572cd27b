"""What memories keep of a made-up dialogue within a budget of bytes."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_core.errors import ConfigError
from lucca_lab.kept.run import contest
from lucca_lab.kept.stores import NAMES, KeptText, stores
from lucca_lab.locomo.data import load_dialogues
from lucca_memory.embedding.embedder import NoEmbedder

CHATTER = 'Oh really, that is so nice to hear, how are you today and what else would you like to do then?'
FACTS = ('My sister Mira moved to Kiel on Monday.', 'The boat costs 400 euros.', 'Tofu the cat was born in June.')


def _dialogue(name):
    conversation = {}
    for number, fact in enumerate(FACTS, 1):
        said = [fact, CHATTER, f'{CHATTER} {number}', f'{number} {CHATTER}']
        conversation[f'session_{number}_date_time'] = f'2025-01-0{number}'
        conversation[f'session_{number}'] = [
            {'dia_id': f'D{number}:{at}', 'speaker': 'AnnBen'[at % 2 * 3 :][:3], 'text': text}
            for at, text in enumerate(said, 1)
        ]
    asked = [
        {'question': f'What about fact {number}?', 'evidence': [f'D{number}:1'], 'category': 4} for number in (1, 2, 3)
    ]
    return {'sample_id': name, 'conversation': conversation, 'qa': asked}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'two.json').write_text(json.dumps([_dialogue('one'), _dialogue('two')]))
    return tmp_path


@pytest.mark.parametrize('asks', ['end', 'spread'])
def test_every_memory_stays_within_its_bytes_and_what_tells_more_is_kept(folder, asks):
    figures = contest(load_dialogues(folder), [0.25], asks, 0, NoEmbedder())
    rows = figures['systems']['0.25']
    assert set(rows) == set(NAMES)
    whole = rows['never_forget']['bytes']
    assert all(row['bytes'] <= whole / 4 for name, row in rows.items() if name != 'never_forget')
    assert rows['never_forget']['evidence_all'] == rows['oracle']['evidence_all'] == 1.0
    assert rows['lucca']['evidence_all'] == 1.0
    assert rows['lucca']['evidence_all'] > rows['recency']['evidence_all']
    assert rows['recency']['evidence_all'] == 0.0
    assert rows['lucca']['over_recency'] is None


def test_the_same_seed_gives_the_same_figures(folder):
    dialogues = load_dialogues(folder)
    first, second = (contest(dialogues, [0.5], 'spread', 3, NoEmbedder()) for _ in range(2))
    assert first == second


def test_what_could_be_restored_counts_as_kept_and_nothing_is_left_to_restore(folder):
    [dialogue, other] = load_dialogues(folder)
    store = stores(dialogue, [other], NoEmbedder(), 0)['lucca']
    store.hear(dialogue.lines)
    memory = store._memory
    memory.forget(dialogue.end, 200)
    assert memory.forgotten()
    assert store.size() > 200
    store.forget(dialogue.end, 200)
    assert memory.forgotten() == []
    assert store.size() <= 200


def test_a_plain_store_keeps_whole_turns(folder):
    [dialogue, other] = load_dialogues(folder)
    made = stores(dialogue, [other], NoEmbedder(), 0)
    for store in made.values():
        store.hear(dialogue.lines)
    assert KeptText(FACTS[0], frozenset({'D1:1'})) in made['longest_first'].texts()
    made['longest_first'].forget(dialogue.end, 120)
    assert {text.text for text in made['longest_first'].texts()} == set(FACTS)


def test_the_command_prints_a_table_of_each_budget(folder):
    arguments = ['eval', 'forgetting', '--dialogues', str(folder), '--budgets', '0.5,0.25', '--seed', '1']
    result = CliRunner().invoke(app, [*arguments, '--json'])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert set(figures['systems']) == {'0.5', '0.25'}
    row = {'evidence_all', 'evidence_verbatim', 'recall_at_10', 'bytes', 'interval'}
    assert row <= set(figures['systems']['0.25']['lucca'])
    assert 'longest' in CliRunner().invoke(app, arguments).output


def test_general_nodes_are_counted_and_need_no_more_room(tmp_path):
    dialogue = _dialogue('one')
    for number, turns in enumerate(dialogue['conversation'].values()):
        if isinstance(turns, list):
            texts = (f'The kiln of Ada really is {number} years old.', 'The kiln is just hot.')
            said = enumerate(f'{text} {number}' for text in texts)
            turns += [{'dia_id': f'{turns[0]["dia_id"]}x{at}', 'speaker': 'Ann', 'text': text} for at, text in said]
    (tmp_path / 'one.json').write_text(json.dumps([dialogue]))
    arguments = ['eval', 'forgetting', '--dialogues', str(tmp_path), '--budgets', '0.1', '--system', 'lucca_general']
    result = CliRunner().invoke(app, [*arguments, '--general-calls', '3', '--json'])
    assert result.exit_code == 0, result.output
    row = json.loads(result.stdout)['systems']['0.1']['lucca_general']
    assert 0 < row['generals_asked'] <= 3 * 3
    assert row['generals_made'] <= row['generals_asked']
    assert 'general' in CliRunner().invoke(app, arguments).output
    wrong = CliRunner().invoke(app, [*arguments, '--compressor', 'no such'])
    assert wrong.exit_code != 0


@pytest.mark.parametrize(
    'wrong', [['--budgets', '0'], ['--budgets', 'a'], ['--asks', 'never'], ['--dialogues', '/nowhere']]
)
def test_wrong_options_are_said(folder, wrong):
    result = CliRunner().invoke(app, ['eval', 'forgetting', '--dialogues', str(folder), *wrong])
    assert result.exit_code != 0


def test_what_an_assistant_said_takes_no_room_in_our_memory(tmp_path):
    dialogue = _dialogue('robot')
    for turns in dialogue['conversation'].values():
        for place, turn in enumerate(turns if isinstance(turns, list) else ()):
            turn['speaker'] = 'user' if place == 0 else 'assistant'
    (tmp_path / 'robot.json').write_text(json.dumps(dialogue))
    [loaded] = load_dialogues(tmp_path)
    made = stores(loaded, [], NoEmbedder(), 0)
    for store in made.values():
        store.hear(loaded.lines)
    assert {text.text for text in made['lucca'].texts()} == set(FACTS)
    assert {text.text for text in made['recency_of_people'].texts()} == set(FACTS)
    assert len(made['recency'].texts()) == len(loaded.lines)


def test_only_the_memories_that_are_named_are_run_beside_recency(folder):
    figures = contest(load_dialogues(folder), [0.25], 'end', 0, NoEmbedder(), names=('lucca',))
    assert set(figures['systems']['0.25']) == {'lucca', 'recency'}


def test_an_interrupted_run_is_continued_and_gives_the_same_figures(folder, tmp_path):
    dialogues, run = load_dialogues(folder), tmp_path / 'run'
    names = ('lucca', 'lucca_general')
    whole = contest(dialogues, [0.5, 0.1], 'spread', 3, NoEmbedder(), names=names)
    contest(dialogues, [0.5], 'spread', 3, NoEmbedder(), names=names, folder=run)
    measured = run / 'measured.jsonl'
    lines = measured.read_text().splitlines(keepends=True)
    measured.write_text(''.join(lines[:3]) + lines[3][:20] + '\n')
    said = []
    again = contest(dialogues, [0.5, 0.1], 'spread', 3, NoEmbedder(), names=names, folder=run, on_progress=said.append)
    assert again == whole
    assert said == ['0.5 of two', '0.1 of one', '0.1 of two']
    with pytest.raises(ConfigError, match='other settings'):
        contest(dialogues, [0.5], 'spread', 4, NoEmbedder(), names=names, folder=run)


def test_another_process_continues_a_run(tmp_path):
    dialogue = _dialogue('one')
    dialogue['qa'][0]['evidence'] = [f'D1:{number}' for number in range(1, 5)]
    (tmp_path / 'one.json').write_text(json.dumps(dialogue))
    arguments = ['eval', 'forgetting', '--dialogues', str(tmp_path), '--budgets', '0.5', '--system', 'recency']
    main = 'from lucca_cli.main import main; main()'
    command = [sys.executable, '-c', main, *arguments, '--out', str(tmp_path / 'run'), '--json']
    printed = set()
    for seed in '12':
        # The order of a set of texts differs between processes.
        env = {**os.environ, 'PYTHONHASHSEED': seed}
        printed.add(subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=120).stdout)
    assert len(printed) == 1
    assert len((tmp_path / 'run' / 'measured.jsonl').read_text().splitlines()) == 1
