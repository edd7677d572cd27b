from typing import get_args

import pytest

pytest.importorskip('rclpy')

from lucca_core.protocol.people import AnyPeopleRequest
from lucca_ros.conversions.people import SERVICES

pytestmark = pytest.mark.ros


def test_every_request_of_a_conversation_has_a_service():
    assert set(SERVICES) == set(get_args(AnyPeopleRequest))
    assert len({name for name, _ in SERVICES.values()}) == len(SERVICES)
