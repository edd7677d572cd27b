"""General nodes by a language model: statements that a pass would forget, said in one shorter text before the pass."""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from lucca_core.errors import ModelError
from lucca_memory.semantic.forgetting.compression import Compressor, parts_of
from lucca_memory.semantic.forgetting.faithfulness import as_parts
from lucca_memory.semantic.forgetting.generals import of_one_time
from lucca_memory.semantic.graph.change import Node
from lucca_memory.semantic.memory import ConceptMemory

_log = logging.getLogger(__name__)


class Generalizer:
    """The general nodes of one pass, one a step. For one thread.

    Whatever the compressor does, memory is as without it unless a text passes the checks of `ConceptMemory.generalize`.
    """

    def __init__(
        self, memory: ConceptMemory, compressor: Compressor, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock`: wall time in s."""
        self._memory = memory
        self._compressor = compressor
        self._clock = clock
        self._waiting: list[list[int]] | None = None
        self._spent_s = 0.0
        self.asked = self.made = 0
        """General nodes that were asked for, and those of them that were made."""

    def step(self, now: datetime, budget_bytes: int | None) -> bool:
        """Asks for one general node; False if nothing is left to ask, or `general_calls` or `general_s` are used up.

        No lock is held while the compressor works.

        Raises:
            MemoryFault: something could not be read or stored; nothing was changed.
        """
        config = self._memory.config
        if self._waiting is None:
            self._waiting = self._memory.about_to_go(now, budget_bytes)[::-1] if config.general_calls else []
        while self._waiting and self.asked < config.general_calls and self._spent_s < config.general_s:
            nodes = self._memory.store.nodes(self._waiting.pop())
            members = of_one_time(list(nodes.values()))
            if len(members) > 1:
                self._ask(members, now)
                return True
        self._waiting = []
        return False

    def _ask(self, members: Sequence[Node], now: datetime) -> None:
        self.asked += 1
        begin = self._clock()
        try:
            text = as_parts(self._compressor.compress([part for node in members for part in parts_of(node)]))
            reason = self._memory.generalize(members, text, now)
        except ModelError as error:
            reason = str(error)
        self._spent_s += self._clock() - begin
        self.made += not reason
        _log.debug('%d nodes, %s', len(members), reason or 'now one general node')
