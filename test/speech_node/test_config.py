"""Settings of the speech node."""

import pytest

from speech_node.config import SpeechConfig


@pytest.mark.parametrize(
    'wrong',
    [
        {'pause_s': 0.0},
        {'speech_probability': 1.1},
        {'ask_confidence': 0.9, 'act_confidence': 0.8},
        {'preroll_s': -1.0},
    ],
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SpeechConfig(**wrong)


def test_no_audio_is_kept_unless_asked_for():
    assert SpeechConfig().keep_audio_dir == ''
