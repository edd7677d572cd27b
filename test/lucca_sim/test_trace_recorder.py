"""The trace holds every state at its rate, is written whole or not at all, and the video can be played."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from lucca_robot.profile import RobotProfile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.scene import load_scene
from lucca_sim.trace_recorder import TRACE_FILE, VIDEO_FILE, TraceRecorder


def run(table: KinematicTable, recorder: TraceRecorder, until_s: float) -> None:
    for tick in range(round(until_s * 100) + 1):
        table.step(0.01 * tick)
        recorder.sample()


def test_the_trace_holds_all_states_at_fifty_hertz(tmp_path: Path, profile: RobotProfile) -> None:
    scene = load_scene('sorting', 2)
    table = KinematicTable(scene, profile)
    recorder = TraceRecorder(table, tmp_path / 'run', engine='kinematic')
    run(table, recorder, 2.0)
    assert not (tmp_path / 'run' / TRACE_FILE).exists()
    recorder.finish()
    with np.load(tmp_path / 'run' / TRACE_FILE, allow_pickle=False) as trace:
        assert np.diff(trace['time_s']) == pytest.approx(0.02)
        rows = len(trace['time_s'])
        assert rows == 101
        assert tuple(trace['object_names']) == scene.object_names
        assert trace['object_positions_m'].shape == (rows, 6, 3)
        assert trace['object_orientations_wxyz'].shape == (rows, 6, 4)
        assert trace['object_velocities'].shape == (rows, 6, 6)
        assert (trace['object_held_by'] == '').all()
        assert trace['joint_positions'].shape == (rows, len(profile.moving_joints))
        assert trace['object_positions_m'][0] == pytest.approx(
            np.array([item.pose.position_m for item in scene.objects])
        )
        assert tuple(trace['container_names']) == ('box 1', 'box 2')
        assert (str(trace['scene']), int(trace['seed']), str(trace['engine'])) == ('sorting', 2, 'kinematic')


def test_finishing_twice_writes_once_and_leaves_no_half_file(tmp_path: Path, profile: RobotProfile) -> None:
    table = KinematicTable(load_scene('pointing', 0), profile)
    recorder = TraceRecorder(table, tmp_path, engine='kinematic')
    recorder.finish()
    (tmp_path / TRACE_FILE).unlink()
    recorder.finish()
    assert list(tmp_path.iterdir()) == []


def test_the_video_has_a_frame_for_each_period_and_stills_are_pictures(tmp_path: Path, profile: RobotProfile) -> None:
    table = KinematicTable(load_scene('pointing', 0), profile)
    recorder = TraceRecorder(table, tmp_path, engine='kinematic', video_rate_hz=4.0, video_speed=5.0)
    run(table, recorder, 1.0)
    still = recorder.still('start')
    recorder.finish()
    table.close()
    video = cv2.VideoCapture(str(tmp_path / VIDEO_FILE))
    assert video.get(cv2.CAP_PROP_FRAME_COUNT) == 5
    assert video.get(cv2.CAP_PROP_FPS) == pytest.approx(20.0)
    picture = cv2.imread(str(still))
    assert picture is not None
    assert picture.shape == (int(video.get(cv2.CAP_PROP_FRAME_HEIGHT)), int(video.get(cv2.CAP_PROP_FRAME_WIDTH)), 3)
    video.release()
