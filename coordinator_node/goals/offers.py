"""Offers: questions of the robot whether it should do something, until the person answers them."""

import re
import threading

from coordinator_node.talk.interpretation import Heard, Interpretation
from coordinator_node.talk.tools import Wish
from lucca_language.words.disfluencies import fluent

_YES = re.compile(
    r'(?:yes|yeah|yep|ok|okay|sure|all right|right|correct|exactly|please do|do it|do that|go ahead|go on)'
    r'(?:[ ,]+(?:please|do it|do that|go ahead|you may))?[.! ]*',
    re.IGNORECASE,
)
_NO = re.compile(r"(?:no|nope|don't|do not|no thanks|no thank you|leave it|never mind)[.! ]*", re.IGNORECASE)


class Offers:
    """The open offers, one for each speaker. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[str, str], str] = {}

    def keep(self, heard: Heard, description: str) -> None:
        """Keeps that the speaker was asked whether the robot should do this."""
        with self._lock:
            self._open[heard.source, heard.person] = description

    def close(self, heard: Heard) -> None:
        """Closes the open offer to a speaker, if there is one."""
        with self._lock:
            self._open.pop((heard.source, heard.person), None)

    def answer(self, heard: Heard) -> Interpretation | None:
        """The meaning of a yes or no to an open offer. Any other text closes the offer; the result is None."""
        with self._lock:
            description = self._open.pop((heard.source, heard.person), None)
        if description is None:
            return None
        said = fluent(heard.text).strip()
        if _YES.fullmatch(said):
            return Interpretation(Wish.DO, description)
        if _NO.fullmatch(said):
            return Interpretation(Wish.SAY, 'All right, I leave it.')
        return None
