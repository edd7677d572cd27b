"""Meshes become convex solids that contain them, wherever a description says they are."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from lucca_core.errors import ConfigError
from lucca_robot import mesh_file
from lucca_robot.mesh_file import resolve
from lucca_robot.mesh_hull import hull_of, hulls_of
from lucca_robot.urdf import load_urdf
from lucca_robot.xacro_file import expanded

trimesh = pytest.importorskip('trimesh', reason='trimesh is not installed')

COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
      <technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
      <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
  </library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"""

URDF = """<robot name="r"><link name="base"/><link name="arm"><collision><origin xyz="0 0 0.1"/>
<geometry><mesh filename="package://some_robot/meshes/arm.stl" scale="2 2 2"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="prismatic"><parent link="arm"/><child link="finger"/>
<limit lower="0" upper="0.04" velocity="1" effort="1"/></joint><link name="finger"/>
<joint name="l" type="prismatic"><parent link="arm"/><child link="other"/><axis xyz="-1 0 0"/>
<limit lower="0" upper="0.04" velocity="1" effort="1"/><mimic joint="k" multiplier="0.5" offset="0.01"/></joint>
<link name="other"/></robot>"""


def inside(points: np.ndarray, corners: np.ndarray) -> float:
    """How far the outermost point is outside the corners' hull (m)."""
    planes = ConvexHull(corners).equations
    return float((points @ planes[:, :3].T + planes[:, 3]).max())


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.tuples(*[st.floats(0.01, 0.5)] * 3), round_=st.booleans())
def test_a_hull_contains_its_mesh_and_is_hardly_larger(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: tuple[float, float, float], round_: bool
) -> None:
    shape = trimesh.creation.icosphere(3) if round_ else trimesh.creation.torus(1.0, 0.4)
    shape.apply_scale(size)
    shape.apply_transform(trimesh.transformations.random_rotation_matrix(np.random.default_rng(seed).random(3)))
    file = tmp_path_factory.mktemp('mesh') / 'part.stl'
    shape.export(file)
    corners = np.array(hull_of(file))
    assert len(corners) <= 48
    assert inside(shape.vertices, corners) < 1e-6
    assert ConvexHull(corners).volume < 1.6 * shape.convex_hull.volume


def test_a_mesh_in_millimetres_is_in_metres(tmp_path: Path) -> None:
    file = tmp_path / 'part.dae'
    file.write_text(COLLADA)
    assert np.ptp(np.array(hull_of(file)), axis=0) == pytest.approx([0.1, 0.1, 0.1])


def test_a_flat_mesh_is_a_thin_box(tmp_path: Path) -> None:
    file = tmp_path / 'plate.stl'
    trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]]).export(file)
    assert np.ptp(np.array(hull_of(file)), axis=0) == pytest.approx([1.0, 1.0, 0.002])


def test_what_is_no_mesh_is_refused_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / 'part.stl'
    file.write_text('noise')
    with pytest.raises(ConfigError, match=r'part\.stl'):
        hull_of(file)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / 'part.stl'
    trimesh.creation.box((1.0, 1.0, 1.0)).export(file)
    monkeypatch.setattr(mesh_file, 'MOST_BYTES', 500)
    with pytest.raises(ConfigError, match=r'part\.stl: has 684 bytes, at most 500 are read'):
        hull_of(file)


def test_a_mesh_that_is_nowhere_is_named_with_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no mesh 'package://some_robot/a.stl'"):
        resolve('package://some_robot/a.stl', tmp_path / 'r.urdf')


def test_a_mesh_that_another_machine_had_installed_is_looked_for_in_its_package_near_the_urdf(robot_file: Path) -> None:
    """As in a URDF that xacro wrote there."""
    elsewhere = 'file:///home/ana/ws/install/some_robot/share/{}/meshes/arm.stl'
    found = resolve(elsewhere.format('some_robot'), robot_file)
    assert found == robot_file.parents[1] / 'meshes' / 'arm.stl'
    with pytest.raises(
        ConfigError, match=r'looked for /home/ana/.*arm\.stl; its package other is neither near the URDF'
    ):
        resolve(elsewhere.format('other'), robot_file)


@pytest.fixture
def robot_file(tmp_path: Path) -> Path:
    """A description in a package, with its mesh."""
    package = tmp_path / 'some_robot'
    (package / 'meshes').mkdir(parents=True)
    (package / 'urdf').mkdir()
    trimesh.creation.box((0.1, 0.2, 0.3)).export(package / 'meshes' / 'arm.stl')
    file = package / 'urdf' / 'r.urdf'
    file.write_text(URDF)
    return file


def test_a_description_with_meshes_continuous_and_mimic_joints_is_read(robot_file: Path) -> None:
    robot = load_urdf(robot_file)
    (shape,) = robot.link('arm').shapes
    assert shape.kind == 'hull'
    assert shape.dimensions_m == pytest.approx((0.2, 0.4, 0.6))
    assert robot.joint('j').kind == 'revolute'
    assert [joint.name for joint in robot.moving_joints if joint.endless] == ['j']
    assert (robot.joint('j').lower, robot.joint('j').upper) == pytest.approx((-2 * np.pi, 2 * np.pi))
    assert robot.with_followers({'k': 0.02}) == pytest.approx({'k': 0.02, 'l': 0.02})
    assert robot.with_followers({'k': 0.0})['l'] == pytest.approx(0.01)


def test_a_xacro_file_finds_its_package_in_a_folder_that_was_not_built(tmp_path: Path) -> None:
    pytest.importorskip('xacro', reason='xacro is not installed')
    folder = tmp_path / 'a-clone'
    (folder / 'urdf').mkdir(parents=True)
    (folder / 'package.xml').write_text('<package><name>my_description</name></package>')
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    (folder / 'link.xacro').write_text(f'{head}<link name="base"/></robot>')
    file = folder / 'urdf' / 'robot.xacro'
    file.write_text(f'{head}<xacro:include filename="$(find my_description)/link.xacro"/></robot>')
    assert 'name="base"' in expanded(file)
    file.write_text(f'{head}<xacro:include filename="$(find other)/link.xacro"/></robot>')
    with pytest.raises(ConfigError, match="there is no ROS package 'other' near the file") as caught:
        expanded(file)
    assert str(caught.value).count('there is no ROS package') == 1


def test_what_xacro_refuses_is_named_with_the_macro_or_the_argument_that_has_no_value(tmp_path: Path) -> None:
    pytest.importorskip('xacro', reason='xacro is not installed')
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    parts, file = tmp_path / 'parts.xacro', tmp_path / 'robot.xacro'
    parts.write_text(f'{head}<xacro:macro name="arm" params="side"><link name="${{side}}"/></xacro:macro></robot>')
    file.write_text(f'{head}<xacro:include filename="parts.xacro"/><xacro:arm side="l" sim="true"/></robot>')
    with pytest.raises(ConfigError, match=r'Invalid parameter "sim", in the macro arm of .*parts\.xacro'):
        expanded(file)
    file.write_text(f'{head}<link name="$(arg side)"/></robot>')
    with pytest.raises(ConfigError, match=r"its argument 'side' has no value; add side:=VALUE, or `arguments` in a"):
        expanded(file)
    assert 'name="left"' in expanded(file, {'side': 'left'})


def test_a_xacro_file_is_expanded(robot_file: Path) -> None:
    pytest.importorskip('xacro', reason='xacro is not installed')
    file = robot_file.with_suffix('.xacro')
    text = URDF.replace(
        '<robot name="r">',
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="s" value="${1 + 1}"/>',
    ).replace('"2 2 2"', '"${s} ${s} ${s}"')
    file.write_text(text)
    assert load_urdf(file).links == load_urdf(robot_file).links
    file.write_text(text.replace('${s} ', '${unknown} '))
    with pytest.raises(ConfigError, match='xacro cannot process it'):
        load_urdf(file)


def test_a_long_mesh_is_cut_into_slabs_that_contain_it_and_leave_the_room_beside_its_waist(tmp_path: Path) -> None:
    """An hourglass: what is drawn on its faces is in some slab, what is beside its waist in none."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rings = [(0.0, 0.3), (0.5, 0.05), (1.0, 0.3)]
    points = [[r * np.cos(a), r * np.sin(a), z] for z, r in rings for a in turn]
    faces = []
    for ring in range(2):
        for i in range(24):
            a, b = 24 * ring + i, 24 * ring + (i + 1) % 24
            faces += [[a, b, a + 24], [b, b + 24, a + 24]]
    mesh = trimesh.Trimesh(points, faces)
    mesh.export(tmp_path / 'hourglass.stl')
    slabs = [ConvexHull(np.array(corners)).equations for corners in hulls_of(tmp_path / 'hourglass.stl')]
    assert len(slabs) > 5

    def in_some(point: np.ndarray) -> bool:
        return any((planes[:, :3] @ point + planes[:, 3]).max() < 1e-6 for planes in slabs)

    drawn, _ = trimesh.sample.sample_surface(mesh, 500, seed=1)
    assert all(in_some(point) for point in drawn)
    assert not in_some(np.array([0.2, 0.0, 0.5]))
    short = trimesh.Trimesh(np.array(points) * 0.5, faces)
    short.export(tmp_path / 'short.stl')
    assert hulls_of(tmp_path / 'short.stl') == (hull_of(tmp_path / 'short.stl'),)
