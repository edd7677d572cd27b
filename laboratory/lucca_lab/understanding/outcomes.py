"""The outcome of one sentence that was said to the robot."""

from dataclasses import dataclass
from enum import StrEnum

from coordinator_node.interfaces import TaskResult
from lucca_core.protocol.goals import Status


class End(StrEnum):
    """How a sentence ended. TOLD: only with an answer in words."""

    DONE = 'done'
    TOLD = 'told'
    ASKED = 'asked'
    REFUSED = 'refused'
    FAILED = 'failed'


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceOutcome:
    """The outcome of a sentence.

    Attributes:
        end: how it ended.
        said: the answer in words.
        started: names of the tasks that were started or resumed.
        performed: calls that had their effect, in order, such as `<give(pear)>`.
        contents: names of the objects in each container afterwards.
    """

    end: End
    said: str
    started: tuple[str, ...] = ()
    performed: tuple[str, ...] = ()
    contents: dict[str, tuple[str, ...]]


def end_of(result: TaskResult, *, started: bool) -> End:
    """How a goal ended. A refusal that ends with a question mark counts as a question to the person."""
    if result.question:
        return End.ASKED
    said = result.said.strip() or result.reason.strip()
    if result.status is Status.REFUSED:
        return End.ASKED if said.rstrip('"”’').endswith('?') else End.REFUSED
    if result.status is Status.FINISHED:
        return End.DONE if started else End.TOLD
    return End.FAILED
