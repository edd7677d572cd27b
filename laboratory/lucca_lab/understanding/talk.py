"""Ordinary talk between people, said to the robot line by line. None of it is a request to a robot at a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lucca_lab.locomo.data import LocomoDialogue
from lucca_lab.symbolic_table import sample_objects, sample_places
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.stack import stack_on_table

OBJECTS = (
    'apple (red)',
    'banana (yellow)',
    'cup (blue)',
    'book (green)',
    'ball (white)',
    'red cube (red)',
    'blue cube',
)
CONTAINERS = ('box 1', 'box 2', 'bowl', 'tower')


@dataclass(frozen=True, slots=True)
class SaidToRobot:
    """A line and its outcome."""

    speaker: str
    text: str
    outcome: SentenceOutcome


@dataclass(frozen=True, slots=True)
class TalkReport:
    """The outcomes of all lines."""

    said: Sequence[SaidToRobot]

    @property
    def started(self) -> list[SaidToRobot]:
        """The lines that started or resumed a task."""
        return [item for item in self.said if item.outcome.started]

    def as_json(self) -> dict[str, Any]:
        """Counts of lines, of those that started a task, of actions, and of lines answered with a question."""
        return {
            'lines': len(self.said),
            'started': len(self.started),
            'motions': sum(len(item.outcome.performed) for item in self.said),
            'asked': sum(item.outcome.end is End.ASKED for item in self.said),
        }


def run_talk(
    dialogues: Sequence[LocomoDialogue],
    *,
    llm: str,
    embedding: str,
    on_progress: Callable[[str], None] = lambda _: None,
) -> TalkReport:
    """Says every line of every dialogue as its speaker; each dialogue has its own robot.

    Raises:
        ConfigError: a spec is wrong.
    """
    said: list[SaidToRobot] = []
    for dialogue in dialogues:
        on_progress(f'{dialogue.sample_id}: {len(dialogue.lines)} lines')
        places = sample_places(CONTAINERS)
        names = [place.name for place in places]
        with stack_on_table(sample_objects(OBJECTS), names, llm=llm, embedding=embedding, geometry=places) as robot:
            session = 0
            for line in dialogue.lines:
                if line.session != session:
                    robot.end_conversations()
                    session = line.session
                text = line.text.partition(' [shared image: ')[0]
                said.append(SaidToRobot(line.speaker, text, robot.say(text, line.speaker)))
    return TalkReport(said)
