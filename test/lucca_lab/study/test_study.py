"""The study's statistics against textbook values, its files, its published tables and its blind sessions."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError
from lucca_lab.study.conversation_partners import PlainTalker, talker_of
from lucca_lab.study.questionnaire import FILE, load_questionnaire
from lucca_lab.study.ratings import comparisons, load_published, load_ratings, load_summary
from lucca_lab.study.report import draw_means, published_report, report
from lucca_lab.study.session import append_ratings, draw_group, run_session
from lucca_lab.study.statistics import Group, compare, compare_summaries
from lucca_llm.model import ChatReply
from lucca_llm.model_spec import make_model

RATINGS = st.lists(st.integers(1, 5).map(float), min_size=2, max_size=8)


def test_a_textbook_t_test():
    # Student's sleep data, taken as two groups: t = 1.8608, p = 0.07919; Welch: df 17.776, p = 0.07939.
    a = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    b = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    found = compare('sleep', a, b)
    assert found.pooled.t == pytest.approx(1.8608, abs=1e-4)
    assert found.pooled.two_sided == pytest.approx(0.07919, abs=1e-5)
    assert found.welch.degrees == pytest.approx(17.776, abs=1e-3)
    assert found.welch.two_sided == pytest.approx(0.07939, abs=1e-5)
    assert found.pooled.one_sided == pytest.approx(found.pooled.two_sided / 2)


def test_published_p_values_and_what_follows_from_the_means():
    published = load_published()
    pooled = {item.metric: item.pooled for item in published.comparisons}
    assert pooled['short_term_recall'].two_sided == pytest.approx(0.0686, abs=5e-5)
    assert pooled['short_term_recall'].one_sided == pytest.approx(0.0343, abs=5e-5)
    assert pooled['long_term_recall'].two_sided == pytest.approx(0.0027, abs=5e-5)
    assert pooled['short_term_relativity'].two_sided == pytest.approx(0.0203, abs=5e-5)
    text = published_report(published)
    assert 'short_term_recall: p = 0.1901 does not follow' in text
    assert 'the verdict "not significant" at 0.05 does not follow' in text
    assert 'short_term_relativity: p' not in text
    assert 'The text of V-C has group A talk with the system with memory' in text
    assert 'Hallucination is named as the fourth metric' in text


@given(RATINGS, RATINGS)
def test_swapping_the_groups_turns_everything_around(a, b):
    one, other = compare('m', a, b), compare('m', b, a)
    assert one.pooled.two_sided == pytest.approx(other.pooled.two_sided)
    assert one.effect == pytest.approx(-other.effect)
    assert one.pooled.one_sided == pytest.approx(1 - other.pooled.one_sided)
    assert one.u[1] == pytest.approx(other.u[1])


@given(RATINGS, RATINGS)
def test_means_and_variances_are_all_that_a_t_test_needs(a, b):
    from_ratings, from_summary = compare('m', a, b), compare_summaries('m', Group.of(a), Group.of(b))
    assert from_ratings.welch == from_summary.welch
    assert from_summary.u is None


def write(tmp_path, *rows):
    file = tmp_path / 'ratings.csv'
    file.write_text('participant,group,metric,rating\n' + ''.join(f'{row}\n' for row in rows))
    return file


def test_a_participant_counts_once_a_metric(tmp_path):
    file = write(tmp_path, '1,A,recall,1', '1,A,recall,3', '2,A,recall,3', '3,B,recall,5', '4,B,recall,4')
    [found] = comparisons(load_ratings(file))
    assert (found.a.n, found.a.mean, found.b.mean) == (2, 2.5, 4.5)
    assert '| recall | 2.500 (0.500, 2) | 4.500 (0.500, 2) |' in report([found])


@pytest.mark.parametrize(
    ('row', 'reason'),
    [
        ('1,C,recall,3', 'group must be A or B'),
        ('1,A,recall,6', 'within 1 and 5'),
        ('1,A,recall,x', 'must be a number'),
        ('1,A,,3', 'must not be empty'),
    ],
)
def test_a_wrong_line_is_named(tmp_path, row, reason):
    with pytest.raises(ConfigError, match=rf'ratings\.csv:3: .*{reason}'):
        load_ratings(write(tmp_path, '1,A,recall,3', row))


def test_what_cannot_be_compared_says_why(tmp_path):
    with pytest.raises(ConfigError, match='at least 2 ratings'):
        comparisons(load_ratings(write(tmp_path, '1,A,recall,3', '2,B,recall,3')))
    with pytest.raises(ConfigError, match="'1' is in both groups"):
        comparisons(load_ratings(write(tmp_path, '1,A,recall,3', '1,B,recall,3')))
    (tmp_path / 'bad.csv').write_text('who,what\n')
    with pytest.raises(ConfigError, match='has no column participant'):
        load_ratings(tmp_path / 'bad.csv')


def test_a_summary_takes_means_variances_and_n(tmp_path):
    file = tmp_path / 'summary.yaml'
    file.write_text('recall: {A: {mean: 2.5, variance: 1, n: 4}, B: {mean: 4, variance: 1, n: 4}}\n')
    [found] = load_summary(file)
    assert found.pooled.degrees == 6
    assert 'needs ratings' in report([found])
    file.write_text('recall: {A: {mean: 2.5}}\n')
    with pytest.raises(ConfigError, match='recall needs A and B with mean, variance and n'):
        load_summary(file)


def test_the_means_are_drawn(tmp_path):
    pytest.importorskip('matplotlib')
    draw_means(load_published().comparisons, tmp_path / 'means.png')
    assert {file.name for file in tmp_path.iterdir()} == {'means.png', 'means.svg'}


@pytest.mark.parametrize('number', ['.inf', '-.inf', '.nan', '1.5', 'true', 'x'])
def test_a_number_of_conversations_that_is_no_whole_number_is_refused(tmp_path, number):
    text = FILE.read_text(encoding='utf-8')
    file = tmp_path / 'odd.yaml'
    file.write_text(re.sub(r'conversations: \d+', f'conversations: {number}', text, count=1), encoding='utf-8')
    with pytest.raises(ConfigError, match='is no whole number'):
        load_questionnaire(file)


def test_the_questionnaire_covers_three_memories_and_hallucination():
    questionnaire = load_questionnaire()
    assert [section.name for section in questionnaire.sections] == [
        'short-term memory',
        'long-term memory',
        'factual memory',
        'impression',
    ]
    metrics = {item.metric for section in questionnaire.sections for item in section.statements}
    assert {
        'short_term_recall',
        'long_term_recall',
        'short_term_relativity',
        'factual_recall',
        'hallucination',
    } <= metrics
    bad = next(item for item in questionnaire.sections[0].statements if item.is_reversed)
    assert [questionnaire.score(bad, rated) for rated in (1, 5)] == [5, 1]


class Echo:
    """Answers with what it was sent."""

    spec = 'echo'

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        text = ' | '.join(message.content for message in messages)
        return ChatReply(text=text, prompt_tokens=1, completion_tokens=1, model_s=0.0)

    def check(self, deadline_s):
        pass


def test_the_group_with_memory_hears_of_earlier_conversations_and_of_facts(tmp_path):
    (tmp_path / 'harbour.txt').write_text('The harbour office closes at six.\n')
    with talker_of('B', make_model('embedded'), '7', tmp_path, embedding='none') as talks:
        talks.begin()
        talks.answer('My boat is called Petrel.')
        talks.begin()
        assert 'Petrel' in talks.answer('What is my boat called?')
        assert 'harbour.txt' in talks.answer('When does the harbour office close?')


def test_the_group_without_memory_hears_of_this_conversation_only():
    with talker_of('A', Echo(), '7') as talks:
        talks.begin()
        talks.answer('I read Middlemarch.')
        assert 'Middlemarch' in talks.answer('What did I read?')
        talks.begin()
        assert 'Middlemarch' not in talks.answer('Hello again.')


def test_groups_are_drawn_evenly_and_kept(tmp_path):
    file = tmp_path / 'ratings.csv'
    chance = random.Random(0)
    groups = {}
    for number in range(6):
        groups[number] = draw_group(str(number), file, chance)
        append_ratings(file, [(str(number), groups[number], 'recall', 3)])
    assert sorted(groups.values()) == ['A', 'A', 'A', 'B', 'B', 'B']
    assert draw_group('2', file, chance) == groups[2]


def test_a_session_asks_everything_and_never_says_which_group_it_is():
    questionnaire = load_questionnaire()
    told, typed = [], []

    def ask(what):
        typed.append(what)
        if what == 'rating':
            return '9' if typed.count('rating') == 1 else '4'
        return 'hello' if typed[-2:] != ['you', 'you'] else ''

    rows = run_session('7', 'A', PlainTalker(Echo()), questionnaire, ask, told.append)
    statements = [item for section in questionnaire.sections for item in section.statements]
    assert [row[2] for row in rows] == [item.metric for item in statements]
    assert [row[3] for row in rows] == [2 if item.is_reversed else 4 for item in statements]
    assert any('Please answer with a whole number' in line for line in told)
    assert not any('group' in line.lower() or 'with memory' in line.lower() for line in told)
