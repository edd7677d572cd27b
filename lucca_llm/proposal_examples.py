"""What a model is told and shown before it proposes anything: `config/prompts/proposals.yaml`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.yaml_file import load_yaml
from lucca_llm.model import Message
from lucca_llm.rules.utterances.plain_requests import EVERYTHING, PlainVocabulary, read_plain

NOTHING, SOMETHING_ELSE = 'Nothing.', 'Something else.'
"""What is written where nothing is asked for, or nothing that has these forms."""
_FILE = 'prompts/proposals.yaml'
_KEYS = {'instructions', 'scenes', 'examples'}


@dataclass(frozen=True, slots=True)
class ExampleScene:
    """A table of the examples: its things, with colours or places in brackets, and where something can be put."""

    things: tuple[str, ...]
    places: tuple[str, ...]

    @property
    def vocabulary(self) -> PlainVocabulary:
        """The words of answers; of kinds, any may be there."""
        names = {f'the {name}': frozenset({name}) for name in (thing.partition(' (')[0] for thing in self.things)}
        return PlainVocabulary(_AnyKind({**names, EVERYTHING: frozenset(names)}), self.places)


class _AnyKind(dict[str, frozenset[str]]):
    def __contains__(self, phrase: object) -> bool:
        return super().__contains__(phrase) or str(phrase).startswith('all the ')


@dataclass(frozen=True, slots=True)
class ProposalExamples:
    """The instructions, and the prompts of the examples with their answers."""

    instructions: str
    shown: tuple[tuple[str, str], ...]

    @property
    def messages(self) -> list[Message]:
        """The beginning of each chat."""
        pairs = (pair for said, plain in self.shown for pair in (Message('user', said), Message('assistant', plain)))
        return [Message('system', self.instructions), *pairs]


def load_examples(file: Path | None = None) -> ProposalExamples:
    """Reads examples, by default those of the configuration.

    Raises:
        ConfigError: the file is missing, or a part of it is missing or wrong; the message names it.
    """
    file = file or config_dir() / _FILE
    document = load_yaml(file)
    try:
        if set(document) != _KEYS:
            raise ConfigError(f'needs {", ".join(sorted(_KEYS))}, and has {", ".join(sorted(document)) or "nothing"}')
        scenes = {name: _scene(name, told) for name, told in _mapping(document['scenes'], 'scenes').items()}
        shown: list[tuple[str, str]] = []
        before: ExampleScene | None = None
        for number, example in enumerate(_list(document['examples'], 'examples'), start=1):
            scene, said, plain = _example(number, example, scenes)
            shown.append((asked(said) if scene is before else asked(said, scene.things, scene.places), plain))
            before = scene
        return ProposalExamples(_text(document['instructions'], 'instructions'), tuple(shown))
    except ConfigError as error:
        raise ConfigError(error.reason, file=str(file)) from error


def asked(said: str, things: Sequence[str] = (), places: Sequence[str] = ()) -> str:
    """The prompt for a text, with the scene in which it was said unless that is the one before."""
    scene = f'Things: {", ".join(things)}. Places: {", ".join(places)}.\n' if things else ''
    return f'{scene}The person says: {said}'


def _example(number: int, example: Any, scenes: Mapping[str, ExampleScene]) -> tuple[ExampleScene, str, str]:
    parts = _list(example, f'example {number}')
    if len(parts) != 3:
        raise ConfigError(
            f'example {number} needs a scene, what was said, and what is meant; it has {len(parts)} parts'
        )
    name, said, plain = (_text(part, f'example {number}') for part in parts)
    if name not in scenes:
        raise ConfigError(f'example {number} names the scene {name!r}; there are {", ".join(scenes)}')
    if plain not in (NOTHING, SOMETHING_ELSE) and not read_plain(plain, scenes[name].vocabulary):
        raise ConfigError(
            f'example {number} means {plain!r}, which is no plain request at the scene {name}: it needs sentences of '
            'the forms in the instructions, with things and places of that scene'
        )
    return scenes[name], said, plain


def _scene(name: str, told: Any) -> ExampleScene:
    parts = _mapping(told, f'scene {name}')
    if set(parts) != {'things', 'places'}:
        raise ConfigError(f'scene {name} needs things and places')
    things, places = (
        tuple(_text(item, f'{key} of scene {name}') for item in _list(parts[key], f'{key} of scene {name}'))
        for key in ('things', 'places')
    )
    return ExampleScene(things, places)


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not value:
        raise ConfigError(f'{what} needs names with what they stand for, got {value!r}')
    return value


def _list(value: Any, what: str) -> Sequence[Any]:
    if not isinstance(value, list) or not value:
        raise ConfigError(f'{what} needs a list, got {value!r}')
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f'{what} needs text, got {value!r}')
    return value.strip()
