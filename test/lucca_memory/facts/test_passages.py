"""Files as passages: every line is somewhere, and each passage says where."""

from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.facts.passages import LONGEST_WORDS, passages_of

GYM = """# The gym

Built in 1931.
Renovated until 2021.

## Rooms

The lab is room 2.202.

## Empty
"""


def test_paragraphs_have_their_headings_and_lines():
    found = [(p.place, p.heading, p.text) for p in passages_of('gym.md', GYM)]
    assert found == [
        ('gym.md:3-4', 'The gym', 'Built in 1931.\nRenovated until 2021.'),
        ('gym.md:8', 'The gym, Rooms', 'The lab is room 2.202.'),
        ('gym.md:10', '', 'Empty'),
    ]


def test_the_heading_is_searched_with_its_paragraphs():
    assert passages_of('gym.md', GYM)[1].searched == 'The gym, Rooms: The lab is room 2.202.'


def test_a_text_file_has_no_headings():
    (passage,) = passages_of('notes.txt', '# not a heading\nline two\r\n')
    assert (passage.heading, passage.text) == ('', '# not a heading\nline two')


def test_a_long_paragraph_is_split_at_line_ends():
    text = '\n'.join(f'word{number} ' * 50 for number in range(5))
    found = passages_of('a.txt', text)
    assert [(p.first_line, p.last_line) for p in found] == [(1, 2), (3, 4), (5, 5)]
    assert all(len(p.text.split()) <= LONGEST_WORDS for p in found)


def test_a_fenced_block_stays_whole():
    found = passages_of('a.md', 'before\n\n```\n# no heading\n\ncode\n```\n\nafter\n')
    assert [(p.first_line, p.last_line) for p in found] == [(1, 1), (3, 7), (9, 9)]


def test_an_empty_file_has_no_passage():
    assert passages_of('a.md', '') == passages_of('a.md', '\n \n\t\n') == ()


@given(st.text(alphabet='ab# \n\r`', max_size=200), st.sampled_from(['a.txt', 'a.md']))
def test_every_line_with_text_is_in_one_passage_at_its_place(text, name):
    lines = text.split('\n')
    covered = []
    for passage in passages_of(name, text):
        assert 1 <= passage.first_line <= passage.last_line <= len(lines)
        covered += range(passage.first_line, passage.last_line + 1)
    assert len(covered) == len(set(covered))
    if name == 'a.txt':
        assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(covered)


def test_a_passage_has_the_names_of_its_lowest_heading_and_what_it_is_also_called():
    wifi = '## Wi-Fi\nAlso called: WLAN, wireless network.\n\nThe password is on the router.\n'
    text = f'# House\n\n{wifi}\n## Attic\n\nIt is dry.\n'
    named = {passage.place: passage.names for passage in passages_of('house.md', text)}
    assert named == {
        'house.md:1': ('House',),
        'house.md:4': ('Wi-Fi', 'WLAN', 'wireless network'),
        'house.md:6': ('Wi-Fi', 'WLAN', 'wireless network'),
        'house.md:10': ('Attic',),
    }
    assert passages_of('house.txt', 'Also called: WLAN\n')[0].names == ()
