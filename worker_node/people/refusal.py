"""Why the desk does not do what it was asked to, as a closed list of codes."""

from enum import StrEnum

from lucca_core.errors import LuccaError, MemoryFault


class DeskCode(StrEnum):
    """`code` of every response."""

    OK = ''
    NOT_MET = 'not_met'
    OTHER_PERSON = 'other_person'
    BAD_REQUEST = 'bad_request'
    UNAVAILABLE = 'unavailable'


class DeskRefusal(MemoryFault):
    """Nothing was done, and why."""

    def __init__(self, code: DeskCode, reason: str) -> None:
        self.code = code
        super().__init__(reason)


def code_of(error: LuccaError) -> DeskCode:
    """The code of whatever went wrong."""
    return error.code if isinstance(error, DeskRefusal) else DeskCode.UNAVAILABLE
