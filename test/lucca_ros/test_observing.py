"""What a node tells its watchers, whatever a model wrote into it."""

import json
from types import SimpleNamespace

import pytest
from builtin_interfaces.msg import Time

from lucca_core.protocol.actions import ActionRequest
from lucca_core.protocol.observations import GateDecision
from lucca_core.protocol.snapshots import Snapshot
from lucca_ros.observing import Observer

pytestmark = pytest.mark.ros


def test_a_lone_surrogate_of_a_model_does_not_keep_the_rest_from_being_told():
    told = []
    publisher = SimpleNamespace(is_activated=True, get_subscription_count=lambda: 1, publish=told.append)
    now = SimpleNamespace(to_msg=Time)
    node = SimpleNamespace(
        create_lifecycle_publisher=lambda *_: publisher,
        destroy_lifecycle_publisher=lambda _: None,
        get_clock=lambda: SimpleNamespace(now=lambda: now),
        get_name=lambda: 'action',
        context=SimpleNamespace(ok=lambda: True),
    )
    request = ActionRequest(text='<point(pear\ud800)>', task='sorting', allowed_actions=(), snapshot=Snapshot())
    observer = Observer(node, GateDecision)
    observer.tell(GateDecision(request=request, message='für die Birne'))
    observer.destroy()
    [message] = told
    assert json.loads(message.json)['request']['text'] == '<point(pear?)>'
    assert json.loads(message.json)['message'] == 'für die Birne'
