"""A person's lines as documents for the retriever."""

from collections.abc import Callable, Mapping, Sequence

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import Person
from lucca_memory.retrieval.library import Source
from lucca_memory.retrieval.values import Document

_SCOPE = 'person-'


def scope_of(person: Person) -> str:
    """The retriever's scope of a person. It does not contain the name, so nothing derived from it does."""
    return f'{_SCOPE}{abs(person.person_id)}'


def source_of_scope(store: PeopleStore) -> Callable[[str], Source | None]:
    """A function that returns the source of a scope of this store."""

    def source_of(scope: str) -> Source | None:
        number = scope.removeprefix(_SCOPE)
        return PersonSource(store, int(number)) if scope != number and number.isdigit() else None

    return source_of


class PersonSource:
    """See retrieval's Source."""

    def __init__(self, store: PeopleStore, person_id: int) -> None:
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
