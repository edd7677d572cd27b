"""Transcribers and speakers by spec, and what is said when one is not there."""

import subprocess
import sys
from dataclasses import replace

import pytest

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.trained_models import MODELS_VARIABLE, MOONSHINE_TINY_EN
from speech_node import components
from speech_node.components import book_for, make_speaker, make_transcriber
from speech_node.config import SpeechConfig
from speech_node.hearing.openai_transcriber import OpenaiTranscriber
from speech_node.speaking import espeak_speaker
from speech_node.speaking.espeak_speaker import EspeakSpeaker


@pytest.mark.parametrize('spec', ['', 'whisper', 'faster-whisper:', 'transformers', 'openai:', 'pocketsphinx:x'])
def test_an_unknown_transcriber_is_refused(spec):
    with pytest.raises(ConfigError, match=r'transcriber must be pocketsphinx .*, faster-whisper:MODEL'):
        make_transcriber(SpeechConfig(transcriber=spec), None)


@pytest.mark.parametrize('spec', ['', 'piper', 'festival', 'flite:', 'openai:'])
def test_an_unknown_speaker_is_refused(spec):
    with pytest.raises(ConfigError, match='speaker must be espeak-ng'):
        make_speaker(SpeechConfig(speaker=spec))


def test_who_is_told_of_commands_has_a_book():
    assert book_for(SpeechConfig()) is not None
    assert book_for(SpeechConfig(transcriber='faster-whisper:/x')) is not None
    assert book_for(SpeechConfig(transcriber='transformers:/x')) is None


SECOND_EAR = SpeechConfig(transcriber='faster-whisper:tiny.en+moonshine-tiny.en')


def test_a_second_ear_that_is_not_installed_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    with pytest.raises(SpeechError, match=r'not installed: lucca models get moonshine-tiny\.en'):
        make_transcriber(SECOND_EAR, book_for(SECOND_EAR))


@pytest.mark.parametrize(
    'argument', ['tiny.en+moonshine-tiny', '/models/tiny+moonshine', 'tiny.en+', '+moonshine-tiny.en', '+none']
)
def test_a_second_ear_that_is_not_known_is_no_part_of_a_name(argument):
    config = SpeechConfig(transcriber=f'faster-whisper:{argument}')
    with pytest.raises(ConfigError, match=r'MODEL\+EAR, where EAR is moonshine-tiny\.en or none, got .*\+'):
        make_transcriber(config, book_for(config))


def test_a_folder_may_have_a_plus_in_its_name(tmp_path):
    (folder := tmp_path / 'c++' / 'tiny+small').mkdir(parents=True)
    for path in (folder, folder / 'gone'):
        config = SpeechConfig(transcriber=f'faster-whisper:{path}')
        with pytest.raises(SpeechError, match=r'model\.bin, config\.json is missing|is not a model folder'):
            make_transcriber(config, book_for(config))


@pytest.mark.parametrize(('said', 'name'), [('', '+moonshine-tiny.en'), ('+none', '')])
def test_a_transcriber_is_named_after_the_models_that_hear(monkeypatch, tmp_path, said, name):
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    (tmp_path / 'moonshine-tiny.en').mkdir()
    for file in MOONSHINE_TINY_EN.files:
        (tmp_path / file.place).touch()
    made = {}
    monkeypatch.setattr(components, 'SubprocessTranscriber', lambda spec, make, **_: made.update(spec=spec, make=make))
    config = SpeechConfig(transcriber=f'faster-whisper:tiny.en{said}')
    make_transcriber(config, book_for(config))
    assert made['spec'] == f'faster-whisper:tiny.en{name}'
    assert made['make'].args == ('tiny.en',)
    assert made['make'].keywords['moonshine'] == (MOONSHINE_TINY_EN.path if name else None)


@pytest.mark.parametrize('language', ['', 'de'])
def test_a_second_ear_that_would_not_be_used_is_refused(language):
    other = replace(SECOND_EAR, language=language)
    with pytest.raises(ConfigError, match=rf"knows English only: language must be 'en' .*, got '{language}'"):
        make_transcriber(other, book_for(other))
    with pytest.raises(ConfigError, match=r'only scores commands: .* must be faster-whisper:tiny\.en$'):
        make_transcriber(SECOND_EAR, None)


def test_an_openai_spec_names_its_server_and_no_key(monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-very-secret')
    made = make_transcriber(SpeechConfig(transcriber='openai:whisper-1@http://localhost:9'), None)
    assert isinstance(made, OpenaiTranscriber)
    assert made.name == 'openai:whisper-1@http://localhost:9/v1'
    with pytest.raises(ConfigError, match='openai needs a model'):
        make_transcriber(SpeechConfig(transcriber='openai:@http://localhost:9'), None)


def test_voices_of_espeak():
    assert make_speaker(SpeechConfig(speaker='none')) is None
    sound = make_speaker(SpeechConfig(speaker='espeak-ng:en-gb+f2')).synthesise('Hello.')
    assert len(sound) > 4000
    with pytest.raises(SpeechError, match='espeak-ng'):
        make_speaker(SpeechConfig(speaker='espeak-ng:klingon-imperial')).synthesise('Hello.')


def test_without_the_program_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(espeak_speaker, 'PROGRAM', 'espeak-that-is-not-there')
    with pytest.raises(SpeechError, match='apt-get install espeak-ng'):
        EspeakSpeaker(timeout_s=1.0)


def test_a_piper_voice_that_is_not_there_is_named(monkeypatch, tmp_path):
    import types

    monkeypatch.setitem(sys.modules, 'piper', types.SimpleNamespace(PiperVoice=None))
    with pytest.raises(SpeechError, match=r'not a piper voice: .*anna\.onnx is missing'):
        make_speaker(SpeechConfig(speaker=f'piper:{tmp_path}/anna.onnx'))
    monkeypatch.setitem(sys.modules, 'piper', None)
    with pytest.raises(SpeechError, match='pip install piper-tts'):
        make_speaker(SpeechConfig(speaker=f'piper:{tmp_path}/anna.onnx'))


def test_nothing_that_only_a_server_needs_is_imported_before_one_is_asked_for():
    """It would be a second and more of every start on a robot."""
    code = 'import sys, speech_node.components; print("openai" in sys.modules)'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == 'False'
