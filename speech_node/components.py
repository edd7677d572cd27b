"""Transcribers and speakers by their specs."""

import functools
from collections.abc import Callable
from pathlib import Path

from lucca_core.errors import ConfigError
from speech_node.audio import Samples
from speech_node.config import SPEAKERS, TRANSCRIBERS, SpeechConfig
from speech_node.hearing.audio_sources import make_source
from speech_node.hearing.command_book import CommandBook, load_commands
from speech_node.hearing.faster_whisper_transcriber import FasterWhisperTranscriber
from speech_node.hearing.pocketsphinx_transcriber import PocketsphinxTranscriber
from speech_node.hearing.stop_spotter import NetworkStopSpotter
from speech_node.hearing.subprocess_transcriber import SubprocessTranscriber
from speech_node.hearing.transformers_transcriber import TransformersTranscriber
from speech_node.hearing.voice_activity import make_activity
from speech_node.interfaces import AudioSource, Player, Speaker, StopSpotter, Transcriber, VoiceActivity
from speech_node.speaking.audio_players import make_player
from speech_node.speaking.espeak_speaker import EspeakSpeaker
from speech_node.speaking.piper_speaker import PiperSpeaker


class SpeechComponents:
    """How the node gets what it hears and speaks with; a test gives it others."""

    def source(self, config: SpeechConfig) -> AudioSource | None:
        """Where sound comes from."""
        return make_source(config.source)

    def activity(self, config: SpeechConfig) -> VoiceActivity:
        """Who tells speech from the rest."""
        return make_activity(config.activity)

    def spotter(self, config: SpeechConfig) -> StopSpotter:
        """Who hears the stop word."""
        return NetworkStopSpotter()

    def book(self, config: SpeechConfig) -> CommandBook | None:
        """The sentences that the transcriber is bound to."""
        return book_for(config)

    def transcriber(self, config: SpeechConfig, book: CommandBook | None) -> Transcriber:
        """Speech to text."""
        return make_transcriber(config, book)

    def speaker(self, config: SpeechConfig) -> Speaker | None:
        """Text to speech."""
        return make_speaker(config)

    def player(self, config: SpeechConfig, on_topic: Callable[[Samples], None]) -> Player | None:
        """Where speech goes."""
        return make_player(config.player, on_topic)


def book_for(config: SpeechConfig) -> CommandBook | None:
    """The sentences that the transcriber is bound to; None for one that understands free speech.

    Raises:
        ConfigError: a file of commands, tasks or actions is wrong.
    """
    if config.transcriber != 'pocketsphinx':
        return None
    return load_commands(
        _file(config.commands_file),
        tasks_file=_file(config.tasks_file),
        actions_file=_file(config.actions_file),
        wake_word=config.wake_word,
    )


def make_transcriber(config: SpeechConfig, book: CommandBook | None) -> Transcriber:
    """The transcriber of the settings; a model runs in a process of its own.

    Raises:
        ConfigError: no such spec.
        SpeechError: it cannot be loaded; the message names the model or the package.
    """
    kind, _, argument = config.transcriber.partition(':')
    if config.transcriber == 'pocketsphinx' and book is not None:
        make: Callable[[], Transcriber] = functools.partial(
            PocketsphinxTranscriber, book, certain=config.act_confidence
        )
    elif kind == 'faster-whisper' and argument:
        make = functools.partial(FasterWhisperTranscriber, argument, language=config.language, device=config.device)
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
        raise ConfigError(f'transcriber should be {TRANSCRIBERS}, got {config.transcriber!r}')
    return SubprocessTranscriber(
        config.transcriber, make, timeout_s=config.transcription_timeout_s, load_timeout_s=config.load_timeout_s
    )


def make_speaker(config: SpeechConfig) -> Speaker | None:
    """The speaker of the settings; None for `none`.

    Raises:
        ConfigError: no such spec.
        SpeechError: it cannot be loaded.
    """
    kind, _, argument = config.speaker.partition(':')
    if kind == 'none':
        return None
    if kind == 'espeak-ng':
        return EspeakSpeaker(*([argument] if argument else []), timeout_s=config.synthesis_timeout_s)
    if kind == 'piper' and argument:
        return PiperSpeaker(argument)
    if kind == 'openai' and argument:
        from speech_node.speaking.openai_speaker import OpenaiSpeaker

        return OpenaiSpeaker(argument, timeout_s=config.synthesis_timeout_s, answer_bytes=config.answer_bytes)
    raise ConfigError(f'speaker should be {SPEAKERS}, got {config.speaker!r}')


def _file(path: str) -> Path | None:
    return Path(path).expanduser() if path else None
