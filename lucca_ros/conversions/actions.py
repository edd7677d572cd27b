"""Conversions of the action ExecuteAction: request, result and progress of one action."""

from lucca_interfaces.action import ExecuteAction

from lucca_core.protocol.actions import ActionProgress, ActionRequest, ActionResult
from lucca_ros.conversions.conversion import mirrored, nested
from lucca_ros.conversions.snapshots import SNAPSHOT

ACTION_REQUEST = mirrored(ActionRequest, ExecuteAction.Goal, {'snapshot': nested(SNAPSHOT)})
ACTION_PROGRESS = mirrored(ActionProgress, ExecuteAction.Feedback)
ACTION_RESULT = mirrored(ActionResult, ExecuteAction.Result)
