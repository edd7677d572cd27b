"""What the adapter is trained on: scenes, the decisions that the stack asks for in them, and their trees of tokens."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_lab.training.make_data import session
from lucca_lab.training.overlap import evaluation_words, shared_runs, shared_words
from lucca_lab.training.packing import TokenForest
from lucca_lab.training.recording import draw_session, record_session
from lucca_lab.training.scene_draft import TRAIN, UNSEEN, lexicon
from lucca_lab.training.scenes import draw_scene
from lucca_lab.training.talk_data import Avoided, texts_of
from lucca_lab.training.talk_data import draw_session as draw_talk
from lucca_lab.training.talk_facts import draw_fact
from lucca_language.words.glosses import IsA, is_a


def test_no_word_of_the_evaluation_is_trained_on():
    assert sum(map(len, shared_words().values())) == 0
    assert {'apple', 'jello', 'hammer'} <= evaluation_words()['nouns']
    scenes = [draw_scene('packing', random.Random(seed), words) for seed in range(150) for words in (TRAIN, UNSEEN)]
    assert shared_runs(scene.task.description for scene in scenes) == []


def test_a_run_of_words_that_is_shared_is_found():
    assert shared_runs(['Today all fruit belongs in box 1.'])


def test_every_noun_is_of_its_category_in_wordnet():
    for half in (TRAIN, UNSEEN):
        for category in lexicon()[half].values():
            if 'kind' not in category:
                continue
            for noun in category['nouns']:
                assert is_a(noun, category['kind']) is not IsA.NOT, (noun, category['kind'])


@given(st.integers(0, 10**6))
def test_a_scene_asks_for_something_that_its_actions_can_do(seed):
    scene = draw_scene('packing', random.Random(seed), TRAIN)
    names = [thing.name for thing in scene.things]
    assert len(set(names)) == len(names)
    assert set(scene.wanted) <= set(names)
    assert set(scene.wanted.values()) <= set(scene.task.actions)
    assert sum(map(len, scene.groups)) == len(scene.wanted) > 0


@pytest.mark.parametrize('memory', [True, False])
def test_the_stack_finishes_the_scenes_with_the_teacher(memory):
    scenes = draw_session(random.Random(3), TRAIN, memory=memory)
    decisions = record_session(scenes, memory=memory, seed=0)
    answers = [item.answer for item in decisions]
    for scene in scenes:
        assert f'<finish_task({scene.task.name})>' in answers
        assert {f'<{action}({name})>' for name, action in scene.wanted.items()} <= set(answers)
    if memory:
        asked = [item for item in decisions if '\nObject: ' in item.messages[-1].content]
        assert len(asked) == len(scenes[0].things)


def test_the_same_seed_draws_the_same_decisions():
    assert session(5, 1, TRAIN)[0] == session(5, 1, TRAIN)[0] != session(6, 1, TRAIN)[0]


TOKENS = st.lists(st.integers(0, 3), min_size=1, max_size=5)


@given(st.lists(st.tuples(TOKENS, TOKENS), max_size=6))
def test_a_forest_holds_each_sequence_once_and_learns_every_token_of_every_answer(decisions):
    forest = TokenForest()
    forest.add_tree(decisions)
    ancestors = forest.ancestors()
    paths = [tuple(forest.tokens[place] for place in line) for line in ancestors]
    assert len(set(paths)) == len(paths)
    assert forest.positions == [len(path) - 1 for path in paths]
    learned = {(paths[place], token) for place, token, _ in forest.targets}
    for prompt, answer in decisions:
        for number, token in enumerate(answer):
            assert ((*prompt, *answer[:number]), token) in learned


def test_training_talk_passes_the_gate_and_offers_what_is_right():
    kinds = set()
    for number in range(25):
        line, _ = draw_talk(number, 3, Avoided.of(()))
        for decision in line['decisions']:
            kinds.add(decision['kind'])
            assert decision['answer'] in decision.get('choices', [decision['answer']])
            assert len(decision['messages'][-1]['content']) < 700
    assert kinds == {'what it is', 'line', 'task', 'words'}


def test_training_talk_shares_nothing_with_an_evaluation():
    drawn = [text for number in range(25) for text in texts_of(draw_talk(number, 3, Avoided.of(()))[0]['decisions'])]
    said = [text.rpartition(' said: ')[2] for text in drawn if ' said: ' in text]
    avoided = Avoided.of(said[::7])
    assert avoided.shares(drawn)
    kept = [text for number in range(25) for text in texts_of(draw_talk(number, 3, avoided)[0]['decisions'])]
    assert kept
    assert avoided.shares(kept) == []


@given(st.integers(0, 10**6))
def test_a_fact_is_told_asked_and_answered_in_the_same_words(seed):
    fact = draw_fact(random.Random(seed))
    assert fact.text.endswith(('.', '!'))
    assert all(question.endswith('?') for question in fact.questions)
    assert not any(word in f' {answer} ' for answer in fact.answers for word in (' my ', ' me ', ' I '))
