"""The network's part in a recall: statements that still hold, and marks on memories that no longer do."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lucca_core.protocol.remembered import Recollection
from lucca_memory.item_ids import NODE, SAID, is_entry, line_of_source, number_of, owner_of, source_of_line
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import Person
from lucca_memory.retrieval.analysis import estimated_tokens, terms_of
from lucca_memory.retrieval.times import from_microseconds
from lucca_memory.retrieval.values import Question
from lucca_memory.semantic.graph.change import OPEN, EdgeKind, Node
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Context, ContextItem

_TOKENS = 400
_MOST_STEPS = 20


@dataclass(frozen=True, slots=True)
class Added:
    """What the network adds to the other memories of a recall. None of it is outdated.

    `instead`: the replacement, by the id of the outdated or doubtful memory; one of the other memories if that says the
    same. `others`: further statements, each after its newer versions. `newer`: the time at which something newer was
    said, by the id of the doubtful memory or of one of `others`.
    """

    instead: dict[str, Recollection]
    others: tuple[Recollection, ...]
    newer: dict[str, datetime] = field(default_factory=dict)


class NetworkRecall:
    """Searches the network for a recall. Safe to use from several threads."""

    def __init__(self, memory: ConceptMemory, people: PeopleMemory, store: PeopleStore) -> None:
        self._memory = memory
        self._people = people
        self._store = store

    def marked(self, person: Person, found: Sequence[Recollection]) -> list[Recollection]:
        """The same memories of a known person, each with the time since which it no longer holds, if the network knows.

        A line with several sentences is marked `partly` if only some of them are outdated.
        """
        standing = self._standing(found)
        marked = []
        for item in found:
            ends = standing.get(item.item_id, [])
            over = [end for end in ends if end is not None]
            marked.append(replace(item, valid_to=max(over), partly=len(over) < len(ends)) if over else item)
        return marked

    def added(self, person: Person, question: Question, found: Sequence[Recollection]) -> Added:
        """The network's additions to the memories found. Retrieved nodes count as used, which is stored later.

        Nothing is added from lines that were put away, nothing that a found memory says itself, and nothing outdated.
        """
        uid = self._store.uid
        away = {source_of_line(uid, item.line.line_id) for item in self._people.forgotten(person)}
        lines = {source_of_line(uid, _number(item)) for item in found if _is_line(item)}
        entries = {item.item_id for item in found if item.kind == 'task'}
        owner = owner_of(uid, person.person_id)
        context = self._memory.context(question.text, question.now, _TOKENS, owner=owner)
        held = [item for item in context.items if item.valid_to is None]
        nodes = self._memory.store.nodes([key for item in held for key in (item.node_id, item.newer_id) if key])
        others = {
            item.node_id: _recollection(nodes[item.node_id], item.score)
            for item in held
            if item.node_id in nodes
            and item.text
            and not away.intersection(item.sources)
            and not (lines | entries).intersection(item.sources)
        }
        instead = {}
        doubts = self._doubts(context, found)
        for item in found:
            successor = self._successor(item) if item.valid_to is not None else None
            if item.item_id in doubts:
                successor = nodes.get(doubts[item.item_id].newer_id or 0)
            if successor is not None and not away.intersection(successor.sources):
                instead[item.item_id] = self._said_by(successor, found) or _recollection(successor, item.score)
        taken = {item.item_id for item in instead.values()}
        newer = {
            item_id: doubt.newer for item_id, doubt in doubts.items() if item_id in instead and doubt.newer is not None
        }
        for doubt in context.doubtful:
            successor = nodes.get(doubt.newer_id or 0)
            if doubt.node_id in others and doubt.newer is not None and successor is not None:
                # No line of this statement was found, so the mark goes with the statement itself.
                key = others[doubt.node_id].item_id
                instead[key] = self._said_by(successor, found) or _recollection(successor, doubt.score)
                newer[key] = doubt.newer
        return Added(instead, tuple(item for item in others.values() if item.item_id not in taken), newer)

    def _said_by(self, node: Node, found: Sequence[Recollection]) -> Recollection | None:
        """The found line that says the same as a node and still holds."""
        uid = self._store.uid
        saying = (line for line in found if _is_line(line) and line.valid_to is None)
        return next((line for line in saying if source_of_line(uid, _number(line)) in node.sources), None)

    def _doubts(self, context: Context, found: Sequence[Recollection]) -> dict[str, ContextItem]:
        """For each found line that may be outdated, by its id, the doubtful text of the network that the line says."""
        uid = self._store.uid
        lines = [item for item in found if _is_line(item) and item.valid_to is None]
        return {
            line.item_id: item
            for line in lines
            for item in context.doubtful
            if source_of_line(uid, _number(line)) in item.sources and _tells(line.text, item.text)
        }

    def lines_of(self, person: Person, node_ids: Sequence[int]) -> list[str]:
        """The lines of a person that nodes come from, as `said:17`; nodes that are not this person's are skipped."""
        owner, uid = owner_of(self._store.uid, person.person_id), self._store.uid
        nodes = self._memory.store.nodes(node_ids).values()
        numbers = [line_of_source(uid, source) for node in nodes if node.owner == owner for source in node.sources]
        return [f'{SAID}{number}' for number in dict.fromkeys(numbers) if number is not None]

    def _standing(self, found: Sequence[Recollection]) -> dict[str, list[datetime | None]]:
        uid = self._store.uid
        by_source = {source_of_line(uid, _number(item)): item for item in found if _is_line(item)}
        standing: dict[str, list[datetime | None]] = {}
        told = self._memory.store.told_by(list(by_source))
        texts = self._memory.store.nodes([node.node_id for node in told if node.valid_to is not None])
        for node in told:
            item = by_source[node.source]
            if node.valid_to is not None:
                over = texts.get(node.node_id)
                if over is None or not _tells(item.text, over.text):
                    continue
            elif node.away:
                # A node put away for low importance says nothing against a line that is still there.
                continue
            standing.setdefault(item.item_id, []).append(node.valid_to)
        return standing

    def _successor(self, item: Recollection) -> Node | None:
        """The living node that holds instead of what a line said."""
        store = self._memory.store
        source = source_of_line(self._store.uid, _number(item))
        over = store.nodes([node.node_id for node in store.told_by([source]) if node.valid_to is not None])
        ids = [node_id for node_id, node in over.items() if _tells(item.text, node.text)]
        for _ in range(_MOST_STEPS):
            above = [edge.a for edge in store.edges_of(ids) if edge.kind is EdgeKind.SUPERSEDES and edge.b in ids]
            if not above:
                return None
            living = self._memory.living(above)
            nodes = store.nodes(living)
            holding = [nodes[node_id] for node_id in living if nodes[node_id].valid_to == OPEN and nodes[node_id].text]
            if holding:
                return max(holding, key=lambda node: node.born)
            ids = above
        return None


def _tells(line: str, text: str) -> bool:
    """True if a line says what a node says.

    A node made of several lines has all of them as sources. If one part no longer holds, the other lines may still.
    """
    terms = set(terms_of(text))
    return bool(terms) and 2 * len(terms & set(terms_of(line))) > len(terms)


def placed(base: Sequence[Recollection], added: Added, limit: int, tokens: int, most: int) -> tuple[Recollection, ...]:
    """The memories with at most `most` statements among them, within `limit` items and `tokens`.

    Statements displace the lowest-ranked memories when the list is full. The replacement of an outdated memory, be it a
    statement or another memory, stands right before it.
    """
    found = {item.item_id for item in base}
    statements: list[Recollection] = []
    replacing = [item for item_id, item in added.instead.items() if item_id in found]
    for item in (*replacing, *added.others):
        size = estimated_tokens(item.text)
        if (
            item.item_id not in found
            and len(statements) < min(most, limit - 1 if base else limit)
            and size <= tokens // 2
        ):
            found.add(item.item_id)
            statements.append(item)
            tokens -= size
    kept: list[Recollection] = []
    for item in base:
        size = estimated_tokens(item.text)
        if size <= tokens and len(kept) < limit - len(statements):
            kept.append(item)
            tokens -= size
    there = {item.item_id: item for item in (*kept, *statements)}
    # Without its mark, a doubtful statement would look like one that holds.
    lone = {item.item_id for item in statements if item.item_id in added.newer} - {
        key for key, item in added.instead.items() if item.item_id in there
    }
    there = {key: item for key, item in there.items() if key not in lone}
    # The mark that something newer was said is kept only if the newer text is in the list, too.
    newer = {
        key: when for key, when in added.newer.items() if key in added.instead and added.instead[key].item_id in there
    }
    result: dict[str, Recollection] = {}
    for item in list(there.values()):
        before = added.instead.get(item.item_id)
        if before is not None and before.item_id in there:
            result.setdefault(before.item_id, replace(there[before.item_id], newer=newer.get(before.item_id)))
        result.setdefault(item.item_id, replace(item, newer=newer.get(item.item_id)))
    return tuple(result.values())


def _is_line(item: Recollection) -> bool:
    return item.kind == 'said' and number_of(item.item_id) is not None


def _number(item: Recollection) -> int:
    return int(item.item_id.removeprefix(SAID))


def _recollection(node: Node, score: float) -> Recollection:
    done = bool(node.sources) and all(map(is_entry, node.sources))
    when = from_microseconds(node.born)
    who = node.speaker or ('done' if done else 'several')
    return Recollection(
        kind='task' if done else 'statement',
        item_id=f'{NODE}{node.node_id}',
        text=node.text,
        source=f'{who}, {when:%Y-%m-%d %H:%M}',
        score=score,
        why=('network',),
        speaker=node.speaker,
        time=when,
        conversation=node.sources[-1].removeprefix('task:').rpartition(':')[0] if done else '',
    )
