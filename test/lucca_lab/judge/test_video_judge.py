"""The judge of the video: what it tells from the last pictures of a table on which all stands still."""

from dataclasses import replace
from pathlib import Path

import pytest

from lucca_core.errors import LuccaError
from lucca_core.protocol.snapshots import Pose
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.video_judge import judge_video
from lucca_lab.runs.camera_video import CameraVideo
from lucca_robot.profile import load_profile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.scene import Scene, load_scene

pytestmark = pytest.mark.physics

SORTED = {
    'apple': (0.25, 0.15),
    'banana': (0.34, 0.11),
    'pear': (0.25, 0.08),
    'cup': (0.26, -0.14),
    'bowl': (0.34, -0.1),
}
TRUTH = load_truth()['sorting']


def laid(places: dict[str, tuple[float, float]]) -> Scene:
    """The table of the sorting with some objects elsewhere, level and in the air by a wall's thickness."""
    scene = load_scene('sorting', 0)
    objects = []
    for item in scene.objects:
        x, y, z = item.pose.position_m
        x, y = places.get(item.name, (x, y))
        objects.append(replace(item, pose=Pose((x, y, z + 0.006))))
    return replace(scene, objects=tuple(objects))


def filmed(scene: Scene, file: Path) -> Path:
    table = KinematicTable(scene, load_profile())
    video = CameraVideo(table, file, every_s=0.0)
    for _ in range(3):
        video.look()
    video.close()
    return file


@pytest.mark.parametrize(
    ('places', 'complete'),
    [
        (SORTED, True),
        ({**SORTED, 'apple': (0.45, 0.3)}, False),
        ({**SORTED, 'apple': (2.0, 0.3)}, False),
        ({**SORTED, 'apple': SORTED['cup'], 'cup': SORTED['apple']}, False),
    ],
    ids=['as asked', 'left', 'removed', 'swapped'],
)
def test_a_task_is_complete_if_all_that_it_names_is_seen_where_it_belongs(tmp_path, places, complete):
    scene = laid(places)
    told, seen = judge_video(filmed(scene, tmp_path / 'camera.mp4'), load_scene('sorting', 0), load_profile(), TRUTH)
    assert told is complete, seen
    assert seen['banana'].place == 'box 1'
    assert seen['bowl'].place == 'box 2'


def test_what_leaves_nothing_to_see_is_refused(tmp_path):
    for task in ('tower', 'pointing'):
        with pytest.raises(ValueError, match='only tasks that bring things'):
            judge_video(tmp_path / 'none.mp4', load_scene(task, 0), load_profile(), load_truth()[task])


def test_a_file_that_is_no_video_is_told(tmp_path):
    (tmp_path / 'camera.mp4').write_bytes(b'no video')
    with pytest.raises(LuccaError, match='no video that can be read'):
        judge_video(tmp_path / 'camera.mp4', load_scene('sorting', 0), load_profile(), TRUTH)
