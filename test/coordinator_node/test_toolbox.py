"""How memories stand in a prompt, and which of them can be named to be forgotten."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from coordinator_node.talk.toolbox import Noted
from lucca_core.protocol.remembered import Recollection

SAID = Recollection(
    kind='said', item_id='said:1', text='My flat is in Bonn.', source='Ada, 2026-11-01 10:00', speaker='Ada'
)
OVER = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ('memory', 'line'),
    [
        (SAID, 'm1 (said; Ada, 2026-11-01 10:00): My flat is in Bonn.'),
        (
            replace(SAID, valid_to=OVER),
            'm1 (said; Ada, 2026-11-01 10:00; no longer true since 2026-11-20): My flat is in Bonn.',
        ),
        (
            replace(SAID, valid_to=OVER, partly=True),
            'm1 (said; Ada, 2026-11-01 10:00; partly no longer true since 2026-11-20): My flat is in Bonn.',
        ),
        (
            replace(SAID, newer=OVER),
            'm1 (said; Ada, 2026-11-01 10:00; something newer was said on 2026-11-20): My flat is in Bonn.',
        ),
    ],
)
def test_a_memory_that_no_longer_holds_is_marked(memory: Recollection, line: str) -> None:
    assert Noted().line(memory) == line
