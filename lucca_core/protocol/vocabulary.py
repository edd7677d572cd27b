"""The labels that the detector looks for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Labels to look for from now on; none means everything that the detector knows."""

    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyTaken:
    """Says in words what the detector now looks for."""

    message: str
