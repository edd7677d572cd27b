"""Settings of the speech node."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting
from lucca_llm.model import MOST_ANSWER_BYTES

TRANSCRIBERS = (
    'pocketsphinx (a grammar of commands), faster-whisper:MODEL, faster-whisper:MODEL+EAR (a second ear: '
    'moonshine-tiny.en or none), transformers:MODEL or openai:MODEL@URL'
)
SPEAKERS = 'espeak-ng, espeak-ng:VOICE, flite:VOICE, piper:VOICE_FILE, openai:MODEL@URL or none'


@dataclass(frozen=True, kw_only=True)
class SpeechConfig:
    """Settings of the speech node, with their defaults."""

    source: str = setting(
        'microphone', 'Audio source: microphone, microphone:NAME, wav:FILE, topic (speech/audio_in) or none.'
    )
    transcriber: str = setting('pocketsphinx', f'{TRANSCRIBERS}.')
    speaker: str = setting('espeak-ng', f'{SPEAKERS}.')
    player: str = setting('device', 'Audio output: device, device:NAME, topic (speech/audio_out) or none.')
    activity: str = setting('silero', 'Voice-activity detector: silero (a model) or energy (the level alone).')
    commands_file: str = setting('', 'File with the wording of commands; empty for config/speech.yaml.')
    tasks_file: str = setting('', 'Task file; empty for config/tasks.yaml.')
    actions_file: str = setting('', 'Action file; empty for config/actions.yaml.')
    person: str = setting('', 'Name of the person who speaks; empty for guests, until they introduce themselves.')
    language: str = setting('en', 'Language that Whisper expects (ISO 639-1); empty to detect it.')
    wake_word: str = setting('', 'Words that every command must begin with; empty for none.')
    device: str = setting('auto', 'Where Whisper runs: auto, cpu or cuda.')
    speech_probability: float = setting(
        0.5, 'Voice-activity probability at which a chunk of 32 ms counts as speech, 0 to 1.', least=0, most=1
    )
    start_s: float = setting(0.064, 'Duration of speech that begins an utterance, in s.', above=0, most=60)
    preroll_s: float = setting(0.4, 'Sound kept from before the beginning of an utterance, in s.', most=60)
    pause_s: float = setting(0.5, 'Silence that ends an utterance, in s.', above=0, most=60)
    longest_s: float = setting(12.0, 'Longest utterance, in s; longer speech is split.', above=0, most=60)
    act_confidence: float = setting(
        0.93, 'Confidence at which an utterance is passed on without asking, 0 to 1.', least=0, most=1
    )
    ask_confidence: float = setting(
        0.2, 'Confidence at which "did you mean" is asked; below it, nothing happens, 0 to 1.', least=0, most=1
    )
    answer_s: float = setting(12.0, 'Longest wait for an answer to "did you mean", in s.', above=0, most=600)
    attention_s: float = setting(
        60.0,
        'Time after a request that was passed on in which sure ones are not asked about, in s; 0: always asks.',
        most=3600,
    )
    transcription_timeout_s: float = setting(
        20.0, 'Time limit of one transcription, in s of wall time.', above=0, most=3600
    )
    load_timeout_s: float = setting(
        120.0, 'Time limit for loading a transcriber, in s of wall time.', above=0, most=3600
    )
    synthesis_timeout_s: float = setting(
        20.0, 'Time limit for synthesising one sentence, in s of wall time.', above=0, most=3600
    )
    answer_bytes: int = setting(
        MOST_ANSWER_BYTES,
        'Largest response, text or sound, read from a speech server, in decoded bytes.',
        least=1,
    )
    stop_probability: float = setting(
        0.93, 'Probability at which a stop word counts as heard, 0 to 1.', least=0, most=1
    )
    stop_pause_s: float = setting(
        1.0, 'Time after a stop word in which further ones are ignored, in s.', above=0, most=60
    )
    barge_in_s: float = setting(
        0.064,
        'Speech by others that silences the robot, in s; a chunk of probability 0.8 or more counts twice.',
        above=0,
        most=60,
    )
    echo_s: float = setting(0.25, 'Longest echo (delay and reverberation) that is cancelled, in s.', above=0, most=5)
    keep_audio_dir: str = setting(
        '', 'Folder in which each utterance is saved as WAV; empty to keep no audio.', live=True
    )

    @property
    def hears_only_commands(self) -> bool:
        """True where the transcriber knows only its grammar, so that it may take any talk for a command."""
        return self.transcriber == 'pocketsphinx'

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.ask_confidence > self.act_confidence:
            raise ValueError(
                f'ask_confidence must not be above act_confidence, got {self.ask_confidence} and {self.act_confidence}'
            )
