"""Refusals, which a service returns instead of an answer: a reason and, from the memory of people, a code."""

from dataclasses import dataclass
from enum import StrEnum


class DeskCode(StrEnum):
    """Why the memory of people refused a request."""

    OK = ''
    NOT_MET = 'not_met'
    OTHER_PERSON = 'other_person'
    BAD_REQUEST = 'bad_request'
    UNAVAILABLE = 'unavailable'


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing was done, for the given reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class CodedRefusal(Refusal):
    """A refusal by the memory of people."""

    code: DeskCode
