"""The questions of `lucca eval answers`, and the contexts that each system hands over for them.

The systems retrieve from whole dialogues, within several sizes of a context, or from what a memory of a fixed share of
a dialogue's bytes keeps of it, within one size.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from lucca_core.errors import ConfigError, MemoryFault
from lucca_lab.dialogues.baselines import PlainRetrievers
from lucca_lab.dialogues.run import SHIPPED, evaluate
from lucca_lab.dialogues.scoring import bootstrapped
from lucca_lab.kept.kept_index import KeptIndex
from lucca_lab.kept.run import ENOUGH
from lucca_lab.kept.stores import KeptText, Store, content_of, stores
from lucca_lab.locomo.baselines import DEPTH, as_document
from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion, SaidLine
from lucca_lab.locomo.scoring import Ranked
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.analysis import estimated_tokens

NEWEST, NOTHING, EVIDENCE = 'newest', 'nothing', 'evidence'
SYSTEMS = (SHIPPED, 'dense', 'bm25', NEWEST, NOTHING, EVIDENCE)
"""Our memory, retrieval by vectors (RAG), retrieval by words, the newest lines that fit, and no context at all; and as
an upper bound the evidence alone. Without an embedder there is no retrieval by vectors."""


@dataclass(frozen=True, slots=True)
class Handed:
    """A context, and whether all of the evidence is in it."""

    text: str
    has_evidence: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the context of each system at each budget."""

    sample_id: str
    question: LocomoQuestion
    handed: Mapping[str, Mapping[str, Handed]]
    """By budget and system."""


def from_whole_dialogues(
    dialogues: Sequence[LocomoDialogue], sizes: Sequence[int], embedder: Embedder, count: int, seed: int
) -> list[Asked]:
    """Contexts from memories that keep everything.

    Args:
        dialogues: the dialogues with their questions.
        sizes: sizes of a context in estimated tokens.
        embedder: used by the memory and by the dense baseline.
        count: number of questions to draw.
        seed: decides which questions are drawn.

    Raises:
        ConfigError: no question has an answer.
        LuccaError: the embedder failed.
    """
    drawn = _drawn(dialogues, count, seed)
    ranked = evaluate(dialogues, embedder).ranked
    places = {(item.sample_id, item.asked): place for place, item in enumerate(ranked[SHIPPED])}
    said = {dialogue.sample_id: {line.dia_id: line for line in dialogue.lines} for dialogue in dialogues}
    found = []
    for sample_id, asked in drawn:
        place, lines = places[sample_id, asked], said[sample_id]
        known = [line for line in lines.values() if not asked.before or line.session < asked.before]
        best = {
            **{name: _lines_of(items[place], lines) for name, items in ranked.items()},
            **_plain(known, asked, lines),
        }
        handed = {
            str(size): {name: handed_over(best[name], size, asked, lines) for name in SYSTEMS if name in best}
            for size in sizes
        }
        found.append(Asked(sample_id, asked, handed))
    return found


def from_kept(
    dialogues: Sequence[LocomoDialogue],
    shares: Sequence[float],
    size: int,
    embedder: Embedder,
    keeper: Embedder,
    count: int,
    seed: int,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
) -> list[Asked]:
    """Contexts from memories that keep a share of a dialogue's bytes, checked after each session.

    RAG, retrieval by words and the newest lines read a memory that drops the oldest turns first. All questions come at
    the end.

    Args:
        dialogues: the dialogues with their questions.
        shares: the shares of the bytes.
        size: the size of a context in estimated tokens.
        embedder: used to retrieve.
        keeper: used by our memory to decide what is kept.
        count: number of questions to draw.
        seed: decides which questions are drawn.
        on_progress: called with a message for each dialogue.

    Raises:
        ConfigError: no question has an answer.
        MemoryFault: a memory keeps more than its budget.
        LuccaError: the embedder failed.
    """
    drawn = _drawn(dialogues, count, seed)
    found: dict[tuple[str, LocomoQuestion], dict[str, Mapping[str, Handed]]] = {key: {} for key in drawn}
    for dialogue in dialogues:
        wanted = [asked for sample_id, asked in drawn if sample_id == dialogue.sample_id]
        for share in shares:
            on_progress(f'{share:g} of {dialogue.sample_id}')
            handed = _from_kept(dialogue, wanted, share, size, (embedder, keeper), seed)
            for asked, by_system in handed.items():
                found[dialogue.sample_id, asked][f'{share:g}'] = by_system
    return [Asked(sample_id, asked, handed) for (sample_id, asked), handed in found.items()]


def evidence_handed_over(asked: Sequence[Asked]) -> dict[str, Any]:
    """The share of questions whose evidence is all in the context, by budget and system; no model is asked.

    `below_lucca` is the mean difference from our memory.
    """
    rows: dict[str, dict[str, Any]] = {}
    for budget, systems in asked[0].handed.items():
        shares = {name: [float(item.handed[budget][name].has_evidence) for item in asked] for name in systems}
        rows[budget] = {
            name: {
                **bootstrapped('evidence', share),
                **bootstrapped('below_lucca', [a - b for a, b in zip(shares[SHIPPED], share, strict=True)]),
            }
            for name, share in shares.items()
        }
    return {'questions': len(asked), 'budgets': rows}


def handed_over(lines: Sequence[SaidLine], size: int, asked: LocomoQuestion, said: Mapping[str, SaidLine]) -> Handed:
    """The best lines that fit into a number of estimated tokens, in the order in which they were said.

    A line of which a memory kept only a part counts as evidence if it has `ENOUGH` of its content words.

    Args:
        lines: lines, best first.
        size: the number of tokens.
        asked: the question.
        said: all lines of the dialogue by name, in order, as they were said.
    """
    kept: list[SaidLine] = []
    left = size
    for line in lines:
        needed = estimated_tokens(as_document(line))
        if needed <= left:
            left -= needed
            kept.append(line)
    # All lines of a session have the same time.
    places = {name: place for place, name in enumerate(said)}
    text = '\n'.join(as_document(line) for line in sorted(kept, key=lambda line: places[line.dia_id]))
    return Handed(text, asked.evidence <= {line.dia_id for line in kept if _is_whole(line, said[line.dia_id])})


def _is_whole(line: SaidLine, said: SaidLine) -> bool:
    wanted = content_of(said.text)
    return len(wanted & content_of(line.text)) >= ENOUGH * len(wanted)


def _from_kept(
    dialogue: LocomoDialogue,
    wanted: Sequence[LocomoQuestion],
    share: float,
    size: int,
    embedders: tuple[Embedder, Embedder],
    seed: int,
) -> Mapping[LocomoQuestion, Mapping[str, Handed]]:
    lines = {line.dia_id: line for line in dialogue.lines}
    budget = int(share * sum(len(line.text.encode()) for line in dialogue.lines))
    embedder, keeper = embedders
    memories = stores(dialogue, (), keeper, seed)
    ours = KeptIndex(dialogue, embedder)
    ours.read(_streamed(memories['lucca'], dialogue, budget))
    recent = [lines[name] for text in _streamed(memories['recency'], dialogue, budget) for name in sorted(text.dia_ids)]
    plain = PlainRetrievers(dialogue, embedder)
    plain.add(recent)
    found = {}
    for asked in wanted:
        ranked = {name: [lines[dia_id] for dia_id in names] for name, names in plain.ranked(asked.text).items()}
        best = {
            SHIPPED: [_line(text, lines) for text in ours.found(asked.text, DEPTH)],
            **ranked,
            **_plain(recent, asked, lines),
        }
        found[asked] = {name: handed_over(best[name], size, asked, lines) for name in SYSTEMS if name in best}
    return found


def _streamed(store: Store, dialogue: LocomoDialogue, budget: int) -> Sequence[KeptText]:
    for _, session in groupby(dialogue.lines, key=lambda line: line.session):
        said = list(session)
        store.hear(said)
        store.forget(said[-1].time, budget)
        if (size := store.size()) > budget:
            raise MemoryFault(f'a memory keeps {size} bytes of text, the budget is {budget}')
    return store.texts()


def _line(text: KeptText, lines: Mapping[str, SaidLine]) -> SaidLine:
    """What is left of a turn, as a line; a text of several turns has the name of the last one."""
    last = max((lines[name] for name in text.dia_ids), key=lambda line: line.time)
    return replace(last, text=text.text)


def _plain(
    known: Sequence[SaidLine], asked: LocomoQuestion, lines: Mapping[str, SaidLine]
) -> dict[str, Sequence[SaidLine]]:
    evidence = [line for name, line in lines.items() if name in asked.evidence]
    return {NEWEST: known[::-1], NOTHING: [], EVIDENCE: evidence}


def _lines_of(item: Ranked, lines: Mapping[str, SaidLine]) -> Sequence[SaidLine]:
    return [lines[dia_id] for dia_id in item.dia_ids]


def _drawn(dialogues: Sequence[LocomoDialogue], count: int, seed: int) -> Sequence[tuple[str, LocomoQuestion]]:
    """Questions that have an answer, in an order that depends on the seed only: fewer are the first of many."""
    known = [(dialogue.sample_id, asked) for dialogue in dialogues for asked in dialogue.scored if asked.answer.strip()]
    if not known:
        raise ConfigError('no question of these dialogues has an answer')
    random.Random(seed).shuffle(known)
    return known[:count]
