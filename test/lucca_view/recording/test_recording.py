"""A recording holds the session, whole or to where it is cut, and never a key; it is cut by size and rewritten."""

import json
import random
import re

import pytest

pytest.importorskip('mcap')

import recorded_session as session
from mcap.reader import make_reader

from lucca_core.errors import RecordingError
from lucca_view.events import KINDS, STATES, JointsSeen, SessionInfo
from lucca_view.recording.codec import from_json, schema_of, to_json
from lucca_view.recording.forgetting import forget_person
from lucca_view.recording.places import note_place, recordings_folder
from lucca_view.recording.reader import read_session
from lucca_view.recording.redaction import Redaction

KEY = 'planted-9f3c1a7be2'


@pytest.mark.parametrize('value', session.values(), ids=lambda value: value.KIND)
def test_what_is_recorded_is_read_back_as_it_was(value):
    assert from_json(value.KIND, json.dumps(to_json(value))) == value


@pytest.mark.parametrize('number', ['NaN', 'Infinity', '-Infinity', '1e999', '"nan"', '"inf"'])
def test_a_number_that_is_not_finite_is_damage(number):
    text = json.dumps(to_json(JointsSeen(positions={'elbow': 0.25})))
    assert from_json('joints', text) == JointsSeen(positions={'elbow': 0.25})
    with pytest.raises(RecordingError, match='not a joints event'):
        from_json('joints', text.replace('0.25', number))


def test_a_recording_is_read_up_to_a_number_that_is_not_finite(tmp_path):
    told = (*session.values(), JointsSeen(positions={'elbow': float('nan')}), *session.values())
    session.write(tmp_path / 's.mcap', session.events(told))
    read = read_session(tmp_path / 's.mcap')
    assert [event.value for event in read.events] == [session.INFO, *session.values()]
    assert 'not a joints event' in read.cut


def test_a_session_is_read_back_event_by_event(tmp_path):
    session.write(tmp_path / 's.mcap')
    read = read_session(tmp_path / 's.mcap')
    assert read.cut == ''
    assert [event.value for event in read.events] == [session.INFO, *session.values()]


def test_the_formats_own_reader_finds_a_schema_for_every_message(tmp_path):
    session.write(tmp_path / 's.mcap')
    with (tmp_path / 's.mcap').open('rb') as stream:
        found = list(make_reader(stream).iter_messages())
    assert len(found) == len(session.values()) + 1
    for schema, channel, message in found:
        assert schema is not None
        assert schema.encoding == 'jsonschema'
        assert json.loads(schema.data)['type'] == 'object'
        assert channel.message_encoding == 'json'
        assert isinstance(json.loads(message.data), dict)


@pytest.mark.parametrize('kind', KINDS)
def test_every_kind_of_event_has_a_schema(kind):
    assert json.loads(schema_of(kind))['title'] == KINDS[kind].__name__


def test_a_file_cut_anywhere_is_read_to_the_cut_or_refused_with_a_reason(tmp_path):
    session.write(tmp_path / 's.mcap')
    whole = (tmp_path / 's.mcap').read_bytes()
    full = [event.value for event in read_session(tmp_path / 's.mcap').events]
    cut_file = tmp_path / 'cut.mcap'
    for at in random.Random(7).sample(range(len(whole)), 100):
        cut_file.write_bytes(whole[:at])
        try:
            read = read_session(cut_file)
        except RecordingError as error:
            assert len(str(error)) > len(str(cut_file)) + 20  # noqa: PT017 - either of the two is right
            continue
        assert [event.value for event in read.events] == full[: len(read.events)]
        assert read.cut or len(read.events) == len(full)


def test_a_changed_byte_is_no_crash_and_no_silent_lie(tmp_path):
    session.write(tmp_path / 's.mcap')
    whole = bytearray((tmp_path / 's.mcap').read_bytes())
    full = [event.value for event in read_session(tmp_path / 's.mcap').events]
    rng = random.Random(11)
    for _ in range(100):
        at = rng.randrange(len(whole))
        changed = bytearray(whole)
        changed[at] ^= 1 << rng.randrange(8)
        (tmp_path / 'changed.mcap').write_bytes(changed)
        try:
            read = read_session(tmp_path / 'changed.mcap')
        except RecordingError:
            continue
        assert all(event.value in full for event in read.events)


@pytest.mark.parametrize('content', [b'', b'no recording', b'\x89MCAP0\r\n', bytes(range(256)) * 40])
def test_what_is_no_recording_is_refused(tmp_path, content):
    (tmp_path / 'x.mcap').write_bytes(content)
    with pytest.raises(RecordingError, match=re.escape(str(tmp_path / 'x.mcap'))):
        read_session(tmp_path / 'x.mcap')


def test_no_key_of_the_environment_and_nothing_that_looks_like_one_is_written(tmp_path):
    planted = [
        KEY,
        'sk-abcdefghijklmnop1234',
        'hf_abcdefghijklmnopqrst',
        'ghp_abcdefghijklmnopqrstuvwx',
        'AKIAABCDEFGHIJKLMNOP',
        'token=Zm9vYmFyYmF6cXV4',
    ]
    said = ' and '.join(planted)
    shown = (session.exchange(said, said), session.decision('malformed', said), session.news(text=said))
    redaction = Redaction({'OPENAI_API_KEY': KEY, 'HOME': '/home/somebody'})
    session.write(tmp_path / 's.mcap', session.events(shown), redaction)
    texts = json.dumps([to_json(event.value) for event in read_session(tmp_path / 's.mcap').events])
    assert not [key for key in planted if key in texts]
    assert 'Zm9vYmFyYmF6cXV4' not in texts
    assert '[key]' in texts
    assert ' and ' in texts


def test_each_part_can_be_drawn_by_itself_and_all_keep_the_budget(tmp_path):
    rng = random.Random(3)
    many = tuple(JointsSeen(positions={f'joint {n}': rng.random() for n in range(200)}) for _ in range(600))
    shown = session.events((*session.values(), *many))
    session.write(tmp_path / 's.mcap', shown, part_bytes=200_000, budget_bytes=700_000)
    parts = sorted(tmp_path.glob('*.mcap'))
    assert 2 <= len(parts) <= 4
    assert sum(part.stat().st_size for part in parts) < 900_000
    for part in parts:
        kinds = [event.value.KIND for event in read_session(part).events]
        assert kinds[0] == SessionInfo.KIND
        assert set(kinds) >= STATES - {'picture'}


def test_an_existing_file_is_not_overwritten(tmp_path):
    (tmp_path / 's.mcap').write_text('mine')
    with pytest.raises(RecordingError, match='exists'):
        session.write(tmp_path / 's.mcap')
    assert (tmp_path / 's.mcap').read_text() == 'mine'


def test_who_is_forgotten_is_in_no_recording_of_the_data_folder_any_more(tmp_path):
    inside, outside = recordings_folder(tmp_path) / 's.mcap', tmp_path / 'elsewhere' / 's.mcap'
    line = 'I keep bees in Toulouse'
    shown = session.events(
        (
            *session.values(),
            session.news('g2', person='Anna', text='what do I keep?'),
            session.exchange(f'Person: {line}', 'You keep bees.'),
            session.MemoryMisread(task='sorting', misread=('it said the honey of Toulouse',)),
            session.news('g2', person='Anna', text='what do I keep?', result=session.values()[-1].result),
            session.exchange(f'Known: {line}', 'Noted.'),
            session.exchange('Anna is here', 'Hello.'),
            session.exchange('What about Annabel?', 'I do not know her.'),
        )
    )
    for file in (inside, outside):
        session.write(file, shown)
        note_place(tmp_path, file)
    done = forget_person(tmp_path, 'Anna', [line, 'yes'])
    left = [event.value for event in read_session(inside).events]
    assert left == [session.INFO, *session.values(), session.exchange('What about Annabel?', 'I do not know her.')]
    assert done.events == 6
    assert done.files == 1
    assert done.not_reached == (f'{outside}: not in the data folder',)
    assert len(read_session(outside).events) == len(shown) + 1
    assert forget_person(tmp_path, 'Anna', [line]).events == 0


def test_what_stands_behind_damage_is_not_taken_for_searched(tmp_path):
    damage = JointsSeen(positions={'elbow': float('nan')})
    said = session.Said(by_robot=False, person='Anna', text='I keep bees')
    for name, told in (
        ('behind', (*session.values(), damage, said)),
        ('before', (*session.values(), said, damage, said)),
    ):
        session.write(recordings_folder(tmp_path) / f'{name}.mcap', session.events(told))
    done = forget_person(tmp_path, 'Anna')
    assert (done.events, done.files) == (1, 1)
    assert [('behind.mcap' in line, 'was not searched' in line) for line in done.not_reached] == [(True, True)]


def test_a_recording_under_way_is_not_rewritten_but_named(tmp_path):
    writer = session.SessionWriter(recordings_folder(tmp_path) / 's.mcap', session.INFO, Redaction({}))
    writer.write(session.events()[0])
    assert 'recorded now' in forget_person(tmp_path, 'Anna').not_reached[0]
    writer.close()
    assert forget_person(tmp_path, 'Anna').not_reached == ()
