"""Questions in bursts, and after a long silence."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError
from lucca_lab.forgetting.generator import AS_DRAWN, Shape, generate, shape_of, shapes_of
from lucca_lab.forgetting.question_times import after_silence, in_bursts
from lucca_lab.forgetting.scenario import Fact, Slot

SESSIONS = 20


@st.composite
def asked(draw):
    """Questions about three affairs, each while its fact holds."""
    found = []
    for number in range(draw(st.integers(1, 12))):
        told = draw(st.integers(0, SESSIONS - 3))
        replaced = draw(st.none() | st.integers(told + 2, SESSIONS - 1))
        slot = Slot(f'slot {number}', 'the gala', draw(st.integers(0, 2)), (), 'When is it?')
        fact = Fact(number, slot, str(number), ('It is.',), told, replaced)
        last = SESSIONS - 1 if replaced is None else replaced - 1
        found += [(draw(st.integers(told + 1, last)), fact) for _ in range(draw(st.integers(1, 4)))]
    return found


def holds_all(questions):
    return all(
        fact.session < session < (SESSIONS if fact.last_session is None else fact.last_session)
        for session, fact in questions
    )


def affairs(questions):
    found = {}
    for session, fact in questions:
        found.setdefault(fact.slot.thread, []).append(session)
    return found


@given(asked(), st.integers(1, 5), st.integers(0, 99))
def test_bursts_move_questions_and_ask_for_nothing_that_does_not_hold(questions, bursts, seed):
    moved = in_bursts(questions, bursts, SESSIONS, random.Random(seed))
    assert [fact for _, fact in moved] == [fact for _, fact in questions]
    assert holds_all(moved)
    # What has no burst in its time stays.
    for thread, sessions in affairs(moved).items():
        assert len(set(sessions) - set(affairs(questions)[thread])) <= bursts


@given(asked(), st.integers(1, SESSIONS), st.integers(0, 99))
def test_nobody_asks_about_an_affair_in_its_silence(questions, silent, seed):
    moved = after_silence(questions, silent, SESSIONS, random.Random(seed))
    assert holds_all(moved)
    for thread, sessions in affairs(moved).items():
        first = min(affairs(questions)[thread])
        assert min(sessions) == first
        assert all(session == first or session > first + silent for session in sessions)


def test_the_shape_of_a_scenario_has_bursts_and_silence():
    plain = generate('dialogue', 'train', 1)
    assert generate('dialogue', 'train', 1, shape_of(['bursts=0', 'silent_sessions=0'])) == plain
    bursts = generate('dialogue', 'train', 1, shape_of(['bursts=1']))
    silent = generate('dialogue', 'train', 1, shape_of(['silent_sessions=12']))
    assert bursts.facts == silent.facts == plain.facts

    def sessions_asked(scenario):
        found = {}
        for session in scenario.sessions:
            for event in session.events:
                if hasattr(event, 'facts'):
                    found.setdefault(event.facts[0].slot.thread, set()).add(session.number)
        return sum(map(len, found.values()))

    assert sessions_asked(bursts) < 0.7 * sessions_asked(plain)
    assert len(list(silent.asked())) < len(list(plain.asked()))


def test_shapes_are_named_by_what_they_change():
    assert shapes_of(()) == {AS_DRAWN: Shape()}
    assert shapes_of(['used_share=0.65,bursts=3']) == {'used_share=0.65,bursts=3': Shape(used_share=0.65, bursts=3)}
    with pytest.raises(ConfigError, match="got 'burst=3'"):
        shapes_of(['burst=3'])
    with pytest.raises(ConfigError, match='bursts must be at least 0, got -1'):
        shapes_of(['bursts=-1'])
