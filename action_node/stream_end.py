"""The end of a segment that was not completed."""

from lucca_core.codes import ReasonCode


class StreamEnded(Exception):
    """A segment was not completed; `code` is the reason."""

    def __init__(self, code: ReasonCode, message: str) -> None:
        self.code = code
        super().__init__(message)
