"""Whisper transcription with faster-whisper (CTranslate2), from a local folder or the Hugging Face hub.

If there is a book of commands, Whisper transcribes twice, once with the words of the commands as context and once
without. Then it scores both transcripts and the commands most like them against the sound, and the commands without any
sound, too. A command counts as heard if the sound makes it likelier than free hypotheses; anything else is passed on as
free speech. Moonshine, if there is one, adds a transcript and its own scores.
"""

import logging
import math
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lucca_core.errors import SpeechError
from lucca_core.model_folder import model_folder
from lucca_core.protocol.speech import Samples
from lucca_core.stop_command import has_stop_word, is_stop
from lucca_core.trained_models import TRAINED_MODELS, WeightsFormat
from speech_node.hearing.command_book import CommandBook
from speech_node.hearing.command_matching import (
    NEAR,
    NEAREST,
    SHARPNESS,
    WRITTEN_BONUS,
    CommandChoice,
    Hypothesis,
    choose,
    context,
    names_something,
    nearest_sentences,
    spoken_form,
)
from speech_node.hearing.joint_scoring import JointScoring, SecondEarError
from speech_node.hearing.moonshine_model import ScoringMoonshine
from speech_node.hearing.whisper_model import ScoringWhisper, floats
from speech_node.hearing.whole_commands import (
    as_written,
    command_of,
    contains,
    is_a_command,
    is_all,
    is_denied,
    longer_sentences,
    surely_denies,
)
from speech_node.interfaces import MOST_TOKENS, IntentKind, Transcript

_log = logging.getLogger(__name__)

_MOST_BESIDE_NO = 3
"""Most words of the transcript of a "no" that needs no further check."""
_MOST_CONTEXT = 220
"""Number of context tokens; Whisper's decoder has room for 224."""
_SHORT_CONTEXT = 4
"""Sentences of context while hypotheses are scored; each one costs a softmax over all words for each hypothesis."""
_MOST_EXPONENT = 50.0
_LIKELY = 0.2
"""Probability below which a command is not even suggested."""


class FasterWhisperTranscriber:
    """Whisper models in CTranslate2's format.

    Args:
        model: a folder, or a name such as `small.en`, which is downloaded. A model that `lucca models get` has
            installed is not downloaded: `tiny.en` or `whisper-tiny.en`.
        language: ISO 639-1; empty to detect it.
        device: auto, cpu or cuda.
        book: commands to which transcripts are matched, for English only; None to transcribe only.
        certain: confidence, 0 to 1, at which a transcript will be acted on.
        suggest: another recogniser's guess at the sentence of the book, empty for none; it is taken into account.
        moonshine: the folder of a Moonshine model that scores commands, too, so it needs `book`; None for none.

    Raises:
        SpeechError: the package or the model is missing, or the model is invalid.
    """

    def __init__(
        self,
        model: str,
        *,
        language: str = 'en',
        device: str = 'auto',
        book: CommandBook | None = None,
        certain: float = 1.0,
        suggest: Callable[[Samples], str] | None = None,
        moonshine: Path | None = None,
    ) -> None:
        # Checked before the import, which takes seconds.
        files = ('model.bin', 'config.json')
        folder = model_folder(str(_installed(model) or model), files, SpeechError)
        try:
            from faster_whisper import WhisperModel
            from faster_whisper.tokenizer import Tokenizer
        except ImportError as error:
            raise SpeechError(f'the transcriber faster-whisper needs: pip install faster-whisper ({error})') from error
        self._spec = model if moonshine is None else f'{model}+{moonshine.name}'
        self._language = language or None
        self._certain = certain
        self._suggest = suggest
        try:
            # The fastest number format of this processor, and half of its cores, because the other nodes need the rest.
            threads = max(1, (os.cpu_count() or 1) // 2)
            self._model: Any = WhisperModel(
                str(folder or model), device=device, compute_type='auto', cpu_threads=threads
            )
            multilingual = bool(self._model.model.is_multilingual)
            tokenizer = Tokenizer(self._model.hf_tokenizer, multilingual, task='transcribe', language=language or 'en')
        except Exception as error:
            raise SpeechError(f'faster-whisper cannot load {model!r}: {type(error).__name__}: {error}') from error
        self._book = book if self._language == 'en' else None
        if self._book is not None:
            whisper = ScoringWhisper(self._model, tokenizer)
            self._scoring: ScoringWhisper | JointScoring = (
                whisper if moonshine is None else JointScoring(whisper, self._second_ear(moonshine))
            )
            told = context(self._book).removesuffix('.').split('. ')
            self._context = self._scoring.tokens('. '.join(told) + '.')[:_MOST_CONTEXT]
            step = max(1, len(told) // _SHORT_CONTEXT)
            self._short_context = self._scoring.tokens('. '.join(told[::step][:_SHORT_CONTEXT]) + '.')

    def _second_ear(self, folder: Path) -> ScoringMoonshine:
        try:
            return ScoringMoonshine(folder)
        except SpeechError as error:
            raise SpeechError(f'{self.name}: {error} (Whisper hears alone with MODEL+none)') from error

    @property
    def name(self) -> str:
        return f'faster-whisper:{self._spec}'

    def transcribe(self, samples: Samples) -> Transcript:
        started_s = time.monotonic()
        try:
            heard = self._free(samples) if self._book is None else self._matched(samples, self._book)
        except Exception as error:
            raise SpeechError(f'{self.name} failed: {type(error).__name__}: {error}') from error
        return replace(heard, transcription_s=time.monotonic() - started_s)

    def close(self) -> None:
        del self._model
        if self._book is not None:
            del self._scoring  # it holds the model, too

    def _free(self, samples: Samples) -> Transcript:
        """Transcribes speech in any language, without commands."""
        # A single temperature: by default it retries unclear sound at six temperatures, which takes a minute.
        segments, info = self._model.transcribe(
            floats(samples),
            language=self._language,
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=True,
            max_new_tokens=MOST_TOKENS,
        )
        parts = list(segments)
        text = ' '.join(part.text.strip() for part in parts)
        # Confidence of the least certain segment; no_speech_prob is the probability that nobody spoke.
        sure = min((math.exp(part.avg_logprob) * (1 - part.no_speech_prob) for part in parts), default=0.0)
        return Transcript(text, min(1.0, max(0.0, sure)), info.language or '')

    def _matched(self, samples: Samples, book: CommandBook) -> Transcript:
        """A command of the book, or free speech if no command fits."""
        sound: Any = self._scoring.encode(samples)
        free, sure = self._scoring.transcript(sound, ())
        if not free or is_stop(free):
            return Transcript(free, sure if free else 0.0, 'en')
        try:
            return self._command_or_talk(samples, sound, free, sure, book)
        except SecondEarError as error:
            _log.warning('%s: the second ear failed, so Whisper hears this utterance alone: %s', self.name, error)
            return self._command_or_talk(samples, self._scoring.without_second(sound), free, sure, book)

    def _command_or_talk(self, samples: Samples, sound: Any, free: str, sure: float, book: CommandBook) -> Transcript:
        """What Whisper's transcript without context, and all else that is heard in the sound, amount to."""
        told, _ = self._scoring.transcript(sound, self._context)
        guess = self._suggest(samples) if self._suggest is not None else ''
        first = [text for text in dict.fromkeys([free, told]) if text]
        second = self._scoring.second_transcript(sound)
        transcripts = [*first, *([second] if second and second not in first else [])]
        near = self._scoring.shortlist(sound, nearest_sentences(book, transcripts, NEAR), NEAREST)
        sentences = tuple(dict.fromkeys([*near, *([guess] if guess else [])]))
        if has_stop_word(free):
            # A person who says a stop word does not want any other command to be carried out.
            sentences = tuple(sentence for sentence in sentences if has_stop_word(sentence))
        commands, hypotheses = self._scored(sound, sentences, transcripts)
        # The model may repeat a command that it was told, whatever was said.
        written = told if names_something(free, book) or is_a_command(free, book) else ''
        chosen = choose(book, commands, hypotheses, guess, written)
        if chosen is not None:
            probability = self._probability_of_all(sound, chosen, first, second, written, book)
            if probability >= _LIKELY:
                return Transcript(book.text_of(chosen.sentence), probability, 'en', intent=chosen.intent)
        if is_a_command(free, book) or any(_takes_back(hearing, free, book) for hearing in (told, second)):
            # It was written down as a command that was not accepted, or another hearing says to stop or not to do it:
            # the doubt must not be lost.
            sure = min(sure, self._certain / 2)
        if sure < self._certain and not (
            names_something(free, book) or has_stop_word(free) or is_a_command(free, book)
        ):
            # Talk that has nothing to do with the table leads to no question.
            sure = 0.0
        elif sure < self._certain:
            # A question follows, and it should repeat what was said as well as it can.
            free = _to_ask_about(hypotheses, book)
        return Transcript(free, sure, 'en')

    def _probability_of_all(
        self,
        sound: Any,
        chosen: CommandChoice,
        transcripts: Sequence[str],
        second: str,
        written: str,
        book: CommandBook,
    ) -> float:
        """The probability that a command is all that was said, and not a part of a longer sentence.

        Whisper's first transcript must allow it, or the second model must have written this very command, without
        being told any. Otherwise, a transcript that does not allow it is a rival hypothesis, unless it denies the
        command, or the whole command stands in it beside other words. So is the second model's, which may even deny
        it: that model mishears more. A stop word in any of them, if the command has none, vetoes it.
        """
        free = transcripts[0]
        beside_no = len(spoken_form(free, book).split()) <= _MOST_BESIDE_NO
        if chosen.probability < _LIKELY or (chosen.intent.kind is IntentKind.NO and beside_no):
            # With few words beside a "no", nothing else is asked for.
            return chosen.probability
        is_heard_apart = command_of(second, book) == chosen.intent
        rivals: dict[str, None] = {}
        alone = {chosen.sentence: None}
        for transcript in dict.fromkeys([*transcripts, *([second] if second else [])]):
            sentence = as_written(chosen, transcript, book)
            alone[sentence] = None
            denies = transcript in transcripts and is_denied(spoken_form(transcript, book), sentence)
            if _stops(transcript, sentence):
                return 0.0
            if is_all(sentence, transcript, book):
                rivals |= dict.fromkeys(longer_sentences(sentence, transcript, book))
            elif contains(transcript, sentence, book) or denies or (transcript == free and not is_heard_apart):
                return 0.0
            else:
                rivals[transcript] = None
        if not rivals:
            return chosen.probability
        scores = self._scoring.scores(sound, [*alone, *rivals], self._short_context)
        more = SHARPNESS * (max(scores[len(alone) :]) - max(scores[: len(alone)]))
        if book.spoken.get(spoken_form(written, book)) == chosen.intent:
            # The model, told the words of the commands, wrote this one and nothing beside it.
            more -= WRITTEN_BONUS
        return chosen.probability / (1 + math.exp(min(_MOST_EXPONENT, more)))

    def _scored(
        self, sound: Any, sentences: Sequence[str], free: Sequence[str]
    ) -> tuple[list[Hypothesis], list[Hypothesis]]:
        """Commands and free hypotheses with their scores, the commands also with their unheard scores."""
        scores = self._scoring.scores(sound, [*sentences, *free], self._short_context)
        heard, others = scores[: len(sentences)], scores[len(sentences) :]
        unheard = self._scoring.unheard_scores(sound, sentences, self._short_context)
        return (
            [Hypothesis(*values) for values in zip(sentences, heard, unheard, strict=True)],
            [Hypothesis(*values) for values in zip(free, others, strict=True)],
        )


def _to_ask_about(hypotheses: Sequence[Hypothesis], book: CommandBook) -> str:
    """The likeliest transcript as one sentence; the first one if it has a stop word or any of them is a command.

    A command may be a part of what was said. Then the others say more.
    """
    first, *_ = hypotheses
    if has_stop_word(first.sentence) or any(is_a_command(hypothesis.sentence, book) for hypothesis in hypotheses):
        return first.sentence
    best = max(hypotheses, key=lambda hypothesis: hypothesis.score).sentence
    # With commands as context, a model writes each part as a sentence of its own, without a capital.
    return best[:1].upper() + re.sub(r'[.!?] (?=[a-z])', ', ', best[1:])


def _stops(transcript: str, text: str) -> bool:
    """Whether a transcript has a stop word that another text does not have."""
    return has_stop_word(transcript) and not has_stop_word(text)


def _takes_back(hearing: str, free: str, book: CommandBook) -> bool:
    """Whether one hearing has a stop word or a sure denial, and what is passed on has none."""
    return _stops(hearing, free) or (surely_denies(hearing, book) and not surely_denies(free, book))


def _installed(name: str) -> Path | None:
    """The folder of a model of this name that `lucca models get` has installed, else None."""
    for model in TRAINED_MODELS.values():
        names = (model.name, model.used_as.partition(':')[2])
        if model.format is WeightsFormat.CTRANSLATE2 and name in names and model.is_there:
            return model.path
    return None
