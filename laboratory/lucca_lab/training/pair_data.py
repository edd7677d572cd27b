"""Groups of texts for the training of a pair scorer: read, turned into tokens once, and put into steps.

Needs numpy and tokenizers, not lucca itself. A line of the data is one group as JSON: `left`, a text; `right`, the
texts that are weighed with it; `is`, 1 or 0 for each of them (a group may have no 1); `weight` and `source`.
"""

import gzip
import hashlib
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

Numbers = NDArray[np.int64]
NO_TEXT = -1
_ROUNDED_TO = 8
"""Lengths of padded batches are multiples of this, which the attention of a GPU wants."""
_LONGEST_CHARS = 4000
_UNPACKERS = {'.gz': gzip.decompress, '.xz': lzma.decompress}


@dataclass(frozen=True)
class Groups:
    """Groups of pairs. Texts are numbers of the table; pairs of group g are `first[g]` to `first[g + 1]`."""

    left: Numbers
    first: Numbers
    right: Numbers
    right_is: NDArray[np.float32]
    weight: NDArray[np.float32]
    source: Numbers
    sources: tuple[str, ...]
    sha256: str

    @property
    def group_of_pair(self) -> Numbers:
        """The group of each pair, (pairs,)."""
        return np.repeat(np.arange(len(self.left)), np.diff(self.first))

    def some(self, pairs: int, seed: int) -> 'Groups':
        """Groups drawn at random until they hold this many pairs; all if they hold fewer."""
        if len(self.right) <= pairs:
            return self
        order = np.random.default_rng(seed).permutation(len(self.left))
        kept = np.sort(order[np.cumsum(np.diff(self.first)[order]) <= pairs])
        chosen = pairs_of(self.first, kept)
        first = np.concatenate([[0], np.cumsum(np.diff(self.first)[kept])])
        return Groups(
            self.left[kept],
            first,
            self.right[chosen],
            self.right_is[chosen],
            self.weight[kept],
            self.source[kept],
            self.sources,
            self.sha256,
        )


@dataclass(frozen=True)
class TokenTable:
    """The tokens of all texts one after the other, without marks; where each text starts, and its length."""

    tokens: NDArray[np.int32]
    starts: Numbers
    lengths: Numbers


@dataclass(frozen=True)
class Chunk:
    """Some of a step's items that are padded to one length in tokens."""

    items: Numbers
    length: int


@dataclass(frozen=True)
class PairStep:
    """What one step computes. An item is a pair of texts, or one text (`second` is NO_TEXT).

    The pairs are named by the items of their left and right text, which are the same item in a cross-encoder.
    """

    first: Numbers
    second: Numbers
    left_item: Numbers
    right_item: Numbers
    group: Numbers
    right_is: NDArray[np.float32]
    weight: NDArray[np.float32]
    chunks: tuple[Chunk, ...]
    pairs: Numbers
    tokens: int


def read_groups(files: Sequence[Path], texts: dict[str, int]) -> Groups:
    """Reads groups from JSON lines, plain or compressed (`.gz`, `.xz`); new texts are added to the table.

    Raises:
        ValueError: a group has no texts on its right, or not one 0 or 1 for each.
    """
    right: list[int] = []
    left, counts, right_is, weight, source = [], [], [], [], []
    sources: dict[str, int] = {}
    digest = hashlib.sha256()
    for file in files:
        content = _UNPACKERS.get(file.suffix, bytes)(file.read_bytes())
        digest.update(content)
        for number, line in enumerate(content.decode().splitlines(), 1):
            group: dict[str, Any] = json.loads(line)
            if not group['right'] or len(group['right']) != len(group['is']) or not {*group['is']} <= {0, 1}:
                raise ValueError(f'{file}:{number}: each text on the right needs a 0 or a 1')
            left.append(texts.setdefault(group['left'], len(texts)))
            counts.append(len(group['right']))
            right.extend(texts.setdefault(text, len(texts)) for text in group['right'])
            right_is.extend(group['is'])
            weight.append(float(group.get('weight', 1.0)))
            source.append(sources.setdefault(group.get('source', ''), len(sources)))
    return Groups(
        np.array(left, np.int64),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.array(right, np.int64),
        np.array(right_is, np.float32),
        np.array(weight, np.float32),
        np.array(source, np.int64),
        tuple(sources),
        digest.hexdigest(),
    )


def tokenized(texts: Sequence[str], vocabulary: Path, unknown: str = '[UNK]') -> TokenTable:
    """Turns texts into tokens on all cores, as `lucca_memory.embedding.wordpiece` does."""
    words = {word: number for number, word in enumerate(vocabulary.read_text('utf-8').split('\n')) if word}
    tokenizer = Tokenizer(WordPiece(words, unk_token=unknown, max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
    )
    tokenizer.pre_tokenizer = BertPreTokenizer()
    cut = [text[:_LONGEST_CHARS] for text in texts]
    coded = [found.ids for found in tokenizer.encode_batch_fast(cut, add_special_tokens=False)]
    lengths = np.array([len(ids) for ids in coded], np.int64)
    tokens = np.fromiter((token for ids in coded for token in ids), np.int32, int(lengths.sum()))
    return TokenTable(tokens, np.cumsum(lengths) - lengths, lengths)


def pairs_of(first: Numbers, groups: Numbers) -> Numbers:
    """The numbers of all pairs of these groups, in the order of the groups."""
    counts = first[groups + 1] - first[groups]
    ahead = np.cumsum(counts) - counts
    return np.asarray(np.repeat(first[groups] - ahead, counts) + np.arange(counts.sum()))


@dataclass(frozen=True)
class Planner:
    """Plans steps over groups."""

    groups: Groups
    table: TokenTable
    form: str
    longest: int
    """Tokens of an item at most, with its marks."""
    marks: int
    """Marks of a pair: 3 in BERT, 4 in MPNet; one text has 2."""
    tokens_per_step: int
    candidates: int
    """Pairs of a group in one step: all that are, and others drawn anew each time."""
    chunk_cost: int
    """What a further chunk costs, in tokens."""

    def lengths(self, first: Numbers, second: Numbers) -> Numbers:
        """Tokens of items, with their marks."""
        alone = second == NO_TEXT
        behind = np.where(alone, 0, self.table.lengths[second])
        marks = np.where(alone, 2, self.marks)
        return np.asarray(np.minimum(self.table.lengths[first] + behind + marks, self.longest))

    def steps(self, random: np.random.Generator) -> Iterator[PairStep]:
        """The steps of one pass over all groups, in random order."""
        groups = self.groups
        lengths = self.lengths(groups.left[groups.group_of_pair], groups.right)
        sizes = np.diff(groups.first)
        means = np.add.reduceat(lengths, groups.first[:-1]) / sizes
        order = random.permutation(len(groups.left))
        costs = np.cumsum((means * np.minimum(sizes, self.candidates))[order])
        for part in np.split(
            order, np.searchsorted(costs, np.arange(1, costs[-1] / self.tokens_per_step) * self.tokens_per_step)
        ):
            if len(part):
                yield self.planned(part, random)

    def in_order(self) -> Iterator[PairStep]:
        """Steps over all groups as they stand, with all their pairs: for measuring."""
        groups = self.groups
        costs = np.cumsum(self.lengths(groups.left[groups.group_of_pair], groups.right))[groups.first[1:] - 1]
        cuts = np.searchsorted(costs, np.arange(1, costs[-1] / self.tokens_per_step) * self.tokens_per_step)
        for part in np.split(np.arange(len(groups.left)), cuts):
            if len(part):
                yield self.planned(part, None)

    def planned(self, chosen: Numbers, random: np.random.Generator | None) -> PairStep:
        """One step over these groups; with `random`, at most `candidates` of each group's pairs."""
        groups = self.groups
        pairs = pairs_of(groups.first, chosen)
        group = np.repeat(np.arange(len(chosen)), groups.first[chosen + 1] - groups.first[chosen])
        if random is not None:
            ranked = np.lexsort((random.random(len(pairs)) - groups.right_is[pairs], group))
            starts = np.searchsorted(group, np.arange(len(chosen)))
            kept = ranked[np.arange(len(pairs)) - starts[group] < self.candidates]
            pairs, group = pairs[kept], group[kept]
        left, right = groups.left[chosen][group], groups.right[pairs]
        if self.form == 'cross':
            first, second = left, right
            left_item = right_item = np.arange(len(pairs))
        else:
            first, item = np.unique(np.concatenate([left, right]), return_inverse=True)
            second = np.full(len(first), NO_TEXT)
            left_item, right_item = item[: len(left)], item[len(left) :]
        lengths = self.lengths(first, second)
        return PairStep(
            first,
            second,
            left_item,
            right_item,
            group,
            groups.right_is[pairs],
            groups.weight[chosen],
            self.chunked(lengths),
            pairs,
            int(lengths.sum()),
        )

    def chunked(self, lengths: Numbers) -> tuple[Chunk, ...]:
        """Items of about one length together, so that padding and the chunks themselves cost least."""
        order = np.argsort(lengths, kind='stable')
        classes, counts = np.unique(-(-lengths // _ROUNDED_TO), return_counts=True)
        ends = np.concatenate([[0], np.cumsum(counts)])
        # The least cost of the first classes, and where the last chunk of them starts.
        costs, starts = [0], [0]
        for last in range(1, len(ends)):
            padded = (ends[last] - ends[:last]) * int(classes[last - 1]) * _ROUNDED_TO
            options = np.array(costs) + padded + self.chunk_cost
            starts.append(int(options.argmin()))
            costs.append(int(options.min()))
        chunks, last = [], len(ends) - 1
        while last:
            items = order[ends[starts[last]] : ends[last]]
            chunks.append(Chunk(items, int(classes[last - 1]) * _ROUNDED_TO))
            last = starts[last]
        return tuple(chunks)
