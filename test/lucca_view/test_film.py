"""A film of a session says what was asked, decided and remembered, and when a task was interrupted and resumed."""

import base64
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip('mcap')

import recorded_session as session

from lucca_core.protocol.snapshots import Container, Pose
from lucca_memory.declarative.entry import Entry, EntryKind, entry_to_text
from lucca_robot.profile import load_profile
from lucca_view import film
from lucca_view.events import PathPlanned, PictureSeen
from lucca_view.film import FRAMES_PER_S, HEIGHT, WIDTH, frames, titles, write_film
from lucca_view.outside_picture import outside_picture
from lucca_view.recording.reader import RecordedSession
from lucca_view.robot_lines import RobotLines
from lucca_view.session import SessionView


def entry(number, kind):
    return session.LogEntry(task='sorting', text=entry_to_text(Entry(entry_id=number, kind=kind)))


KINDS = (EntryKind.STARTED, EntryKind.SUSPENDED, EntryKind.RESUMED, EntryKind.FINISHED)
TOLD = session.events((*session.values(), *(entry(number, kind) for number, kind in enumerate(KINDS, 1))))


def test_the_titles_tell_interruption_and_resumption_when_they_were():
    found = titles(TOLD)
    assert [item.text.partition(':')[0] for item in found] == ['INTERRUPTED', 'RESUMED', 'FINISHED']
    assert [item.wall_s for item in found] == [event.wall_s for event in TOLD[-3:]]


def test_a_title_is_in_the_picture_from_its_moment_on():
    plain = [item for item in TOLD if item.value != entry(2, EntryKind.SUSPENDED)]
    with_title, without = list(frames(RecordedSession(TOLD), 1.0)), list(frames(RecordedSession(tuple(plain)), 1.0))
    moment = round((TOLD[-3].wall_s - TOLD[0].wall_s) * FRAMES_PER_S)
    band = np.s_[40:96, 0:600]
    assert np.array_equal(with_title[moment - 1][band], without[moment - 1][band])
    assert not np.array_equal(with_title[moment + 1][band], without[moment + 1][band])


def test_the_robot_is_seen_from_outside_with_its_shadow_on_the_table():
    robot = RobotLines(load_profile())

    standing = replace(SessionView(), joints=dict(load_profile().home))
    shown, empty = outside_picture(standing, robot), outside_picture(SessionView(), robot)
    changed = (shown != empty).any(axis=2)
    assert 0.01 < changed.mean() < 0.5
    shadow = (shown == 205).all(axis=2)
    # On the table only, which fills less than half of the picture.
    assert 100 < shadow.sum() < shadow.size / 4


@pytest.mark.parametrize('position', [float('nan'), float('inf'), 1e300])
def test_a_joint_that_is_nowhere_is_not_drawn(position):
    home, robot = load_profile().home, RobotLines(load_profile())
    rest = {name: value for name, value in home.items() if name != 'l_joint2'}
    with_damage, without_it, at_home, all_damaged, empty = (
        outside_picture(replace(SessionView(), joints=joints), robot)
        for joints in ({**home, 'l_joint2': position}, rest, home, dict.fromkeys(home, position), {})
    )
    assert np.array_equal(with_damage, without_it)
    assert not np.array_equal(with_damage, at_home)
    assert np.array_equal(all_damaged, empty)


HOSTILE = st.one_of(st.floats(), st.sampled_from([float('nan'), float('inf'), 1e300, -1e308, 1e19, -3e9]))
PLACES = st.tuples(HOSTILE, HOSTILE, HOSTILE)
ROWS = st.lists(st.lists(HOSTILE, max_size=9).map(tuple), max_size=3).map(tuple)
PICTURES = st.one_of(st.text(max_size=9), st.binary(max_size=99).map(lambda data: base64.b64encode(data).decode()))
PROFILE = load_profile()
ROBOT = RobotLines(PROFILE)


@settings(max_examples=examples(20))
@example(place=(0.5, 0.0, 0.8), size=(0.1, 0.1, 0.1), joint=0.5, rows=((),), picture='')
@example(place=(1e308, -1e308, 1e308), size=(1e308, -1e308, 1e308), joint=0.5, rows=((1e308,),), picture='A')
@given(place=PLACES, size=PLACES, joint=HOSTILE, rows=ROWS, picture=PICTURES)
def test_no_number_and_no_picture_ends_a_film(place, size, joint, rows, picture):
    item = replace(session.PEAR, pose_world=Pose(place), size_m=size)
    box = Container(name='box 1', position_world_m=place, size_m=size)
    told = (
        session.SceneSeen(snapshot=replace(session.SNAPSHOT, objects=(item,), containers=(box,))),
        session.JointsSeen(positions={**PROFILE.home, 'l_joint2': joint}),
        PathPlanned(arm='left', joints=('l_joint1', 'l_joint2'), times_s=(), positions=rows),
        PictureSeen(jpeg_base64=picture),
        session.Said(by_robot=True, person='', text='the end'),
    )
    assert len(list(frames(RecordedSession(session.events(told)), 5.0, ROBOT))) == 4


def test_all_captions_are_there_however_long_each_of_them_is(monkeypatch):
    long, written = ' '.join(['word'] * 400), []
    write = film._write

    def noted(frame, text, x, y, *style, **more):
        if x == film._LEFT + 20:
            written.append((y, text))
        write(frame, text, x, y, *style, **more)

    monkeypatch.setattr(film, '_write', noted)
    told = (
        session.news(text=long, person='Anna'),
        session.exchange('What next?', long),
        session.exchange('What is left?', long, 'worker'),
        replace(session.decision('unknown_object'), message=long),
        *(replace(entry(number, KINDS[0]), text=long) for number in (1, 2)),
    )
    film._captions(np.zeros((HEIGHT, WIDTH, 3), np.uint8), SessionView().after_all(session.events(told)))
    texts = [text for _, text in written]
    headings = ('Asked by Anna', "The model's answer", 'Gate', 'Remembered as still to do or done', 'Log')
    rows = [texts.index(heading) for heading in headings]
    assert rows == sorted(rows)
    assert [below - above - 1 for above, below in pairwise([*rows, len(texts)])] == [2, 3, 2, 3, 2]
    heights = [y for y, _ in written]
    assert min(below - above for above, below in pairwise(heights)) >= 18
    assert heights[-1] < 420


def test_long_captions_end_above_the_small_pictures():
    long = ' '.join(['word'] * 400)
    told = (*session.values(), session.news('g2', text=long), session.exchange('What next?', long), entry(1, KINDS[0]))
    robot = RobotLines(load_profile())
    shown = list(frames(RecordedSession(session.events(told)), 1.0, robot))[-1]
    between = shown[608:625, 800:]
    assert (between == between[0, 0]).all()
    rim = shown[440:608, 1036:1044]
    assert (rim == rim[0, 0]).all()


def test_a_film_with_a_robot_differs_in_its_small_picture_alone():
    told = [event for event in TOLD if not isinstance(event.value, PictureSeen)]
    with_robot = list(frames(RecordedSession(tuple(told)), 1.0, RobotLines(load_profile())))[-1]
    without = list(frames(RecordedSession(tuple(told)), 1.0))[-1]
    differs = (with_robot != without).any(axis=2)
    assert differs.any()
    assert not differs[:418].any()
    assert not differs[608:].any()
    assert not differs[:, :800].any()


def test_the_film_has_its_length_and_size_and_no_more_than_is_wanted(tmp_path):
    out = tmp_path / 'demo.mp4'
    assert write_film(RecordedSession(TOLD), out, speed=0.1, most_s=3.0) == pytest.approx(3.0, abs=0.2)
    film = cv2.VideoCapture(str(out))
    assert (film.get(cv2.CAP_PROP_FRAME_WIDTH), film.get(cv2.CAP_PROP_FRAME_HEIGHT)) == (WIDTH, HEIGHT)
    assert film.get(cv2.CAP_PROP_FRAME_COUNT) == pytest.approx(30, abs=2)
    film.release()
