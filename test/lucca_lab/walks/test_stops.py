"""The stops of a walk through a small house: what hands the value on counts, and what only looks at it does not."""

import importlib.util
import sys
import threading

import pytest

from lucca_lab.walks.call_tracer import COMMAND, CallTracer, Followed, Form
from lucca_lab.walks.measure import conversions_by_snapshot, count
from lucca_lab.walks.stops import stop_of, stops

FOLLOWED = Followed(words='sort the objects', task='sorting', action='move(pear)', label='pear')

ROS = """
class Publisher:
    def publish(self, msg):
        pass
"""

HOUSE = '''
import threading
from dataclasses import dataclass


@dataclass
class Goal:
    text: str


def heard(publisher, words):
    """Hears.

    The docstring is not counted.
    """
    log(words)
    Desk(publisher).give(Goal(words))


def log(words):
    return len(words)


class Desk:
    def __init__(self, publisher):
        self._publisher = publisher

    def give(self, goal):
        thread = threading.Thread(target=lambda: serve(self._publisher, goal))
        thread.start()
        thread.join()


def serve(publisher, goal):
    Run(publisher, goal).run()


class Run:
    def __init__(self, publisher, goal):
        self._publisher = publisher
        self._goal = goal

    def run(self):
        call = asked(self._goal.text)
        check(call)
        publish(self._publisher, call)


def asked(text):
    return 'move(pear)'


def check(call):
    return bool(call)


def publish(publisher, call):
    publisher.publish(call)
'''

SNAPSHOTS = """
def to_msg(item):
    return item


def snapshot_to_msg(value):
    return [to_msg(value)]



def snapshot_from_msg(msg):
    return msg[0]


def look(snapshot):
    message = snapshot_to_msg(snapshot)
    snapshot_from_msg(message)
    snapshot_from_msg(message)
"""


@pytest.fixture
def traced(tmp_path):
    """Runs a function of a house in a traced thread; returns the tracer."""

    def load(name, text, folder):
        folder.mkdir(exist_ok=True)
        file = folder / f'{name}.py'
        file.write_text(text, encoding='utf-8')
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    def run(text, start):
        ros = load('walked_ros', ROS, tmp_path / 'ros')
        house = load('walked_house', text, tmp_path / 'house')
        tracer = CallTracer(tmp_path / 'house', FOLLOWED, [('Publisher.publish', Form.CALL)])

        def work():
            tracer.install()
            try:
                start(house, ros)
            finally:
                tracer.remove()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return tracer

    yield run
    for name in ('walked_ros', 'walked_house'):
        sys.modules.pop(name, None)


def said(house, ros):
    house.heard(ros.Publisher(), 'Sort the objects, please.')


def names(tracer):
    found = stops(list(tracer.calls.values()), COMMAND, 'Publisher.publish', Form.CALL)
    return [call.function.partition(':')[2] for call in found]


def test_what_hands_the_value_on_is_a_stop_across_threads_and_forms(traced):
    assert names(traced(HOUSE, said)) == ['heard', 'Desk.give', 'serve', 'Run.run', 'asked', 'publish']


def test_an_extra_hop_is_found(traced):
    text = HOUSE.replace('Desk(publisher).give(Goal(words))', 'hop(publisher, Goal(words))')
    text += '\n\ndef hop(publisher, goal):\n    Desk(publisher).give(goal)\n'
    assert names(traced(text, said)) == ['heard', 'hop', 'Desk.give', 'serve', 'Run.run', 'asked', 'publish']


def test_a_converter_whose_result_goes_on_is_a_stop(traced):
    text = HOUSE.replace('        publish(self._publisher, call)', '        publish(self._publisher, converted(call))')
    text += '\n\ndef converted(call):\n    return [call]\n'
    assert names(traced(text, said))[-2:] == ['converted', 'publish']


def test_an_object_that_keeps_the_value_and_gives_it_back_is_two_stops(traced):
    text = HOUSE.replace('Desk(publisher).give(Goal(words))', 'through_a_queue(publisher, Goal(words))')
    text += """

class Queue:
    def add(self, goal):
        self._goal = goal

    def next(self):
        return self._goal


def through_a_queue(publisher, goal):
    queue = Queue()
    queue.add(goal)
    Desk(publisher).give(queue.next())
"""
    assert names(traced(text, said))[:4] == ['heard', 'through_a_queue', 'Queue.add', 'Queue.next']


def test_the_lines_of_a_function_are_counted_without_its_docstring(traced):
    tracer = traced(HOUSE, said)
    calls = stops(list(tracer.calls.values()), COMMAND, 'Publisher.publish', Form.CALL)
    found = [stop_of(call, tracer.calls) for call in calls]
    assert [stop.lines for stop in found] == [3, 4, 2, 4, 2, 2]
    assert [stop.entered for stop in found] == [True, False, False, False, False, False]


def test_nothing_is_on_the_way_if_the_value_does_not_leave(traced):
    assert names(traced(HOUSE.replace("return 'move(pear)'", "return 'point(pear)'"), said)) == []


def converted(text, traced):
    tracer = traced(text, lambda house, _: house.look(Seen()))
    snapshots = conversions_by_snapshot(tracer.conversions)
    return count(snapshots, encoding=True), count(snapshots, encoding=False)


class Seen:
    """A snapshot, as far as a tracer looks at it."""

    stamp_s = 1.5


def test_conversions_of_a_snapshot_are_counted(traced):
    assert converted(SNAPSHOTS, traced) == (1, 2)


def test_an_extra_encoding_is_found(traced):
    assert converted(SNAPSHOTS + '    snapshot_to_msg(snapshot)\n', traced) == (2, 2)


def test_a_message_that_is_passed_on_as_it_arrived_is_no_encoding(traced):
    text = SNAPSHOTS.replace('return [to_msg(value)]', 'return [value]')
    assert converted(text, traced) == (0, 2)


def test_the_text_of_an_entry_is_an_encoding_but_not_that_for_a_model(traced):
    text = f"{SNAPSHOTS}    entry_to_text('entry')\n    entry_to_text('entry', without=('Time',))\n"
    text += '\n\ndef entry_to_text(entry, without=()):\n    return [entry]\n'
    assert converted(text, traced) == (2, 2)
