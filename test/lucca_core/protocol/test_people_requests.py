from typing import get_args

from lucca_core.protocol.people import AnyPeopleRequest, PeopleRequest


def test_every_request_of_a_conversation_is_among_those_that_have_to_be_answered():
    assert {kind.__name__ for kind in PeopleRequest.__subclasses__()} == {
        kind.__name__ for kind in get_args(AnyPeopleRequest)
    }
