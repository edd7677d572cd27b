"""Who is held out, and voices that nobody has met."""

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import SpeechError
from lucca_lab.voice import stop_voices
from lucca_lab.voice.stop_voices import (
    FINAL_VOICES,
    FRESH_VOICES,
    LAST_VOICES,
    LATER_VOICES,
    OTHER_VOICES,
    SPARE_VOICES,
    TRAINED_VOICES,
    random_voice,
    random_voices,
)
from lucca_lab.voice.trials import VOICES
from speech_node.speaking.espeak_speaker import EspeakSpeaker


def _variant(voice: str) -> str:
    return voice.split('+')[1].replace(' ', '_') if '+' in voice else ''


def test_six_groups_of_ten_voices_share_none():
    groups = (OTHER_VOICES, FRESH_VOICES, LATER_VOICES, LAST_VOICES, FINAL_VOICES, SPARE_VOICES)
    assert [len(set(group)) for group in groups] == [10] * 6
    assert len({voice for group in groups for voice in group}) == 60


@pytest.mark.parametrize(('reported', 'earlier'), [(FINAL_VOICES, ()), (SPARE_VOICES, FINAL_VOICES)])
def test_voices_to_report_are_of_families_of_which_no_voice_was_chosen_on_or_reported_before(reported, earlier):
    met = {_variant(voice) for voice in (*OTHER_VOICES, *FRESH_VOICES, *LATER_VOICES, *LAST_VOICES, *VOICES, *earlier)}
    new = {_variant(voice) for voice in reported}
    for family in (*stop_voices._SEEN, *stop_voices._UNSEEN):
        assert not (met & set(family.split()) and new & set(family.split()))


def test_of_a_family_that_is_held_out_no_voice_is_trained_on():
    trained = {_variant(voice) for voice in TRAINED_VOICES}
    for family in (*stop_voices._SEEN, *stop_voices._UNSEEN):
        held_out = {_variant(voice) for voice in (*OTHER_VOICES, *FRESH_VOICES)} & set(family.split())
        assert len(held_out) <= 1
        assert not (held_out and trained & set(family.split()))


def test_what_an_earlier_spotter_was_measured_on_is_held_out_no_more():
    seen = {variant for family in stop_voices._SEEN for variant in family.split()}
    assert not seen & {_variant(voice) for voice in (*OTHER_VOICES, *FRESH_VOICES)}


@given(st.integers(0, 2**32))
def test_a_random_voice_has_all_formants_and_no_source_of_a_voice_held_out(seed):
    text = random_voice(random.Random(seed))
    assert re.findall(r'^formant ([0-8]) ', text, re.MULTILINE)[:9] == list('012345678')
    held_out = {_variant(voice) for voice in (*OTHER_VOICES, *FRESH_VOICES)}
    assert not {f'klatt{number}' for number in re.findall(r'^klatt (\d)', text, re.MULTILINE)} & held_out


def test_the_same_seed_draws_the_same_voice():
    assert random_voice(random.Random(3)) == random_voice(random.Random(3)) != random_voice(random.Random(4))


def test_random_voices_sound_unlike_each_other_and_are_gone_afterwards():
    with random_voices(2, seed=0) as (data, names):
        one, other = (EspeakSpeaker(name, timeout_s=60.0, data=data).synthesise('stop') for name in names)
    assert len(one) != len(other) or not np.array_equal(one, other)
    assert not data.exists()


@pytest.mark.parametrize('voice', [*OTHER_VOICES, *FRESH_VOICES, *LATER_VOICES])
def test_voices_held_out_sound_unlike_their_accent_alone(voice):
    # espeak-ng speaks a variant that it does not have as if none had been asked for.
    plain = EspeakSpeaker(voice.split('+')[0], timeout_s=60.0).synthesise('stop')
    sound = EspeakSpeaker(voice, timeout_s=60.0).synthesise('stop')
    assert len(plain) != len(sound) or not np.array_equal(plain, sound)


def test_more_voices_than_espeak_ng_finds_are_refused():
    with pytest.raises(SpeechError, match='room for'), random_voices(1000, seed=0):
        pass
