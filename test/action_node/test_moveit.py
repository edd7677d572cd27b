"""Requests to MoveIt and its answers, with messages that have the fields of moveit_msgs 2.6.0 and no others.

moveit_msgs is on no registry, and no MoveIt has been asked.
"""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy')

from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from action_node.motion.collision import Solid
from action_node.motion.config import MotionConfig
from action_node.motion.free_ways import SUCCESS
from action_node.motion.table_geometry import table_solid
from action_node.moveit import CODES, PLAN_SERVICE, SCENE_SERVICE, MoveIt, answer_of, request_of, scene_of
from lucca_core.errors import ConfigError, StackError

pytestmark = pytest.mark.ros
TABLE = table_solid(MotionConfig(), 0.8)
CAN = Solid('can', (0.5, 0.1, 0.86), (0.07, 0.07, 0.12), round=True)
BOX = Solid('box 1', (0.4, -0.3, 0.85), (0.2, 0.3, 0.1), yaw_rad=0.4)


def message(**fields: Any) -> type:
    """A class with these fields alone, and their defaults made anew for each object."""

    class Made:
        __slots__ = tuple(fields)

        def __init__(self, **given: Any) -> None:
            for name, default in fields.items():
                setattr(self, name, given.pop(name) if name in given else default())
            assert not given, f'no fields: {sorted(given)}'

    return Made


RobotState = message(
    joint_state=SimpleNamespace, multi_dof_joint_state=object, attached_collision_objects=list, is_diff=bool
)
CollisionObject = message(
    header=Header,
    pose=object,
    id=str,
    type=object,
    primitives=list,
    primitive_poses=list,
    meshes=list,
    mesh_poses=list,
    planes=list,
    plane_poses=list,
    subframe_names=list,
    subframe_poses=list,
    operation=bytes,
)
CollisionObject.ADD, CollisionObject.REMOVE = b'\x00', b'\x01'  # type: ignore[attr-defined]
World = message(collision_objects=list, octomap=object)
MESSAGES = SimpleNamespace(
    MotionPlanRequest=message(
        workspace_parameters=object,
        start_state=RobotState,
        goal_constraints=list,
        path_constraints=object,
        trajectory_constraints=object,
        reference_trajectories=list,
        pipeline_id=str,
        planner_id=str,
        group_name=str,
        num_planning_attempts=int,
        allowed_planning_time=float,
        max_velocity_scaling_factor=float,
        max_acceleration_scaling_factor=float,
        cartesian_speed_limited_link=str,
        max_cartesian_speed=float,
    ),
    Constraints=message(
        name=str,
        joint_constraints=list,
        position_constraints=list,
        orientation_constraints=list,
        visibility_constraints=list,
    ),
    JointConstraint=message(joint_name=str, position=float, tolerance_above=float, tolerance_below=float, weight=float),
    PlanningScene=message(
        name=str,
        robot_state=RobotState,
        robot_model_name=str,
        fixed_frame_transforms=list,
        allowed_collision_matrix=object,
        link_padding=list,
        link_scale=list,
        object_colors=list,
        world=World,
        is_diff=bool,
    ),
    CollisionObject=CollisionObject,
)


def response(code: int = SUCCESS) -> Any:
    trajectory = JointTrajectory(
        joint_names=['b', 'a'],
        points=[JointTrajectoryPoint(positions=[0.0, 1.0]), JointTrajectoryPoint(positions=[0.5, 2.0])],
    )
    return SimpleNamespace(
        error_code=SimpleNamespace(val=code), trajectory=SimpleNamespace(joint_trajectory=trajectory)
    )


def test_a_request_names_group_start_and_goal_joint_by_joint() -> None:
    made = request_of(MESSAGES, 'left_arm', {'a': 0.1, 'b': 0.2, 'finger': 0.0}, {'a': 1.0, 'b': -1.0}, 1.5)
    assert (made.group_name, made.allowed_planning_time) == ('left_arm', 1.5)
    start = made.start_state.joint_state
    assert dict(zip(start.name, start.position, strict=True)) == {'a': 0.1, 'b': 0.2, 'finger': 0.0}
    # The whole state of the robot, and not a change to what MoveIt believes.
    assert not made.start_state.is_diff
    (goal,) = made.goal_constraints
    assert [(item.joint_name, item.position) for item in goal.joint_constraints] == [('a', 1.0), ('b', -1.0)]
    assert all(0 < item.tolerance_above == item.tolerance_below < 0.02 for item in goal.joint_constraints)


def test_an_answer_has_its_code_its_joints_and_a_row_for_each_point() -> None:
    found = answer_of(response())
    assert (found.code, found.joints, found.points) == (SUCCESS, ('b', 'a'), ((0.0, 1.0), (0.5, 2.0)))
    assert CODES[SUCCESS] == 'SUCCESS'


def test_a_scene_shows_what_stands_there_and_takes_away_what_is_gone() -> None:
    scene = scene_of(MESSAGES, (TABLE, CAN, BOX), frozenset({'can', 'pear'}), 'world')
    assert scene.is_diff
    assert scene.robot_state.is_diff
    pear, table, can, box = scene.world.collision_objects
    assert (pear.id, pear.operation) == ('pear', CollisionObject.REMOVE)  # type: ignore[attr-defined]
    assert {item.header.frame_id for item in (pear, table, can, box)} == {'world'}
    assert (can.primitives[0].type, list(can.primitives[0].dimensions)) == (3, [0.12, 0.035])
    assert (box.primitives[0].type, list(box.primitives[0].dimensions)) == (1, [0.2, 0.3, 0.1])
    assert box.pose.orientation.z == pytest.approx(0.19866933)
    assert table.pose.position.z + table.primitives[0].dimensions[2] / 2 == pytest.approx(0.8)
    assert all(len(item.primitives) == len(item.primitive_poses) for item in (table, can, box))


class FakeStreams:
    """Serves both services, and keeps the requests."""

    def __init__(self, *, accepts: bool = True) -> None:
        self.accepts = accepts
        self.requests: list[tuple[str, Any]] = []

    def caller(self, kind: Any, name: str) -> Any:
        def call(request: Any, timeout_s: float) -> Any:
            self.requests.append((name, request))
            if name == PLAN_SERVICE:
                return SimpleNamespace(motion_plan_response=response())
            return SimpleNamespace(success=self.accepts)

        return SimpleNamespace(call=call, destroy=lambda: None)


@pytest.fixture
def moveit_msgs(monkeypatch: pytest.MonkeyPatch) -> None:
    services = SimpleNamespace(
        GetMotionPlan=SimpleNamespace(Request=message(motion_plan_request=object)),
        ApplyPlanningScene=SimpleNamespace(Request=message(scene=object)),
    )
    for name, held in (('moveit_msgs', None), ('moveit_msgs.msg', MESSAGES), ('moveit_msgs.srv', services)):
        module = ModuleType(name)
        vars(module).update(vars(held) if held is not None else {})
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.usefixtures('moveit_msgs')
def test_it_shows_the_table_with_what_stands_on_it_and_asks_for_ways() -> None:
    streams = FakeStreams()
    moveit = MoveIt(streams, TABLE, 'world', 1.0)  # type: ignore[arg-type]
    moveit.show([CAN])
    moveit.show([BOX])
    assert moveit.plan('left_arm', {'a': 0.0}, {'a': 1.0}).joints == ('b', 'a')
    moveit.destroy()
    (first, second), (third, asked) = streams.requests[:2], streams.requests[2]
    assert [first[0], second[0], third] == [SCENE_SERVICE, SCENE_SERVICE, PLAN_SERVICE]
    shown = [(item.id, item.operation) for item in second[1].scene.world.collision_objects]
    add, remove = CollisionObject.ADD, CollisionObject.REMOVE  # type: ignore[attr-defined]
    assert shown == [('can', remove), ('table', add), ('box 1', add)]
    assert asked.motion_plan_request.group_name == 'left_arm'


@pytest.mark.usefixtures('moveit_msgs')
def test_a_scene_that_is_refused_ends_the_search() -> None:
    with pytest.raises(StackError, match='refused the planning scene'):
        MoveIt(FakeStreams(accepts=False), TABLE, 'world', 1.0).show([CAN])  # type: ignore[arg-type]


def test_without_moveit_msgs_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'moveit_msgs', None)
    monkeypatch.setitem(sys.modules, 'moveit_msgs.msg', None)
    with pytest.raises(ConfigError, match='sudo apt install ros-jazzy-moveit-msgs; planner: own does not'):
        MoveIt(FakeStreams(), TABLE, 'world', 1.0)  # type: ignore[arg-type]
