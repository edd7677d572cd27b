"""The lines of one person as documents of the retriever."""

from collections.abc import Mapping, Sequence

from lucca_memory.embedding.ports import Vectors
from lucca_memory.people.ports import Store
from lucca_memory.retrieval.ports import Document


class PersonSource:
    """See retrieval's Source."""

    def __init__(self, store: Store, person_id: int) -> None:
        self._store = store
        self._person_id = person_id

    def state(self) -> tuple[int, int]:
        """See Source."""
        revision = self._store.revision(self._person_id)
        return revision.last_line, revision.epoch

    def documents(self, *, after: int, limit: int) -> Sequence[Document]:
        """See Source."""
        return [
            Document(key=line.line_id, group=line.conversation, text=line.text, speaker=line.speaker, time=line.time)
            for line in self._store.lines(self._person_id, after=after, limit=limit)
        ]

    def vectors(self, spec: str, *, after: int, limit: int) -> Mapping[int, Vectors]:
        """See Source."""
        return self._store.vectors(self._person_id, spec, after=after, limit=limit)
