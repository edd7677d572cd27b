"""Who hears with a spec of Whisper, by what is installed on a machine."""

import pytest

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.trained_models import MODELS_VARIABLE, MOONSHINE_TINY_EN, WHISPER_TINY_EN
from speech_node.hearing.second_ear import Ears, ears_of

ENGLISH = ['tiny.en', 'whisper-tiny.en', 'small.en', '/models/tiny.en', '/models/tiny.en/', 'C++/tiny.en']


@pytest.fixture(autouse=True)
def models(monkeypatch, tmp_path):
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path / 'models'))


@pytest.fixture
def moonshine(models):
    """Its files are there; what is in them does not matter here."""
    MOONSHINE_TINY_EN.path.mkdir(parents=True)
    for file in MOONSHINE_TINY_EN.files:
        (MOONSHINE_TINY_EN.path.parent / file.place).touch()


def ears(argument, language='en', scores_commands=True):
    return ears_of(f'faster-whisper:{argument}', language=language, scores_commands=scores_commands)


@pytest.mark.usefixtures('moonshine')
@pytest.mark.parametrize('model', ENGLISH)
def test_a_whisper_of_english_has_the_second_ear_that_is_installed_and_says_how_to_do_without(model):
    found = ears(model)
    assert (found.model, found.second) == (model, MOONSHINE_TINY_EN)
    assert found.spec == f'faster-whisper:{model}+moonshine-tiny.en'
    assert found.notice == (
        f'faster-whisper:{model} hears with moonshine-tiny.en beside it (without: faster-whisper:{model}+none)'
    )


@pytest.mark.parametrize('model', ENGLISH)
def test_without_it_whisper_hears_alone_and_says_how_to_get_it(model):
    found = ears(model)
    assert (found.model, found.second, found.spec) == (model, None, f'faster-whisper:{model}')
    assert found.notice.endswith('it would understand more after: lucca models get moonshine-tiny.en')


@pytest.mark.usefixtures('moonshine')
@pytest.mark.parametrize('model', ['tiny.en', 'small', '/models/tiny.en'])
def test_it_can_be_left_out_and_asked_for(model):
    assert ears(f'{model}+none') == Ears(model)
    assert ears(f'{model}+moonshine-tiny.en') == Ears(model, MOONSHINE_TINY_EN)


@pytest.mark.usefixtures('moonshine')
@pytest.mark.parametrize('without', [{'language': ''}, {'language': 'de'}, {'scores_commands': False}])
def test_where_it_would_not_be_used_whisper_hears_alone(without):
    assert ears('tiny.en', **without) == ears('tiny.en+none', **without) == Ears('tiny.en')
    with pytest.raises(ConfigError, match=r'knows English only|only scores commands'):
        ears('tiny.en+moonshine-tiny.en', **without)


@pytest.mark.usefixtures('moonshine')
@pytest.mark.parametrize('model', ['tiny', 'large-v3', '/models/english', 'tiny.en.old', '/models.en/tiny'])
def test_a_model_of_many_languages_has_none_by_itself(model):
    assert ears(model) == Ears(model)


def test_part_of_a_model_is_no_second_ear(moonshine):
    (MOONSHINE_TINY_EN.path / 'tokenizer.json').unlink()
    assert ears('tiny.en').second is None
    with pytest.raises(SpeechError, match=r'moonshine-tiny\.en is not installed'):
        ears('tiny.en+moonshine-tiny.en')


@pytest.mark.parametrize('spec', ['pocketsphinx', 'transformers:tiny.en', 'openai:whisper.en', 'faster-whisper:', ''])
def test_other_transcribers_have_no_second_ear(spec):
    assert ears_of(spec, language='en', scores_commands=True) is None


def test_whisper_is_brought_with_the_ear_that_it_has_by_itself():
    assert WHISPER_TINY_EN.beside == MOONSHINE_TINY_EN.name
