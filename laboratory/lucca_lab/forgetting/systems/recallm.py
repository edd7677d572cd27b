"""RecallM (Kynoch et al. 2023): a graph of concepts whose contexts are ordered and weighted by time.

Each concept has the statements that name it, a strength (how often it was named together with its neighbours) and a
temporal index (the last statement that named it). A question retrieves the concepts that it names, and their
neighbours, rated 3·t_index + strength as in the published code, with their statements from newest to oldest. An
update thus comes before the value that it replaced, which stays. The paper uses a language model to extract concepts
and revise their contexts; here names are recognised by their capitals, and nothing is revised. The paper forgets
nothing; with a budget, the oldest statement of the lowest-rated concept is dropped first.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lucca_lab.forgetting.answering import Passage
from lucca_lab.forgetting.scenario import ScenarioStatement
from lucca_memory.embedding.embedder import Embedder

_NAME = re.compile(r'\b[A-Z][\w&-]*(?: [A-Z][\w&-]*)*')
_WORD = re.compile(r'[a-z]{4,}')
TIME_WEIGHT = 3


@dataclass(slots=True)
class _Concept:
    t_index: int = 0
    strength: int = 0
    statements: dict[str, int] = field(default_factory=dict)
    """Each text, with the index of its last telling."""
    neighbours: dict[str, int] = field(default_factory=dict)

    @property
    def rating(self) -> int:
        return TIME_WEIGHT * self.t_index + self.strength


def concepts_in(text: str) -> list[str]:
    """Names and longer lower-case words of a text, case-folded. Names begin with a capital, as sentences do."""
    names = [name.casefold() for name in _NAME.findall(text)]
    words = _WORD.findall(text)
    return list(dict.fromkeys([*names, *words]))


class RecallM:
    """A graph of concepts with statements; see the module's docstring."""

    def __init__(self, embedder: Embedder) -> None:
        del embedder  # RecallM looks for names, not for meanings.
        self._concepts: dict[str, _Concept] = {}
        self._time = 0

    @property
    def nodes(self) -> int:
        """See `System`."""
        return len(self._concepts)

    def hear(self, told: Sequence[ScenarioStatement]) -> None:
        """See `System`."""
        for item in told:
            self._time += 1
            names = concepts_in(item.text)
            for name in names:
                concept = self._concepts.setdefault(name, _Concept())
                concept.t_index = self._time
                concept.statements[item.text] = self._time
                for other in names:
                    if other != name:
                        concept.neighbours[other] = concept.neighbours.get(other, 0) + 1
                        concept.strength += 1

    def context(self, question: str, now: datetime) -> Sequence[Passage]:
        """See `System`. Statements that share most concepts with the question come first, then those of neighbours."""
        del now
        asked = [name for name in concepts_in(question) if name in self._concepts]
        shared: dict[str, int] = {}
        times: dict[str, int] = {}
        for name in asked:
            for text, time in self._concepts[name].statements.items():
                shared[text] = shared.get(text, 0) + 1
                times[text] = time
        first = sorted(shared, key=lambda text: (-shared[text], -times[text]))
        around = {other for name in asked for other in self._concepts[name].neighbours if other in self._concepts}
        by_rating = sorted(around - set(asked), key=lambda name: -self._concepts[name].rating)
        rest = {text: None for name in by_rating for text in reversed(self._concepts[name].statements)}
        return [Passage(text) for text in dict.fromkeys([*first, *rest])]

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """See `System`."""
        del now
        size = sum(len(passage.text.encode()) for passage in self.passages())
        while size > budget_bytes and self._concepts:
            least = min(self._concepts, key=lambda name: (self._concepts[name].rating, name))
            statements = self._concepts[least].statements
            oldest = min(statements, key=lambda text: (statements[text], text))
            size -= len(oldest.encode())
            self._drop(oldest)

    def passages(self) -> Sequence[Passage]:
        """See `System`."""
        return [Passage(text) for text in dict.fromkeys(t for c in self._concepts.values() for t in c.statements)]

    def _drop(self, text: str) -> None:
        for name in concepts_in(text):
            concept = self._concepts[name]
            concept.statements.pop(text, None)
            if not concept.statements:
                del self._concepts[name]
