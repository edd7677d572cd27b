"""The withdrawal of a motion whose object is prohibited while the hand is still on its way to it."""

from collections.abc import Callable

from action_node.cancel_latch import CancelSign
from action_node.gate.gate import Permit, check_prohibitions
from lucca_core.errors import RefusalError
from lucca_core.protocol.prohibitions import KeptProhibitions


class Withdrawal:
    """A sign that ends a motion as a cancel does: set by a cancel, or once a prohibition rules the motion out.

    For one thread. It stays set.

    Args:
        cancelled: the cancel of the action.
        permit: what is carried out.
        prohibitions: returns those that hold. It is called at every tick of a motion, so it must not wait.
    """

    def __init__(self, cancelled: CancelSign, permit: Permit, prohibitions: Callable[[], KeptProhibitions]) -> None:
        self._cancelled = cancelled
        self._permit = permit
        self._prohibitions = prohibitions
        self._judged: KeptProhibitions | None = None
        self.refusal: RefusalError | None = None
        """By what the motion was ruled out; None if it was not, as far as `is_set` has been asked."""

    @property
    def is_set(self) -> bool:
        """Whether the motion has to end."""
        kept = self._prohibitions()
        # They are another object after each change.
        if kept is not self._judged and self.refusal is None:
            self._judged = kept
            try:
                check_prohibitions(self._permit.spec, self._permit.target, kept)
            except RefusalError as error:
                self.refusal = error
        return self._cancelled.is_set or self.refusal is not None
