"""A camera on a moving head: its pose in the frame of the head, from boards rendered at several head positions."""

import dataclasses
import logging
from collections.abc import Sequence

import numpy as np
import pytest
from rendered_boards import LENS, LOOKS_DOWN, TABLE_M, board_place, depth_mm, head_profile, metres, rendered
from scipy.optimize import OptimizeResult
from scipy.spatial.transform import Rotation

from lucca_core.errors import PerceptionError
from lucca_robot.description import Mimic
from lucca_robot.profile import RobotProfile, load_profile
from perception_node import head_calibration
from perception_node.camera_calibration import PlacedBoard
from perception_node.camera_pose import CameraPose, HeadCamera
from perception_node.head_calibration import HeadView, RobotHead, camera_on_head, head_positions
from perception_node.table_check import DepthView, table_seen

SEEDS = [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20))]
PAN, TILT = 'joint_head_z', 'joint_head_y'
TURNS = [(0.0, 0.0), (0.2, 0.0), (-0.2, 0.0), (0.0, 0.1), (0.0, -0.1), (0.15, 0.08), (-0.15, 0.08), (0.15, -0.08)]
ENCODERS_RAD = 0.002
DEPTHS_AT = [{PAN: 0.0, TILT: 0.0}, {PAN: 0.2, TILT: 0.0}]
_LOG = logging.getLogger(__name__)


@pytest.fixture(scope='module')
def profile(tmp_path_factory: pytest.TempPathFactory) -> RobotProfile:
    return head_profile(tmp_path_factory.mktemp('profile'))


def mounted(rng: np.random.Generator) -> CameraPose:
    """Where the camera really is on the head: up to some cm and degrees from what the profile says."""
    off = Rotation.from_rotvec(rng.uniform(-0.04, 0.04, 3)).as_matrix()
    return CameraPose(LOOKS_DOWN @ off, np.array([0.1, 0.0, 0.06]) + rng.uniform(-0.02, 0.02, 3))


def before_the_head(rng: np.random.Generator) -> PlacedBoard:
    return board_place(rng, middle=(0.62, 0.0, TABLE_M))


def views_of(
    rng: np.random.Generator,
    head: RobotHead,
    camera: CameraPose,
    placed: PlacedBoard,
    turns: Sequence[tuple[float, float]] = TURNS,
    encoders_rad: float = ENCODERS_RAD,
) -> list[HeadView]:
    """A picture at each pan and tilt in rad. The joint states that are told differ from the truth by `encoders_rad`."""
    found = []
    for pan, tilt in turns:
        (picture,) = rendered(rng, head.camera_at({PAN: pan, TILT: tilt}, camera), placed)
        told = {PAN: pan + rng.normal() * encoders_rad, TILT: tilt + rng.normal() * encoders_rad}
        found.append(HeadView(picture, told))
    return found


@pytest.mark.parametrize('encoders_rad', [0.0, ENCODERS_RAD])
@pytest.mark.parametrize('seed', SEEDS)
def test_the_pose_on_the_head_is_within_3_mm_and_half_a_degree_of_the_truth(
    seed: int, encoders_rad: float, profile: RobotProfile
) -> None:
    rng = np.random.default_rng(seed)
    head, camera, placed = RobotHead(profile), mounted(rng), before_the_head(rng)
    found = camera_on_head(views_of(rng, head, camera, placed, encoders_rad=encoders_rad), head, placed, LENS)
    error_mm, error_deg = found.off_by(camera.rotation, camera.position_m)
    depths = [(turned, depth_mm(rng, head.camera_at(turned, camera), placed)) for turned in DEPTHS_AT]
    shown = [DepthView(metres(depth), head.camera_at(turned, found.pose)) for turned, depth in depths]
    table = table_seen(shown, placed, LENS, TABLE_M)
    table.check()
    _LOG.info(
        'seed %d, encoders %g rad: %.2f mm, %.3f degrees, %.3f px in %d pictures; table %+.2f mm, %.3f degrees',
        *(seed, encoders_rad, error_mm, error_deg, found.residual_px, found.pictures),
        *(1e3 * table.above_m, table.tilt_deg),
    )
    assert found.pictures >= 6
    assert error_mm < 3.0
    assert error_deg < 0.5


def test_perception_moves_the_pose_at_home_to_where_the_camera_is(profile: RobotProfile) -> None:
    rng = np.random.default_rng(0)
    head, camera, placed = RobotHead(profile), mounted(rng), before_the_head(rng)
    found = camera_on_head(views_of(rng, head, camera, placed, encoders_rad=0.0), head, placed, LENS)
    moves = HeadCamera(profile, head.camera_at({}, found.pose))
    for turned in ({PAN: 0.3, TILT: -0.2}, {PAN: -0.4}, {}):
        seen, true = moves.at(turned), head.camera_at(turned, camera)
        assert np.linalg.norm(seen.position_m - true.position_m) < 0.003
        assert Rotation.from_matrix(seen.rotation.T @ true.rotation).magnitude() < np.radians(0.5)
    far = np.linalg.norm(HeadCamera(profile).at({}).position_m - head.camera_at({}, camera).position_m)
    assert far > 0.005, 'the profile itself would do, so that this test would show nothing'


def test_the_head_is_the_link_after_the_last_joint_that_moves_the_camera(profile: RobotProfile) -> None:
    head = RobotHead(profile)
    assert (head.link, head.joints) == ('face_link', (PAN, TILT))
    turned, home = head.pose_at({PAN: 0.5}), head.pose_at({})
    assert Rotation.from_matrix(home[0].T @ turned[0]).magnitude() == pytest.approx(0.5)
    assert not np.allclose(head.pose_at({TILT: 0.5})[0], home[0])


def test_a_camera_that_no_joint_moves_is_no_heads() -> None:
    with pytest.raises(PerceptionError, match='no joint of nicol moves its camera_link realsense_color_optical_frame'):
        RobotHead(load_profile('nicol'))


@pytest.mark.parametrize(('turns', 'heads'), [([(0.0, 0.0)] * 6, 1), ([(0.0, 0.0), (0.2, 0.0), (0.01, 0.01)] * 2, 2)])
def test_a_head_that_hardly_moved_is_refused(
    turns: list[tuple[float, float]], heads: int, profile: RobotProfile
) -> None:
    rng = np.random.default_rng(1)
    head, camera, placed = RobotHead(profile), mounted(rng), before_the_head(rng)
    with pytest.raises(PerceptionError, match=f'from {heads} head positions .* turn and tilt the head'):
        camera_on_head(views_of(rng, head, camera, placed, turns), head, placed, LENS)


def test_head_positions_that_differ_are_counted_once() -> None:
    turns = [Rotation.from_euler('z', angle, degrees=True).as_matrix() for angle in (0, 2, 4, 0, 4.5, 9)]
    assert head_positions(turns) == 3
    assert head_positions([]) == 0


def test_joint_states_of_other_pictures_are_refused(profile: RobotProfile) -> None:
    rng = np.random.default_rng(2)
    head, camera, placed = RobotHead(profile), mounted(rng), before_the_head(rng)
    views = views_of(rng, head, camera, placed)
    swapped = [HeadView(view.picture, other.joint_positions) for view, other in zip(views, views[::-1], strict=True)]
    with pytest.raises(PerceptionError, match='do the joint states belong to the pictures'):
        camera_on_head(swapped, head, placed, LENS)


def test_a_board_that_is_somewhere_else_shows_when_the_head_turns(profile: RobotProfile) -> None:
    """A camera that stands still fits any place of the board; one that turns does not."""
    rng = np.random.default_rng(3)
    head, camera, placed = RobotHead(profile), mounted(rng), before_the_head(rng)
    told = dataclasses.replace(placed, position_m=placed.position_m + np.array([0.05, 0.0, 0.0]))
    right = camera_on_head(views := views_of(rng, head, camera, placed), head, placed, LENS)
    with pytest.raises(PerceptionError, match='are the place of the board'):
        camera_on_head(views, head, told, LENS)
    assert right.residual_px < 2.0


def test_pictures_without_the_board_do_not_count(profile: RobotProfile) -> None:
    rng = np.random.default_rng(4)
    head, camera, placed = RobotHead(profile), mounted(rng), before_the_head(rng)
    views = views_of(rng, head, camera, placed)
    empty = HeadView(np.full((480, 640), 150, np.uint8), {PAN: 1.0, TILT: 0.0})
    assert camera_on_head([*views, empty], head, placed, LENS).pictures == len(views)
    with pytest.raises(PerceptionError, match='seen in 0 of 1 pictures, with 0 of its corners'):
        camera_on_head([empty], head, placed, LENS)


def test_a_joint_that_follows_another_is_known_by_its_leader(profile: RobotProfile) -> None:
    description = profile.description
    joints = tuple(
        dataclasses.replace(joint, mimic=Mimic(PAN, 0.5, 0.0)) if joint.name == TILT else joint
        for joint in description.joints
    )
    following = dataclasses.replace(profile, description=dataclasses.replace(description, joints=joints))
    head = RobotHead(following)
    assert head.joints == (PAN,)
    both = RobotHead(profile).pose_at({PAN: 0.2, TILT: 0.1})
    assert np.allclose(head.pose_at({PAN: 0.2})[0], both[0])


def test_a_fit_that_did_not_end_gives_no_pose(profile: RobotProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    def unfinished(errors: object, start: np.ndarray, **_: object) -> OptimizeResult:
        return OptimizeResult(x=start, success=False, message='no more evaluations')

    monkeypatch.setattr(head_calibration, 'least_squares', unfinished)
    rng = np.random.default_rng(0)
    head, camera, placed = RobotHead(profile), mounted(rng), before_the_head(rng)
    with pytest.raises(PerceptionError, match='no pose of the camera fits all pictures: no more evaluations'):
        camera_on_head(views_of(rng, head, camera, placed, encoders_rad=0.0), head, placed, LENS)
