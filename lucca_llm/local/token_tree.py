"""Possible answers as a tree of tokens, so that shared beginnings are evaluated once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_BRANCHES = 63
"""Most answers in one tree; llama.cpp needs a sequence for each."""


@dataclass(slots=True)
class TokenNode:
    """One token of a tree. `parent` is -1 for a first token; `branches` are the answers that contain the token."""

    token: int
    depth: int
    parent: int
    branches: list[int] = field(default_factory=list)
    is_continued: bool = False


def token_tree(answers: Sequence[Sequence[int]]) -> tuple[list[TokenNode], list[list[int]]]:
    """The nodes of a tree, each after its parent, and for each answer the numbers of its nodes.

    Raises:
        ValueError: there are more answers than MOST_BRANCHES.
    """
    if len(answers) > MOST_BRANCHES:
        raise ValueError(f'a tree holds {MOST_BRANCHES} answers, got {len(answers)}')
    nodes: list[TokenNode] = []
    known: dict[tuple[int, int], int] = {}
    paths = []
    for branch, tokens in enumerate(answers):
        path, parent = list[int](), -1
        for depth, token in enumerate(tokens):
            place = known.get((parent, token))
            if place is None:
                place = known[parent, token] = len(nodes)
                nodes.append(TokenNode(token, depth, parent))
                if parent >= 0:
                    nodes[parent].is_continued = True
            nodes[place].branches.append(branch)
            path.append(place)
            parent = place
        paths.append(path)
    return nodes, paths
