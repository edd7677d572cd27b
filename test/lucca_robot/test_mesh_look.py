"""Pictures show the meshes of a description, in their colours; what cannot be shown is said, and refuses no robot."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_robot import mesh_look, mujoco_model
from lucca_robot.description import LinkShape, MeshLook
from lucca_robot.mesh_look import parts_of
from lucca_robot.mujoco_model import HIDDEN_GROUP, robot_spec
from lucca_robot.profile import RobotProfile, load_profile
from lucca_robot.urdf import load_urdf

trimesh = pytest.importorskip('trimesh', reason='trimesh is not installed')

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
URDF = """<robot name="r"><material name="blue"><color rgba="0 0 1 1"/></material>
<link name="base">{collision}<visual><geometry><box size="1 1 1"/></geometry></visual></link>
<link name="arm">{collision}<visual><origin xyz="0 0 0.1"/>
<geometry><mesh filename="arm.stl" scale="2 2 2"/></geometry></visual>
<visual><geometry><sphere radius="0.1"/></geometry><material name="blue"/></visual></link>
<joint name="j" type="fixed"><parent link="base"/><child link="arm"/></joint></robot>"""
COLLISION = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'


def box_of(colour: tuple[float, ...] | None, size: float = 1.0) -> 'trimesh.Trimesh':
    box = trimesh.creation.box((size, size, size))
    if colour is not None:
        box.visual.face_colors = [round(255 * value) for value in colour]
    return box


def test_a_mesh_has_one_part_for_each_colour_the_largest_first(tmp_path: Path) -> None:
    file = tmp_path / 'part.glb'
    ball = trimesh.creation.icosphere(2)
    ball.visual.face_colors = [0, 0, 255, 255]
    moved = box_of(RED).apply_translation((3.0, 0.0, 0.0))
    trimesh.Scene([box_of(RED), ball, moved]).export(file)
    blue, red = parts_of(file)
    assert (blue.rgba, red.rgba) == (BLUE, RED)
    assert (len(blue.triangles), len(red.triangles)) == (320, 24)
    assert np.ptp(red.points, axis=0) == pytest.approx([4.0, 1.0, 1.0])


def test_a_mesh_is_scaled_and_a_mirrored_one_shows_its_outside(tmp_path: Path) -> None:
    file = tmp_path / 'part.stl'
    box_of(None).export(file)
    for scale in ((2.0, 1.0, 1.0), (-2.0, 1.0, 1.0)):
        (part,) = parts_of(file, scale)
        assert part.rgba is None
        assert np.ptp(part.points, axis=0) == pytest.approx([2.0, 1.0, 1.0])
        assert trimesh.Trimesh(part.points, part.triangles, process=False).volume == pytest.approx(2.0)


def test_colours_beyond_the_most_are_shown_in_the_main_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_look, 'MOST_COLOURS', 2)
    file = tmp_path / 'part.glb'
    trimesh.Scene([box_of((0.2 * index, 0.0, 0.0, 1.0)) for index in range(5)]).export(file)
    assert sorted(len(part.triangles) for part in parts_of(file)) == [12, 48]


def test_what_cannot_be_shown_is_refused_with_its_file_and_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / 'part.stl'
    box_of(None).export(file)
    with monkeypatch.context() as patch:
        patch.setattr(mesh_look, 'MOST_TRIANGLES', 11)
        with pytest.raises(ConfigError, match=r'part\.stl: has 12 triangles, at most 11 are shown'):
            parts_of(file)
    with pytest.raises(ConfigError, match=r'part\.stl: reaches 500 m from its origin, at most 100 are shown'):
        parts_of(file, (1000.0, 1.0, 1.0))
    (tmp_path / 'flat.obj').write_text('v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n')
    with pytest.raises(ConfigError, match=r'flat\.obj: holds no triangles that can be shown'):
        parts_of(tmp_path / 'flat.obj')
    with pytest.raises(ConfigError, match=r'part\.stl: has a point with a coordinate that is not finite'):
        parts_of(file, (float('inf'), 1.0, 1.0))
    (tmp_path / 'noise.dae').write_text('noise')
    with pytest.raises(ConfigError, match=r'noise\.dae'):
        parts_of(tmp_path / 'noise.dae')


def test_a_link_with_a_mesh_among_its_visuals_has_looks_in_the_colours_of_the_description(tmp_path: Path) -> None:
    file = tmp_path / 'r.urdf'
    file.write_text(URDF.format(collision=COLLISION))
    robot = load_urdf(file)
    assert not robot.link('base').looks
    mesh, ball = robot.link('arm').looks
    assert isinstance(mesh, MeshLook)
    assert (mesh.filename, mesh.scale, mesh.origin.xyz, mesh.rgba) == ('arm.stl', (2.0, 2.0, 2.0), (0, 0, 0.1), None)
    assert isinstance(ball, LinkShape)
    assert (ball.kind, ball.rgba) == ('sphere', BLUE)


@pytest.mark.parametrize(
    'broken', ['<geometry/>', '<geometry><mesh filename="" /></geometry>', '<geometry><box size="0 1 1"/></geometry>']
)
def test_a_visual_that_cannot_be_read_refuses_no_robot(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / 'r.urdf'
    file.write_text(
        URDF.format(collision=COLLISION).replace('</link>\n<joint', f'<visual>{broken}</visual></link>\n<joint')
    )
    assert not load_urdf(file).link('arm').looks
    assert 'pictures show the collision solids of arm' in caplog.text
    assert "a visual of link 'arm'" in caplog.text


@pytest.fixture
def robot_with_mesh(tmp_path: Path) -> RobotProfile:
    """A robot one of whose links is shown by a mesh: two boxes, one of them red."""
    look = '<visual><geometry><mesh filename="pedestal.glb"/></geometry></visual>'
    trimesh.Scene([box_of(RED, 0.1), box_of(None, 0.2)]).export(tmp_path / 'pedestal.glb')
    for name in ('two_six_dof.yaml', 'two_six_dof.urdf'):
        text = (config_dir() / 'robots' / name).read_text()
        (tmp_path / name).write_text(text.replace('<link name="pedestal">', f'<link name="pedestal">{look}'))
    return load_profile(tmp_path / 'two_six_dof.yaml')


def looks_and_solids(profile: RobotProfile) -> tuple[mujoco.MjModel, list[int], list[int]]:
    model = robot_spec(profile, looks=True).compile()
    (link,) = [link for link in profile.description.links if link.looks]
    here = [index for index in range(model.ngeom) if model.geom(index).name.startswith(f'{link.name}/')]
    looks = [index for index in here if '/look/' in model.geom(index).name]
    return model, looks, [index for index in here if index not in looks]


def test_a_picture_shows_the_mesh_and_collisions_are_as_without_it(robot_with_mesh: RobotProfile) -> None:
    model, looks, solids = looks_and_solids(robot_with_mesh)
    assert {tuple(model.geom(index).rgba.round(3).tolist()) for index in looks} >= {RED}
    assert not any(model.geom_contype[looks])
    assert not any(model.geom_conaffinity[looks])
    assert set(model.geom_group[looks]) == {0}
    assert set(model.geom_group[solids]) == {HIDDEN_GROUP}
    plain = robot_spec(robot_with_mesh).compile()
    assert plain.ngeom == model.ngeom - len(looks)
    assert set(plain.geom_group) == {0}
    assert plain.body_mass == pytest.approx(model.body_mass)
    assert plain.body_inertia == pytest.approx(model.body_inertia)


@pytest.mark.parametrize('why', ['no such file', 'too many triangles'])
def test_a_robot_whose_mesh_cannot_be_shown_is_shown_by_its_solids(
    robot_with_mesh: RobotProfile, why: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if why == 'no such file':
        (robot_with_mesh.urdf_file.parent / 'pedestal.glb').unlink()
    else:
        monkeypatch.setattr(mujoco_model, 'MOST_TRIANGLES', 20)
    model, looks, solids = looks_and_solids(robot_with_mesh)
    assert not looks
    assert set(model.geom_group[solids]) == {0}
    assert 'pictures show the collision solids of' in caplog.text
    assert ('no mesh' if why == 'no such file' else 'more than 20 triangles') in caplog.text
