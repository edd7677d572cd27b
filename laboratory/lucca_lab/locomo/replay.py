"""Conversion of LoCoMo dialogues to turns for one person's memory, and to questions for that memory.

If a user talks with an assistant, the user is the person and the assistant is the robot. In a dialogue of two people
there is no asker; the questions name both people.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import groupby

from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion, SaidLine
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.values import ROBOT, Person, Told
from lucca_memory.retrieval.values import Question


def person_of(memory: PeopleMemory, dialogue: LocomoDialogue) -> Person:
    """The person in whose memory a dialogue is stored."""
    # A bare "17" as a name would be found in every question about 17 of something.
    return memory.person(f'dialogue {dialogue.sample_id}')


def speaker_of(dialogue: LocomoDialogue, line: SaidLine, person: Person) -> str:
    """The speaker of a line, as the memory names them."""
    if not dialogue.with_assistant:
        return line.speaker
    return ROBOT if dialogue.is_assistant(line) else person.name


def told_of(dialogue: LocomoDialogue, line: SaidLine, person: Person) -> Told:
    """A line as a turn to be stored."""
    speaker = speaker_of(dialogue, line, person)
    return Told(conversation=str(line.session), utterance=line.text, time=line.time, speaker=speaker)


def question_of(dialogue: LocomoDialogue, asked: LocomoQuestion, person: Person, limit: int) -> Question:
    """A question at its time: a day after the end, or the time of the first session that it must not know."""
    hidden = [line.time for line in dialogue.lines if asked.before and line.session >= asked.before]
    now = min(hidden, default=dialogue.end + timedelta(days=1))
    return Question(text=asked.text, now=now, limit=limit, asker=person.name if dialogue.with_assistant else '')


def in_order(dialogue: LocomoDialogue) -> Iterator[tuple[Sequence[SaidLine], Sequence[LocomoQuestion]]]:
    """Yields the lines of each session with the questions asked after it; first, questions that know no session."""
    sessions = [list(lines) for _, lines in groupby(dialogue.lines, key=lambda line: line.session)]
    numbers = [lines[0].session for lines in sessions]
    due: dict[int, list[LocomoQuestion]] = {}
    for asked in dialogue.scored:
        known = bisect_left(numbers, asked.before) if asked.before else len(numbers)
        due.setdefault(known, []).append(asked)
    yield [], due.get(0, [])
    for known, lines in enumerate(sessions, 1):
        yield lines, due.get(known, [])
