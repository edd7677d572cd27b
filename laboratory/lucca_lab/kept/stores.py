"""Memories that keep a dialogue within a budget of bytes: ours, and plain ones that differ in what they drop first."""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from lucca_lab.locomo.data import LocomoDialogue, SaidLine
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.analysis import STOP_WORDS, stem_of, words_of
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.config import ForgettingConfig, SemanticConfig
from lucca_memory.semantic.forgetting.compression import Compressor, ShorteningCompressor, shortened
from lucca_memory.semantic.generalizer import Generalizer
from lucca_memory.semantic.graph.change import CONCEPT, STATEMENT, Node
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text from which an answer can be taken, and the turns from which it comes."""

    text: str
    dia_ids: frozenset[str]


class Store(Protocol):
    """A memory of one dialogue. It knows only what it was told, and no question before it is asked."""

    def hear(self, lines: Sequence[SaidLine]) -> None:
        """Tells the lines of a session."""
        ...

    def used(self, dia_id: str, question: str, now: datetime) -> None:
        """Tells that the text of a turn answered a question best. `dia_id` is empty if no text did."""
        ...

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """Reduces the texts to a budget of UTF-8 bytes."""
        ...

    def texts(self) -> Sequence[KeptText]:
        """Every text that can still be retrieved or restored, by turn where turns can be told apart."""
        ...

    def size(self) -> int:
        """The UTF-8 bytes of everything kept."""
        ...


@lru_cache(maxsize=50_000)
def content_of(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(stem_of(word) for word in words_of(text) if word not in STOP_WORDS)


@dataclass(slots=True)
class KeptTurn:
    """A turn as a plain store keeps it. `uses` counts its recalls; `recalled` is the time of the last one."""

    line: SaidLine
    number: int
    recalled: datetime
    text: str
    uses: int = 0

    @property
    def size(self) -> int:
        """The UTF-8 bytes of the text."""
        return len(self.text.encode())


_LONG_S = 86_400.0
"""A time that limits nothing, so that figures do not depend on the machine."""

Worth = Callable[[Sequence[KeptTurn], datetime], Sequence[float]]
"""A function that gives the current worth of each turn. Turns with the lowest worth are dropped first."""


Heeds = Callable[[SaidLine], bool]
"""A function that says whether a memory keeps a line at all."""


class PlainStore:
    """Keeps whole turns, and drops those with the lowest worth first."""

    def __init__(self, worth: Worth, heeds: Heeds = lambda line: True, *, shorten: bool = False) -> None:
        """With `shorten`, only what our compressor leaves of a turn is kept."""
        self._worth, self._heeds, self._shorten = worth, heeds, shorten
        self._turns: dict[str, KeptTurn] = {}
        self._heard = 0

    def hear(self, lines: Sequence[SaidLine]) -> None:
        """See `Store`."""
        for line in filter(self._heeds, lines):
            self._heard += 1
            text = shortened(line.text) if self._shorten else line.text
            self._turns[line.dia_id] = KeptTurn(line, self._heard, line.time, text)

    def used(self, dia_id: str, question: str, now: datetime) -> None:
        """See `Store`."""
        if dia_id in self._turns:
            turn = self._turns[dia_id]
            turn.uses, turn.recalled = turn.uses + 1, now

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """See `Store`."""
        turns = list(self._turns.values())
        size = sum(turn.size for turn in turns)
        # Among turns of equal worth, the older one is dropped first.
        for _, _, turn in sorted(zip(self._worth(turns, now), range(len(turns)), turns, strict=True)):
            if size <= budget_bytes:
                return
            size -= turn.size
            del self._turns[turn.line.dia_id]

    def texts(self) -> Sequence[KeptText]:
        """See `Store`."""
        return [KeptText(turn.text, frozenset([name])) for name, turn in self._turns.items()]

    def size(self) -> int:
        """See `Store`."""
        return sum(turn.size for turn in self._turns.values())


class LuccaStore:
    """`ConceptMemory` with the robot's forgetting. The robot does not keep what it said itself."""

    def __init__(
        self,
        embedder: Embedder,
        heeds: Heeds,
        *,
        compress: bool = False,
        sentences: bool = True,
        telling: bool = True,
        compressor: Compressor | None = None,
        general_calls: int = ForgettingConfig.general_calls,
    ) -> None:
        """Makes an empty memory.

        Args:
            embedder: the embedder of the memory.
            heeds: says whether a line is kept at all.
            compress: whether statements are shortened before they are forgotten.
            sentences: whether each sentence of a turn becomes a statement, as on the robot.
            telling: whether the content of a text counts while hardly anybody asks.
            compressor: writes general nodes before each pass; without one, there are none.
            general_calls: most general nodes that it is asked for before a pass.
        """
        self._heeds = heeds
        self._compressor = compressor
        self.generals_asked = self.generals_made = 0
        config = ForgettingConfig(
            compress=compress, kept_forgotten_d=0.0, general_calls=general_calls, general_s=_LONG_S
        )
        self._memory = ConceptMemory(
            embedder,
            config if telling else replace(config, telling=0.0),
            settings=SemanticConfig(sentences=sentences),
        )

    def hear(self, lines: Sequence[SaidLine]) -> None:
        """See `Store`."""
        told = [
            Statement(text=line.text, speaker=line.speaker, time=line.time, source=line.dia_id)
            for line in filter(self._heeds, lines)
        ]
        self._memory.hear([statement for statement in told if statement.text.strip()])

    def used(self, dia_id: str, question: str, now: datetime) -> None:
        """See `Store`. The question is put to the memory, whose own retrieval counts the use."""
        self._memory.context(question, now)

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """See `Store`. What is forgotten is deleted at once: on the robot it can be restored for some time."""
        if self._compressor is not None:
            generalizer = Generalizer(self._memory, self._compressor)
            while generalizer.step(now, budget_bytes):
                pass
            self.generals_asked += generalizer.asked
            self.generals_made += generalizer.made
        self._memory.forget(now, budget_bytes)
        self._memory.store.purge(microseconds(now) + 1)

    def texts(self) -> Sequence[KeptText]:
        """See `Store`."""
        network = self._memory.network
        telling = network.column('alive') & (network.column('kinds') != CONCEPT)
        nodes = self._memory.store.nodes(network.column('ids')[telling].tolist())
        # A turn is what is left of its statements. A statement that is repeated is part of two turns, but stored once.
        turns: dict[str, list[Node]] = {}
        generals = []
        for node in sorted(nodes.values(), key=lambda node: node.node_id):
            if node.kind == STATEMENT:
                for source in node.sources:
                    turns.setdefault(source, []).append(node)
            else:
                generals.append(KeptText(node.text, frozenset(node.sources)))
        whole = [KeptText(' '.join(node.text for node in turn), frozenset([name])) for name, turn in turns.items()]
        return [*whole, *generals]

    def size(self) -> int:
        """See `Store`."""
        away = [item.text for item in self._memory.forgotten()]
        return sum(len(text.encode()) for text in (*self._memory.texts(), *away))


def _random(seed: int) -> Worth:
    return lambda turns, now: [random.Random(f'{seed}/{turn.line.dia_id}/{now}').random() for turn in turns]


def _recency(turns: Sequence[KeptTurn], now: datetime) -> Sequence[float]:
    return [turn.number for turn in turns]


def _lru(turns: Sequence[KeptTurn], now: datetime) -> Sequence[float]:
    return [turn.recalled.timestamp() for turn in turns]


def _memorybank(turns: Sequence[KeptTurn], now: datetime) -> Sequence[float]:
    # R = exp(-t/S), with S = 1 + recalls; its logarithm has the same order.
    return [-(now - turn.recalled).total_seconds() / 86_400 / (1 + turn.uses) for turn in turns]


def _longest_first(turns: Sequence[KeptTurn], now: datetime) -> Sequence[float]:
    return [-turn.size for turn in turns]


def _degree(turns: Sequence[KeptTurn], now: datetime) -> Sequence[float]:
    words = [content_of(turn.line.text) for turn in turns]
    shared = Counter(word for each in words for word in each)
    return [sum(shared[word] - 1 for word in each) for each in words]


def naive_bayes(others: Sequence[LocomoDialogue]) -> Worth:
    """The worth of a turn's words as evidence, by naive Bayes with Laplace smoothing, learned from other dialogues."""
    asked, rest = Counter[str](), Counter[str]()
    for dialogue in others:
        evidence = frozenset[str]().union(*(question.evidence for question in dialogue.scored))
        for line in dialogue.lines:
            (asked if line.dia_id in evidence else rest).update(content_of(line.text))
    known = len(asked.keys() | rest.keys()) + 1
    for_asked, for_rest = asked.total() + known, rest.total() + known

    def worth(turns: Sequence[KeptTurn], now: datetime) -> Sequence[float]:
        return [
            sum(
                math.log((asked[word] + 1) / for_asked) - math.log((rest[word] + 1) / for_rest)
                for word in sorted(content_of(turn.line.text))
            )
            for turn in turns
        ]

    return worth


def oracle(dialogue: LocomoDialogue) -> Worth:
    """The worth of turns for an oracle that knows all questions: questions per byte, each shared among its evidence."""
    wanted: dict[str, float] = {}
    for asked in dialogue.scored:
        for name in asked.evidence:
            wanted[name] = wanted.get(name, 0.0) + 1 / len(asked.evidence)
    return lambda turns, now: [wanted.get(turn.line.dia_id, 0.0) / max(1, turn.size) for turn in turns]


NEVER_FORGET = 'never_forget'
SHORTENED = ('recency', 'random', 'lru', 'memorybank', 'degree', 'longest_first', 'naive_bayes')
"""Plain memories that are also measured with our compressor."""
NAMES = (
    'lucca',
    'lucca_compress',
    'lucca_general',
    'lucca_one_statement',
    'lucca_no_telling',
    'recency',
    'recency_of_people',
    'random',
    'lru',
    'memorybank',
    'degree',
    'longest_first',
    'naive_bayes',
    *(f'{name}_short' for name in SHORTENED),
    NEVER_FORGET,
    'oracle',
)


def stores(
    dialogue: LocomoDialogue,
    others: Sequence[LocomoDialogue],
    embedder: Embedder,
    seed: int,
    compressor: Compressor | None = None,
    general_calls: int = ForgettingConfig.general_calls,
) -> Mapping[str, Store]:
    """One new memory for each name. `compressor` writes the general nodes of `lucca_general`; see LuccaStore."""
    worths: dict[str, Worth] = {
        'recency': _recency,
        'random': _random(seed),
        'lru': _lru,
        'memorybank': _memorybank,
        'degree': _degree,
        'longest_first': _longest_first,
        'naive_bayes': naive_bayes(others),
        NEVER_FORGET: _recency,
        'oracle': oracle(dialogue),
    }

    def said_by_people(line: SaidLine) -> bool:
        return not dialogue.is_assistant(line)

    ours: dict[str, Store] = {
        'lucca': LuccaStore(embedder, said_by_people),
        'lucca_compress': LuccaStore(embedder, said_by_people, compress=True),
        'lucca_general': LuccaStore(
            embedder, said_by_people, compressor=compressor or ShorteningCompressor(), general_calls=general_calls
        ),
        'lucca_one_statement': LuccaStore(embedder, said_by_people, sentences=False),
        'lucca_no_telling': LuccaStore(embedder, said_by_people, telling=False),
        'recency_of_people': PlainStore(_recency, said_by_people),
    }
    plain = {name: PlainStore(worth) for name, worth in worths.items()}
    short = {f'{name}_short': PlainStore(worths[name], shorten=True) for name in SHORTENED}
    return {**ours, **plain, **short}
