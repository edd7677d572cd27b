"""Building the context for a question within a token budget: newer versions come first, history is marked (the paper's
Synthesize, 1.4 c).

A superseded statement never stands above the one that superseded it, and is always marked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.retrieval.analysis import asks_of_past, estimated_tokens
from lucca_memory.retrieval.times import from_microseconds
from lucca_memory.semantic.answering.doubt import FoundStatement, newer_versions
from lucca_memory.semantic.answering.finder import FoundNodes
from lucca_memory.semantic.answering.version_order import AMONG, Version, newest_first
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.graph.change import KINDS, OPEN, EdgeKind, Node
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.language.questions import wanted_of
from lucca_memory.semantic.values import Context, ContextItem, line_of

_HISTORY_SHARE = 0.25
_PAST_SHARE = 0.5
_OF_USE = 0.98
"""Nodes above this share of the best score count as equally useful."""
_LEAST_SHARE = 0.5
_LEAST_RELATIVE = 0.3
"""Nodes below this share of the best score are left out, as they would only fill the prompt."""
_MOST_STEPS = 20
_ASKED_OF = 40
"""How many of the best statements are compared as versions of one another."""


class Answering:
    """Builds the context of one question."""

    def __init__(
        self,
        network: Network,
        texts: Callable[[Sequence[int]], Mapping[int, Node]],
        settings: SemanticConfig | None = None,
    ) -> None:
        self._network = network
        self._settings = settings or SemanticConfig()
        self._texts = texts
        self._said: dict[int, int] = {}

    def context(self, question: str, found: FoundNodes, token_budget: int, vector: Vectors | None = None) -> Context:
        """The found rows as texts within a token budget; `vector` is the question's, None without an embedder."""
        scores: dict[int, float] = {}
        best = float(found.scores[0]) if len(found.scores) else 0.0
        history: dict[int, float] = {}
        valid_to, alive = self._network.column('valid_to'), self._network.column('alive')
        for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
            if score < _LEAST_RELATIVE * best:
                break
            if valid_to[row] == OPEN:
                scores.setdefault(row, score)
                continue
            history.setdefault(row, score)
            successor = self._newest(row)
            if valid_to[successor] == OPEN and alive[successor]:
                # A search that finds an outdated statement also wants its successor.
                scores.setdefault(successor, score)
        past = asks_of_past(question)
        if past:
            for row in list(scores)[:5]:
                for older in self._older(row):
                    history.setdefault(older, scores[row])
        items = self._items([*scores, *history], {**history, **scores})
        ordered = self._ordered(scores, items, past)
        valid = [items[row] for row in ordered]
        if self._settings.doubt:
            valid = self._doubted(question, ordered, valid, vector)
        held = sorted((items[row] for row in history if row in items), key=lambda item: (-item.score, item.valid_from))
        share = 0.0 if not held else _PAST_SHARE if past else _HISTORY_SHARE
        chosen, tokens = _fitting(valid, int(token_budget * (1 - share)))
        kept_history, tokens = _fitting(held, token_budget, tokens)
        if len(chosen) < len(valid):
            rest, tokens = _fitting(valid[len(chosen) :], token_budget, tokens)
            chosen += rest
        return Context(items=(*chosen, *kept_history), tokens=tokens)

    def _ordered(self, scores: Mapping[int, float], items: Mapping[int, ContextItem], past: bool) -> list[int]:
        """The valid rows, best first, and newer versions before older ones unless the question is about the past."""
        rows = [row for row in scores if row in items]
        if past or not self._settings.newest_first:
            return rows
        head = rows[:AMONG]
        has = self._network.column('has_vector')
        vectors = self._network.vectors_at(np.array(head, np.int64)) if head else np.zeros((0, 0), np.float32)
        versions = [
            Version(
                items[row].text,
                items[row].speaker,
                self._said[items[row].node_id],
                scores[row],
                vector if has[row] else vector[:0],
            )
            for row, vector in zip(head, vectors, strict=True)
        ]
        return [*(head[at] for at in newest_first(versions)), *rows[AMONG:]]

    def _doubted(
        self, question: str, rows: Sequence[int], items: Sequence[ContextItem], vector: Vectors | None
    ) -> list[ContextItem]:
        """The items, with possibly outdated ones marked and moved after their newest version."""
        wanted = wanted_of(question)
        places = [at for at, item in enumerate(items[:_ASKED_OF]) if item.kind == 'statement']
        if wanted is None or len(places) < 2:
            return list(items)
        cosines = self._cosines([rows[at] for at in places], vector)
        told = [
            FoundStatement(items[at].text, items[at].speaker, self._said[items[at].node_id], cosine)
            for at, cosine in zip(places, cosines, strict=True)
        ]
        newer = {places[old]: places[new] for old, new in newer_versions(wanted, told).items()}
        when = {places[at]: from_microseconds(item.time) for at, item in enumerate(told)}
        marked = list(items)
        for old, new in newer.items():
            marked[old] = replace(items[old], newer=when[new], newer_id=items[new].node_id)
        order = list(range(len(items)))
        for old, new in newer.items():
            if order.index(new) > order.index(old):
                order.remove(new)
                order.insert(order.index(old), new)
        return [marked[at] for at in order]

    def _cosines(self, rows: Sequence[int], vector: Vectors | None) -> list[float | None]:
        if vector is None or not vector.size:
            return [None] * len(rows)
        has = self._network.column('has_vector')
        found = self._network.vectors_at(np.array(rows, np.int64)) @ vector
        return [float(cosine) if has[row] else None for row, cosine in zip(rows, found, strict=True)]

    def uses(self, found: FoundNodes) -> dict[int, float]:
        """How useful each row was: for the best rows, the share of the question's information that they have.

        If the answer was forgotten, the best row covers only part of the question; below half of it nothing counts as
        useful. If an outdated statement was found, its successor was useful.
        """
        if not len(found.scores) or found.scores[0] <= 0:
            return {}
        uses: dict[int, float] = {}
        for row in found.rows[found.scores >= _OF_USE * found.scores[0]].tolist():
            share = self._share(row, found.concepts)
            if share >= _LEAST_SHARE:
                newest = self._newest(row)
                uses[newest] = max(uses.get(newest, 0.0), share)
        return uses

    def _share(self, row: int, concepts: Sequence[int]) -> float:
        """The share of the question's information that a row mentions; 1 if the question has none."""
        network = self._network
        telling = max(2, len(network))
        told = {at: 1 - np.log(min(telling, max(1, len(network.edges_to(at))))) / np.log(telling) for at in concepts}
        whole = sum(told.values())
        if whole <= 0:
            return 1.0
        _, b, _, _ = network.edges
        return float(sum(told.get(at, 0.0) for at in set(b[network.edges_from(row)].tolist())) / whole)

    def _newest(self, row: int) -> int:
        """The final successor of a row, following supersessions."""
        a, _, kinds, _ = self._network.edges
        alive = self._network.column('alive')
        for _ in range(_MOST_STEPS):
            edges = self._network.edges_to(row)
            above = [int(at) for at in a[edges[kinds[edges] == EdgeKind.SUPERSEDES]] if alive[at]]
            if not above:
                break
            row = above[-1]
        return row

    def _older(self, row: int) -> list[int]:
        """The rows that a row has superseded, newest first."""
        _, b, kinds, _ = self._network.edges
        alive, found = self._network.column('alive'), list[int]()
        waiting = [row]
        while waiting and len(found) < _MOST_STEPS:
            edges = self._network.edges_from(waiting.pop(0))
            below = [int(at) for at in b[edges[kinds[edges] == EdgeKind.SUPERSEDES]] if alive[at]]
            fresh = [at for at in below if at not in found]
            found += fresh
            waiting += fresh
        return found

    def _items(self, rows: Sequence[int], scores: Mapping[int, float]) -> dict[int, ContextItem]:
        ids = {row: int(self._network.column('ids')[row]) for row in rows}
        nodes = self._texts(list(ids.values()))
        self._said = {node_id: max(node.said, node.born) for node_id, node in nodes.items()}
        return {
            row: _item(nodes[node_id], scores[row])
            for row, node_id in ids.items()
            # Another process may have removed the node from the store.
            if node_id in nodes
        }


def _item(node: Node, score: float) -> ContextItem:
    return ContextItem(
        node_id=node.node_id,
        kind=KINDS[node.kind],
        text=node.text,
        speaker=node.speaker,
        valid_from=from_microseconds(node.born),
        valid_to=None if node.valid_to == OPEN else from_microseconds(node.valid_to),
        sources=node.sources,
        score=score,
    )


def _fitting(items: Sequence[ContextItem], budget: int, used: int = 0) -> tuple[list[ContextItem], int]:
    """The items that fit the budget, in order; items that are too long are skipped."""
    chosen = []
    for item in items:
        tokens = estimated_tokens(line_of(item))
        if used + tokens <= budget:
            chosen.append(item)
            used += tokens
    return chosen, used
