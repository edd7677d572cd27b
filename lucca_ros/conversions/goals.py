"""Conversions of the action ExecuteTask: request, feedback and result of one goal."""

from lucca_interfaces.action import ExecuteTask

from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult
from lucca_ros.conversions.conversion import mirrored, nested
from lucca_ros.conversions.usage import USAGE

GOAL_REQUEST = mirrored(GoalRequest, ExecuteTask.Goal)
GOAL_FEEDBACK = mirrored(GoalFeedback, ExecuteTask.Feedback)
GOAL_RESULT = mirrored(GoalResult, ExecuteTask.Result, {'coordinator': nested(USAGE), 'worker': nested(USAGE)})
