"""Settings of the speech node."""

from dataclasses import dataclass

from lucca_core.settings import setting

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
    speech_probability: float = setting(0.5, 'Voice activity from which on a chunk of 32 ms counts as speech, 0 to 1.')
    start_s: float = setting(0.064, 'Speech needed for an utterance to begin, in s.')
    preroll_s: float = setting(0.4, 'Sound before its beginning that belongs to an utterance, in s.')
    pause_s: float = setting(0.5, 'Silence that ends an utterance, in s.')
    longest_s: float = setting(12.0, 'Longest utterance, in s; what comes after it is another.')
    act_confidence: float = setting(0.93, 'Confidence from which on something heard is passed on, 0 to 1.')
    ask_confidence: float = setting(0.2, 'Confidence from which on "did you mean" is asked; below it, nothing, 0 to 1.')
    answer_s: float = setting(12.0, 'Longest wait for the answer to such a question, in s.')
    transcription_timeout_s: float = setting(20.0, 'Longest time for one transcription, in s of wall time.')
    load_timeout_s: float = setting(120.0, 'Longest time for loading a transcriber, in s of wall time.')
    synthesis_timeout_s: float = setting(20.0, 'Longest time for the speech of one sentence, in s of wall time.')
    answer_bytes: int = setting(
        4_000_000, 'Longest answer, text or sound, that is read from a speech server, in decoded bytes.'
    )
    stop_probability: float = setting(0.7, 'Probability from which on a stop word was heard, 0 to 1.')
    stop_pause_s: float = setting(1.0, 'How long no other stop word is listened for after one, in s.')
    barge_in_s: float = setting(
        0.064,
        'Speech of others that makes the robot fall silent, in s; a chunk of probability 0.8 or more counts twice.',
    )
    echo_s: float = setting(0.25, 'Longest delay and reverberation that echo cancellation removes, in s.')
    keep_audio_dir: str = setting('', 'Folder that keeps each utterance as WAV; empty: no audio is kept anywhere.')

    def __post_init__(self) -> None:
        for name in (
            'start_s',
            'pause_s',
            'longest_s',
            'answer_s',
            'transcription_timeout_s',
            'load_timeout_s',
            'synthesis_timeout_s',
            'stop_pause_s',
            'barge_in_s',
            'echo_s',
        ):
            if not getattr(self, name) > 0:
                raise ValueError(f'{name} must be positive, got {getattr(self, name)}')
        for name in ('speech_probability', 'act_confidence', 'ask_confidence', 'stop_probability'):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f'{name} must be from 0 to 1, got {getattr(self, name)}')
        if self.answer_bytes < 1:
            raise ValueError(f'answer_bytes must be at least 1, got {self.answer_bytes}')
        if self.preroll_s < 0:
            raise ValueError(f'preroll_s must not be negative, got {self.preroll_s}')
        if self.ask_confidence > self.act_confidence:
            raise ValueError(
                f'ask_confidence must not be above act_confidence, got {self.ask_confidence} and {self.act_confidence}'
            )
