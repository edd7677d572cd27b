"""Takes prohibitions and lifts them: only what is understood is kept, and everything else is refused with a reason."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from action_node.prohibition_store import ProhibitionStore
from lucca_core.errors import MemoryFault
from lucca_core.protocol.prohibitions import (
    EVERY_PLACE,
    MOST_CHARS,
    NOT_A_PLACE,
    NOT_KEPT,
    Prohibition,
    ProhibitionChange,
    ProhibitionRequest,
    ProhibitionsAnswer,
)
from lucca_core.protocol.snapshots import Snapshot
from lucca_language.prohibitions import is_lifted, listed, not_understood, same_meaning, same_place


class ProhibitionDesk:
    """Answers requests about prohibitions.

    Args:
        store: keeps them.
        places: the containers of the robot's actions, the only places that can be prohibited.
        table: the last snapshot, whose labels are known words; None if nothing is seen.
        now: the date and time, in UTC.
    """

    def __init__(
        self,
        store: ProhibitionStore,
        places: Iterable[str],
        table: Callable[[], Snapshot | None] = lambda: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._places = tuple(dict.fromkeys(filter(None, places)))
        self._table = table
        self._now = now

    def answer(self, request: ProhibitionRequest) -> ProhibitionsAnswer:
        """Carries out a request and returns what holds now.

        Raises:
            MemoryFault: nothing was changed; the message says why.
        """
        if request.change is ProhibitionChange.ADD:
            return self._added(request)
        if request.change is ProhibitionChange.LIFT:
            return self._lifted(request)
        kept = self._store.kept()
        if kept.fault:
            raise MemoryFault(kept.fault)
        return ProhibitionsAnswer(prohibitions=kept.prohibitions)

    def _added(self, request: ProhibitionRequest) -> ProhibitionsAnswer:
        what = ' '.join(request.what.split())
        seen = self._table()
        here = [listed(item) for item in seen] if seen is not None else []
        if len(what) > MOST_CHARS:
            raise MemoryFault(f'a prohibition has at most {MOST_CHARS} characters, got {len(what)}')
        if words := not_understood(what, here):
            names = ', '.join(f'“{word}”' for word in words)
            raise MemoryFault(f'I do not understand {names or "it"} as things that I can tell apart')
        place = self._known_place(request.place)
        said = Prohibition(what=what, place=place, person=_name(request.person), said_at=_to_second(self._now()))
        known: list[Prohibition] = []

        def with_it(kept: tuple[Prohibition, ...]) -> tuple[Prohibition, ...]:
            known[:] = [item for item in kept if item.place == place and same_meaning(item.what, what)]
            return kept if known else (*kept, said)

        prohibitions = self._store.change(with_it)
        return ProhibitionsAnswer(prohibitions=prohibitions, changed=tuple(known) or (said,))

    def _lifted(self, request: ProhibitionRequest) -> ProhibitionsAnswer:
        what = ' '.join(request.what.split())
        gone: list[Prohibition] = []

        def without_it(kept: tuple[Prohibition, ...]) -> tuple[Prohibition, ...]:
            gone[:] = [item for item in kept if is_lifted(item, what, request.place)]
            if not gone:
                raise MemoryFault(f'{NOT_KEPT} “{what[:MOST_CHARS]}”; {_all(kept)}')
            return tuple(item for item in kept if item not in gone)

        prohibitions = self._store.change(without_it)
        return ProhibitionsAnswer(prohibitions=prohibitions, changed=tuple(gone))

    def _known_place(self, place: str) -> str:
        """The name of a container as actions have it; empty for an empty name."""
        if not place.strip():
            return ''
        found = next((name for name in self._places if same_place(name, place)), None)
        if found is None or same_place(place, EVERY_PLACE):
            raise MemoryFault(f'{NOT_A_PLACE} “{place[:MOST_CHARS]}”; I put things in {", ".join(self._places)}')
        return found


def _all(kept: tuple[Prohibition, ...]) -> str:
    return f'prohibited is: {"; ".join(map(str, kept))}' if kept else 'nothing is prohibited'


def _name(person: str) -> str:
    """The name of a person as it is kept: printable, and not too long."""
    return ''.join(character for character in ' '.join(person.split()) if character.isprintable())[:MOST_CHARS]


def _to_second(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)
