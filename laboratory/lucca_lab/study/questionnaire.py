"""The questionnaire of a user study, read from `questionnaire.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import load_yaml

FILE = Path(__file__).with_name('questionnaire.yaml')


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement to be rated. `is_reversed`: agreement is bad, so the scale is reversed."""

    metric: str
    text: str
    is_reversed: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One section: an instruction, a number of conversations, and the statements to be rated afterwards."""

    name: str
    instruction: str
    conversations: int
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """All sections, and the ends of the scale."""

    lowest: int
    highest: int
    sections: tuple[Section, ...]

    def score(self, statement: Statement, rated: int) -> int:
        """The score of a rating, with reversed statements taken into account.

        Raises:
            ValueError: the rating is not on the scale.
        """
        if not self.lowest <= rated <= self.highest:
            raise ValueError(f'rate from {self.lowest} to {self.highest}, not {rated}')
        return self.lowest + self.highest - rated if statement.is_reversed else rated


def load_questionnaire(file: Path | None = None) -> Questionnaire:
    """Reads a questionnaire; by default, the study's own.

    Raises:
        ConfigError: the file is not valid; the message names it and the reason.
    """
    file = file or FILE
    document = load_yaml(file)
    try:
        scale = document['scale']
        sections = tuple(_section(item) for item in document['sections'])
        found = Questionnaire(_whole(scale['lowest']), _whole(scale['highest']), sections)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f'is no questionnaire: {type(error).__name__}: {error}', file=str(file)) from error
    if not found.sections or found.lowest >= found.highest:
        raise ConfigError('needs sections, and a scale that goes up', file=str(file))
    return found


def _section(item: Mapping[str, Any]) -> Section:
    statements = tuple(
        Statement(str(entry['metric']), str(entry['text']), bool(entry.get('reversed', False)))
        for entry in item['statements']
    )
    return Section(str(item['name']), str(item['instruction']), _whole(item['conversations']), statements)


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f'{value!r} is no whole number')
    return value
