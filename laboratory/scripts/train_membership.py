"""Trains the form that tells members of kinds by their vectors: `python train_membership.py minilm|mpnet OUT.npz`.

With `lists` in place of the model, it writes the lists themselves (`lucca_memory/embedding/member_lists.py`). Needs
lucca and the embedding model. It learns from `membership.yaml`: the form's score is the log odds that a thing is
of a kind (`lucca_memory/embedding/membership.py`). A kind that is beside one of a thing's kinds, or whose list is known
to leave things out, is neither right nor wrong for the thing. It takes 30 s of processor time, and the vectors twice as
much (ten times as much again with mpnet).
"""

import itertools
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.trained_models import MPNET as MPNET_MODEL
from lucca_core.yaml_file import load_yaml
from lucca_language.words.glosses import gloss
from lucca_llm.rules.kinds.kind_scores import kinds_adapter
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.member_lists import FORMAT as FORMAT_OF_LISTS
from lucca_memory.embedding.membership import FORMAT
from lucca_memory.embedding.pair_adapter import read_pair_adapter
from lucca_memory.embedding.spec import MINILM, MPNET, minilm_folder

LISTS = Path(__file__).with_name('membership.yaml')
RANK, STEPS, THINGS, KINDS = 128, 2200, 512, 256
"""Rank of the form, steps, and how many things and texts of kinds a step draws."""
RATE, DECAY, DROPOUT, SEED = 0.02, 0.02, 0.12, 1
SURE, RIGHT_COUNTS = 0.98, 3.0
"""The share that is taken for right where the lists say so, and how much that counts beside what is wrong."""

Numbers = NDArray[np.float32]


@dataclass(frozen=True)
class Lists:
    """Things, texts of kinds, and for each of both whether the thing is of the kind, and whether that is known.

    A text counts (`counts`) the less, the more texts its kinds have.
    """

    things: list[str]
    texts: list[str]
    right: Numbers
    known: Numbers
    counts: Numbers


class Kinds:
    """The kinds of a file: which are above which, and of which it is open whether a thing is of them."""

    def __init__(self, told_of: Mapping[str, Any]) -> None:
        self.told: Mapping[str, Any] = told_of['kinds']
        self._above = {kind: self._all_above(kind) for kind in self.told}
        self._beside: dict[str, set[str]] = defaultdict(set)
        for kind, told in self.told.items():
            for other in told['beside']:
                self._beside[kind].add(other)
                self._beside[other].add(kind)
        self._opposites: dict[str, set[str]] = defaultdict(set)
        for group in told_of['opposites']:
            for kind in group:
                self._opposites[kind] |= {*group} - {kind}
        self._of_food, self._not_of_food = {*told_of['of_food']}, {*told_of['not_of_food']}
        self._incomplete = {*told_of['incomplete']}

    def _all_above(self, kind: str) -> set[str]:
        found: set[str] = set()
        waiting = [kind]
        while waiting:
            found.add(waiting[-1])
            waiting += [other for other in self.told[waiting.pop()]['above'] if other not in found]
        return found

    def of_and_open(self, named: frozenset[str]) -> tuple[set[str], set[str]]:
        """The kinds of a thing that is listed in some, and those of which it is not known if it is of them, too."""
        of: set[str] = set().union(*(self._above[kind] for kind in named))
        # What is listed of the thing itself counts more than what its kinds imply.
        of -= {kind for listed in named for kind in self._opposites[listed]} - named
        is_food = not of.isdisjoint({'food', 'petfood', 'babyfood'})
        unsure = {kind for kind in self._incomplete if not of.isdisjoint(self.told[kind]['above'][:1] or of)}
        unsure |= self._of_food if is_food else self._not_of_food
        unsure -= self._not_of_food if is_food else self._of_food
        unsure |= {other for kind in of for other in self._beside[kind]}
        return of, unsure - of - {other for kind in of for other in self._opposites[kind]}


def listed(told_of: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """The kinds in which each thing is listed, and those of the names that are made of two parts."""
    own: dict[str, set[str]] = defaultdict(set)
    for kind, told in told_of['kinds'].items():
        for thing in told['things']:
            own[thing].add(kind)
    plain = {thing: frozenset(kinds) for thing, kinds in own.items()}
    drawing = random.Random(SEED)
    found = dict(plain)
    for group in told_of['combined']:
        pairs = list(itertools.product(group['first'], group['then']))
        drawing.shuffle(pairs)
        for first, second in pairs[: group['most']]:
            inherited = frozenset() if group.get('only') else plain.get(second, frozenset())
            kinds = inherited.union(group['kinds'])
            if kinds:
                found.setdefault(f'{first} {second}', kinds)
    return found


def read_lists(file: Path) -> Lists:
    """Reads the lists."""
    told_of: Mapping[str, Any] = load_yaml(file)
    kinds, own = Kinds(told_of), listed(told_of)
    names = {kind: number for number, kind in enumerate(kinds.told)}
    called: dict[str, list[str]] = defaultdict(list)
    for kind, told in kinds.told.items():
        for text in told['names']:
            called[text].append(kind)
    things, texts = sorted(own), sorted(called)
    is_of, is_open = (np.zeros((len(things), len(names)), np.float32) for _ in range(2))
    for row, thing in enumerate(things):
        of, unsure = kinds.of_and_open(own[thing])
        is_of[row, [names[kind] for kind in of]] = 1
        is_open[row, [names[kind] for kind in unsure]] = 1
    bears = np.zeros((len(names), len(texts)), np.float32)
    for column, text in enumerate(texts):
        bears[[names[kind] for kind in called[text]], column] = 1
    right = is_of @ bears > 0
    known = right | (is_open @ bears == 0)
    many = {kind: len(told['names']) for kind, told in kinds.told.items()}
    counts = [1 / np.mean([many[kind] for kind in called[text]], dtype=np.float32) for text in texts]
    return Lists(things, texts, right.astype(np.float32), known.astype(np.float32), np.array(counts, np.float32))


def vectors(texts: list[str], embedder: BertEmbedder) -> Numbers:
    """The vectors of texts and of the texts with what they are, (texts, 2 d)."""
    with_gloss = [f'{text}: {gloss(text)}' if gloss(text) else text for text in texts]
    return np.hstack([embedder.embed(texts), embedder.embed(with_gloss)])


class Adam:
    """AdamW (Loshchilov and Hutter 2019) with a rate that falls to zero."""

    def __init__(self, numbers: list[Numbers]) -> None:
        self._numbers = numbers
        self._means = [np.zeros_like(item) for item in numbers]
        self._squares = [np.zeros_like(item) for item in numbers]

    def step(self, slopes: Iterable[Numbers], step: int) -> None:
        """Changes the numbers against their slopes."""
        rate = RATE * (1 - step / STEPS)
        for item, mean, square, slope in zip(self._numbers, self._means, self._squares, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            grown = np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8
            item *= 1 - rate * DECAY
            item -= rate * (mean / (1 - 0.9 ** (step + 1))) / grown


def trained(lists: Lists, things: Numbers, kinds: Numbers) -> dict[str, NDArray[Any]]:
    """The numbers of a form, learned from vectors of the things and the kinds."""
    drawing = np.random.default_rng(SEED)
    weight = lists.known * lists.counts
    weight = weight / weight.sum(1, keepdims=True) * np.where(lists.right > 0, np.float32(RIGHT_COUNTS), np.float32(1))
    middles = things.mean(0), kinds.mean(0)
    given = things - middles[0], kinds - middles[1]
    goal = lists.right * np.float32(2 * SURE - 1) + np.float32(1 - SURE)
    downs = [0.05 * drawing.standard_normal((side.shape[1], RANK), np.float32) for side in given]
    slopes = [np.zeros((side.shape[1], 1), np.float32) for side in given]
    constant = np.full((1, 1), -3.0, np.float32)
    adam = Adam([*downs, *slopes, constant])
    for step in range(STEPS):
        rows, columns = (
            drawing.integers(0, len(side), many) for side, many in zip(given, (THINGS, KINDS), strict=True)
        )
        own, other = (_dropped(side[drawn], drawing) for side, drawn in zip(given, (rows, columns), strict=True))
        own_down, other_down = own @ downs[0], other @ downs[1]
        scores = own_down @ other_down.T + own @ slopes[0] + (other @ slopes[1]).T + constant
        counts = weight[rows][:, columns]
        wrong = (1 / (1 + np.exp(-scores)) - goal[rows][:, columns]) * counts / counts.sum()
        of_rows, of_columns = wrong.sum(1, keepdims=True), wrong.sum(0)[:, None]
        found = own.T @ (wrong @ other_down), other.T @ (wrong.T @ own_down), own.T @ of_rows, other.T @ of_columns
        adam.step([*found, wrong.sum().reshape(1, 1)], step)
    return _as_written(downs, slopes, middles, float(constant[0, 0]))


def _dropped(vectors: Numbers, drawing: np.random.Generator) -> Numbers:
    kept = drawing.random(vectors.shape, np.float32) >= DROPOUT
    return vectors * kept / np.float32(1 - DROPOUT)


def _as_written(
    downs: list[Numbers], slopes: list[Numbers], middles: tuple[Numbers, Numbers], constant: float
) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    for side, down, slope, middle in zip(('thing', 'kind'), downs, slopes, middles, strict=True):
        found[f'{side}.down'] = down.astype(np.float16)
        found[f'{side}.weight'] = slope[:, 0].astype(np.float16)
        found[f'{side}.offset'] = (-middle @ found[f'{side}.down'].astype(np.float32)).astype(np.float32)
        constant -= float(middle @ found[f'{side}.weight'].astype(np.float32))
    return found | {'constant': np.array([constant], np.float32)}


def write_lists(lists: Lists, out: Path) -> None:
    """Writes what the lists say, for `MemberLists`."""
    said = np.hstack([np.packbits(part > 0, axis=1) for part in (lists.right, lists.known)])
    rows, row = np.unique(said, axis=0, return_inverse=True)
    half = rows.shape[1] // 2
    about = {'format': FORMAT_OF_LISTS, 'things': len(lists.things), 'texts': len(lists.texts)}
    np.savez_compressed(
        out,
        about=np.frombuffer(json.dumps(about).encode(), np.uint8),
        things=np.frombuffer('\n'.join(lists.things).encode(), np.uint8),
        kinds=np.frombuffer('\n'.join(lists.texts).encode(), np.uint8),
        row=row.reshape(-1).astype(np.uint16),
        right=rows[:, :half],
        known=rows[:, half:],
    )


def main() -> None:
    """Trains a form and writes it, or writes the lists."""
    if sys.argv[1] == 'lists':
        write_lists(read_lists(LISTS), Path(sys.argv[2]))
        return
    spec, out = {'minilm': MINILM, 'mpnet': MPNET}[sys.argv[1]], Path(sys.argv[2])
    folder = MPNET_MODEL.path if spec == MPNET else minilm_folder()
    assert folder is not None, 'MiniLM is not installed'
    embedder = BertEmbedder(folder, spec)
    lists = read_lists(LISTS)
    sys.stdout.write(f'{len(lists.things)} things, {len(lists.texts)} texts of kinds\n')
    numbers = trained(lists, vectors(lists.things, embedder), vectors(lists.texts, embedder))
    about = {
        'format': FORMAT,
        'base': sys.argv[1],
        'base_sha256': read_pair_adapter(kinds_adapter(spec)).base_sha256,
        'rank': RANK,
        'things': len(lists.things),
        'texts': len(lists.texts),
        'options': {'rank': RANK, 'decay': DECAY, 'steps': STEPS, 'dropout': DROPOUT, 'seed': SEED},
    }
    np.savez(out, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **numbers)


if __name__ == '__main__':
    main()
