"""A participant's session: a group drawn blind, conversations with or without memory, ratings into the study's file."""

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from lucca_core.errors import ConfigError
from lucca_eval.study.questionnaire import Questionnaire, Section
from lucca_eval.study.ratings import COLUMNS, GROUPS, load_ratings
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.tokens import message_tokens

WITH_MEMORY = 'B'
INSTRUCTIONS = 'You are a friendly companion. Talk with the person in one to three sentences at a time.'
REMEMBERED_TOKENS = 3000


class Talker(Protocol):
    """Whom a participant talks with."""

    def begin(self) -> None:
        """A new conversation begins."""
        ...

    def answer(self, text: str) -> str:
        """What is said to that.

        Raises:
            ModelError: nothing could be.
        """
        ...


class PlainTalker:
    """A model that knows the current conversation and nothing else."""

    def __init__(self, model: ChatModel, options: ChatOptions | None = None) -> None:
        self._model = model
        self._options = options or ChatOptions(temperature=0.7)
        self._turns: list[Message] = []

    def begin(self) -> None:
        """See Talker."""
        self._turns.clear()

    def answer(self, text: str) -> str:
        """See Talker."""
        self._turns.append(Message('user', text))
        said = self._model.chat([Message('system', self.instructions()), *self._turns], self._options).text.strip()
        self._turns.append(Message('assistant', said))
        return said

    def instructions(self) -> str:
        """What the model is told at the beginning of every prompt."""
        return INSTRUCTIONS


class RememberingTalker(PlainTalker):
    """The same model with every earlier conversation before its eyes, word for word, the newest as far as they fit."""

    def __init__(self, model: ChatModel, options: ChatOptions | None = None) -> None:
        super().__init__(model, options)
        self._earlier: list[list[Message]] = []

    def begin(self) -> None:
        """See Talker."""
        if self._turns:
            self._earlier.append(list(self._turns))
        super().begin()

    def instructions(self) -> str:
        """See PlainTalker; what was said before is told as something said, not as an order."""
        kept: list[str] = []
        left = REMEMBERED_TOKENS
        for number, turns in reversed(list(enumerate(self._earlier, start=1))):
            for turn in reversed(turns):
                left -= message_tokens(turn)
                if left < 0:
                    break
                kept.append(f'[conversation {number}] {"person" if turn.role == "user" else "you"}: {turn.content}')
        if not kept:
            return INSTRUCTIONS
        return '\n'.join([INSTRUCTIONS, 'What was said in earlier conversations with this person:', *reversed(kept)])


def make_talker(group: str, model: ChatModel) -> Talker:
    """Whom a participant of a group talks with. The one place to change when the group with memory gets another memory."""
    return RememberingTalker(model) if group == WITH_MEMORY else PlainTalker(model)


Ask = Callable[[str], str]
"""Shows a line to the participant and returns what was typed."""

Tell = Callable[[str], None]


def draw_group(participant: str, ratings_file: Path, chance: random.Random) -> str:
    """The group of a participant: the one they are in already, else the smaller one, else either.

    Raises:
        ConfigError: the file is no file of ratings.
    """
    members: dict[str, set[str]] = {group: set() for group in GROUPS}
    if ratings_file.exists():
        for rating in load_ratings(ratings_file):
            members[rating.group].add(rating.participant)
    for group, people in members.items():
        if participant in people:
            return group
    fewest = min(map(len, members.values()))
    return chance.choice([group for group, people in members.items() if len(people) == fewest])


def run_session(
    participant: str, group: str, talker: Talker, questionnaire: Questionnaire, ask: Ask, tell: Tell
) -> list[tuple[str, str, str, int]]:
    """Leads a participant through all sections and returns rows for the file of ratings. Never says which group it is.

    Raises:
        ModelError: the model gave no answer.
        EOFError: the participant left.
    """
    rows = []
    for section in questionnaire.sections:
        tell(f'{section.name}: {section.instruction} An empty line ends a conversation.')
        for number in range(section.conversations):
            talker.begin()
            tell(f'Conversation {number + 1} of {section.conversations}.')
            while text := ask('you').strip():
                tell(f'it: {talker.answer(text)}')
        rows += _rated(participant, group, section, questionnaire, ask, tell)
    return rows


def _rated(
    participant: str, group: str, section: Section, questionnaire: Questionnaire, ask: Ask, tell: Tell
) -> list[tuple[str, str, str, int]]:
    rows = []
    ends = f'{questionnaire.lowest} (not at all) to {questionnaire.highest} (completely)'
    for statement in section.statements:
        tell(f'{statement.text} Rate from {ends}.')
        while True:
            try:
                score = questionnaire.score(statement, int(ask('rating')))
            except ValueError:
                tell(f'Please answer with a whole number, {ends}.')
                continue
            rows.append((participant, group, statement.metric, score))
            break
    return rows


def append_ratings(file: Path, rows: Sequence[tuple[str, str, str, int]]) -> None:
    """Adds rows to the file of ratings, with its heading where it is new.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        is_new = not file.exists()
        with file.open('a', encoding='utf-8', newline='') as out:
            writer = csv.writer(out)
            if is_new:
                writer.writerow(COLUMNS)
            writer.writerows(rows)
    except OSError as error:
        raise ConfigError(f'ratings cannot be written: {error}', file=str(file)) from error
