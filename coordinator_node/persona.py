"""The persona of the robot in conversation: name, manner and languages, from `config/persona.yaml`."""

from dataclasses import dataclass
from pathlib import Path

from lucca_core.paths import config_dir
from lucca_core.settings import check_bounds, from_mapping, setting
from lucca_core.yaml_file import load_yaml


@dataclass(frozen=True, kw_only=True)
class Persona:
    """The persona; the only home of its defaults. It is part of the unchanging start of each prompt."""

    name: str = setting('Lucca', 'What the robot is called.')
    about: str = setting(
        'You help people at your table and remember what each person told you.', 'What it is and does.'
    )
    style: tuple[str, ...] = setting(('Friendly, plain and short.',), 'How it talks, one rule each.')
    languages: tuple[str, ...] = setting(('en',), 'Languages it answers in (ISO 639-1), the first one by default.')
    most_sentences: int = setting(4, 'Longest answer, in sentences.', least=1)

    def __post_init__(self) -> None:
        check_bounds(self)
        if not self.name.strip() or not self.name.isprintable() or len(self.name) > 40:
            raise ValueError(f'name must be one printable line of 1 to 40 characters, got {self.name!r}')
        for text in (self.about, *self.style):
            if not text.strip() or not text.isprintable() or '<' in text or '>' in text:
                raise ValueError(f'about and style must be printable lines without < and >, got {text!r}')
        if not self.languages or not all(len(item) == 2 and item.isalpha() for item in self.languages):
            raise ValueError(f'languages must be ISO 639-1 codes such as en, got {list(self.languages)}')


def load_persona(path: Path | None = None) -> Persona:
    """The persona of a file; without a path, that of `config/persona.yaml`.

    Raises:
        ConfigError: the file is wrong; the message names file, line and reason.
    """
    file = path or config_dir() / 'persona.yaml'
    return from_mapping(Persona, load_yaml(file), file=str(file))
