"""The experiment of `lucca eval chats`: recall of evidence, and how often an update ranks above its former value."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from lucca_lab.chats.generator import KINDS, Chat, ChatQuestion
from lucca_lab.locomo.baselines import DEPTH, baselines
from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion, SaidLine
from lucca_lab.locomo.scoring import Ranked, interval, recalls, rounded
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import open_people, open_store
from lucca_memory.people.person_source import scope_of, source_of_scope
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import ROBOT, Person, Told
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Question

WITHOUT_RULE = 'without newest first'
VARIANTS: dict[str, dict[str, float]] = {
    WITHOUT_RULE: {'newest_first_among': 0},
    'words only': {'meaning': 0.0, 'meaning_nearby': 0.0, 'newest_first_among': 0},
    'meaning only': {'words': 0.0, 'words_nearby': 0.0, 'group_words': 0.0, 'newest_first_among': 0},
    'without neighbours': {'words_nearby': 0.0, 'meaning_nearby': 0.0, 'group_words': 0.0, 'beside': 0.0},
    'without speaker': {'speaker': 0.0},
    'without telling': {'tells': 0.0, 'tells_when': 0.0},
}
"""The retriever settings that each row changes."""

Rankings = list[Ranked]


@dataclass(slots=True)
class ChatsReport:
    """The ranking of every question by each retriever, in the order of the questions."""

    questions: list[ChatQuestion]
    shipped: Rankings
    baselines: dict[str, Rankings] = field(default_factory=dict)
    variants: dict[str, Rankings] = field(default_factory=dict)
    embedding: str = ''

    def row(self, ranked: Rankings) -> dict[str, Any]:
        """`recall_at_K`, and as `fresh` the share of updated statements that rank above all that they replaced."""
        return recalls(ranked) | {'fresh': freshness(self.questions, ranked)}

    def as_json(self) -> dict[str, Any]:
        """The figures, rounded to four decimal places."""
        by_kind = {}
        for kind in KINDS:
            mine = [item for item, asked in zip(self.shipped, self.questions, strict=True) if asked.kind == kind]
            by_kind[kind] = recalls(mine) | {'questions': len(mine)}
        low, high = interval(self.shipped)
        return rounded(
            {
                **self.row(self.shipped),
                'interval_at_10': [round(low, 4), round(high, 4)],
                'questions': len(self.questions),
                'updates': sum(asked.kind == 'updated' for asked in self.questions),
                'chats': len({item.sample_id for item in self.shipped}),
                'embedding': self.embedding,
                'by_kind': by_kind,
                'baselines': {name: self.row(ranked) for name, ranked in self.baselines.items()},
                'variants': {name: self.row(ranked) for name, ranked in self.variants.items()},
            }
        )


def freshness(questions: Sequence[ChatQuestion], ranked: Sequence[Ranked]) -> float:
    """The share of questions after an update for which a current line ranks above every outdated line.

    Lines that were not found count as last; if neither was found, the question counts as missed.
    """
    above = []
    for asked, item in zip(questions, ranked, strict=True):
        if asked.kind == 'updated':
            places = {name: place for place, name in enumerate(item.dia_ids)}
            holds, old = (
                min((places.get(name, DEPTH) for name in names), default=DEPTH)
                for names in (asked.evidence, asked.outdated)
            )
            above.append(holds < old)
    return float(np.mean(above)) if above else 0.0


def evaluate(
    chats: Sequence[Chat],
    embedder: Embedder,
    *,
    full: bool = True,
    shipped: RetrievalConfig | None = None,
    on_progress: Callable[[str], None] = lambda _: None,
) -> ChatsReport:
    """Stores every chat as the turns of one person, and puts every question to this person's memory.

    Args:
        chats: chats with unique ids.
        embedder: the memory's embedder.
        full: whether to measure baselines and variants too.
        shipped: settings to use in place of the shipped ones.
        on_progress: called with a message for each step.
    """
    with (
        tempfile.TemporaryDirectory(prefix='lucca-chats-') as name,
        DataFolder.open(Path(name), write=True) as folder,
    ):
        store = open_store(folder)
        with open_people(folder, embedder, retrieval=shipped, store=store) as memory:
            on_progress(f'remembering {sum(len(chat.turns) for chat in chats)} turns')
            people, names = _remember(memory, chats)
            questions = [asked for chat in chats for asked in chat.questions]
            on_progress(f'asking {len(questions)} questions')
            ranked = []
            for chat in chats:
                for asked in chat.questions:
                    recalled = memory.recall(people[chat.chat_id], _question(asked, chat, people[chat.chat_id]))
                    found = tuple(names[int(item.item_id.removeprefix('said:'))] for item in recalled)
                    ranked.append(Ranked(chat.chat_id, _asked(asked), found))
            report = ChatsReport(questions, ranked, embedding=embedder.spec)
            if full:
                on_progress('baselines')
                report.baselines = baselines([_dialogue(chat, people[chat.chat_id]) for chat in chats], embedder)
                on_progress('variants')
                base = shipped or RetrievalConfig()
                for name, changes in VARIANTS.items():
                    varied = replace(base, **changes)  # type: ignore[arg-type]
                    report.variants[name] = _ranked(store, embedder, varied, chats, people, names)
    return report


def _remember(memory: PeopleMemory, chats: Sequence[Chat]) -> tuple[dict[str, Person], dict[int, str]]:
    people, names = {}, {}
    for chat in chats:
        # Several chats with the same name belong to different people.
        person = people[chat.chat_id] = memory.introduce(memory.guest(chat.chat_id), chat.person)
        for turn in chat.turns:
            stored = memory.remember(
                person,
                Told(
                    conversation=f'{turn.session}',
                    utterance=turn.utterance,
                    answer=turn.answer,
                    time=turn.time,
                    answered=turn.time + timedelta(seconds=5),
                ),
            )
            names[stored.utterance.line_id] = turn.said
            if stored.answer is not None:
                names[stored.answer.line_id] = turn.answered
    return people, names


def _question(asked: ChatQuestion, chat: Chat, person: Person) -> Question:
    return Question(text=asked.text, now=chat.end + timedelta(days=1), asker=person.name, limit=DEPTH)


def _asked(asked: ChatQuestion) -> LocomoQuestion:
    # LoCoMo's categories have no meaning here; all are scored alike.
    return LocomoQuestion(asked.text, 1, asked.evidence)


def _dialogue(chat: Chat, person: Person) -> LocomoDialogue:
    lines = []
    for turn in chat.turns:
        lines.append(SaidLine(turn.said, turn.session, person.name, turn.utterance, turn.time))
        lines.append(SaidLine(turn.answered, turn.session, ROBOT, turn.answer, turn.time))
    return LocomoDialogue(chat.chat_id, tuple(lines), tuple(map(_asked, chat.questions)))


def _ranked(
    store: PeopleStore,
    embedder: Embedder,
    config: RetrievalConfig,
    chats: Sequence[Chat],
    people: dict[str, Person],
    names: dict[int, str],
) -> Rankings:
    library = Library(source_of_scope(store), embedder, config, robot=ROBOT)
    ranked = []
    for chat in chats:
        person = people[chat.chat_id]
        for asked in chat.questions:
            hits = library.search(scope_of(person), _question(asked, chat, person))
            ranked.append(Ranked(chat.chat_id, _asked(asked), tuple(names[hit.key] for hit in hits)))
    return ranked
