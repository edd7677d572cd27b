"""Trains the form that tells members of kinds by their vectors: `python train_membership.py minilm|mpnet OUT.npz`.

Needs torch beside lucca and the embedding model. It learns from `membership.yaml`: the form's score is the log odds
that a thing is of a kind (`lucca_memory/embedding/membership.py`). A kind that is beside one of a thing's kinds, or
whose list is known to leave things out, is neither right nor wrong for the thing. It takes 15 s of processor
time, and the vectors as much again (ten times as much with mpnet).
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from lucca_core.trained_models import MPNET as MPNET_MODEL
from lucca_core.yaml_file import load_yaml
from lucca_language.words.glosses import gloss
from lucca_llm.rules.kind_scores import kinds_adapter
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.membership import FORMAT
from lucca_memory.embedding.pair_adapter import read_pair_adapter
from lucca_memory.embedding.spec import MINILM, MPNET, minilm_folder

LISTS = Path(__file__).with_name('membership.yaml')
RANK, STEPS, THINGS, KINDS = 64, 401, 512, 256
"""Rank of the form, steps, and how many things and texts of kinds a step draws."""
RATE, DECAY, DROPOUT, SEED = 0.02, 0.02, 0.5, 1
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


def read_lists(file: Path) -> Lists:
    """Reads the lists."""
    told_of: Mapping[str, Any] = load_yaml(file)
    kinds: Mapping[str, Any] = told_of['kinds']
    above = {kind: _all_above([kind], kinds) for kind in kinds}
    beside: dict[str, set[str]] = defaultdict(set)
    own: dict[str, set[str]] = defaultdict(set)
    called: dict[str, set[str]] = defaultdict(set)
    for kind, told in kinds.items():
        for other in told['beside']:
            beside[kind].add(other)
            beside[other].add(kind)
        for thing in told['things']:
            own[thing].add(kind)
        for text in told['names']:
            called[text].add(kind)
    things, texts = sorted(own), sorted(called)
    right, known = (np.zeros((len(things), len(texts)), np.float32) for _ in range(2))
    for row, thing in enumerate(things):
        of = set().union(*(above[kind] for kind in own[thing]))
        unknown = _unknown(of, beside, told_of)
        if own[thing] == {'food'}:
            unknown |= {kind for kind in kinds if 'food' in above[kind]} - of
        for column, text in enumerate(texts):
            right[row, column] = bool(called[text] & of)
            known[row, column] = bool(called[text] & of) or not called[text] & unknown
    many = {kind: len(told['names']) for kind, told in kinds.items()}
    counts = [1 / np.mean([many[kind] for kind in called[text]], dtype=np.float32) for text in texts]
    return Lists(things, texts, right, known, np.array(counts, np.float32))


def _all_above(chosen: Iterable[str], kinds: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting = list(chosen)
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.add(kind)
            waiting += kinds[kind]['above']
    return found


def _unknown(of: set[str], beside: Mapping[str, set[str]], lists: Mapping[str, Any]) -> set[str]:
    """The kinds of which it is not known whether a thing of these kinds is of them, too."""
    found = set().union(*(beside[kind] for kind in of))
    is_food = not of.isdisjoint({'food', 'petfood', 'babyfood'})
    incomplete = {*lists['of_food'], *lists['not_of_food'], *lists['incomplete']}
    if is_food:
        incomplete -= {*lists['not_of_food']}
        if 'shelfstable' in of:
            incomplete -= {'perishable', 'refrigerated'}
        elif not of.isdisjoint({'perishable', 'refrigerated', 'frozen'}):
            incomplete -= {'shelfstable'}
    else:
        incomplete -= {*lists['of_food']}
    return (found | incomplete) - of


def vectors(texts: list[str], embedder: BertEmbedder) -> Numbers:
    """The vectors of texts and of the texts with what they are, (texts, 2 d)."""
    with_gloss = [f'{text}: {gloss(text)}' if gloss(text) else text for text in texts]
    return np.hstack([embedder.embed(texts), embedder.embed(with_gloss)])


def trained(lists: Lists, things: Numbers, kinds: Numbers) -> dict[str, NDArray[Any]]:
    """The numbers of a form, learned from vectors of the things and the kinds."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    weight = lists.known * lists.counts
    weight = weight / weight.sum(1, keepdims=True) * np.where(lists.right > 0, RIGHT_COUNTS, 1.0)
    middles = things.mean(0), kinds.mean(0)
    given = torch.tensor(things - middles[0]), torch.tensor(kinds - middles[1])
    goal = torch.tensor(lists.right * (2 * SURE - 1) + 1 - SURE)
    counts = torch.tensor(weight.astype(np.float32))
    downs = [torch.nn.Parameter(torch.randn(side.shape[1], RANK) * 0.05) for side in given]
    weights = [torch.nn.Parameter(torch.zeros(side.shape[1], 1)) for side in given]
    constant = torch.nn.Parameter(torch.tensor(-3.0))
    optimizer = torch.optim.AdamW([*downs, *weights, constant], lr=RATE, weight_decay=DECAY)
    for step in range(STEPS):
        for part in optimizer.param_groups:
            part['lr'] = RATE * (1 - step / STEPS)
        rows, columns = (torch.randint(len(side), (many,)) for side, many in zip(given, (THINGS, KINDS), strict=True))
        own = functional.dropout(given[0][rows], DROPOUT)
        other = functional.dropout(given[1][columns], DROPOUT)
        scores = (own @ downs[0]) @ (other @ downs[1]).T + own @ weights[0] + (other @ weights[1]).T + constant
        losses = functional.binary_cross_entropy_with_logits(scores, goal[rows][:, columns], reduction='none')
        loss = (losses * counts[rows][:, columns]).sum() / counts[rows][:, columns].sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found: dict[str, NDArray[Any]] = {}
    rest = float(constant.detach())
    for side, down, slope, middle in zip(('thing', 'kind'), downs, weights, middles, strict=True):
        found[f'{side}.down'] = down.detach().numpy().astype(np.float16)
        found[f'{side}.weight'] = slope.detach().numpy()[:, 0].astype(np.float16)
        found[f'{side}.offset'] = (-middle @ found[f'{side}.down'].astype(np.float32)).astype(np.float32)
        rest -= float(middle @ found[f'{side}.weight'].astype(np.float32))
    return found | {'constant': np.array([rest], np.float32)}


def main() -> None:
    """Trains a form and writes it."""
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
