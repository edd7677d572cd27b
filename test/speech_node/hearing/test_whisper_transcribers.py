"""The real Whisper paths on tiny models with random weights, made here and loaded from disk: no download."""

import importlib.util
import json
import weakref

import numpy as np
import pytest
from told_whisper import BOOK, SECOND, ToldWhisper

from lucca_core.errors import SpeechError
from speech_node.components import make_transcriber
from speech_node.config import SpeechConfig
from speech_node.hearing import faster_whisper_transcriber
from speech_node.hearing.faster_whisper_transcriber import FasterWhisperTranscriber
from speech_node.hearing.transformers_transcriber import TransformersTranscriber

SOUND = (np.random.default_rng(0).normal(size=16_000) * 500).astype(np.int16)
needs_transformers = pytest.mark.skipif(
    importlib.util.find_spec('transformers') is None or importlib.util.find_spec('torch') is None,
    reason='torch and transformers are not installed',
)
needs_faster_whisper = pytest.mark.skipif(
    importlib.util.find_spec('faster_whisper') is None or importlib.util.find_spec('transformers') is None,
    reason='faster-whisper and transformers are not installed',
)


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv('HF_HUB_OFFLINE', '1')


@pytest.fixture(scope='module')
def tiny(tmp_path_factory):
    """A Whisper of 16 dimensions and one layer, with a vocabulary of bytes."""
    import torch
    from tokenizers import AddedToken
    from transformers import (
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
        WhisperProcessor,
        WhisperTokenizer,
    )
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    folder = tmp_path_factory.mktemp('whisper')
    torch.manual_seed(0)
    vocabulary = {letter: number for number, letter in enumerate(bytes_to_unicode().values())}
    vocabulary['<|endoftext|>'] = len(vocabulary)
    tokenizer = WhisperTokenizer(vocab=vocabulary, merges=[])
    special = ['startoftranscript', 'en', 'de', 'translate', 'transcribe', 'startoflm', 'startofprev', 'nospeech']
    names = [f'<|{name}|>' for name in [*special, 'notimestamps']]
    tokenizer.add_special_tokens(
        {'additional_special_tokens': [AddedToken(name, special=True, normalized=False) for name in names]}
    )
    tokenizer.add_tokens(
        [AddedToken(f'<|{number * 0.02:.2f}|>', special=False, normalized=False) for number in range(1501)]
    )

    def number_of(name):
        return tokenizer.convert_tokens_to_ids(name)

    end = number_of('<|endoftext|>')
    model = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=len(tokenizer),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            num_mel_bins=80,
            max_target_positions=448,
            pad_token_id=end,
            bos_token_id=end,
            eos_token_id=end,
            decoder_start_token_id=number_of('<|startoftranscript|>'),
            suppress_tokens=None,
            begin_suppress_tokens=None,
        )
    )
    generation = model.generation_config
    generation._from_model_config = False
    generation.is_multilingual = True
    generation.lang_to_id = {name: number_of(name) for name in ('<|en|>', '<|de|>')}
    generation.task_to_id = {name: number_of(f'<|{name}|>') for name in ('transcribe', 'translate')}
    generation.no_timestamps_token_id = number_of('<|notimestamps|>')
    generation.prev_sot_token_id = number_of('<|startofprev|>')
    generation.max_length = 448
    generation.return_timestamps = False
    generation.suppress_tokens = generation.begin_suppress_tokens = generation.forced_decoder_ids = None
    model.save_pretrained(folder)
    WhisperProcessor(WhisperFeatureExtractor(feature_size=80), tokenizer).save_pretrained(folder)
    return folder


@pytest.fixture(scope='module')
def tiny_ct2(tiny, tmp_path_factory):
    """The same in CTranslate2's format."""
    from ctranslate2.converters import TransformersConverter

    folder = tmp_path_factory.mktemp('ct2') / 'model'
    TransformersConverter(str(tiny), copy_files=['tokenizer.json']).convert(str(folder))
    return folder


def transcribed(spec):
    """Through the process that the node uses."""
    transcriber = make_transcriber(SpeechConfig(transcriber=spec, device='cpu'), None)
    try:
        return transcriber.transcribe(SOUND)
    finally:
        transcriber.close()


def check(heard):
    assert isinstance(heard.text, str)
    assert 0.0 <= heard.confidence < 0.5  # random weights are sure of nothing
    assert heard.language == 'en'
    assert heard.transcription_s > 0


@needs_transformers
def test_transformers_transcribes_from_a_folder(tiny):
    check(transcribed(f'transformers:{tiny}'))


@needs_faster_whisper
def test_faster_whisper_transcribes_from_a_folder(tiny_ct2):
    check(transcribed(f'faster-whisper:{tiny_ct2}'))


@needs_faster_whisper
def test_its_name_has_the_second_ear(tiny_ct2, tmp_path, monkeypatch):
    monkeypatch.setattr(faster_whisper_transcriber, 'ScoringMoonshine', lambda folder: None)
    folder = tmp_path / 'moonshine-tiny.en'
    whisper = FasterWhisperTranscriber(str(tiny_ct2), device='cpu', book=BOOK, moonshine=folder)
    assert whisper.name == f'faster-whisper:{tiny_ct2}+moonshine-tiny.en'
    whisper.close()


def test_a_closed_whisper_does_not_keep_its_model():
    whisper = ToldWhisper('Build a tower.', {'build a tower': 0.0})
    whisper.transcribe(SECOND)
    # As in the real one, both the transcriber and its scoring hold the model.
    model = whisper._model = whisper._scoring.model = ToldModel()
    kept = weakref.ref(model)
    del model
    whisper.close()
    assert kept() is None


class ToldModel:
    """A model that does nothing."""


def refused(spec, match):
    """Through the process that the node uses."""
    with pytest.raises(SpeechError, match=match):
        make_transcriber(SpeechConfig(transcriber=spec, device='cpu'), None)


def refused_here(make, match):
    """In this process, which has imported what takes each new process ten seconds."""
    with pytest.raises(SpeechError, match=match):
        make()


@needs_transformers
def test_transformers_refuses_what_is_no_whisper_and_says_why(tiny, tmp_path):
    refused(f'transformers:{tmp_path}/gone', 'is not a model folder')
    refused(f'transformers:{tmp_path}', r'config\.json is missing')
    for file in tiny.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / 'model.safetensors').write_bytes(b'nothing of use')
    refused_here(lambda: TransformersTranscriber(str(tmp_path), device='cpu'), 'cannot load')
    config = json.loads((tiny / 'config.json').read_text()) | {'model_type': 'bert', 'architectures': ['BertModel']}
    (tmp_path / 'config.json').write_text(json.dumps(config))
    refused_here(lambda: TransformersTranscriber(str(tmp_path), device='cpu'), 'cannot load|not whisper')


@needs_faster_whisper
def test_faster_whisper_refuses_what_is_no_whisper_and_says_why(tiny_ct2, tmp_path):
    refused(f'faster-whisper:{tmp_path}/gone', 'is not a model folder')
    refused(f'faster-whisper:{tmp_path}', r'model\.bin, config\.json is missing')
    for file in tiny_ct2.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / 'model.bin').write_bytes(b'nothing of use')
    refused_here(lambda: FasterWhisperTranscriber(str(tmp_path), device='cpu', book=BOOK), 'cannot load')
