"""What a page is fed with: only what is looked at, and nothing is asked twice for the same."""

from types import SimpleNamespace

import pytest

pytest.importorskip('mcap')

import recorded_session as session

from lucca_cli.stack_feed import StackFeed
from lucca_view.web.sources import LiveSource

pytestmark = pytest.mark.ros


class Events:
    """Stands in for the subscriptions to a stack."""

    def __init__(self):
        self.watched, self.asked, self.prohibitions_asked = [], 0, 0

    def watch(self, wanted):
        self.watched.append(set(wanted))

    def ask_tasks(self):
        self.asked += 1

    def ask_prohibitions(self):
        self.prohibitions_asked += 1

    def close(self):
        self.watched.append('closed')


@pytest.fixture
def fed(tmp_path):
    events, live = Events(), LiveSource()
    return SimpleNamespace(events=events, live=live, feed=StackFeed(events, live, tmp_path))


def test_joints_and_pictures_are_heard_while_they_are_looked_at(fed):
    for number, panels in enumerate(({'scene', 'camera', 'log'}, {'camera'}, set())):
        fed.live.look(frozenset(panels))
        fed.feed.round(float(number))
    assert fed.events.watched == [{'joints', 'pictures'}, {'pictures'}, set()]


def test_the_tasks_are_asked_for_when_something_was_told_and_at_most_once_a_second(fed):
    fed.live.look(frozenset({'tasks'}))
    fed.feed.round(0.0)
    fed.feed.round(5.0)
    assert fed.events.asked == 1
    for event in session.events((session.news(),)):
        fed.live.take(event)
    for now_s in (5.1, 5.2, 6.2, 6.3, 7.4):
        fed.feed.round(now_s)
    assert fed.events.asked == 2
    fed.feed.round(16.5)
    assert fed.events.asked == 3


def test_the_prohibitions_are_asked_for_while_they_are_looked_at(fed):
    fed.live.look(frozenset({'prohibitions'}))
    for now_s in (0.0, 5.0, 10.5, 11.0):
        fed.feed.round(now_s)
    assert (fed.events.prohibitions_asked, fed.events.asked) == (2, 0)
    for event in session.events((session.news(),)):
        fed.live.take(event)
    fed.feed.round(12.0)
    assert fed.events.prohibitions_asked == 3


def test_nothing_is_asked_for_that_nobody_looks_at(fed):
    fed.feed.round(100.0)
    assert fed.events.asked == 0
    assert not fed.live.view().memory.nodes


def test_it_ends_with_the_subscriptions(fed):
    fed.feed.start()
    fed.feed.close()
    assert fed.events.watched[-1] == 'closed'
