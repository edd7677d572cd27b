"""Decisions as one tree of tokens: shared parts of prompts are computed once, and each answer is learned on its branch.

It is plain Python on lists, so that it can be tested without a model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class TokenForest:
    """The tokens of several trees in one sequence.

    `parents[i]` is the place of the token before token i, or -1 for a first token; `positions[i]` is its depth.
    `targets` are (place, next token, weight): at this place the model learns the next token of an answer.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    targets: list[tuple[int, int, float]] = field(default_factory=list)
    decisions: int = 0

    def add_tree(self, decisions: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None:
        """Adds the decisions of one tree, each as the tokens of a prompt and those of its answer, including the end."""
        known: dict[tuple[int, int], int] = {}
        learned: set[tuple[int, int]] = set()
        for prompt, answer in decisions:
            place = -1
            for number, token in enumerate([*prompt, *answer]):
                if number >= len(prompt) and (place, token) not in learned:
                    learned.add((place, token))
                    self.targets.append((place, token, 1.0))
                # The last token of an answer is learned but never read.
                if number == len(prompt) + len(answer) - 1:
                    break
                following = known.get((place, token))
                if following is None:
                    following = known[place, token] = len(self.tokens)
                    self.tokens.append(token)
                    self.parents.append(place)
                    self.positions.append(self.positions[place] + 1 if place >= 0 else 0)
                place = following
            self.decisions += 1

    def ancestors(self) -> list[list[int]]:
        """For each token, the places to which it attends: those before it on its branch, and itself."""
        found: list[list[int]] = []
        for place, parent in enumerate(self.parents):
            found.append([*(found[parent] if parent >= 0 else ()), place])
        return found
