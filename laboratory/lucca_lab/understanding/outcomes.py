"""What came of one sentence that was said to the robot."""

from dataclasses import dataclass
from enum import StrEnum

from coordinator_node.interfaces import TaskResult
from lucca_core.protocol.goals import Status


class End(StrEnum):
    """How a sentence ended. TOLD: with an answer in words and nothing else."""

    DONE = 'done'
    TOLD = 'told'
    ASKED = 'asked'
    REFUSED = 'refused'
    FAILED = 'failed'


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceOutcome:
    """What a sentence led to.

    Attributes:
        end: how it ended.
        said: the answer in words.
        started: names of the tasks that were begun or gone on with.
        performed: calls whose effect came about, oldest first, such as `<give(pear)>`.
        contents: names of the objects in each container afterwards.
    """

    end: End
    said: str
    started: tuple[str, ...] = ()
    performed: tuple[str, ...] = ()
    contents: dict[str, tuple[str, ...]]


def end_of(result: TaskResult, *, started: bool) -> End:
    """How a goal ended. A refusal that ends with a question mark is a question to the person."""
    if result.question:
        return End.ASKED
    said = result.said.strip() or result.reason.strip()
    if result.status is Status.REFUSED:
        return End.ASKED if said.rstrip('"”’').endswith('?') else End.REFUSED
    if result.status is Status.FINISHED:
        return End.DONE if started else End.TOLD
    return End.FAILED
