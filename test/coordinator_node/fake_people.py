"""A memory of people for tests, in place of the worker's."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from coordinator_node.people.interface import Partner
from lucca_core.protocol.people import RecordedTurn
from lucca_core.protocol.remembered import Recollection


def NOW() -> datetime:  # noqa: N802 - stands for a constant
    return datetime(2026, 11, 22, 9, 30, tzinfo=UTC)


@dataclass
class FakePeople:
    """A memory of people that finds what shares a word with the query, within the conversation's own person."""

    trusted: tuple[str, ...] = ('cli',)
    said: dict[str, list[Recollection]] = field(default_factory=dict)
    facts: list[Recollection] = field(default_factory=list)
    met: dict[str, str] = field(default_factory=dict)
    turns: list[RecordedTurn] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    faults: dict[str, list[Exception]] = field(default_factory=dict)
    queries: list[tuple[str, str]] = field(default_factory=list)
    _count: int = 0

    def _fault(self, name: str) -> None:
        if self.faults.get(name):
            raise self.faults[name].pop(0)

    def _add(self, who: str, text: str, speaker: str, group: str = '') -> str:
        self._count += 1
        item = Recollection(
            kind='said',
            item_id=f'said:{self._count}',
            text=text,
            source=f'{speaker}, 2026-11-20 10:00',
            speaker=speaker,
            conversation=group,
            time=NOW(),
        )
        self.said.setdefault(who, []).append(item)
        return item.item_id

    def meet(self, source, person, conversation) -> Partner:
        self._fault('meet')
        guest = f'guest of {conversation}'
        who = self.met.setdefault(conversation, person if person and source in self.trusted else guest)
        known, said = who != guest, self.said.get(who, [])
        current = tuple(item for item in said if item.group == conversation)
        earlier = tuple(item for item in said if item.group != conversation)
        return Partner(name=who if known else '', known=known, opening=earlier[-3:] if known else (), current=current)

    def erase(self, who) -> None:
        """As the worker does: the person is gone, and it is started anew."""
        self.said.pop(who)
        self.met.clear()

    def introduce(self, conversation, name) -> str:
        self._fault('introduce')
        taken = {who.lower() for who in self.said}
        new = name if name.lower() not in taken else f'{name} 2'
        self.said[new] = self.said.pop(self.met[conversation], [])
        self.met[conversation] = new
        return new

    def recall(self, conversation, query, kinds=(), limit=0) -> tuple[Recollection, ...]:
        self._fault('recall')
        self.queries.append((conversation, query))
        words = set(query.lower().replace('?', '').split())
        own = self.said.get(self.met[conversation], [])
        found = [item for item in (*own, *self.facts) if words & set(item.text.lower().replace('.', '').split())]
        return tuple(item for item in found if not kinds or item.kind in kinds)[: limit or 10]

    def record_turn(self, turn) -> None:
        self._fault('record_turn')
        self.turns.append(turn)
        who = self.met[turn.conversation]
        self._add(who, turn.utterance, who, turn.conversation)
        self._add(who, turn.answer, 'robot', turn.conversation)

    def remember(self, conversation, text) -> str:
        self._fault('remember')
        who = self.met[conversation]
        return self._add(who, text, who)

    def forget(self, conversation, item_ids) -> int:
        self._fault('forget')
        who = self.met[conversation]
        kept = [item for item in self.said.get(who, []) if item.item_id not in item_ids]
        count = len(self.said.get(who, [])) - len(kept)
        self.said[who] = kept
        return count

    def end(self, conversation) -> None:
        self.ended.append(conversation)

    def rate(self, conversation, verdict) -> str:
        return f'{verdict}: {self.turns[-1].answer}'
