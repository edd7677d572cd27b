"""A participant's session: blind group assignment, conversations, and ratings."""

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_lab.study.conversation_partners import Talker
from lucca_lab.study.questionnaire import Questionnaire, Section
from lucca_lab.study.ratings import COLUMNS, GROUPS, load_ratings

Ask = Callable[[str], str]
"""A function that shows a line to the participant and returns what was typed."""

Tell = Callable[[str], None]


def draw_group(participant: str, ratings_file: Path, chance: random.Random) -> str:
    """The group of a participant: their earlier one, otherwise the smaller group, or a random one of equal groups.

    Raises:
        ConfigError: the file is not a file of ratings.
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
    """Leads a participant through all sections and returns rows for the file of ratings. The group is never revealed.

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
    """Appends rows to the file of ratings. A new file gets a header.

    Raises:
        ConfigError: the file cannot be written.
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
