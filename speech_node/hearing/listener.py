"""The hearing pipeline for each chunk: echo cancellation, stop word, voice activity, segmentation and barge-in."""

from dataclasses import dataclass

from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK, CHUNK_S
from speech_node.config import SpeechConfig
from speech_node.hearing.echo_cancellation import CleanedChunk, EchoCanceller
from speech_node.hearing.utterance_segmenter import UtteranceSegmenter
from speech_node.interfaces import Chunk, Player, StopSpotter, UtteranceAudio, VoiceActivity


@dataclass(frozen=True, slots=True)
class StopHeard:
    """A stop word was heard. `end_s`: monotonic end of the chunk in which it was detected."""

    end_s: float
    probability: float


@dataclass(frozen=True, slots=True)
class BargeIn:
    """Somebody began to speak while the robot was speaking."""

    start_s: float


_SURE = 0.8
"""Probability at which a chunk of speech counts twice towards a barge-in."""

Event = StopHeard | BargeIn | UtteranceAudio


class Listener:
    """Processes the sound chunk by chunk, without ever blocking.

    Args:
        spotter: None to ignore stop words.
        player: plays the robot's voice, the reference of echo cancellation; None when the robot is mute.
    """

    def __init__(
        self, config: SpeechConfig, activity: VoiceActivity, spotter: StopSpotter | None, player: Player | None
    ) -> None:
        self._config = config
        self._activity = activity
        self._spotter = spotter
        self._player = player
        self._canceller = EchoCanceller(config.echo_s)
        self._segmenter = UtteranceSegmenter(config)
        self._loud_s = self._sure_s = 0.0
        self._barged_in = False
        self._deaf_until_s = 0.0

    def hear(self, chunk: Chunk) -> list[Event]:
        """Processes a chunk and returns its events, in the order in which to act on them."""
        cleaned = self._without_echo(chunk)
        samples, own = cleaned.samples, cleaned.own
        events: list[Event] = []
        # The stop word comes first, before the slower models.
        stopped = self._stop(samples, own, chunk)
        events += stopped
        # Voice activity runs on every chunk, because its model keeps a state.
        probability = self._activity.probability(cleaned.others)
        if own:
            probability = 0.0
        loud = probability >= self._config.speech_probability
        self._loud_s = self._loud_s + CHUNK_S if loud else 0.0
        self._sure_s = self._sure_s + (2 if probability >= _SURE else 1) * CHUNK_S if loud else 0.0
        ended = self._segmenter.add(Chunk(samples, chunk.end_s), probability)
        if ended is not None:
            events.append(ended)
        events += self._barge_in(chunk)
        return events

    def flush(self) -> list[Event]:
        """Ends the utterance in progress, at the end of the sound."""
        segment = self._segmenter.flush()
        return [segment] if segment is not None else []

    def _without_echo(self, chunk: Chunk) -> CleanedChunk:
        if self._player is None:
            return CleanedChunk(chunk.samples, own=False, others=chunk.samples)
        return self._canceller.clean(chunk.samples, self._player.reference(chunk.start_s, CHUNK))

    def _stop(self, samples: Samples, own: bool, chunk: Chunk) -> list[Event]:
        if self._spotter is None:
            return []
        probability = self._spotter.hear(samples)
        if own or probability < self._config.stop_probability or chunk.end_s < self._deaf_until_s:
            return []
        # One word is one stop, not one per chunk that contains a part of it.
        self._deaf_until_s = chunk.end_s + self._config.stop_pause_s
        return [StopHeard(chunk.end_s, probability)]

    def _barge_in(self, chunk: Chunk) -> list[Event]:
        if self._player is None or not self._player.playing:
            self._barged_in = False
            return []
        if self._barged_in or self._sure_s < self._config.barge_in_s - 1e-9:
            return []
        self._barged_in = True
        return [BargeIn(chunk.end_s - self._loud_s)]
