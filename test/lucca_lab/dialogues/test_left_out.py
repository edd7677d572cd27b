"""Weights that are fitted on all sets of dialogues but one."""

import json

import numpy as np
import pytest

from lucca_lab.dialogues.examples import SIGNALS, examples_of, shipped_weights
from lucca_lab.dialogues.left_out import leave_one_set_out
from lucca_lab.dialogues.run import SHIPPED, evaluate
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.locomo.refit import fit, ranked_by

PLACES = ('Kiel', 'Bonn', 'Ulm', 'Jena', 'Trier', 'Mainz', 'Essen', 'Hagen')


def _dialogue(name, at):
    """A talk in which the evidence is the line at a place of each session; the others have a word of the question."""
    conversation, asked = {}, []
    for number, place in enumerate(PLACES, 1):
        said = [f'Do you like {place} or not?', f'I hear {place} is large.', f'They say {place} is old.']
        said.insert(at, f'We are moving to {place} in spring.')
        conversation[f'session_{number}_date_time'] = f'2025-01-0{number}'
        conversation[f'session_{number}'] = [
            {'dia_id': f'D{number}:{row}', 'speaker': 'user', 'text': text} for row, text in enumerate(said)
        ]
        asked.append({'question': f'What about {place} is new?', 'evidence': [f'D{number}:{at}'], 'category': 4})
    asked[0]['before'] = 2
    return {'sample_id': name, 'conversation': conversation, 'qa': asked}


@pytest.fixture
def sets(tmp_path):
    for name, at in (('one', 0), ('two', 3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'talk.json').write_text(json.dumps(_dialogue(name, at)))
    return {name: load_dialogues(tmp_path / name) for name in ('one', 'two')}


def test_with_the_shipped_weights_the_lines_are_those_that_the_memory_finds(sets):
    shipped = evaluate(sets['one'], HashedEmbedder()).ranked[SHIPPED]
    again = ranked_by(examples_of(sets['one'], HashedEmbedder()), shipped_weights())
    assert [item.asked for item in again] == [item.asked for item in shipped]
    for ours, memory in zip(again, shipped, strict=True):
        # Among the first ten, newer versions are placed first, which changes their order only.
        assert set(ours.dia_ids[:10]) == set(memory.dia_ids[:10])


def test_the_set_that_is_left_out_does_not_change_its_own_weights(sets):
    examples = {name: examples_of(dialogues, HashedEmbedder()) for name, dialogues in sets.items()}
    rows = leave_one_set_out(examples)['sets']
    assert set(rows) == set(sets)
    assert rows['one']['questions'] == len(PLACES)
    alone = leave_one_set_out({**examples, 'one': examples['one'][:1]})['sets']
    assert alone['one']['weights'] == rows['one']['weights']
    assert alone['two']['weights'] != rows['two']['weights']


def test_a_fit_gives_weight_to_what_tells_the_evidence(sets):
    examples = examples_of(sets['one'], HashedEmbedder())
    opening = SIGNALS.index('opening')
    without = shipped_weights()
    without[opening] = 0.0
    assert fit([examples], without)[opening] > 0
    assert np.isfinite(fit([examples], without)).all()


def test_every_set_counts_the_same_in_a_fit(sets):
    one, two = (examples_of(dialogues, HashedEmbedder()) for dialogues in sets.values())
    once, often, pooled = (fit(each, shipped_weights()) for each in ([one, two], [one * 3, two], [one * 3 + two]))
    # The loss is flat around its least value.
    assert np.abs(once - often).max() < 0.1 < np.abs(once - pooled).max()
