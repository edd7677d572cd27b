"""Which stop words of a transcript were published when they were said."""

import numpy as np
import pytest

from speech_node.hearing.spotted_stops import SpottedStops
from speech_node.interfaces import UtteranceAudio

SAID = UtteranceAudio(np.zeros(16_000, np.int16), 10.0, 12.0)


@pytest.mark.parametrize(
    ('spotted_s', 'text', 'covered'),
    [
        ((), 'Stop.', False),
        ((11.0,), 'Stop.', True),
        ((10.5,), 'stop the robot', True),
        ((12.2,), 'Stop.', True),
        ((9.9,), 'Stop.', False),
        ((13.0,), 'Stop.', False),
        ((11.0,), 'Stop. Stop.', False),
        ((10.5, 11.9), 'Stop. Stop.', True),
        ((5.0, 11.0, 20.0), 'halt, stop', False),
    ],
)
def test_a_transcript_is_covered_by_as_many_spotted_stops_in_its_utterance(spotted_s, text, covered):
    stops = SpottedStops()
    for time_s in spotted_s:
        stops.add(time_s)
    assert stops.cover(SAID, text) is covered


def test_only_the_last_ones_are_kept():
    stops = SpottedStops()
    for number in range(10_000):
        stops.add(float(number))
    assert len(stops._times_s) == 50


def test_a_spotted_stop_covers_one_utterance_only():
    stops = SpottedStops()
    stops.add(12.3)
    assert stops.cover(SAID, 'Stop.')
    assert not stops.cover(UtteranceAudio(np.zeros(16_000, np.int16), 12.1, 13.0), 'Stop.')
