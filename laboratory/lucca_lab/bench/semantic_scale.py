"""Benchmark of the semantic network at scale: time of a forgetting pass and of answering a question.

Words and full names follow Zipf's law and vectors lie in clusters, as in real conversations; names within one statement
are linked. The time for encoding is not included.
"""

import json
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from lucca_lab.bench.drawn_turns import DIMENSIONS, ZIPF
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.quantized import dots, quantized
from lucca_memory.retrieval.analysis import key_of
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.forgetting.decision import decide
from lucca_memory.semantic.graph.change import CONCEPT, STATEMENT, Change, Edge, EdgeKind, Node
from lucca_memory.semantic.graph.nearest import Nearest
from lucca_memory.semantic.language.extraction import PHRASE, WORD_WEIGHT, mentions_of
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.opening import open_store

SIZES = (10_000, 100_000, 1_000_000)
EDGES_A_NODE = 5
CONCEPT_SHARE = 0.2
NAMES_SHARE = 0.4
"""The share of full names among the concepts."""
TWO_NAMES_SHARE = 0.7
"""The share of statements that name two things, which are then linked to each other."""
TIES_SHARE = 0.3
"""Approximate number of new links per statement. Names that occur together again only make their link stronger."""
ASKED_SHARE = 0.05
"""The share of concepts that a question was about."""
KEPT_SHARE = 0.9
"""The share of the bytes that the timed pass keeps."""

_START = datetime(2020, 1, 1, tzinfo=UTC)
_AT_ONCE = 20_000
_BUILT = 'built.json'
_DRAW = 2
"""Increased when networks are drawn in another way, so that older networks are not measured."""


@dataclass(frozen=True, kw_only=True)
class SemanticScaleOptions:
    """Sizes of the measured networks, with five edges for each node, and the number of questions to each.

    `networks` is a folder with networks from earlier runs, in which new ones are kept too.
    """

    sizes: tuple[int, ...] = SIZES
    questions: int = 300
    centres: int = 5_000
    seed: int = 0
    networks: Path | None = None


class ManyCentres:
    """Gives each text a vector near one of many centres, which form clusters. It costs next to nothing."""

    dimensions = DIMENSIONS

    def __init__(self, centres: int, seed: int = 0) -> None:
        self.spec = f'centres-{centres}-{DIMENSIONS}'
        rng = np.random.default_rng(seed)
        coarse = rng.standard_normal((max(2, centres // 50), DIMENSIONS)).astype(np.float32)
        self._centres = coarse[rng.integers(0, len(coarse), centres)] + rng.standard_normal(
            (centres, DIMENSIONS)
        ).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return np.concatenate([self.random(1, int(key_of(text.lower())) or 1) for text in texts])

    def random(self, count: int, seed: int) -> Vectors:
        """Random vectors (count, d) for a seed."""
        rng = np.random.default_rng(seed)
        vectors = self._centres[rng.integers(0, len(self._centres), count)]
        vectors = vectors + rng.standard_normal((count, DIMENSIONS)).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def measure_semantic(
    options: SemanticScaleOptions, on_progress: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """Figures for each size, the smallest first. `peak_mb` is that of the process so far, including mapped files."""
    return [_measured(size, options, on_progress) for size in sorted(options.sizes)]


def build_networks(
    options: SemanticScaleOptions, folder: Path, on_progress: Callable[[str], None] = lambda _: None
) -> None:
    """Makes the networks of all sizes in a folder, to be measured later. Existing ones are left alone."""
    for size in sorted(options.sizes):
        _built(size, options, folder, on_progress)


def _built(size: int, options: SemanticScaleOptions, folder: Path, on_progress: Callable[[str], None]) -> Path:
    """The folder of a complete network; if its making was interrupted, it is made again."""
    path = folder / f'{size}-{options.centres}-{options.seed}-{_DRAW}'
    if (path / _BUILT).exists():
        return path
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    begin = time.perf_counter()
    embedder = ManyCentres(options.centres, options.seed)
    with DataFolder.open(path, write=True) as data, closing(open_store(data)) as store:
        store.load(DIMENSIONS, embedder.spec)
        for done in _fill(store, embedder, size, options.seed):
            on_progress(f'{size} nodes: {done} made')
    (path / _BUILT).write_text(json.dumps({'build_s': time.perf_counter() - begin}), encoding='utf-8')
    return path


def _measured(size: int, options: SemanticScaleOptions, on_progress: Callable[[str], None]) -> dict[str, Any]:
    embedder = ManyCentres(options.centres, options.seed)
    if options.networks is not None:
        options.networks.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='lucca-network-', dir=options.networks) as name:
        path = _built(size, options, options.networks or Path(name) / 'made', on_progress)
        figures: dict[str, Any] = json.loads((path / _BUILT).read_text(encoding='utf-8'))
        if options.networks is not None:
            # The forgetting pass writes into the network, and the next measurement needs the original.
            path = Path(shutil.copytree(path, Path(name) / 'copied'))
        with DataFolder.open(path, write=True) as folder:
            memory, figures['load_rows_s'] = _loaded(folder, embedder)
            begin = time.perf_counter()
            memory.prepare()
            figures['prepare_s'] = time.perf_counter() - begin
            memory.close()
            memory, figures['load_s'] = _loaded(folder, embedder)
            with closing(memory):
                figures |= {'nodes': len(memory.network), 'edges': memory.network.count_edges()}
                on_progress(f'{size} nodes: asking')
                figures |= _questions(size, memory, embedder, options)
                on_progress(f'{size} nodes: forgetting')
                figures |= _pass(memory)
        figures['disk_mb'] = sum(item.stat().st_size for item in path.rglob('*') if item.is_file()) / 2**20
    figures['peak_mb'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def _loaded(folder: DataFolder, embedder: ManyCentres) -> tuple[ConceptMemory, float]:
    begin = time.perf_counter()
    memory = ConceptMemory(embedder, store=open_store(folder), settings=SemanticConfig())
    return memory, time.perf_counter() - begin


def _fill(store: Any, embedder: ManyCentres, size: int, seed: int) -> Iterator[int]:
    """Writes concepts, then statements that mention them, and links between full names. Yields the number of nodes."""
    rng = np.random.default_rng(seed)
    drawn = Drawn(size, seed)
    concepts, statements = len(drawn.labels), size - len(drawn.labels)
    begin = microseconds(_START)
    for start in range(0, concepts, _AT_ONCE):
        stop = min(start + _AT_ONCE, concepts)
        asked = (rng.random(stop - start) < ASKED_SHARE).astype(float)
        nodes = [
            Node(
                node_id=1 + number,
                kind=CONCEPT,
                text=drawn.labels[number],
                key=drawn.keys[number],
                born=begin,
                last=begin,
                used=float(asked[number - start]),
            )
            for number in range(start, stop)
        ]
        store.commit(Change(nodes=nodes))
        yield stop
    per_statement = size * EDGES_A_NODE / statements
    for start in range(0, statements, _AT_ONCE):
        count = min(_AT_ONCE, statements - start)
        vectors = embedder.random(count, seed * 1_000_003 + start + 1)
        second = rng.random(count) < TWO_NAMES_SHARE
        words = _distinct(rng, drawn.word_odds, count, per_statement - 1 - TWO_NAMES_SHARE - TIES_SHARE)
        names = np.searchsorted(drawn.name_odds, rng.random((count, 2)))
        hours = rng.integers(0, 24 * 365, count)
        nodes, edges = [], []
        for at, (two, chosen, mentioned) in enumerate(zip(second.tolist(), names.tolist(), words, strict=True)):
            node_id = 1 + concepts + start + at
            when = begin + int(hours[at]) * 3_600_000_000
            named = sorted({drawn.words + name for name in chosen[: 1 + two]})
            mentioned_words = mentioned.tolist()
            text = ', '.join(f'the {drawn.labels[name]}' for name in named)
            text += ' ' + ' '.join(drawn.labels[word] for word in mentioned_words) + ' and so it was said at the table'
            nodes.append(
                Node(
                    node_id=node_id,
                    kind=STATEMENT,
                    text=text,
                    # The key of what is said about the names: the two rarest words, as in real statements.
                    key=hash(tuple(sorted(mentioned_words)[-2:])) & (2**63 - 1),
                    born=when,
                    last=when,
                    speaker='Anna',
                    sources=(f'said:{node_id}',),
                    vector=vectors[at],
                )
            )
            edges += [Edge(a=node_id, b=1 + name, kind=EdgeKind.MENTIONS, weight=PHRASE) for name in named]
            edges += [
                Edge(a=node_id, b=1 + word, kind=EdgeKind.MENTIONS, weight=WORD_WEIGHT) for word in mentioned_words
            ]
            if len(named) == 2:
                edges.append(Edge(a=1 + named[0], b=1 + named[1], kind=EdgeKind.RELATED, weight=1.0))
        store.commit(Change(nodes=nodes, edges=edges))
        yield concepts + start + count


class Drawn:
    """The words and names from which statements and questions of a network are drawn.

    Attributes:
        words: number of words; all later concepts are full names of two words each.
        labels, keys: those of each concept.
        word_odds, name_odds: cumulative probabilities of words and names, by Zipf's law.
    """

    def __init__(self, size: int, seed: int) -> None:
        concepts = int(size * CONCEPT_SHARE)
        self.words = concepts - int(concepts * NAMES_SHARE)
        rng = np.random.default_rng(seed + 2)
        pairs = rng.integers(0, self.words, (2 * (concepts - self.words), 2)).tolist()
        names = list(dict.fromkeys(f'w{first} w{second}' for first, second in pairs if first != second))
        names = names[: concepts - self.words]
        self.labels = [*(f'w{number}' for number in range(self.words)), *names]
        self.keys = [*(key_of(label) for label in self.labels[: self.words]), *map(_key_of_name, names)]
        self.word_odds, self.name_odds = _zipf(self.words), _zipf(len(names))


def _key_of_name(name: str) -> int:
    [phrase] = [mention for mention in mentions_of(f'the {name}') if mention.label == name]
    return phrase.key


def _zipf(count: int) -> np.ndarray:
    odds = np.cumsum(1 / np.arange(1, count + 1) ** ZIPF)
    return np.asarray(odds / odds[-1])


def _distinct(rng: np.random.Generator, odds: np.ndarray, count: int, mean: float) -> list[np.ndarray]:
    """For each statement, the numbers of its different words; `mean` is the mean number of words."""
    wanted = np.floor(mean + rng.random(count)).astype(int)
    drawn = np.searchsorted(odds, rng.random((count, 4 * int(np.ceil(mean)))))
    found = []
    for words, most in zip(drawn, wanted, strict=True):
        _, first = np.unique(words, return_index=True)
        chosen = words[np.sort(first)][:most]
        if len(chosen) < most:
            extra = rng.integers(0, len(odds), most)
            chosen = np.unique(np.concatenate([chosen, extra]))[:most]
        found.append(np.minimum(chosen, len(odds) - 1))
    return found


def _questions(
    size: int, memory: ConceptMemory, embedder: ManyCentres, options: SemanticScaleOptions
) -> dict[str, float]:
    rng = np.random.default_rng(options.seed + 1)
    drawn = Drawn(size, options.seed)
    now = _START + timedelta(days=400)
    begin = time.perf_counter()
    memory.context('w1', now)
    figures = {'first_question_s': time.perf_counter() - begin}
    seconds, cpu_seconds = [], []
    for _ in range(options.questions):
        name = drawn.labels[drawn.words + int(np.searchsorted(drawn.name_odds, rng.random()))]
        words = np.searchsorted(drawn.word_odds, rng.random(3)).tolist()
        question = f'the {name} ' + ' '.join(drawn.labels[word] for word in words) + '?'
        begin, cpu_begin = time.perf_counter(), time.process_time()
        memory.context(question, now)
        seconds.append(time.perf_counter() - begin)
        cpu_seconds.append(time.process_time() - cpu_begin)
    for name, cut in (('p50', 50), ('p95', 95)):
        figures[f'question_{name}_ms'] = 1e3 * float(np.percentile(seconds, cut))
        figures[f'question_cpu_{name}_ms'] = 1e3 * float(np.percentile(cpu_seconds, cut))
    figures['recall_at_10'] = _recall(memory, embedder, options)
    return figures


def _recall(memory: ConceptMemory, embedder: ManyCentres, options: SemanticScaleOptions, questions: int = 100) -> float:
    """The share of the ten nearest of all vectors that are among the ten found."""
    network = memory.network
    nearest = Nearest(network, SemanticConfig().exact_up_to)
    vectors, scales = network.quantized
    found = 0
    for query in embedder.random(questions, options.seed + 7):
        whole, _ = quantized(query[None])
        exact = set(np.argsort(-dots(vectors, whole[0]) * scales, kind='stable')[:10].tolist())
        rows, _ = nearest.search(query, 10)
        found += len(exact.intersection(rows.tolist()))
    return found / (10 * questions)


def _pass(memory: ConceptMemory) -> dict[str, float]:
    now = _START + timedelta(days=400)
    budget = int(KEPT_SHARE * memory.stats(now).bytes)
    network = memory.network
    begin = time.process_time()
    decide(network, microseconds(now), memory.config, budget_bytes=budget)
    cpu_s = time.process_time() - begin
    done = memory.forget(now, budget)
    return {
        'decision_s': done.decision_s,
        'decision_cpu_s': cpu_s,
        'commit_s': done.commit_s,
        'pruned': len(done.pruned),
        'compressed': len(done.compressed),
    }


def draw(figures: Sequence[dict[str, Any]], file: Path) -> None:
    """Draws the costs over the size, on logarithmic axes.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.2), layout='constrained')
    left, right = figure.subplots(1, 2)
    sizes = [item['nodes'] for item in figures]
    for name, label in (
        ('decision_s', 'deciding a pass'),
        ('decision_cpu_s', 'deciding, processor time'),
        ('commit_s', 'storing it'),
        ('load_rows_s', 'loading its rows'),
        ('load_s', 'loading kept arrays'),
    ):
        left.loglog(sizes, [item[name] for item in figures], 'o-', label=label)
    left.axhline(2, color='grey', linestyle='--', linewidth=1, label='budget of deciding')
    left.set(xlabel='nodes', ylabel='seconds', title='Forgetting')
    right.semilogx(sizes, [item['question_p50_ms'] for item in figures], 'o-', label='p50')
    right.semilogx(sizes, [item['question_p95_ms'] for item in figures], 'o-', label='p95')
    right.semilogx(sizes, [item['question_cpu_p95_ms'] for item in figures], 'o:', label='p95, processor time')
    right.axhline(20, color='grey', linestyle='--', linewidth=1, label='budget of p95')
    right.set(xlabel='nodes', ylabel='ms', title='A question', ylim=(0, None))
    for axes in (left, right):
        axes.legend(frameon=False, fontsize=8, ncols=2, loc='upper center', bbox_to_anchor=(0.5, -0.18))
    figure.savefig(file, dpi=120)
