"""A film of a session says what was asked, decided and remembered, and when a task was interrupted and resumed."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

pytest.importorskip('mcap')

import recorded_session as session

from lucca_memory.declarative.entry import Entry, EntryKind, entry_to_text
from lucca_robot.profile import load_profile
from lucca_view.events import PictureSeen
from lucca_view.film import FRAMES_PER_S, HEIGHT, WIDTH, frames, titles, write_film
from lucca_view.outside_picture import outside_picture
from lucca_view.recording.reader import Session
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
    with_title, without = list(frames(Session(TOLD), 1.0)), list(frames(Session(tuple(plain)), 1.0))
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
    joints = dict.fromkeys(load_profile().home, position)
    assert outside_picture(replace(SessionView(), joints=joints), RobotLines(load_profile())).any()


def test_long_captions_end_above_the_small_pictures():
    long = ' '.join(['word'] * 400)
    told = (*session.values(), session.news('g2', text=long), session.exchange('What next?', long), entry(1, KINDS[0]))
    robot = RobotLines(load_profile())
    shown = list(frames(Session(session.events(told)), 1.0, robot))[-1]
    between = shown[608:625, 800:]
    assert (between == between[0, 0]).all()
    rim = shown[440:608, 1036:1044]
    assert (rim == rim[0, 0]).all()


def test_a_film_with_a_robot_differs_in_its_small_picture_alone():
    told = [event for event in TOLD if not isinstance(event.value, PictureSeen)]
    with_robot = list(frames(Session(tuple(told)), 1.0, RobotLines(load_profile())))[-1]
    without = list(frames(Session(tuple(told)), 1.0))[-1]
    differs = (with_robot != without).any(axis=2)
    assert differs.any()
    assert not differs[:418].any()
    assert not differs[608:].any()
    assert not differs[:, :800].any()


def test_the_film_has_its_length_and_size_and_no_more_than_is_wanted(tmp_path):
    out = tmp_path / 'demo.mp4'
    assert write_film(Session(TOLD), out, speed=0.1, most_s=3.0) == pytest.approx(3.0, abs=0.2)
    film = cv2.VideoCapture(str(out))
    assert (film.get(cv2.CAP_PROP_FRAME_WIDTH), film.get(cv2.CAP_PROP_FRAME_HEIGHT)) == (WIDTH, HEIGHT)
    assert film.get(cv2.CAP_PROP_FRAME_COUNT) == pytest.approx(30, abs=2)
    film.release()
