"""Laws of ranking: what a question can be matched with, and newer versions of a statement before older ones."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.dates import TimeSpan
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.phrasing import phrase
from lucca_memory.retrieval.ranking import rank, signals_of
from lucca_memory.retrieval.signals import Signals
from lucca_memory.retrieval.values import Document

START = datetime(2026, 1, 5, tzinfo=UTC)
WORDS = ('boat', 'harbour', 'green', 'Kiel', 'Bonn', 'tomato', 'pots', 'rent', 'Tuesday', 'lives')
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(' '.join), min_size=1, max_size=25)


def index_of(texts, *, speaker='Ana', apart=True):
    embedder = HashedEmbedder()
    index = ScopeIndex(embedder.dimensions)
    index.add(
        Document(
            key=number,
            group=str(number if apart else 0),
            text=text,
            speaker=speaker,
            time=START + timedelta(days=number),
        )
        for number, text in enumerate(texts, 1)
    )
    index.set_vectors(dict(enumerate(embedder.embed(texts), 1)))
    return index, embedder


def ranked(texts, question, limit=50, **changes):
    index, embedder = index_of(texts)
    phrasing = phrase(question, index.speakers)
    vector = embedder.embed([question])[0]
    return [hit.key for hit in rank(index, phrasing, vector, (), RetrievalConfig(**changes), limit)]


def words_of(texts, question):
    index, _ = index_of(texts)
    return signals_of(index, phrase(question, index.speakers), None, (), RetrievalConfig())['words']


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_every_signal_lies_between_0_and_1(texts, asked):
    index, embedder = index_of(texts, apart=False)
    question = ' '.join(asked)
    vector = embedder.embed([question])[0]
    for name, scores in signals_of(index, phrase(question, index.speakers), vector, (), RetrievalConfig()).items():
        assert scores.min() >= 0, name
        assert scores.max() <= 1 + 1e-6, name


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.sampled_from(WORDS))
def test_a_word_that_nobody_said_takes_from_what_the_other_words_count(texts, word):
    with_unknown = words_of(texts, f'{word} zeppelin')
    assert np.all(with_unknown <= words_of(texts, word) + 1e-6)


def test_what_others_said_about_somebody_is_found_by_the_name():
    index = ScopeIndex(0)
    said = [('Anna', 'I won.'), ('Bo', 'Anna won the race.'), ('Bo', 'Max won the race.')]
    index.add(Document(key=at, group=str(at), text=text, speaker=name) for at, (name, text) in enumerate(said, 1))
    words = signals_of(index, phrase('What did Anna win?', index.speakers), None, (), RetrievalConfig())['words']
    assert words[1] > words[2]


def words_by_speaker(question, *said_by, asker=''):
    index = ScopeIndex(0)
    index.add(Document(key=at, group=str(at), text='green boat', speaker=name) for at, name in enumerate(said_by, 1))
    phrasing = phrase(question, index.speakers, asker=asker)
    found = signals_of(index, phrasing, None, (), RetrievalConfig())['words']
    return dict(zip(said_by, found.tolist(), strict=True))


def test_a_name_in_a_question_is_worth_the_more_the_fewer_lines_are_theirs():
    said_by = ['Cy Reed', *['Ana'] * 20]
    rare = words_by_speaker('Which green zeppelin does Cy have?', *said_by)
    common = words_by_speaker('Which green zeppelin does Ana have?', *said_by)
    assert rare['Cy Reed'] > 2 * rare['Ana'] > 0
    assert common['Ana'] - common['Cy Reed'] < 0.1


def test_who_asks_without_a_name_gets_no_line_for_the_words_of_theirs():
    asked = words_by_speaker('Are the 2 boats green?', 'Ana 2', 'Bo', asker='Ana 2')
    assert asked['Ana 2'] == asked['Bo']


def test_whom_a_question_names_is_no_answer_to_it():
    index = ScopeIndex(0)
    said = [('Anna', 'Good morning.'), ('Max', 'Anna, Anna, hello Anna!'), *[('Bo', 'Lunch is at noon.')] * 20]
    index.add(Document(key=at, group=str(at), text=text, speaker=name) for at, (name, text) in enumerate(said, 1))
    phrasing = phrase("Where is Anna's zeppelin?", index.speakers)
    assert rank(index, phrasing, None, (), RetrievalConfig(), 10, only_enough=True) == []


def test_the_time_that_a_question_names_counts_more_than_one_of_its_words():
    texts = ['green boat Kiel harbour Bonn', *['tomato pots'] * 30, 'green boat Kiel rent Bonn']
    index, embedder = index_of(texts)
    day, question = START + timedelta(days=len(texts)), 'Which green boat was in the Bonn harbour at Kiel?'
    vector = embedder.embed([question])[0]
    for spans, best in (((), 1), ((TimeSpan(day - timedelta(hours=1), day + timedelta(hours=1)),), len(texts))):
        hits = rank(index, phrase(question, index.speakers), vector, spans, RetrievalConfig(), 2)
        assert max(hits, key=lambda hit: hit.score).key == best


def test_what_is_not_embedded_yet_is_found_by_its_words():
    texts = [f'the boat {number} lies in the harbour' for number in range(20)]
    index, embedder = index_of(texts)
    index.add([Document(key=21, group='new', text='the zeppelin lies in shed 4', speaker='Ana', time=START)])
    question = 'Where does the zeppelin lie?'
    phrasing, vector = phrase(question, index.speakers), embedder.embed(['the boat 3 lies in the harbour'])[0]
    # The question's meaning is made to be that of another line.
    assert [hit.key for hit in rank(index, phrasing, vector, (), RetrievalConfig(), 1)] == [21]


def test_half_of_the_words_are_no_whole_match():
    texts = ['green boat', 'Kiel harbour', 'Bonn rent']
    assert words_of(texts, 'green boat')[0] > 0.9
    assert 0.2 < words_of(texts, 'green zeppelin')[0] < 0.7


@settings(deadline=None, max_examples=50)
@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.integers(2, 12))
def test_newest_first_changes_no_set_of_the_first(texts, asked, among):
    question = ' '.join(asked)
    plain = ranked(texts, question, newest_first_among=0)
    newer = ranked(texts, question, newest_first_among=among)
    assert sorted(newer[:among]) == sorted(plain[:among])
    assert newer[among:] == plain[among:]


def test_the_newer_version_of_a_statement_goes_first_though_the_older_has_more_of_the_question():
    texts = ['Ana lives in Bonn by the harbour', 'green tomato pots', 'Ana lives in Kiel']
    assert ranked(texts, 'Who lives by the harbour?', newest_first_among=0)[0] == 1
    assert ranked(texts, 'Who lives by the harbour?', same_subject=0.3, as_good=0.3)[:2] == [3, 1]


def test_what_has_happened_is_replaced_by_nothing_newer():
    texts = ['Ana lives in Bonn by the harbour', 'Ana lives in Kiel']
    assert ranked(texts, 'Who had lives by the harbour?', same_subject=0.3, as_good=0.3)[0] == 1


def test_who_asks_about_themselves_needs_less_likeness():
    texts = ['my boat is green harbour', 'my boat is in the pots']
    index, embedder = index_of(texts)
    vector = embedder.embed(['boat harbour'])[0]
    config = RetrievalConfig(same_subject=1.0, own_same_subject=0.1, own_as_good=0.1)
    first = [
        rank(index, phrase('my boat harbour', index.speakers, asker=asker), vector, (), config, 2)[0].key
        for asker in ('', 'Ana')
    ]
    assert first == [1, 2]


def test_this_year_is_the_present_and_last_year_is_not():
    texts = ['my boat rent is green harbour', 'my boat rent is tomato']
    index, embedder = index_of(texts)
    question = 'my boat rent harbour'
    first = {}
    for name, end in {'this year': datetime(2027, 1, 1, tzinfo=UTC), 'in early January': START}.items():
        spans = [TimeSpan(datetime(2026, 1, 1, tzinfo=UTC), end)]
        config = RetrievalConfig(own_same_subject=0.1, own_as_good=0.1)
        asked = phrase(question, index.speakers, asker='Ana')
        first[name] = rank(index, asked, embedder.embed([question])[0], spans, config, 2)[0].key
    assert first == {'this year': 2, 'in early January': 1}


def test_who_asks_for_what_used_to_be_gets_the_best_match():
    texts = ['Ana lives in Bonn by the harbour', 'Ana lives in Kiel']
    assert ranked(texts, 'Who lived by the harbour before? lives harbour')[0] == 1


def test_the_request_that_opens_a_conversation_is_found_with_what_follows():
    opening = 'Please help me with all of this, step by step.'
    texts = [opening, *(f'note {number}' for number in range(5)), 'the green boat in Kiel']
    index, embedder = index_of(texts, apart=False)
    question = 'green boat Kiel'
    vector = embedder.embed([question])[0]
    hits = rank(index, phrase(question, index.speakers), vector, (), RetrievalConfig(), 3)
    assert hits[0].key == len(texts)
    assert 1 in {hit.key for hit in hits}


def test_a_long_line_is_judged_by_itself_and_a_short_one_with_its_neighbours():
    long = ' '.join(f'rent{number}' for number in range(400))
    shares = {}
    for name, middle in {'short': 'yes', 'long': long}.items():
        index, _ = index_of(['green boat', middle, 'tomato'], apart=False)
        shares[name] = signals_of(index, phrase('green boat', ()), None, (), RetrievalConfig())['words_nearby'][1]
    assert shares['long'] < shares['short'] / 3


ALONE = dict.fromkeys(('words_nearby', 'group_words', 'opening', 'tells', 'speaker', 'newest_first_among'), 0)


@pytest.mark.parametrize(('beside', 'order'), [(0.1, [4, 3, 5, 1, 2]), (0.0, [4, 1, 2, 3, 5])])
def test_the_line_beside_a_good_one_is_better_than_one_elsewhere(beside, order):
    index, _ = index_of(['tomato', 'pots', 'rent', 'green boat', 'Tuesday'], apart=False)
    hits = rank(index, phrase('green boat', ()), None, (), RetrievalConfig(beside=beside, **ALONE), 5)
    assert [hit.key for hit in hits] == order


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(['Ana', '']), st.integers(1, 90), st.floats(-1, 4, width=32)),
        min_size=1,
        max_size=12,
    )
)
def test_beside_is_the_share_of_the_better_neighbour_in_a_conversation(lines):
    index = ScopeIndex(0)
    index.add(
        Document(key=key, group=str(group), text='boat ' * words, speaker=speaker)
        for key, (group, speaker, words, _) in enumerate(lines, 1)
    )
    scores = np.array([score for *_, score in lines], np.float32)
    found = Signals(index, phrase('green boat', ()), RetrievalConfig()).beside(scores)
    for at, (group, speaker, words, _) in enumerate(lines):
        around = [scores[to] for to in (at - 1, at + 1) if 0 <= to < len(lines) and lines[to][0] == group]
        best = max([0.0, *around]) if speaker else 0.0
        assert found[at] == pytest.approx(best * 80 / (80 + words), rel=1e-5)


def test_the_first_entry_of_a_log_is_not_found_with_what_follows():
    index, _ = index_of(['started', 'green boat', 'tomato'], speaker='', apart=False)
    assert not signals_of(index, phrase('green boat', ()), None, (), RetrievalConfig())['opening'].any()


def said_alike(question, *, speaker='Ana', **changes):
    """Keys, best first, of three lines: the first and the last alike, the one between about something else."""
    index, embedder = index_of(['we paint the boat green', 'tomato pots', 'we paint the boat green'], speaker=speaker)
    asked = phrase(question, index.speakers)
    hits = rank(index, asked, embedder.embed([question])[0], (), RetrievalConfig(newest_first_among=0, **changes), 3)
    return [hit.key for hit in hits], hits


def test_who_tells_something_goes_on_with_what_was_said_lately():
    assert said_alike('I bought paint for the boat. It is green.')[0] == [3, 1, 2]
    assert said_alike('I bought paint for the boat. It is green.', recent=0)[0] == [1, 3, 2]


def test_lately_is_a_matter_of_days_and_of_conversations():
    index, _ = index_of(['green boat'] * 30)
    phrasing = phrase('I painted my boat. It is green.', index.speakers)
    by_conversations, by_days = (
        Signals(index, phrasing, RetrievalConfig(recent_conversations=conversations, recent_days=days)).recent()
        for conversations, days in ((8, 1000), (1000, 8))
    )
    # A conversation a day: both count alike.
    np.testing.assert_allclose(by_conversations, by_days, rtol=1e-5)
    assert by_conversations[-1] == 1
    assert by_conversations[-9] == pytest.approx(0.5)
    assert np.all(np.diff(by_conversations) > 0)


def test_a_question_is_about_any_time():
    assert said_alike('Is the paint of my boat green?')[0] == [1, 3, 2]


def test_the_newest_entry_of_a_log_is_no_conversation_to_go_on_with():
    assert said_alike('I bought paint for the boat. It is green.', speaker='')[0] == [1, 3, 2]


def test_the_shares_of_a_score_add_up_where_someone_tells_something():
    for hit in said_alike('I bought paint for the boat. It is green.')[1]:
        assert sum(share for _, share in hit.why) == pytest.approx(hit.score, rel=1e-4)


def speaker_scores(question, said_by, *, asker=''):
    index = ScopeIndex(0)
    index.add(Document(key=key, group='1', text='green boat', speaker=name) for key, name in enumerate(said_by, 1))
    phrasing = phrase(question, index.speakers, asker=asker)
    found = signals_of(index, phrasing, None, (), RetrievalConfig())['speaker']
    # As if the lines were long: two words count two thirds.
    return (found * 3 / 2).tolist()


def test_who_tells_something_goes_on_with_what_either_said():
    assert speaker_scores('Is my boat green?', ['Ana', 'Bo'], asker='Ana') == pytest.approx([1, 0])
    assert speaker_scores('I painted my boat. It is green.', ['Ana', 'Bo'], asker='Ana') == [0, 0]


def test_a_speaker_tells_the_less_the_more_they_said():
    assert speaker_scores('What did Ana paint?', ['Ana', 'Ana', 'Ana']) == [0, 0, 0]
    most = speaker_scores('What did Ana paint?', ['Ana', 'Ana', 'Ana', 'Bo'])
    assert most == [pytest.approx(np.log2(4 / 3))] * 3 + [0]
    assert speaker_scores('What did Ana paint with Bo?', ['Ana', 'Ana', 'Ana', 'Bo']) == pytest.approx([*most[:3], 1])
    assert speaker_scores('What was painted?', ['Ana', 'Bo']) == [0, 0]


def test_a_line_of_few_words_tells_little_of_its_speaker():
    index = ScopeIndex(0)
    said = ['I do!', 'Zeppelins!', 'Zeppelins are built in the big shed.']
    index.add(Document(key=at, group='1', text=text, speaker='Ana') for at, text in enumerate(said, 1))
    index.add(Document(key=at, group='1', text='Lunch is ready.', speaker='Bo') for at in range(4, 10))
    told = Signals(index, phrase('What did Ana say?', index.speakers), RetrievalConfig()).speaker()
    assert told[0] == 0 < told[1] < told[2] < 1


def test_a_document_is_as_close_as_half_of_the_whole_message_and_half_of_its_best_sentence():
    index, embedder = index_of(['green boat', 'tomato pots', 'Kiel rent'])
    whole, *parts = query = embedder.embed(['green boat. tomato rent.', 'green boat.', 'tomato rent.'])
    signals = Signals(index, phrase('green boat. I say tomato rent.', index.speakers), RetrievalConfig())
    each = [signals.meaning(vector)[0] for vector in (whole, *parts)]
    expected = (each[0] + np.maximum(each[1], each[2])) / 2
    assert signals.meaning(query)[0] == pytest.approx(expected, abs=0.01)
    assert signals.meaning(query[:1])[0] == pytest.approx(each[0])


def test_in_a_large_scope_the_closest_documents_are_compared_with_sentences(monkeypatch):
    index, embedder = index_of(['green boat', 'tomato pots', 'Kiel rent'])
    query = embedder.embed(['green boat. tomato rent.', 'green boat.', 'tomato rent.'])
    signals = Signals(index, phrase('green boat. I say tomato rent.', index.speakers), RetrievalConfig())
    whole, exact = signals.meaning(query[0])[0], signals.meaning(query)[0]
    monkeypatch.setattr('lucca_memory.retrieval.signals._COMPARED', 1)
    closest = int(whole.argmax())
    expected = [exact[row] if row == closest else whole[row] for row in range(3)]
    assert signals.meaning(query)[0].tolist() == pytest.approx(expected)
