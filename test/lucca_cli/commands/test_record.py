"""What a recording writes before it ends."""

import queue

from lucca_cli.commands.record import _pump


def test_events_that_arrived_before_the_time_was_up_are_written():
    events, written = queue.Queue(), []
    for number in range(3):
        events.put(number)

    def write(event):
        written.append(event)
        if event == 0:
            events.put(3)  # a source goes on until it is closed

    assert _pump(events, write, lambda: None, lambda: None, 1e-9) == 3
    assert written == [0, 1, 2]  # not what goes on arriving: it would never end
