"""What the detector is asked to look for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Labels to look for from now on; none for all that the detector knows."""

    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyTaken:
    """Says in words what is looked for now."""

    message: str
