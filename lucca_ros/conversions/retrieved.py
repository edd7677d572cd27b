"""Conversions of the worker's answers about one task: retrieved memory and review."""

from typing import Any

from lucca_interfaces.srv import RetrieveMemory, ReviewCall

from lucca_core.protocol.refusal import Refusal
from lucca_core.protocol.retrieved import OpenIntent, Retrieved, RetrieveRequest, Review, ReviewRequest
from lucca_ros.conversions.conversion import Conversion, Service, answered, mirrored, nested
from lucca_ros.conversions.snapshots import SNAPSHOT
from lucca_ros.conversions.usage import USAGE


def retrieved_to_msg(value: Retrieved | Refusal) -> RetrieveMemory.Response:
    """Converts the memory of a task, or the reason why there is none."""
    if isinstance(value, Refusal):
        return RetrieveMemory.Response(message=value.reason)
    msg = RetrieveMemory.Response(
        success=True,
        message=value.doubt,
        text=value.text,
        to_do=list(value.to_do),
        calls=list(value.calls),
        actions_done=list(value.actions_done),
        world_changed=list(value.world_changed),
        corrections=value.corrections,
        usage=USAGE.to_msg(value.usage),
    )
    if intent := value.open_intent:
        msg.open_intent_id, msg.open_intent_action = intent.intent_id, intent.action
        msg.open_intent_object_id, msg.open_intent_object_name = intent.object_id, intent.object_name
    return msg


def retrieved_from_msg(msg: RetrieveMemory.Response) -> Retrieved | Refusal:
    """Converts the memory of a task, or the reason why there is none."""
    if not msg.success:
        return Refusal(msg.message)
    intent = OpenIntent(
        intent_id=msg.open_intent_id,
        action=msg.open_intent_action,
        object_id=msg.open_intent_object_id,
        object_name=msg.open_intent_object_name,
    )
    return Retrieved(
        text=msg.text,
        to_do=tuple(msg.to_do),
        calls=tuple(msg.calls),
        actions_done=tuple(msg.actions_done),
        open_intent=intent if intent.intent_id else None,
        world_changed=tuple(msg.world_changed),
        corrections=msg.corrections,
        doubt=msg.message,
        usage=USAGE.from_msg(msg.usage),
    )


RETRIEVE: Service[Any, Retrieved] = Service(
    RetrieveMemory,
    mirrored(RetrieveRequest, RetrieveMemory.Request, {'table': nested(SNAPSHOT, 'snapshot')}),
    Conversion(Retrieved | Refusal, RetrieveMemory.Response, retrieved_to_msg, retrieved_from_msg),
)
REVIEW = Service(
    ReviewCall,
    mirrored(ReviewRequest, ReviewCall.Request, {'table': nested(SNAPSHOT, 'snapshot')}),
    answered(Review, ReviewCall.Response, 'success', {'usage': nested(USAGE)}),
)
