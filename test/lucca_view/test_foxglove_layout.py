"""Foxglove's layout names topics that there are, and every kind of event of a recording."""

import json
import re

from lucca_core.paths import config_dir
from lucca_view.events import KINDS
from lucca_view.recording.codec import TOPIC

NEVER_RECORDED = {'memory', 'prohibitions'}
LAYOUT = json.loads((config_dir() / 'foxglove.json').read_text(encoding='utf-8'))


def topics(value):
    """Every topic in a layout: what stands first in a path such as /topic.field[0]."""
    if isinstance(value, dict):
        return {topic for item in value.values() for topic in topics(item)}
    if isinstance(value, list):
        return {topic for item in value for topic in topics(item)}
    return set(re.findall(r'^/[a-z_/]+', value)) if isinstance(value, str) else set()


def documented():
    page = (config_dir().parent / 'docs' / 'interfaces.md').read_text(encoding='utf-8')
    return {f'/{name}' for name in re.findall(r'`([a-z_/]+)`', page)}


def places(layout):
    """The panels that a layout places."""
    if isinstance(layout, str):
        inner = LAYOUT['configById'][layout].get('tabs', ())
        return {layout}.union(*(places(tab['layout']) for tab in inner))
    return places(layout['first']) | places(layout['second'])


def test_every_kind_of_event_has_a_panel():
    recorded = {topic.removeprefix(TOPIC) for topic in topics(LAYOUT) if topic.startswith(TOPIC)}
    assert recorded == set(KINDS) - NEVER_RECORDED


def test_every_other_topic_is_one_of_the_stack():
    live = {topic for topic in topics(LAYOUT) if not topic.startswith(TOPIC)}
    assert live
    assert live - documented() == set()


def test_every_panel_is_somewhere_and_nothing_else_is():
    assert places(LAYOUT['layout']) == set(LAYOUT['configById'])
