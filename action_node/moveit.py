"""MoveIt as a planner of paths, by its services GetMotionPlan and ApplyPlanningScene, if moveit_msgs is installed."""

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from geometry_msgs.msg import Point, Pose, Quaternion
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive

from action_node.motion.collision import Solid
from action_node.motion.free_ways import WayAnswer
from lucca_core.errors import ConfigError, StackError
from lucca_ros.streams import Streams

PLAN_SERVICE, SCENE_SERVICE = 'plan_kinematic_path', 'apply_planning_scene'
"""Names of move_group's services."""
CODES = {
    1: 'SUCCESS',
    99999: 'FAILURE',
    -1: 'PLANNING_FAILED',
    -2: 'INVALID_MOTION_PLAN',
    -6: 'TIMED_OUT',
    -10: 'START_STATE_IN_COLLISION',
    -12: 'GOAL_IN_COLLISION',
    -14: 'GOAL_CONSTRAINTS_VIOLATED',
    -15: 'INVALID_GROUP_NAME',
    -16: 'INVALID_GOAL_CONSTRAINTS',
    -17: 'INVALID_ROBOT_STATE',
    -21: 'FRAME_TRANSFORM_FAILURE',
    -26: 'START_STATE_INVALID',
    -27: 'GOAL_STATE_INVALID',
}
"""Codes of moveit_msgs/MoveItErrorCodes to which our requests can lead."""

_ANSWER_S = 3.0
"""Time that an answer may take in addition to the planning itself."""
_GOAL_RAD = 0.005


class MoveIt:
    """Asks move_group for paths.

    Args:
        streams: receives the answers.
        table: shown in addition to all other solids.
        world_frame: frame of all poses.
        planning_s: longest planning of one path, in s.

    Raises:
        ConfigError: moveit_msgs is not installed.
    """

    def __init__(self, streams: Streams, table: Solid, world_frame: str, planning_s: float) -> None:
        try:
            self._messages: Any = import_module('moveit_msgs.msg')
            services: Any = import_module('moveit_msgs.srv')
        except ModuleNotFoundError as error:
            raise ConfigError(
                'planner: moveit needs moveit_msgs: sudo apt install ros-jazzy-moveit-msgs; planner: own does not'
            ) from error
        self._services = services
        self._table = table
        self._world_frame = world_frame
        self._planning_s = planning_s
        self._shown: frozenset[str] = frozenset()
        self._plans = streams.caller(services.GetMotionPlan, PLAN_SERVICE)
        self._scenes = streams.caller(services.ApplyPlanningScene, SCENE_SERVICE)

    def show(self, solids: Sequence[Solid]) -> None:
        """See `WayPlanner.show`."""
        scene = scene_of(self._messages, (self._table, *solids), self._shown, self._world_frame)
        request = self._services.ApplyPlanningScene.Request()
        request.scene = scene
        if not self._scenes.call(request, _ANSWER_S).success:
            raise StackError('MoveIt refused the planning scene')
        self._shown = frozenset(solid.name for solid in (self._table, *solids))

    def plan(self, group: str, start: Mapping[str, float], goal: Mapping[str, float]) -> WayAnswer:
        """See `WayPlanner.plan`."""
        request = self._services.GetMotionPlan.Request()
        request.motion_plan_request = request_of(self._messages, group, start, goal, self._planning_s)
        answer = self._plans.call(request, self._planning_s + _ANSWER_S).motion_plan_response
        return answer_of(answer)

    def destroy(self) -> None:
        """Destroys the clients."""
        self._plans.destroy()
        self._scenes.destroy()


def request_of(
    messages: Any, group: str, start: Mapping[str, float], goal: Mapping[str, float], planning_s: float
) -> Any:
    """A moveit_msgs/MotionPlanRequest from one posture to another. `messages`: the module moveit_msgs.msg."""
    request = messages.MotionPlanRequest()
    request.group_name = group
    request.num_planning_attempts = 1
    request.allowed_planning_time = planning_s
    # Only the path is taken from the answer; its timing is computed here.
    request.max_velocity_scaling_factor = request.max_acceleration_scaling_factor = 1.0
    request.start_state.joint_state = JointState(name=list(start), position=list(start.values()))
    constraints = messages.Constraints()
    constraints.joint_constraints = [
        messages.JointConstraint(
            joint_name=name, position=value, tolerance_above=_GOAL_RAD, tolerance_below=_GOAL_RAD, weight=1.0
        )
        for name, value in goal.items()
    ]
    request.goal_constraints = [constraints]
    return request


def answer_of(response: Any) -> WayAnswer:
    """Converts a moveit_msgs/MotionPlanResponse."""
    trajectory = response.trajectory.joint_trajectory
    return WayAnswer(
        code=int(response.error_code.val),
        joints=tuple(trajectory.joint_names),
        points=tuple(tuple(float(value) for value in point.positions) for point in trajectory.points),
    )


def scene_of(messages: Any, solids: Sequence[Solid], before: frozenset[str], frame: str) -> Any:
    """A change of the planning scene to these solids; solids shown `before` that are gone are removed."""
    scene = messages.PlanningScene()
    scene.is_diff = scene.robot_state.is_diff = True
    gone = before - {solid.name for solid in solids}
    scene.world.collision_objects = [
        *(_object(messages, name, frame, messages.CollisionObject.REMOVE) for name in sorted(gone)),
        *(_shown(messages, solid, frame) for solid in solids),
    ]
    return scene


def _shown(messages: Any, solid: Solid, frame: str) -> Any:
    found = _object(messages, solid.name, frame, messages.CollisionObject.ADD)
    width, depth, height = solid.size_m
    if solid.round:
        primitive = SolidPrimitive(type=SolidPrimitive.CYLINDER, dimensions=[height, max(width, depth) / 2])
    else:
        primitive = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[width, depth, height])
    x, y, z = solid.centre_m
    found.pose = Pose(
        position=Point(x=x, y=y, z=z),
        orientation=Quaternion(z=math.sin(solid.yaw_rad / 2), w=math.cos(solid.yaw_rad / 2)),
    )
    found.primitives = [primitive]
    found.primitive_poses = [Pose()]
    return found


def _object(messages: Any, name: str, frame: str, operation: bytes) -> Any:
    found = messages.CollisionObject()
    found.header.frame_id = frame
    found.id = name
    found.operation = operation
    return found
