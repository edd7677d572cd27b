"""How soon somebody who speaks over the robot is heard, and what is counted."""

import pytest

from lucca_lab.voice.barge_in import BUDGET_MS, ROBOT, Onset, hears_itself, onsets, silenced_after_ms, summary
from lucca_lab.voice.stop_voices import FRESH_VOICES


def test_who_speaks_over_the_robot_is_heard_after_he_began():
    onset = Onset(ROBOT[0], 'could you put that away', 'en-us+f3', 140, share=0.5, learned=True, seed=1)
    after_ms = silenced_after_ms(onset)
    assert after_ms is not None
    assert 0 < after_ms < 1000


def test_people_over_the_first_words_and_later_ones_are_heard_in_time():
    texts = ('could you put that away', 'my spoon feels missing', 'there was nobody', 'they decided to stay')
    voices = ('en-us+f3', 'en-gb+m2', 'en-us+klatt2', 'en-us+Mario')
    found = [
        silenced_after_ms(Onset(ROBOT[number], text, voice, 142, share=0.3, learned=bool(number % 2), seed=number))
        for number, (text, voice) in enumerate(zip(texts, voices, strict=True))
    ]
    assert summary(found)['within'] == len(found)


def test_nobody_is_heard_where_nobody_speaks():
    assert not hears_itself(ROBOT[1], seed=3)


def test_the_same_seed_plans_the_same_and_half_of_it_comes_after_the_robot_has_spoken():
    planned = onsets(20, 4)
    assert planned == onsets(20, 4) != onsets(20, 5)
    assert sum(onset.learned for onset in planned) == 10
    assert {onset.voice for onset in planned} == set(FRESH_VOICES)


def test_each_is_counted_once():
    row = summary([100.0, BUDGET_MS, 151.0, None, -5.0])
    assert (row['said'], row['within'], row['never'], row['too_early']) == (5, 2, 1, 1)
    assert row['share'] == pytest.approx(0.4)
