"""Our own memory as a system under test: complete, with parts removed, and without a budget."""

from collections.abc import Sequence
from datetime import datetime

from lucca_lab.forgetting.answering import Passage
from lucca_lab.forgetting.policy import Policy, observation
from lucca_lab.forgetting.scenario import ScenarioStatement
from lucca_lab.forgetting.system import CONTEXT_TOKENS
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.semantic.config import ForgettingConfig, SemanticConfig
from lucca_memory.semantic.forgetting.importance import TermsOf, terms_of_importance
from lucca_memory.semantic.graph.change import CONCEPT, OPEN
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement


class Lucca:
    """`ConceptMemory`, as it is used on the robot, in this process."""

    def __init__(
        self,
        embedder: Embedder,
        config: ForgettingConfig | None = None,
        terms_of: TermsOf = terms_of_importance,
        policy: Policy | None = None,
        settings: SemanticConfig | None = None,
    ) -> None:
        self.memory = ConceptMemory(embedder, config, terms_of=terms_of, settings=settings)
        self._embedder, self._policy = embedder, policy
        self._asked: list[str] = []
        self._told = 0

    @property
    def nodes(self) -> int:
        """See `System`."""
        return int(self.memory.network.column('alive').sum())

    def hear(self, told: Sequence[ScenarioStatement]) -> None:
        """See `System`."""
        self.memory.hear(
            [Statement(text=item.text, speaker=item.speaker, time=item.time, source=item.source) for item in told]
        )
        self._told += len(told)

    def context(self, question: str, now: datetime) -> Sequence[Passage]:
        """See `System`."""
        self._asked.append(question)
        found = self.memory.context(question, now, CONTEXT_TOKENS)
        return [Passage(item.text, outdated=not item.is_valid) for item in found.items]

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """See `System`."""
        if self._policy is not None:
            self.memory.config = self._policy.base
            vectors = self._embedder.embed(self._asked)
            state = observation(
                self.memory.stats(now),
                budget_bytes,
                asked=len(self._asked),
                told=self._told,
                query=vectors.mean(axis=0).tolist() if len(vectors) else (),
            )
            self.memory.config = self._policy.parameters(state)
        self._asked, self._told = [], 0
        self.memory.forget(now, budget_bytes)

    def passages(self) -> Sequence[Passage]:
        """See `System`."""
        network = self.memory.network
        telling = network.column('alive') & (network.column('kinds') != CONCEPT)
        nodes = self.memory.store.nodes(network.column('ids')[telling].tolist())
        return [Passage(node.text, outdated=node.valid_to != OPEN) for node in nodes.values()]
