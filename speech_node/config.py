"""Settings of the speech node."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting
from lucca_llm.model import MOST_ANSWER_BYTES

TRANSCRIBERS = 'pocketsphinx (a grammar of commands), faster-whisper:MODEL, transformers:MODEL or openai:MODEL@URL'
SPEAKERS = 'espeak-ng, espeak-ng:VOICE, piper:VOICE_FILE, openai:MODEL@URL or none'


@dataclass(frozen=True, kw_only=True)
class SpeechConfig:
    """Settings of the speech node; the only home of their defaults."""

    source: str = setting(
        'microphone', 'Where sound comes from: microphone, microphone:NAME, wav:FILE, topic (speech/audio_in) or none.'
    )
    transcriber: str = setting('pocketsphinx', f'{TRANSCRIBERS}.')
    speaker: str = setting('espeak-ng', f'{SPEAKERS}.')
    player: str = setting('device', 'Where speech goes: device, device:NAME, topic (speech/audio_out) or none.')
    activity: str = setting('silero', 'Voice activity: silero (a model) or energy (the level alone).')
    commands_file: str = setting('', 'How commands are said; empty for config/speech.yaml.')
    tasks_file: str = setting('', 'File of the tasks; empty for config/tasks.yaml.')
    actions_file: str = setting('', 'File of the actions; empty for config/actions.yaml.')
    person: str = setting('', 'Who speaks here; empty: guests, until they introduce themselves.')
    language: str = setting('en', 'Language that Whisper is told to expect; empty: it finds out.')
    wake_word: str = setting('', 'Words that an utterance has to begin with to be listened to; empty: none.')
    device: str = setting('auto', 'Where Whisper runs: auto, cpu or cuda.')
    speech_probability: float = setting(
        0.5, 'Voice activity from which on a chunk of 32 ms counts as speech, 0 to 1.', least=0, most=1
    )
    start_s: float = setting(0.064, 'Speech needed for an utterance to begin, in s.', above=0, most=60)
    preroll_s: float = setting(0.4, 'Sound before its beginning that belongs to an utterance, in s.', most=60)
    pause_s: float = setting(0.5, 'Silence that ends an utterance, in s.', above=0, most=60)
    longest_s: float = setting(12.0, 'Longest utterance, in s; what comes after it is another.', above=0, most=60)
    act_confidence: float = setting(
        0.93, 'Confidence from which on something heard is passed on, 0 to 1.', least=0, most=1
    )
    ask_confidence: float = setting(
        0.2, 'Confidence from which on "did you mean" is asked; below it, nothing, 0 to 1.', least=0, most=1
    )
    answer_s: float = setting(12.0, 'Longest wait for the answer to such a question, in s.', above=0, most=600)
    transcription_timeout_s: float = setting(
        20.0, 'Longest time for one transcription, in s of wall time.', above=0, most=3600
    )
    load_timeout_s: float = setting(
        120.0, 'Longest time for loading a transcriber, in s of wall time.', above=0, most=3600
    )
    synthesis_timeout_s: float = setting(
        20.0, 'Longest time for the speech of one sentence, in s of wall time.', above=0, most=3600
    )
    answer_bytes: int = setting(
        MOST_ANSWER_BYTES,
        'Longest answer, text or sound, that is read from a speech server, in decoded bytes.',
        least=1,
    )
    stop_probability: float = setting(0.7, 'Probability from which on a stop word was heard, 0 to 1.', least=0, most=1)
    stop_pause_s: float = setting(1.0, 'How long no other stop word is listened for after one, in s.', above=0, most=60)
    barge_in_s: float = setting(
        0.064,
        'Speech of others that makes the robot fall silent, in s; a chunk of probability 0.8 or more counts twice.',
        above=0,
        most=60,
    )
    echo_s: float = setting(
        0.25, 'Longest delay and reverberation that echo cancellation removes, in s.', above=0, most=5
    )
    keep_audio_dir: str = setting(
        '', 'Folder that keeps each utterance as WAV; empty: no audio is kept anywhere.', live=True
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.ask_confidence > self.act_confidence:
            raise ValueError(
                f'ask_confidence must not be above act_confidence, got {self.ask_confidence} and {self.act_confidence}'
            )
