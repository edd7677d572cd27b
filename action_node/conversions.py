"""The action node's own values to messages and back; shared ones are in lucca_ros.conversions."""

import numpy as np
from builtin_interfaces.msg import Duration
from lucca_interfaces.action import ExecuteAction
from lucca_interfaces.msg import Entry
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from action_node.trajectory import Array, Path
from action_node.values import ActionRequest, ActionResult, LogEntry
from action_node.valve import JointSample
from lucca_core.codes import ReasonCode
from lucca_ros.conversions import snapshot_from_msg, snapshot_to_msg, time_from_msg, time_to_msg

_RESULT_TIMES = ('duration_s', 'overhead_before_s', 'planning_s', 'overhead_after_s', 'verify_wait_s')
_RESULT_PLAIN = ('message', 'action', 'object_id', 'intent_id', 'outcome_id', 'attempts')
_ENTRY_PLAIN = (
    'kind',
    'task',
    'action',
    'object_id',
    'object_name',
    'intent_id',
    'code',
    'uncertain',
    'attempts',
    'note',
)


def request_from_goal(goal: ExecuteAction.Goal) -> ActionRequest:
    """What a goal asks for.

    Raises:
        ValueError: its snapshot cannot be used.
    """
    return ActionRequest(
        text=goal.text,
        task=goal.task,
        allowed_actions=tuple(goal.allowed_actions),
        snapshot=snapshot_from_msg(goal.snapshot),
        confirmed_by=goal.confirmed_by,
        settle_intent_id=int(goal.settle_intent_id),
        answered_wall_s=goal.answered_wall_s,
    )


def request_to_goal(request: ActionRequest) -> ExecuteAction.Goal:
    """A goal that asks for it."""
    return ExecuteAction.Goal(
        text=request.text,
        task=request.task,
        allowed_actions=list(request.allowed_actions),
        snapshot=snapshot_to_msg(request.snapshot),
        confirmed_by=request.confirmed_by,
        settle_intent_id=request.settle_intent_id,
        answered_wall_s=request.answered_wall_s,
    )


def result_to_msg(result: ActionResult) -> ExecuteAction.Result:
    """The result of an action."""
    values = {name: getattr(result, name) for name in _RESULT_PLAIN}
    values.update({name: float(getattr(result, name)) for name in _RESULT_TIMES})
    return ExecuteAction.Result(code=str(result.code), **values)


def result_from_msg(msg: ExecuteAction.Result) -> ActionResult:
    """The result in a message.

    Raises:
        ValueError: its code is not of the closed list.
    """
    return ActionResult(
        code=ReasonCode(msg.code), **{name: getattr(msg, name) for name in (*_RESULT_PLAIN, *_RESULT_TIMES)}
    )


def entry_to_msg(entry: LogEntry) -> Entry:
    """An entry for memory."""
    return Entry(
        duration_s=float(entry.duration_s),
        table=snapshot_to_msg(entry.snapshot),
        **{name: getattr(entry, name) for name in _ENTRY_PLAIN},
    )


def entry_from_msg(msg: Entry) -> LogEntry:
    """The entry in a message.

    Raises:
        ValueError: its snapshot cannot be used.
    """
    return LogEntry(
        duration_s=msg.duration_s,
        snapshot=snapshot_from_msg(msg.table),
        **{name: getattr(msg, name) for name in _ENTRY_PLAIN},
    )


def trajectory_to_msg(joints: tuple[str, ...], path: Path, start_s: float) -> JointTrajectory:
    """A trajectory that begins at ROS time `start_s`; 0: when it arrives."""
    msg = JointTrajectory(joint_names=list(joints))
    msg.header.stamp = time_to_msg(start_s)
    msg.points = [
        JointTrajectoryPoint(positions=positions, velocities=velocities, time_from_start=_duration(time_s))
        for time_s, positions, velocities in zip(
            path.times_s.tolist(), path.positions.tolist(), path.velocities.tolist(), strict=True
        )
    ]
    return msg


def trajectory_from_msg(msg: JointTrajectory) -> tuple[tuple[str, ...], Path, float]:
    """Joints, path and start of a trajectory.

    Raises:
        ValueError: it holds no path.
    """
    times: Array = np.array([p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in msg.points])
    positions = np.array([list(p.positions) for p in msg.points])
    velocities = np.array([list(p.velocities) for p in msg.points])
    return tuple(msg.joint_names), Path(times, positions, velocities), time_from_msg(msg.header.stamp)


def joints_from_msg(msg: JointState) -> JointSample:
    """The measured joints as they were sent, finite or not; what has no position is left out."""
    return JointSample(time_from_msg(msg.header.stamp), dict(zip(msg.name, msg.position, strict=False)))


def _duration(time_s: float) -> Duration:
    nanoseconds = round(time_s * 1e9)
    return Duration(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)
