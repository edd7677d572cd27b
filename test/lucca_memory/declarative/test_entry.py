"""An entry's text gives the entry back, whatever stands in its fields."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.snapshots import Container, Pose, Snapshot, TableObject
from lucca_memory.declarative.entry import Entry, SeenObject, entry_from_text, entry_to_text, table_of, text_for_model
from lucca_memory.declarative.escaping import escape_line, escape_word, join_words, split_words, unescape

NASTY = [
    'none',
    '',
    ' ',
    'a, b',
    'x\nCheck: 00000000\n',
    'In box 1: pear',
    '\\',
    '\\n',
    ' = (',
    ') in ',
    '\ud800',
    '🍐',
    '\x85',
]
texts = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=()), max_size=20))
numbers = st.integers(0, 10**9)
coordinates = st.floats(-1e6, 1e6)
seen_objects = st.builds(
    SeenObject,
    object_id=texts,
    name=texts,
    label=texts,
    container=texts,
    position_m=st.tuples(coordinates, coordinates, coordinates),
)
entries = st.builds(
    Entry,
    kind=st.sampled_from(EntryKind),
    entry_id=numbers,
    time=st.datetimes(datetime(1000, 1, 1), timezones=st.just(UTC)),
    action=texts,
    object_id=texts,
    object_name=texts,
    intent_id=numbers,
    code=texts,
    uncertain=st.booleans(),
    attempts=numbers,
    duration_s=st.floats(0, 1e9),
    contents=st.lists(st.tuples(texts, st.lists(texts, max_size=3).map(tuple)), max_size=3).map(tuple),
    on_table=st.lists(texts, max_size=3).map(tuple),
    seen=st.lists(seen_objects, max_size=3).map(tuple),
    known_as=st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
    pointed_at=st.none() | st.lists(texts, max_size=3).map(tuple),
    left=st.none() | st.lists(texts, max_size=3).map(tuple),
    note=texts,
)


@given(entries)
def test_the_text_of_any_entry_gives_the_entry_back(entry: Entry) -> None:
    assert entry_from_text(entry_to_text(entry)) == entry


@given(entries)
def test_no_value_can_look_like_a_check_line_or_another_line(entry: Entry) -> None:
    lines = entry_to_text(entry).split('\n')[1:-1]
    assert not any(line.startswith(('Check', 'Entry')) for line in lines)
    assert all(line.isprintable() for line in lines)


@given(texts)
def test_escaping_is_undone(text: str) -> None:
    assert unescape(escape_line(text)) == text
    assert unescape(escape_word(text)) == text


@given(st.lists(texts))
@example(['none'])
@example([''])
def test_lists_of_any_words_are_read_back(words: list[str]) -> None:
    assert split_words(join_words(words)) == tuple(words)


@pytest.mark.parametrize('text', ['\\', 'a\\', '\\x', '\\Uffffffff'])
def test_an_unknown_escape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r'escape|character'):
        unescape(text)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'line 1 of the entry: expected "Entry NUMBER"'),
        ('Entry x\n', 'line 1 of the entry: expected "Entry NUMBER"'),
        ('Entry 1\nKind\n', 'line 2 of the entry: expected "KEY: VALUE"'),
        ('Entry 1\nKind: party\n', "'party' is not a valid EntryKind"),
        ('Entry 1\nKind: intent\nKind: intent\n', 'given twice'),
        ('Entry 1\nMood: good\n', "'Mood' is not a field"),
        ('Entry 1\n', 'has no kind'),
        ('Entry 1\nKind: intent\nUncertain: no\n', 'uncertain reads yes'),
        ('Entry 1\nKind: intent\nSeen: pear\n', 'ID = NAME'),
        ('Entry 1\nKind: intent\nKnown as: pear\n', 'ID = ID'),
        ('Entry 1\nKind: intent\nDuration: nan s\n', 'duration_s must be finite'),
    ],
)
def test_text_that_is_no_entry_is_refused_with_the_line(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        entry_from_text(text)


def test_values_that_no_entry_can_have_are_refused() -> None:
    with pytest.raises(ValueError, match='zone'):
        Entry(kind=EntryKind.STARTED, time=datetime(2026, 1, 1))
    with pytest.raises(ValueError, match='negative'):
        Entry(kind=EntryKind.STARTED, attempts=-1)
    with pytest.raises(ValueError, match='finite'):
        SeenObject(object_id='a', name='a', label='a', position_m=(float('nan'), 0.0, 0.0))


def test_an_entry_reads_like_this() -> None:
    contents, on_table, seen = table_of(
        Snapshot(
            objects=(
                TableObject(object_id='o7', name='pear', label='pear', container='box 1'),
                TableObject(object_id='o8', name='red cube', label='cube', pose_world=Pose((0.41199, -0.2, 0.82))),
            ),
            containers=(Container(name='box 1', contents=('pear',)), Container(name='box 2')),
        )
    )
    entry = Entry(
        kind=EntryKind.OUTCOME,
        entry_id=3,
        time=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
        action='<move_to_box_1(pear)>',
        object_id='o7',
        object_name='pear',
        intent_id=2,
        code='done',
        attempts=1,
        duration_s=6.25,
        contents=contents,
        on_table=on_table,
        seen=seen,
        note='first line\nsecond: line',
    )
    assert entry_to_text(entry) == (
        'Entry 3\n'
        'Time: 2026-03-04T05:06:07.000000Z\n'
        'Kind: outcome\n'
        'Action: <move_to_box_1(pear)>\n'
        'Object: pear\n'
        'Object id: o7\n'
        'Intent: 2\n'
        'Code: done\n'
        'Attempts: 1\n'
        'Duration: 6.25 s\n'
        'In box 1: pear\n'
        'In box 2: none\n'
        'Objects on the table: red cube\n'
        'Seen: o7 = pear (pear) in box 1 at 0.0 0.0 0.0; o8 = red cube (cube) in table at 0.412 -0.2 0.82\n'
        'Note: first line\\nsecond: line\n'
    )
    assert text_for_model([entry]) == (
        'Entry 3\n'
        'Kind: outcome\n'
        'Action: <move_to_box_1(pear)>\n'
        'Object: pear\n'
        'Code: done\n'
        'In box 1: pear\n'
        'In box 2: none\n'
        'Objects on the table: red cube\n'
        'Note: first line\\nsecond: line\n'
    )


def test_entries_of_one_log_share_their_names() -> None:
    first, second = (
        table_of(Snapshot(objects=(TableObject(object_id=f'o{7}', name=' '.join(('red', 'cube')), label='cube'),)))[2][
            0
        ]
        for _ in range(2)
    )
    assert first.name is second.name
    assert first.object_id is second.object_id
