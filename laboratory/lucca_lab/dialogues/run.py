"""The experiment of `lucca eval dialogues`: the shipped retriever and three plain ones on every question, in order.

A question that must not know later sessions is asked before these are remembered.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lucca_lab.dialogues.baselines import PlainRetrievers
from lucca_lab.dialogues.places import places_taken
from lucca_lab.dialogues.scoring import above_outdated, bootstrapped, recall_interval
from lucca_lab.locomo.baselines import DEPTH
from lucca_lab.locomo.data import LocomoDialogue
from lucca_lab.locomo.replay import in_order, person_of, question_of, told_of
from lucca_lab.locomo.scoring import Ranked, recalls, rounded
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import open_people, open_store

SHIPPED = 'lucca'


@dataclass(slots=True)
class DialoguesReport:
    """The ranking of every question by each retriever, 50 lines each; `lucca` is the shipped retriever."""

    ranked: dict[str, list[Ranked]] = field(default_factory=dict)
    embedding: str = ''
    dialogues: Mapping[str, LocomoDialogue] = field(default_factory=dict)
    """The dialogues by `sample_id`."""

    def as_json(self) -> dict[str, Any]:
        """The figures, rounded to four decimal places."""
        shipped = self.ranked[SHIPPED]
        kinds = dict.fromkeys(item.asked.kind for item in shipped)
        figures = self._shipped(shipped) | {
            'questions': len(shipped),
            'dialogues': len({item.sample_id for item in shipped}),
            'embedding': self.embedding,
            'by_kind': {kind: self._shipped([item for item in shipped if item.asked.kind == kind]) for kind in kinds},
            'baselines': {name: _figures(ranked) for name, ranked in self.ranked.items() if name != SHIPPED},
        }
        return rounded(figures)

    def _shipped(self, ranked: Sequence[Ranked]) -> dict[str, Any]:
        return {**_figures(ranked), 'places': places_taken(ranked, self.dialogues)}


def evaluate(
    dialogues: Sequence[LocomoDialogue], embedder: Embedder, *, on_progress: Callable[[str], None] = lambda _: None
) -> DialoguesReport:
    """Ranks the lines of every dialogue for each of its questions.

    Args:
        dialogues: the dialogues with their questions.
        embedder: used by the memory and by the dense baselines.
        on_progress: called with a message for each dialogue.

    Raises:
        MemoryFault: the memory could not be written.
        LuccaError: the embedder failed.
    """
    by_id = {dialogue.sample_id: dialogue for dialogue in dialogues}
    report = DialoguesReport(embedding=embedder.spec, dialogues=by_id)
    with (
        tempfile.TemporaryDirectory(prefix='lucca-dialogues-') as name,
        DataFolder.open(Path(name), write=True) as folder,
        open_people(folder, embedder, store=open_store(folder)) as memory,
    ):
        for number, dialogue in enumerate(dialogues, 1):
            on_progress(f'{number} of {len(dialogues)}: {dialogue.sample_id}, {len(dialogue.lines)} lines')
            _replay(memory, dialogue, embedder, report.ranked)
    return report


def _replay(
    memory: PeopleMemory, dialogue: LocomoDialogue, embedder: Embedder, ranked: dict[str, list[Ranked]]
) -> None:
    person, plain, dia_ids = person_of(memory, dialogue), PlainRetrievers(dialogue, embedder), dict[str, str]()
    for lines, questions in in_order(dialogue):
        for line in lines:
            turn = memory.remember(person, told_of(dialogue, line, person))
            dia_ids[f'said:{turn.utterance.line_id}'] = line.dia_id
        plain.add(lines)
        for asked in questions:
            recalled = memory.recall(person, question_of(dialogue, asked, person, DEPTH))
            found = {SHIPPED: tuple(dia_ids[item.item_id] for item in recalled), **plain.ranked(asked.text)}
            for name, names in found.items():
                ranked.setdefault(name, []).append(Ranked(dialogue.sample_id, asked, names))


def _figures(ranked: Sequence[Ranked]) -> dict[str, Any]:
    low, high = recall_interval(ranked)
    above = above_outdated(ranked)
    return {
        **recalls(ranked),
        'interval_at_10': [round(low, 4), round(high, 4)],
        'questions': len(ranked),
        **bootstrapped('updated_above_outdated', above),
        'updates': len(above),
    }
