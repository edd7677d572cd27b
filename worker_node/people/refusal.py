"""The code with which the desk answers an error."""

from lucca_core.errors import DeskRefusal, LuccaError
from lucca_core.protocol.refusal import DeskCode


def code_of(error: LuccaError) -> DeskCode:
    """The code for an error."""
    return error.code if isinstance(error, DeskRefusal) else DeskCode.UNAVAILABLE
