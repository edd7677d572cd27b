"""Moonshine's scores and transcripts, with a network that the test gives, and both models together."""

import logging
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from told_whisper import ToldWhisper

from lucca_core.errors import SpeechError
from speech_node.hearing.joint_scoring import SECOND_UNHEARD, JointScoring
from speech_node.hearing.moonshine_model import FILES, ScoringMoonshine

SECOND = np.zeros(16000, dtype=np.int16)
WORDS = ('', '<s>', '</s>', 'Build', 'a', 'tower', 'town')
NEXT = {1: {3: 0.9, 4: 0.1}, 3: {4: 1.0}, 4: {5: 0.75, 6: 0.25}, 5: {2: 1.0}, 6: {2: 0.5, 4: 0.5}}
"""Probability of each token after another one, for any sound."""
WIDTH = 4
SAMPLES_A_FRAME = 384


class Session:
    """A network whose logits depend on the token before, and that keeps how many tokens it was given.

    `computed` has the shape of the tokens of each call.
    """

    computed: ClassVar[list] = []

    def __init__(self, file, options):
        text = Path(file).read_text()
        if 'broken' in text:
            raise RuntimeError('broken')
        self._is_foreign = 'foreign' in text
        self._is_encoder = 'encoder' in file

    def get_inputs(self):
        names = [f'past_key_values.0.{side}.{kind}' for side in ('decoder', 'encoder') for kind in ('key', 'value')]
        return [SimpleNamespace(name=name, shape=['batch', 1, 'length', WIDTH]) for name in names]

    def get_outputs(self):
        past = [item.name.replace('past_key_values', 'present') for item in self.get_inputs()]
        return [SimpleNamespace(name=name) for name in ('logits', *past)]

    def run(self, names, inputs):
        if self._is_foreign:
            raise ValueError('Required inputs (image) are missing')
        if self._is_encoder:
            return [np.zeros((1, inputs['input_values'].shape[1] // SAMPLES_A_FRAME, WIDTH), np.float32)]
        frames_masked = inputs['encoder_attention_mask'][:, ::SAMPLES_A_FRAME].shape
        assert frames_masked == inputs['encoder_hidden_states'].shape[:2], 'the decoder masks samples, not frames'
        self.computed.append(inputs['input_ids'].shape)
        tokens, cached = inputs['input_ids'], inputs['use_cache_branch'][0]
        kept = inputs['past_key_values.0.decoder.key'].shape[2]
        of_sound = inputs['past_key_values.0.encoder.key'].shape[2]
        assert cached == (kept > 0), 'the tokens before must be remembered, or be given'
        assert of_sound == (inputs['encoder_hidden_states'].shape[1] if cached else 0)
        logits = np.full((*tokens.shape, len(WORDS)), -60.0, np.float32)
        for place, token in np.ndenumerate(tokens):
            for follows, probability in NEXT.get(int(token), {}).items():
                # Logits are defined up to a constant.
                logits[(*place, follows)] = np.log(probability) + 7.0
        frames = 0 if cached else inputs['encoder_hidden_states'].shape[1]
        sides = {'decoder': kept + tokens.shape[1], 'encoder': frames}
        past = [np.zeros((len(tokens), 1, sides[name.name.split('.')[2]], WIDTH)) for name in self.get_inputs()]
        return [logits] if names == ['logits'] else [logits, *past]


class Words:
    """A tokenizer of whole words, without full stops."""

    @staticmethod
    def from_file(file):
        return Words()

    def encode(self, text, add_special_tokens):
        assert text.endswith('.')
        return SimpleNamespace(ids=[WORDS.index(word) for word in text.removesuffix('.').split()])

    def decode(self, tokens):
        return ' '.join(WORDS[token] for token in tokens)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setitem(
        sys.modules, 'onnxruntime', SimpleNamespace(InferenceSession=Session, SessionOptions=SimpleNamespace)
    )
    monkeypatch.setitem(sys.modules, 'tokenizers', SimpleNamespace(Tokenizer=Words))
    for name in FILES:
        (tmp_path / name).write_text('weights')
    return tmp_path


@pytest.fixture
def moonshine(folder):
    return ScoringMoonshine(folder)


def test_a_text_is_as_likely_as_its_tokens_and_its_end(moonshine):
    sound = moonshine.encode(SECOND)
    assert moonshine.scores(sound, ['build a tower']) == pytest.approx([np.log(0.9 * 0.75)])
    assert moonshine.scores(sound, []) == []


def test_a_score_does_not_depend_on_what_is_scored_beside_it(moonshine):
    sound = moonshine.encode(SECOND)
    texts = ['build a town', 'build', 'build a town a tower']
    together = moonshine.scores(sound, texts)
    assert together == pytest.approx([moonshine.scores(sound, [text])[0] for text in texts])
    assert together[0] == pytest.approx(np.log(0.9 * 0.25 * 0.5))


def test_case_and_punctuation_do_not_count(moonshine):
    sound = moonshine.encode(SECOND)
    first, *others = moonshine.scores(sound, ['build a tower', 'Build a tower.', 'Build a tower!'])
    assert others == [first, first]


def test_the_likeliest_text_is_written_token_by_token(moonshine):
    assert moonshine.transcript(moonshine.encode(SECOND)) == 'Build a tower'


@pytest.mark.parametrize(('sound_s', 'tokens'), [(1, 16), (4, 26), (12, 78)])
def test_a_text_that_goes_round_in_circles_is_cut_to_what_can_be_said_in_the_time(
    moonshine, monkeypatch, sound_s, tokens
):
    monkeypatch.setitem(NEXT, 5, {4: 1.0})
    text = moonshine.transcript(moonshine.encode(np.tile(SECOND, sound_s)))
    assert text.startswith('Build a tower a tower a')
    assert len(text.split()) == tokens


def test_a_long_text_does_not_make_each_text_beside_it_as_long(moonshine):
    sound = moonshine.encode(SECOND)
    texts = ['build ' + ' '.join(['a'] * 90), *['build a tower'] * 12]
    Session.computed.clear()
    scores = moonshine.scores(sound, texts)
    assert scores[1:] == pytest.approx([np.log(0.9 * 0.75)] * 12)
    assert sum(rows * tokens for rows, tokens in Session.computed) <= 92 + 12 * 8


def test_a_sound_of_a_moment_is_padded(moonshine):
    assert moonshine.encode(SECOND[:10]).shape == moonshine.encode(SECOND[:8000]).shape


def test_a_missing_or_broken_file_is_told(folder):
    (folder / 'encoder_model.ort').write_text('broken')
    with pytest.raises(SpeechError, match=r'Moonshine cannot be loaded from .*: RuntimeError: broken'):
        ScoringMoonshine(folder)
    for name in FILES[:2]:
        (folder / 'encoder_model.ort').write_text('weights')
        (folder / name).write_text('foreign')
        with pytest.raises(SpeechError, match=r'Moonshine cannot be loaded from .*: ValueError: Required inputs'):
            ScoringMoonshine(folder)
    (folder / 'tokenizer.json').unlink()
    with pytest.raises(SpeechError, match=r'is no Moonshine model: it has no tokenizer\.json'):
        ScoringMoonshine(folder)


class Told:
    """A model with given scores, unheard scores and transcript, called as Whisper or as Moonshine is."""

    def __init__(self, scores, unheard=None, text=''):
        self._scores, self._unheard, self._text = scores, unheard or {}, text

    def encode(self, samples):
        return 'sound'

    def transcript(self, sound, before=None):
        return self._text if before is None else (self._text, 0.9)

    def scores(self, sound, texts, before=()):
        return [self._scores[text] for text in texts]

    def unheard_scores(self, *called):
        texts = called[0] if len(called) == 1 else called[1]
        return [self._unheard.get(text, 0.0) for text in texts]


def test_two_models_together_add_their_scores_but_not_all_of_what_both_expect():
    both = JointScoring(Told({'yes': -1.0}, {'yes': -5.0}, 'Yes.'), Told({'yes': -2.0}, {'yes': -7.0}, 'Yeah.'))
    sound = both.encode(SECOND)
    assert both.scores(sound, ['yes'], ()) == [-3.0]
    assert both.unheard_scores(sound, ['yes'], ()) == [-5.0 - 7.0 * SECOND_UNHEARD]
    assert both.transcript(sound, ()) == ('Yes.', 0.9)
    assert both.second_transcript(sound) == 'Yeah.'


def test_sentences_that_fit_the_sound_are_scored_though_they_are_spelled_otherwise():
    heard = {'a': -30.0, 'b': -31.0, 'c': -32.0, 'd': -33.0, 'e': -3.0, 'f': -9.0}
    # "f" is the likelier for the sound, because it was the less to be expected.
    both = JointScoring(Told({}), Told(heard, {'e': -5.0, 'f': -20.0}))
    assert both.shortlist(both.encode(SECOND), tuple('abcdef'), 2) == ('a', 'f', 'e')


class FailingSecond(Told):
    """A second ear that fails in one of its methods, and keeps which of them were called."""

    def __init__(self, failing=''):
        super().__init__({}, text='Build a tower.')
        self._failing, self.called = failing, []

    def _call(self, name, result):
        self.called.append(name)
        if name == self._failing:
            raise RuntimeError('out of memory')
        return result

    def encode(self, samples):
        return self._call('encode', 'sound')

    def transcript(self, sound, before=None):
        return self._call('transcript', self._text)

    def scores(self, sound, texts, before=()):
        return self._call('scores', [0.0] * len(texts))

    def unheard_scores(self, texts):
        return self._call('unheard_scores', [0.0] * len(texts))


def with_second_ear(free, second):
    whisper = ToldWhisper(free, {'build a tower': 0.0})
    whisper._scoring = JointScoring(whisper._scoring, second)
    return whisper


def test_a_stop_does_not_wait_for_the_second_ear():
    second = FailingSecond()
    assert with_second_ear('Stop.', second).transcribe(SECOND).text == 'Stop.'
    assert second.called == []
    with_second_ear('Build a tower.', second).transcribe(SECOND)
    assert second.called.count('encode') == 1


@pytest.mark.parametrize('failing', ['encode', 'transcript', 'scores', 'unheard_scores'])
def test_whisper_hears_alone_and_says_so_where_the_second_ear_fails(failing, caplog):
    alone = ToldWhisper('Build a tower.', {'build a tower': 0.0}).transcribe(SECOND)
    with caplog.at_level(logging.WARNING):
        heard = with_second_ear('Build a tower.', FailingSecond(failing)).transcribe(SECOND)
    assert heard.intent is not None
    assert (heard.intent, heard.confidence) == (alone.intent, alone.confidence)
    assert 'the second ear failed, so Whisper hears this utterance alone: RuntimeError: out of memory' in caplog.text
