"""A recording in Rerun's format is read back by Rerun's own reader."""

import pytest

pytest.importorskip('rerun', reason='rerun is not installed')

import recorded_session as session
import rerun

from lucca_core.errors import RecordingError
from lucca_robot.profile import load_profile
from lucca_view.events import PictureSeen
from lucca_view.rerun_export import ROS, WALL, write_rerun
from lucca_view.robot_lines import RobotLines

JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD/2Q=='


def test_every_kind_of_event_has_its_entity_on_both_timelines(tmp_path):
    told = (*session.values(), PictureSeen(jpeg_base64=JPEG))
    assert write_rerun(session.events(told), RobotLines(load_profile()), tmp_path / 's.rrd') == len(told)
    chunks = [
        chunk
        for chunk in rerun.chunk.RrdReader(tmp_path / 's.rrd').stream().to_chunks()
        if not chunk.entity_path.startswith('/__')
    ]
    assert {chunk.entity_path for chunk in chunks} == {
        '/world/objects',
        '/world/containers',
        '/world/robot',
        '/camera',
        '/models/coordinator',
        '/corrections',
        '/gate',
        '/goals',
        '/log',
        '/said',
        '/parts',
        '/times/lucca_ms',
        '/times/planning_ms',
    }
    assert all({WALL, ROS} <= set(chunk.timeline_names) for chunk in chunks)


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(RecordingError, match='cannot be written'):
        write_rerun(session.events(), None, tmp_path / 'missing' / 's.rrd')
