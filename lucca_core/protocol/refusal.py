"""What a service returns instead of an answer: a reason, and for the memory of people also a code."""

from dataclasses import dataclass
from enum import StrEnum


class DeskCode(StrEnum):
    """Why the memory of people does not do what it was asked to."""

    OK = ''
    NOT_MET = 'not_met'
    OTHER_PERSON = 'other_person'
    BAD_REQUEST = 'bad_request'
    UNAVAILABLE = 'unavailable'


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing was done, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class CodedRefusal(Refusal):
    """As the memory of people says it."""

    code: DeskCode
