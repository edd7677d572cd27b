"""Conversions of the services for the memory of people."""

from collections.abc import Mapping
from typing import Any

from lucca_interfaces import msg, srv

from lucca_core.protocol import people
from lucca_core.protocol.remembered import Recollection
from lucca_ros.conversions.conversion import Field, Service, answered, mirrored, several
from lucca_ros.conversions.stamps import moment

MEMORY = mirrored(
    Recollection,
    msg.Memory,
    {'id': Field(value_name='item_id'), 'stamp': moment('time'), 'valid_to': moment(), 'newer': moment()},
)
MEET = Service(
    srv.Meet,
    mirrored(people.MeetRequest, srv.Meet.Request),
    answered(people.Met, srv.Meet.Response, 'ok', {'opening': several(MEMORY), 'current': several(MEMORY)}),
)
INTRODUCE = Service(
    srv.Introduce,
    mirrored(people.IntroduceRequest, srv.Introduce.Request),
    answered(people.Introduction, srv.Introduce.Response, 'ok'),
)
RECALL = Service(
    srv.Recall,
    mirrored(people.RecallRequest, srv.Recall.Request),
    answered(people.Recalled, srv.Recall.Response, 'ok', {'memories': several(MEMORY)}),
)
RECORD_TURN = Service(
    srv.RecordTurn,
    mirrored(people.RecordedTurn, srv.RecordTurn.Request, {'stamp': moment(), 'answered': moment()}),
    answered(people.TurnKept, srv.RecordTurn.Response, 'ok'),
)
REMEMBER = Service(
    srv.Remember,
    mirrored(people.RememberRequest, srv.Remember.Request),
    answered(people.Remembered, srv.Remember.Response, 'ok', {'id': Field(value_name='item_id')}),
)
FORGET = Service(
    srv.Forget,
    mirrored(people.ForgetRequest, srv.Forget.Request),
    answered(people.ForgottenCount, srv.Forget.Response, 'ok'),
)
FEEDBACK = Service(
    srv.Feedback,
    mirrored(people.FeedbackRequest, srv.Feedback.Request),
    answered(people.FeedbackKept, srv.Feedback.Response, 'ok'),
)
END_CONVERSATION = Service(
    srv.EndConversation,
    mirrored(people.EndRequest, srv.EndConversation.Request),
    answered(people.ConversationEnded, srv.EndConversation.Response, 'ok'),
)
SERVICES: Mapping[type[people.AnyPeopleRequest], tuple[str, Service[Any, Any]]] = {
    people.MeetRequest: ('memory/meet', MEET),
    people.IntroduceRequest: ('memory/introduce', INTRODUCE),
    people.RecallRequest: ('memory/recall', RECALL),
    people.RecordedTurn: ('memory/record_turn', RECORD_TURN),
    people.RememberRequest: ('memory/remember', REMEMBER),
    people.ForgetRequest: ('memory/forget', FORGET),
    people.FeedbackRequest: ('memory/feedback', FEEDBACK),
    people.EndRequest: ('memory/end_conversation', END_CONVERSATION),
}
"""The name and the service of each request of a conversation."""

NETWORK = Service(
    srv.Network,
    mirrored(people.NetworkRequest, srv.Network.Request),
    answered(people.NetworkAnswer, srv.Network.Response, 'ok', {'json': Field(value_name='document')}),
)
