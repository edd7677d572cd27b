"""The threat model has a row for each part that can be attacked, and its counts are those of the parts."""

import re
from pathlib import Path

import pytest

from lucca_lab.attack.registry import PARTS, find_part

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'threat_model.md'
ROWS = {
    match[1]: [cell.strip() for cell in match[2].split('|')]
    for match in re.finditer(r'^\| `([a-z-]+)` \|(.*)\|$', PAGE.read_text(encoding='utf-8'), re.MULTILINE)
}


def test_each_part_has_a_row():
    assert set(ROWS) == set(PARTS)


@pytest.mark.parametrize('name', PARTS)
def test_a_row_says_how_many_the_part_tries_where_fewer_were_tried(name):
    pytest.importorskip('rclpy') if '.running.' in PARTS[name] else None
    _, tried, *_ = ROWS[name]
    if tried == '-':
        return
    few, _, all_of_them = (text.replace(',', '') for text in tried.partition(' of '))
    count = find_part(name).count
    assert int(all_of_them or few) == count if all_of_them else int(few) >= count
