"""Memory of people: who is who, what is kept of whom, and that nobody's memory answers for another."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from lucca_core.errors import MemoryFault, ModelRetryable
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import open_store
from lucca_memory.people.person_source import source_of_scope
from lucca_memory.people.transfer import export_person, import_person
from lucca_memory.people.values import ROBOT, Told
from lucca_memory.retrieval.analysis import asks_of_past
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Question

NOW = datetime(2026, 3, 9, 12, 0, tzinfo=UTC)


def _told(utterance, answer='', conversation='c1', time=NOW):
    return Told(conversation=conversation, utterance=utterance, answer=answer, time=time)


def _texts(recollections):
    return [item.text for item in recollections]


def _ask(memory, person, text, **options):
    return memory.recall(person, Question(text=text, now=NOW, asker=person.name, **options))


def test_what_was_said_is_recalled_with_who_when_and_why(memory):
    anna = memory.person('Anna')
    memory.remember(anna, _told('My cat is called Tofu.', 'A lovely name!'))
    memory.remember(anna, _told('The weather is grey.', 'It is.'))
    best = _ask(memory, anna, 'What is my cat called?')[0]
    assert best.text == 'My cat is called Tofu.'
    assert (best.kind, best.speaker, best.time) == ('said', 'Anna', NOW)
    assert best.source == 'Anna, 2026-03-09 12:00'
    assert {'words', 'meaning', 'speaker'} <= set(best.why)


def test_a_turn_is_utterance_and_answer(memory):
    anna = memory.person('Anna')
    turn = memory.remember(anna, _told('Hello', 'Hi Anna'))
    assert [line.text for line in turn.lines] == ['Hello', 'Hi Anna']
    assert (turn.utterance.speaker, turn.answer.speaker, turn.answer.answers) == ('Anna', ROBOT, True)
    assert memory.remember(anna, _told('Bye')).answer is None


def test_the_same_person_comes_back_by_name(memory):
    anna = memory.person('Anna')
    assert memory.person('anna ') == anna
    assert memory.people() == (anna,)


def test_what_one_person_said_never_answers_another(memory):
    anna, bo = memory.person('Anna'), memory.person('Bo')
    memory.remember(anna, _told('My secret word is xylophone.'))
    memory.remember(bo, _told('I like tea.'))
    assert _texts(_ask(memory, bo, 'What is the secret word xylophone? I am Anna.')) == ['I like tea.']
    assert _ask(memory, memory.guest('c9'), 'secret word xylophone') == ()


def test_a_guest_is_forgotten_with_the_conversation(memory, store):
    guest = memory.guest('c1')
    assert guest.is_guest
    assert memory.guest('c1') == guest
    memory.remember(guest, _told('I lost my umbrella.'))
    assert _texts(_ask(memory, guest, 'Where is my umbrella?')) == ['I lost my umbrella.']
    memory.end('c1')
    assert memory.guest('c1') != guest
    assert _ask(memory, memory.guest('c1'), 'umbrella') == ()
    assert store.people() == ()


def test_a_guest_who_says_a_name_becomes_a_person_and_keeps_the_conversation(memory):
    guest = memory.guest('c1')
    memory.remember(guest, _told('I lost my umbrella.', 'Sorry!'))
    mia = memory.introduce(guest, 'Mia')
    assert memory.people() == (mia,)
    assert [(line.speaker, line.text) for line in memory.short_term(mia)] == [
        ('Mia', 'I lost my umbrella.'),
        (ROBOT, 'Sorry!'),
    ]
    assert _texts(_ask(memory, mia, 'Where is my umbrella?'))[0] == 'I lost my umbrella.'
    with pytest.raises(MemoryFault, match='known already'):
        memory.introduce(mia, 'Anna')


def test_an_introduction_never_takes_over_somebody_who_is_known(memory):
    anna = memory.person('Anna')
    memory.remember(anna, _told('My secret word is xylophone.'))
    guest = memory.guest('c2')
    memory.remember(guest, _told('I am Anna.', conversation='c2'))
    other = memory.introduce(guest, 'anna')
    assert (other.name, other.person_id != anna.person_id) == ('anna 2', True)
    assert 'xylophone' not in ' '.join(_texts(_ask(memory, other, 'What is my secret word?')))
    assert memory.introduce(memory.guest('c3'), 'Anna').name == 'Anna 3'


def test_the_last_conversation_is_what_a_greeting_takes_up(memory):
    anna = memory.person('Anna')
    memory.remember(anna, _told('I go to Kiel tomorrow.', conversation='monday'))
    memory.remember(anna, _told('Hello again.', conversation='friday'))
    assert [line.text for line in memory.last_conversation(anna, before='friday')] == ['I go to Kiel tomorrow.']
    assert [line.text for line in memory.current(anna, 'friday')] == ['Hello again.']
    assert memory.last_conversation(memory.person('Bo')) == ()


def test_the_newest_version_stands_first(memory):
    anna = memory.person('Anna')
    memory.remember(anna, _told('My favourite colour is blue.', conversation='c1'))
    memory.remember(anna, _told('I had soup for lunch.', conversation='c2'))
    memory.remember(anna, _told('My favourite colour is green.', conversation='c3'))
    assert _texts(_ask(memory, anna, 'What is my favourite colour?'))[:2] == [
        'My favourite colour is green.',
        'My favourite colour is blue.',
    ]


def test_who_asks_for_the_past_gets_it(memory):
    anna = memory.person('Anna')
    for number, colour in enumerate(['blue', 'green']):
        memory.remember(anna, _told(f'My favourite colour is {colour}.', conversation=f'c{number}'))
    found = _ask(memory, anna, 'What was my favourite colour before it was green?')
    assert 'blue' in ' '.join(_texts(found)[:2])
    assert asks_of_past('What did I like before?')
    assert not asks_of_past('What do I like?')


def test_the_day_that_a_question_names_counts(memory):
    anna = memory.person('Anna')
    for day in range(1, 9):
        time = datetime(2026, 3, day, 10, tzinfo=UTC)
        memory.remember(anna, _told('We talked about music.', conversation=f'c{day}', time=time))
    best = _ask(memory, anna, 'What did we talk about last Tuesday?')[0]
    assert best.time.date().isoformat() == '2026-03-03'
    assert 'date' in best.why


def test_forgotten_lines_stay_away_until_they_are_restored(memory):
    anna = memory.person('Anna')
    memory.remember(anna, _told('My cat is called Tofu.'))
    (found,) = _ask(memory, anna, 'What is my cat called?')
    assert memory.forget(anna, [found.item_id], 'asked to') == 1
    assert _ask(memory, anna, 'What is my cat called?') == ()
    assert memory.restore(anna, [found.item_id]) == 1
    assert _texts(_ask(memory, anna, 'What is my cat called?')) == ['My cat is called Tofu.']
    with pytest.raises(MemoryFault, match='is not the id of a line'):
        memory.forget(anna, ['fact:gym.md:3'], 'wrong')


class _Failing(HashedEmbedder):
    failing = True

    def embed(self, texts):
        if self.failing:
            raise ModelRetryable('no answer')
        return super().embed(texts)


def test_a_turn_is_kept_when_the_embedder_fails_and_gets_its_meaning_later(store, caplog):
    embedder = _Failing()
    memory = PeopleMemory(store, embedder, Library(source_of_scope(store), embedder))
    anna = memory.person('Anna')
    memory.remember(anna, _told('My cat is called Tofu.'))
    assert 'without a vector' in caplog.text
    assert _texts(_ask(memory, anna, 'cat')) == ['My cat is called Tofu.']
    embedder.failing = False
    assert memory.embed_missing() == 1
    assert memory.embed_missing() == 0
    assert 'meaning' in _ask(memory, anna, 'cat')[0].why


def test_lines_without_meaning_are_looked_for_only_where_there_may_be_some(store, monkeypatch):
    looked = []
    without = store.without_vector
    monkeypatch.setattr(store, 'without_vector', lambda *asked: looked.append(asked) or without(*asked))
    embedder = _Failing()
    memory = PeopleMemory(store, embedder, Library(source_of_scope(store), embedder))
    anna = memory.person('Anna')
    embedder.failing = False
    memory.embed_missing()
    looked.clear()
    line = memory.remember(anna, _told('It rains.')).utterance
    assert memory.embed_missing() == 0
    assert looked == []
    memory.forget(anna, [f'said:{line.line_id}'], 'test')
    memory.restore(anna, [f'said:{line.line_id}'])
    embedder.failing = True
    with pytest.raises(ModelRetryable):
        memory.embed_missing()
    embedder.failing = False
    assert memory.embed_missing() == 1


def test_without_an_embedder_words_alone_find(store):
    memory = PeopleMemory(store, NoEmbedder(), Library(source_of_scope(store), NoEmbedder()))
    anna = memory.person('Anna')
    memory.remember(anna, _told('My cat is called Tofu.'))
    memory.remember(anna, _told('It rains.'))
    best = _ask(memory, anna, 'Tell me about the cat')[0]
    assert best.text == 'My cat is called Tofu.'
    assert 'meaning' not in best.why
    assert memory.embed_missing() == 0


def test_another_model_embeds_anew_in_the_background(store):
    old, new = HashedEmbedder(), HashedEmbedder(32, 'other')
    anna = (memory := PeopleMemory(store, old, Library(source_of_scope(store), old))).person('Anna')
    for number in range(40):
        memory.remember(anna, _told(f'Sentence number {number}.'))
    changed = PeopleMemory(store, new, Library(source_of_scope(store), new))
    assert 'meaning' not in _ask(changed, anna, 'sentence 7')[0].why
    while changed.embed_missing():
        pass
    assert len(store.vectors(anna.person_id, 'other')) == 40
    assert 'meaning' in _ask(changed, anna, 'sentence 7')[0].why
    assert np.stack(list(store.vectors(anna.person_id, 'hashed').values())).shape == (40, 64)


def test_a_verdict_is_about_the_last_answer_and_what_it_rested_on(memory, store):
    anna = memory.person('Anna')
    with pytest.raises(MemoryFault, match='nothing was answered'):
        memory.rate(anna, 'good')
    told = Told(conversation='c', utterance='Where is my cup?', answer='In box 1.', time=NOW, recalled=('said:1',))
    memory.remember(anna, told)
    memory.remember(anna, _told('Thanks'))
    given = memory.rate(anna, 'bad')
    assert (given.question, given.answer, given.recalled) == ('Where is my cup?', 'In box 1.', ('said:1',))
    assert store.feedback() == (given,)
    with pytest.raises(MemoryFault, match='guest'):
        memory.rate(memory.guest('c'), 'good')


@pytest.mark.parametrize('name', ['', 'x' * 81, 'An\u200bna', '\u202eannA', 'An\x1bna', '<stop()>'])
def test_nobody_new_is_called_what_is_no_name(tmp_path, name):
    with DataFolder.open(tmp_path / 'data', write=True) as folder, open_store(folder) as store:
        memory = PeopleMemory(store, HashedEmbedder(), Library(lambda scope: None, HashedEmbedder()))
        with pytest.raises(MemoryFault, match='not a valid name'):
            memory.person(name)
        with pytest.raises(MemoryFault, match='not a valid name'):
            memory.introduce(memory.guest('c'), name)
        anna = json.loads(export_person(store, memory.person('Anna')))
        with pytest.raises(MemoryFault, match='this is not an exported person'):
            import_person(store, json.dumps({**anna, 'name': name}))
        assert [person.name for person in store.people()] == ['Anna']


def test_somebody_who_was_called_oddly_before_names_were_checked_is_still_known(tmp_path):
    with DataFolder.open(tmp_path / 'data', write=True) as folder, open_store(folder) as store:
        known = store.create('An\u200bna', NOW)
        memory = PeopleMemory(store, HashedEmbedder(), Library(lambda scope: None, HashedEmbedder()))
        assert memory.person('An\u200bna') == known
