"""Creation of the speech node's components (audio source, transcriber, speaker, player, ...) from its settings."""

import functools
import logging
from collections.abc import Callable
from pathlib import Path

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.config import SPEAKERS, TRANSCRIBERS, SpeechConfig
from speech_node.hearing.audio_sources import make_source
from speech_node.hearing.command_book import CommandBook, load_commands
from speech_node.hearing.faster_whisper_transcriber import FasterWhisperTranscriber
from speech_node.hearing.pocketsphinx_transcriber import PocketsphinxTranscriber
from speech_node.hearing.second_ear import Ears, ears_of
from speech_node.hearing.stop_spotter import NetworkStopSpotter
from speech_node.hearing.subprocess_transcriber import SubprocessTranscriber, never
from speech_node.hearing.transformers_transcriber import TransformersTranscriber
from speech_node.hearing.voice_activity import make_activity
from speech_node.interfaces import AudioSource, Player, Speaker, StopSpotter, Transcriber, VoiceActivity
from speech_node.speaking.audio_players import make_player
from speech_node.speaking.espeak_speaker import EspeakSpeaker
from speech_node.speaking.flite_speaker import FliteSpeaker
from speech_node.speaking.piper_speaker import PiperSpeaker

_log = logging.getLogger(__name__)


class SpeechComponents:
    """Creates each component of the node from the settings; tests override single methods."""

    def source(self, config: SpeechConfig) -> AudioSource | None:
        """The audio source, or None."""
        return make_source(config.source)

    def activity(self, config: SpeechConfig) -> VoiceActivity:
        """The voice-activity detector."""
        return make_activity(config.activity)

    def spotter(self, config: SpeechConfig) -> StopSpotter:
        """The detector of stop words."""
        return NetworkStopSpotter()

    def book(self, config: SpeechConfig) -> CommandBook | None:
        """The commands given to the transcriber, or None."""
        return book_for(config)

    def transcriber(self, config: SpeechConfig, book: CommandBook | None, is_ending: Callable[[], bool]) -> Transcriber:
        """The transcriber. Loading is given up if `is_ending` returns true."""
        return make_transcriber(config, book, is_ending)

    def speaker(self, config: SpeechConfig) -> Speaker | None:
        """The speech synthesiser, or None."""
        return make_speaker(config)

    def player(self, config: SpeechConfig, on_topic: Callable[[Samples], None]) -> Player | None:
        """The audio player, or None; `on_topic` receives the chunks of the player `topic`."""
        return make_player(config.player, on_topic)


def book_for(config: SpeechConfig) -> CommandBook | None:
    """The commands given to the transcriber; None for transcribers that take none.

    pocketsphinx understands nothing else; faster-whisper is told their words, and its transcripts are matched to them.

    Raises:
        ConfigError: the commands, tasks or actions file is invalid.
    """
    if config.transcriber.partition(':')[0] not in ('pocketsphinx', 'faster-whisper'):
        return None
    return load_commands(
        _file(config.commands_file),
        tasks_file=_file(config.tasks_file),
        actions_file=_file(config.actions_file),
        wake_word=config.wake_word,
    )


def ears_for(config: SpeechConfig, book: CommandBook | None) -> Ears | None:
    """The models that the configured Whisper hears with; None for other transcribers.

    Raises:
        ConfigError: its second ear is unknown, or would not be used.
        SpeechError: its second ear is not installed.
    """
    return ears_of(config.transcriber, language=config.language, scores_commands=book is not None)


def make_transcriber(
    config: SpeechConfig, book: CommandBook | None, is_ending: Callable[[], bool] = never
) -> Transcriber:
    """Makes the configured transcriber; local models run in a separate process.

    Loading is given up if `is_ending` returns true.

    Raises:
        ConfigError: the spec is unknown, or its second ear would not be used.
        SpeechError: the transcriber cannot be loaded; the message names the model or the package.
    """
    kind, _, argument = config.transcriber.partition(':')
    ears = ears_for(config, book)
    if config.hears_only_commands and book is not None:
        make: Callable[[], Transcriber] = functools.partial(
            PocketsphinxTranscriber, book, certain=config.act_confidence
        )
    elif ears is not None:
        make = functools.partial(
            make_whisper,
            ears.model,
            moonshine=ears.second.path if ears.second is not None else None,
            language=config.language,
            device=config.device,
            book=book,
            certain=config.act_confidence,
        )
    elif kind == 'transformers' and argument:
        make = functools.partial(TransformersTranscriber, argument, language=config.language, device=config.device)
    elif kind == 'openai' and argument:
        from speech_node.hearing.openai_transcriber import OpenaiTranscriber  # importing openai takes a second

        return OpenaiTranscriber(
            argument,
            language=config.language,
            timeout_s=config.transcription_timeout_s,
            answer_bytes=config.answer_bytes,
        )
    else:
        raise ConfigError(f'transcriber must be {TRANSCRIBERS}, got {config.transcriber!r}')
    return SubprocessTranscriber(
        ears.spec if ears is not None else config.transcriber,
        make,
        timeout_s=config.transcription_timeout_s,
        load_timeout_s=config.load_timeout_s,
        is_ending=is_ending,
    )


def make_whisper(
    model: str,
    *,
    language: str,
    device: str,
    book: CommandBook | None,
    certain: float,
    moonshine: Path | None = None,
) -> FasterWhisperTranscriber:
    """Makes a Whisper that also weighs the command heard by the grammar, if the grammar knows all its words.

    Raises:
        SpeechError: the model cannot be loaded.
    """
    suggest = None
    if book is not None:
        try:
            suggest = PocketsphinxTranscriber(book, certain=certain).sentence
        except (ConfigError, SpeechError) as error:
            _log.warning('%s: the grammar suggests no commands: %s', model, error)
    return FasterWhisperTranscriber(
        model,
        language=language,
        device=device,
        book=book,
        certain=certain,
        suggest=suggest,
        moonshine=moonshine,
    )


def make_speaker(config: SpeechConfig) -> Speaker | None:
    """Makes the configured speaker; None for `none`.

    Raises:
        ConfigError: the spec is unknown.
        SpeechError: the speaker cannot be loaded.
    """
    kind, _, argument = config.speaker.partition(':')
    if kind == 'none':
        return None
    if kind == 'espeak-ng':
        return EspeakSpeaker(*([argument] if argument else []), timeout_s=config.synthesis_timeout_s)
    if kind == 'flite' and argument:
        return FliteSpeaker(argument, timeout_s=config.synthesis_timeout_s)
    if kind == 'piper' and argument:
        return PiperSpeaker(argument)
    if kind == 'openai' and argument:
        from speech_node.speaking.openai_speaker import OpenaiSpeaker

        return OpenaiSpeaker(argument, timeout_s=config.synthesis_timeout_s, answer_bytes=config.answer_bytes)
    raise ConfigError(f'speaker must be {SPEAKERS}, got {config.speaker!r}')


def _file(path: str) -> Path | None:
    return Path(path).expanduser() if path else None
