"""Transcribers and speakers by their specs."""

import functools
from collections.abc import Callable
from pathlib import Path

from lucca_core.errors import ConfigError
from speech_node.commands import CommandBook, load_commands
from speech_node.config import SPEAKERS, TRANSCRIBERS, SpeechConfig
from speech_node.espeak import EspeakSpeaker
from speech_node.faster_whisper_transcriber import FasterWhisperTranscriber
from speech_node.in_child import ChildTranscriber
from speech_node.piper_speaker import PiperSpeaker
from speech_node.pocketsphinx_transcriber import PocketsphinxTranscriber
from speech_node.ports import Speaker, Transcriber
from speech_node.transformers_transcriber import TransformersTranscriber


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
        from speech_node.openai_speech import OpenaiTranscriber  # takes a second and more

        return OpenaiTranscriber(
            argument,
            language=config.language,
            timeout_s=config.transcription_timeout_s,
            answer_bytes=config.answer_bytes,
        )
    else:
        raise ConfigError(f'transcriber should be {TRANSCRIBERS}, got {config.transcriber!r}')
    return ChildTranscriber(
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
        from speech_node.openai_speech import OpenaiSpeaker

        return OpenaiSpeaker(argument, timeout_s=config.synthesis_timeout_s, answer_bytes=config.answer_bytes)
    raise ConfigError(f'speaker should be {SPEAKERS}, got {config.speaker!r}')


def _file(path: str) -> Path | None:
    return Path(path).expanduser() if path else None
