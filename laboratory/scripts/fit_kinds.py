"""Fit of the weights for kinds, closeness and examples (`lucca_llm/rules/kinds/meaning_weights.py`) to scenarios.

Usage: python laboratory/scripts/fit_kinds.py TIDYBOT.yml

It uses the first half of a file in TidyBot's format and `tidy_rooms.yaml`. For kinds and for examples, it prints the
share of right places in four-fold cross-validation over scenarios, the shares that would be placed right and wrong,
and the weights from all scenarios. For closeness, it prints the weights and where right and wrong are equally likely.
The weights are for the embedding model that is installed: mpnet if it is, else MiniLM. They are those without the score
of an adapter, in whose training data most of these things are.
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
from lucca_lab.understanding.tidy_scenarios import TidyScenario, load_scenarios
from lucca_language.reading.sorting_notes import read_note
from lucca_llm.rules.kinds.category import Category
from lucca_llm.rules.kinds.meaning import (
    close_features,
    example_features,
    kind_features,
    prepare,
)
from lucca_llm.rules.kinds.sureness import SURE_OF_EXAMPLES, SURE_OF_KINDS, Sureness, together

ROOMS: list[Any] = load_yaml(Path(__file__).with_name('tidy_rooms.yaml'))['rooms']
FOLDS = 4
SHRINK = 0.05
"""The cost of a weight's square."""
DOUBT = 0.03
"""The share of the scenarios' places that is assumed to be wrong, so that no single object decides."""

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Scenario:
    """One scenario: the features of each object (kinds, features), the place of each kind, and the right places.

    Where a person gave examples, the examples for one place are one kind.
    """

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
    prepare([*belongs, *(kind.words for kind in kinds)])
    features = [kind_features(name, kinds, is_scored=False) for name in belongs]
    return Scenario(features, np.array(where), [places.index(place.lower()) for place in belongs.values()])


def by_example(seen: Mapping[str, str], belongs: Mapping[str, str]) -> Scenario:
    """A scenario from the places of the examples and of each object."""
    places = sorted(set(seen.values()))
    groups = [[name.lower() for name, where in seen.items() if where == place] for place in places]
    prepare([name.lower() for name in (*belongs, *seen)])
    features = [example_features(name.lower(), groups, is_scored=False)[0] for name in belongs]
    return Scenario(features, np.arange(len(places)), [places.index(place) for place in belongs.values()])


def from_notes(tidybot: Path) -> Iterator[Scenario]:
    """The scenarios of both files whose notes can be read."""
    told = [(item.notes, item.unseen) for item in _first_half(tidybot)]
    told += [
        (room['note'], {name: place for place, names in room['things'].items() for name in names}) for room in ROOMS
    ]
    yield from (found for note, belongs in told if (found := scenario(note, belongs)) is not None)


def from_examples(tidybot: Path) -> Iterator[Scenario]:
    """The scenarios of both files. In our rooms, the first two things of a place are examples, then the last two."""
    for item in _first_half(tidybot):
        yield by_example(item.seen, item.unseen)
    for room in ROOMS:
        for step in (1, -1):
            things = {place: names[::step] for place, names in room['things'].items()}
            seen = {name: place for place, names in things.items() for name in names[: min(2, len(names) - 1)]}
            belongs = {name: place for place, names in things.items() for name in names if name not in seen}
            if set(seen.values()) == set(things):
                yield by_example(seen, belongs)


def _first_half(tidybot: Path) -> Sequence[TidyScenario]:
    given = load_scenarios(tidybot)
    return given[: len(given) // 2]


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


def outcomes(given: Sequence[Scenario], weights: Weights, sureness: Sureness) -> Iterator[tuple[bool, bool]]:
    """For each object: whether its first place is right, and whether it is certain enough to be used."""
    for item in given:
        shares = item.shares(weights)
        for own, other, right in zip(shares, together(shares.tolist()), item.belongs, strict=True):
            first = int(own.argmax())
            yield first == right, bool(sureness.is_sure(own[first], other[first]))


def report(name: str, given: Sequence[Scenario], sureness: Sureness) -> None:
    """Fits the weights of this name and prints the results."""
    found = [
        outcome
        for fold in range(FOLDS)
        for outcome in outcomes(
            given[fold::FOLDS], fit([item for place, item in enumerate(given) if place % FOLDS != fold]), sureness
        )
    ]
    first = np.mean([right for right, _ in found])
    placed = np.mean([right and sure for right, sure in found])
    wrong = np.mean([sure and not right for right, sure in found])
    weights = ', '.join(f'{weight:.1f}' for weight in fit(given))
    sys.stdout.write(
        f'{len(given)} scenarios, {len(found)} objects: first {first:.3f}, placed {placed:.3f}, '
        f'placed wrongly {wrong:.3f}\n{name} = [{weights}]\n'
    )


def fit_closeness(given: Sequence[Scenario]) -> Weights:
    """The weights by which the kind that comes first is known to be right, and a constant.

    Each object is tried twice: with all places, and without its own, as if the note named no kind for it.
    """
    weights, rows, right = fit(given), [], []
    for item in given:
        for features, own in zip(item.features, item.belongs, strict=True):
            scores, others = features @ weights, item.place_of_kind != own
            for first in (int(scores.argmax()), int(np.where(others, scores, -np.inf).argmax())):
                rows.append([*close_features(features)[first], 1.0])
                right.append(item.place_of_kind[first] == own)
    signed = np.array(rows) * np.where(right, 1, -1)[:, None]

    def cost(found: Weights) -> float:
        return float(np.logaddexp(0, -signed @ found).sum() + SHRINK * found @ found)

    return np.asarray(minimize(cost, np.zeros(signed.shape[1]), method='L-BFGS-B').x)


def main() -> None:
    """Fits the weights for kinds, for closeness and for examples."""
    tidybot = Path(sys.argv[1])
    told = list(from_notes(tidybot))
    report('kinds', told, SURE_OF_KINDS)
    *weights, constant = fit_closeness(told)
    sys.stdout.write(f'closeness = [{", ".join(f"{weight:.1f}" for weight in weights)}]; even at {-constant:.1f}\n')
    report('examples', list(from_examples(tidybot)), SURE_OF_EXAMPLES)


if __name__ == '__main__':
    main()
