"""Adding a batch of statements to the network: G(t+1) = Consolidate(G(t), C, E(X)) (the paper, section 1.2 c).

A batch is planned without changing anything; see graph/change.py. That a statement may end the validity of another one
goes beyond the paper.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.item_ids import order_of_line
from lucca_memory.retrieval.analysis import terms_of
from lucca_memory.retrieval.dates import MONTHS, WEEKDAYS
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.consolidation.sameness import is_one_fact
from lucca_memory.semantic.consolidation.supersession import Embed, says_the_same, takes_the_place
from lucca_memory.semantic.forgetting.compression import parts_of, without_part
from lucca_memory.semantic.graph.change import (
    CONCEPT,
    GENERAL,
    OPEN,
    STATEMENT,
    Change,
    Edge,
    EdgeKind,
    Node,
    NodeUpdate,
    touched,
)
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.language.extraction import EMPTY, NAME, Mention, concept_key
from lucca_memory.semantic.language.lexicon import DENIALS, MOST_READ
from lucca_memory.semantic.language.reading import readings_of, words_in
from lucca_memory.semantic.values import Statement

_CANDIDATES = 8
_SHARING = 40
"""How many statements with the most informative shared words are compared; usually all about one thing."""
_LEAST_COSINE = 0.35
_FOLLOWS_WEIGHT = 0.5
_CALENDAR = {*MONTHS, *WEEKDAYS}


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence of a statement, with its concepts, readings and vector."""

    statement: Statement
    text: str
    mentions: tuple[Mention, ...]
    vector: Vectors


Texts = Callable[[Sequence[int]], Mapping[int, Node]]
Nearest = Callable[[Vectors, str, int], Sequence[int]]
"""Returns the ids of an owner's living statements nearest to a vector."""


def named_in(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that denote one thing: full names, and names not part of one; no dates or numbers."""
    full = [mention for mention in mentions if mention.weight > NAME]
    parts = {word for mention in full for word in mention.label.split()}
    return [
        *full,
        *(
            mention
            for mention in mentions
            if mention.weight == NAME and mention.label.isalpha() and mention.label not in parts | _CALENDAR
        ),
    ]


def frame_of(mentions: Sequence[Mention]) -> int:
    """A 63-bit key of what a statement says about its subjects: its content words that are not part of names."""
    parts = {word for mention in named_in(mentions) for word in mention.label.split()}
    words = sorted(mention.key for mention in mentions if EMPTY < mention.weight < NAME and mention.label not in parts)
    return int.from_bytes(blake2b(repr(words).encode(), digest_size=8).digest()) >> 1


@lru_cache(maxsize=MOST_READ)
def _terms(text: str) -> frozenset[int]:
    # A text is compared with many that are said later.
    return frozenset(terms_of(text))


def _was_said_before(source: str, sources: Sequence[str], by_time: bool) -> bool:
    """True if a statement was made before those of other sources.

    Lines of one store are numbered as people speak, so they need no clock, which may be set back; others go by time.
    """
    line, others = order_of_line(source), [order_of_line(other) for other in sources]
    numbers = [other[1] for other in others if other and line and other[0] == line[0]]
    return line[1] < max(numbers) if line and numbers else by_time


class Consolidation:
    """Plans one batch: call `add` for each piece in the order of time, then take `change`."""

    def __init__(
        self, network: Network, texts: Texts, nearest: Nearest, embed: Embed, config: SemanticConfig, next_id: int
    ) -> None:
        self._network = network
        self._texts = texts
        self._nearest = nearest
        self._embed = embed
        self._config = config
        self._next_id = next_id
        self._new: dict[int, Node] = {}
        self._touched: dict[int, Node] = {}
        self._before: dict[int, Node] = {}
        self._edges: list[Edge] = []
        self._concepts: dict[int, int] = {}
        self._last: tuple[str, int] | None = None

    def add(self, piece: Piece) -> int:
        """Plans a piece; returns the id of the node that it becomes or strengthens."""
        candidates = self._candidates(piece)
        time = microseconds(piece.statement.time)
        for node in candidates:
            if node.kind == STATEMENT and node.valid_to == OPEN and self._is_same(piece, node):
                self._touch(
                    node,
                    told=node.told + 1,
                    said=max(node.said, node.born, time),
                    last=max(node.last, time),
                    sources=(piece.statement.source,),
                    pinned=node.pinned or piece.statement.pinned,
                    # Of several texts of one fact, the shortest is kept.
                    text=piece.text if len(piece.text.encode()) < len(node.text.encode()) else None,
                )
                self._follow(piece, node.node_id)
                return node.node_id
        node_id = self._take_id()
        for node in candidates:
            if self._is_nearly_same(piece, node):
                self._edges.append(Edge(a=node_id, b=node.node_id, kind=EdgeKind.REPEATS, weight=1.0))
        used, valid_to = 0.0, OPEN
        candidates = [self._without_repeated(piece, node) for node in candidates]
        for node in candidates:
            if node.valid_to != OPEN or not self._supersedes(piece, node):
                continue
            if node.kind == GENERAL:
                self._close_part(piece, node, node_id, time)
            elif not _was_said_before(piece.statement.source, node.sources, time < node.born):
                # People ask for the attribute, so its new value inherits the use count of the old one.
                used = max(used, node.used)
                self._touch(node, valid_to=max(time, node.born))
                self._edges.append(Edge(a=node_id, b=node.node_id, kind=EdgeKind.SUPERSEDES, weight=1.0))
            else:
                # It was said before what is known already, so it is history from the start.
                valid_to = min(valid_to, node.born)
                self._edges.append(Edge(a=node.node_id, b=node_id, kind=EdgeKind.SUPERSEDES, weight=1.0))
        self._new[node_id] = Node(
            node_id=node_id,
            kind=STATEMENT,
            text=piece.text,
            born=time,
            last=time,
            said=time,
            owner=piece.statement.owner,
            speaker=piece.statement.speaker,
            sources=(piece.statement.source,),
            key=frame_of(piece.mentions),
            valid_to=valid_to,
            used=used,
            pinned=piece.statement.pinned,
            vector=piece.vector,
        )
        for mention in piece.mentions:
            concept = self._concept(mention, piece.statement.owner, time)
            self._edges.append(Edge(a=node_id, b=concept, kind=EdgeKind.MENTIONS, weight=mention.weight))
        self._relate(piece, time)
        self._follow(piece, node_id)
        return node_id

    def change(self, heard: Sequence[str], introduced_bytes: int) -> Change:
        """Everything planned so far."""
        touches = [
            NodeUpdate(
                node_id=node_id,
                last=node.last,
                valid_to=node.valid_to,
                told=node.told,
                said=node.said,
                used=node.used,
                pinned=node.pinned,
                text=node.text if node.text != self._before[node_id].text else None,
                sources=tuple(source for source in node.sources if source not in self._before[node_id].sources),
            )
            for node_id, node in self._touched.items()
        ]
        return Change(
            heard=tuple(heard),
            introduced_bytes=introduced_bytes,
            nodes=tuple(sorted(self._new.values(), key=lambda node: node.node_id)),
            edges=tuple(self._edges),
            touches=tuple(touches),
        )

    # -- what is known already ----------------------------------------------------------------------------------

    def _candidates(self, piece: Piece) -> list[Node]:
        """Statements and general nodes of the same owner that may be about the same, best candidates first."""
        owner = piece.statement.owner
        ids = dict.fromkeys(self._nearest(piece.vector, owner, _CANDIDATES) if piece.vector.size else ())
        ids.update(dict.fromkeys(self._sharing(piece, owner)))
        known = {**self._texts(list(ids)), **{key: self._touched[key] for key in ids if key in self._touched}}
        for node_id, node in known.items():
            row = self._network.row_of(node_id)
            if row is not None and node_id not in self._touched:
                # Uses since the last commit are only in the arrays.
                known[node_id] = replace(
                    node,
                    used=float(self._network.column('used')[row]),
                    last=int(self._network.column('last')[row]),
                )
        found = [known[node_id] for node_id in ids if node_id in known]
        terms = _terms(piece.text)
        for node in self._new.values():
            if node.owner == owner and node.kind == STATEMENT and self._is_near(piece, node, terms):
                found.append(node)
        return found

    def _is_near(self, piece: Piece, node: Node, terms: frozenset[int]) -> bool:
        if piece.vector.size and node.vector is not None:
            return float(piece.vector @ node.vector) >= _LEAST_COSINE
        return bool(terms & _terms(node.text))

    def _sharing(self, piece: Piece, owner: str) -> list[int]:
        """Ids of the nodes that share the most informative concepts."""
        network, weights = self._network, dict[int, float]()
        a_rows, _, kinds, _ = network.edges
        alive, ids = network.column('alive'), network.column('ids')
        for mention in piece.mentions:
            row = network.concept_row(concept_key(owner, mention.key))
            if row is None:
                continue
            edges = network.edges_to(row)
            if len(edges) > self._config.hub:
                continue
            edges = edges[kinds[edges] == EdgeKind.MENTIONS][-200:]
            for at in a_rows[edges].tolist():
                if alive[at]:
                    weights[at] = weights.get(at, 0.0) + mention.weight / np.log2(2 + len(edges))
        best = sorted(weights, key=lambda at: (-weights[at], -at))[:_SHARING]
        return [int(ids[at]) for at in best]

    def _is_same(self, piece: Piece, node: Node) -> bool:
        """True if the speaker has said the same before, in these words or others."""
        return node.speaker == piece.statement.speaker and is_one_fact(piece.text, node.text)

    def _is_nearly_same(self, piece: Piece, node: Node) -> bool:
        """True if the speaker has said something before that may be the same in other words."""
        if node.kind != STATEMENT or node.valid_to != OPEN or node.speaker != piece.statement.speaker:
            return False
        new, old = readings_of(piece.text, piece.statement.speaker), readings_of(node.text, node.speaker)
        if not len(new) == len(old) == 1 or not says_the_same(new[0], old[0], self._embed):
            return False
        one, two = ({word.lower for word in words_in(text)} & DENIALS for text in (piece.text, node.text))
        return one == two

    def _supersedes(self, piece: Piece, node: Node) -> bool:
        return self._part_superseded(piece, node) is not None

    def _part_superseded(self, piece: Piece, node: Node) -> str | None:
        """The part of a node's text that gives the same attribute another value; None if there is none."""
        new = readings_of(piece.text, piece.statement.speaker) if self._config.evolution else ()
        if not new:
            return None
        for part in parts_of(node):
            old = readings_of(part, node.speaker)
            # The later of piece and part is the newer version.
            if old and takes_the_place(new, old, self._embed, self._config.same_attribute):
                return part
        return None

    def _close_part(self, piece: Piece, node: Node, successor: int, time: int) -> None:
        """Moves a part out of a general node into a history node of its own."""
        part = self._part_superseded(piece, node)
        if part is None:
            return
        old_id = self._take_id()
        self._new[old_id] = replace(
            node, node_id=old_id, kind=STATEMENT, text=part, valid_to=max(time, node.born), vector=None
        )
        self._edges.append(Edge(a=successor, b=old_id, kind=EdgeKind.SUPERSEDES, weight=1.0))
        rest = without_part(node, part)
        if rest:
            self._touch(node, text=rest)
        else:
            # No valid part is left: the whole node becomes history with an empty text.
            self._touch(node, text=rest, valid_to=max(time, node.born))

    def _without_repeated(self, piece: Piece, node: Node) -> Node:
        """A general node without the part that was said again and now is a node of its own."""
        if node.kind != GENERAL or node.valid_to != OPEN:
            return node
        again = [part for part in parts_of(node) if self._is_same(piece, replace(node, text=part))]
        rest = node
        for part in again:
            rest = replace(rest, text=without_part(rest, part))
        if again:
            self._touch(node, text=rest.text, **({} if rest.text else {'valid_to': max(node.born, node.last)}))
            return self._touched.get(node.node_id) or self._new[node.node_id]
        return node

    def _touch(self, node: Node, **values: object) -> None:
        touch = NodeUpdate(node_id=node.node_id, **values)  # type: ignore[arg-type]
        if node.node_id in self._new:
            self._new[node.node_id] = touched(self._new[node.node_id], touch)
            return
        self._before.setdefault(node.node_id, node)
        self._touched[node.node_id] = touched(self._touched.get(node.node_id, node), touch)

    # -- what is new --------------------------------------------------------------------------------------------

    def _concept(self, mention: Mention, owner: str, time: int) -> int:
        key = concept_key(owner, mention.key)
        row = self._network.concept_row(key)
        if row is not None:
            return int(self._network.column('ids')[row])
        if key not in self._concepts:
            node_id = self._concepts[key] = self._take_id()
            self._new[node_id] = Node(
                node_id=node_id, kind=CONCEPT, text=mention.label, born=time, last=time, owner=owner, key=key
            )
        return self._concepts[key]

    def _relate(self, piece: Piece, time: int) -> None:
        """Links the things that a new statement names with each other."""
        named = [self._concept(mention, piece.statement.owner, time) for mention in named_in(piece.mentions)]
        self._edges += [
            Edge(a=min(pair), b=max(pair), kind=EdgeKind.RELATED, weight=1.0)
            for pair in itertools.combinations(dict.fromkeys(named), 2)
        ]

    def _follow(self, piece: Piece, node_id: int) -> None:
        if self._last is not None and self._last[0] == piece.statement.owner and self._last[1] != node_id:
            self._edges.append(Edge(a=node_id, b=self._last[1], kind=EdgeKind.FOLLOWS, weight=_FOLLOWS_WEIGHT))
        self._last = (piece.statement.owner, node_id)

    def _take_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1
