"""Fit of the weights for kinds (`_FOR_KINDS` in `lucca_llm/rules/meaning.py`) on tidying scenarios.

Usage: python laboratory/scripts/fit_kinds.py TIDYBOT.yml

It uses the first half of a file in TidyBot's format and `tidy_rooms.yaml`. It prints the share of right places in
four-fold cross-validation over scenarios, the shares that would be placed right and wrong, and the weights from all
scenarios.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from lucca_core.yaml_file import load_yaml
from lucca_lab.understanding.tidy_scenarios import load_scenarios
from lucca_language.reading.sorting_notes import read_note
from lucca_llm.rules.categories import Category
from lucca_llm.rules.meaning import (
    LEAST_CONFIRMATION,
    LEAST_SHARE,
    LEAST_SHARE_IF_CONFIRMED,
    kind_features,
    together,
)

ROOMS = Path(__file__).with_name('tidy_rooms.yaml')
FOLDS = 4
SHRINK = 0.05
"""The cost of a weight's square."""
DOUBT = 0.03
"""The share of the scenarios' places that is assumed to be wrong, so that no single object decides."""

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Scenario:
    """One scenario: the features of each object (kinds, features), the place of each kind, and the right places."""

    features: Sequence[NDArray[np.float64]]
    place_of_kind: NDArray[np.int64]
    belongs: Sequence[int]

    def shares(self, weights: Weights) -> NDArray[np.float64]:
        """The share of each place for each object (objects, places)."""
        rows = []
        for features in self.features:
            scores = features @ weights
            grown = np.exp(scores - scores.max())
            rows.append(np.bincount(self.place_of_kind, grown / grown.sum()))
        return np.array(rows)


def scenario(note: str, belongs: Mapping[str, str]) -> Scenario | None:
    """A scenario from a note and the place of each object; None if the note cannot be read."""
    places = sorted({place.lower() for place in belongs.values()})
    program = read_note(note, places)
    if program is None:
        return None
    kinds, where = [], []
    for directive in program.directives:
        for item in directive.items:
            kinds.append(Category(item, '').kind)
            where.append(places.index(' '.join(directive.target.words) if directive.target else ''))
    features = [kind_features(name, kinds) for name in belongs]
    return Scenario(features, np.array(where), [places.index(place.lower()) for place in belongs.values()])


def scenarios(tidybot: Path) -> Iterator[Scenario]:
    """The scenarios of both files whose notes can be read."""
    given = load_scenarios(tidybot)
    told = [(item.notes, item.unseen) for item in given[: len(given) // 2]]
    rooms: list[Any] = load_yaml(ROOMS)['rooms']
    for room in rooms:
        told.append((room['note'], {name: place for place, names in room['things'].items() for name in names}))
    yield from (found for note, belongs in told if (found := scenario(note, belongs)) is not None)


def fit(given: Sequence[Scenario]) -> Weights:
    """The weights that make the right places of the objects likely."""

    def cost(weights: Weights) -> float:
        total = SHRINK * float(weights @ weights)
        for item in given:
            shares = item.shares(weights)
            right = shares[np.arange(len(item.belongs)), item.belongs]
            total -= float(np.log((1 - DOUBT) * right + DOUBT / shares.shape[1]).sum())
        return total

    return np.asarray(minimize(cost, np.ones(given[0].features[0].shape[1]), method='L-BFGS-B').x)


def outcomes(given: Sequence[Scenario], weights: Weights) -> Iterator[tuple[bool, bool]]:
    """For each object: whether its first place is right, and whether it is certain enough to be used."""
    for item in given:
        shares = item.shares(weights)
        for own, other, right in zip(shares, together(shares.tolist()), item.belongs, strict=True):
            first = int(own.argmax())
            confirmed = own[first] >= LEAST_SHARE_IF_CONFIRMED and other[first] >= LEAST_CONFIRMATION
            yield first == right, bool(own[first] >= LEAST_SHARE or confirmed)


def main() -> None:
    """Fits the weights and prints the results."""
    given = list(scenarios(Path(sys.argv[1])))
    found = [
        outcome
        for fold in range(FOLDS)
        for outcome in outcomes(
            given[fold::FOLDS], fit([item for place, item in enumerate(given) if place % FOLDS != fold])
        )
    ]
    first = np.mean([right for right, _ in found])
    placed = np.mean([right and sure for right, sure in found])
    wrong = np.mean([sure and not right for right, sure in found])
    weights = ', '.join(f'{weight:.1f}' for weight in fit(given))
    sys.stdout.write(
        f'{len(given)} scenarios, {len(found)} objects: first {first:.3f}, placed {placed:.3f}, '
        f'placed wrongly {wrong:.3f}\n_FOR_KINDS = [{weights}]\n'
    )


if __name__ == '__main__':
    main()
