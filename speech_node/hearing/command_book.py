"""The spoken commands of the grammar: every sentence, its written form and its intent.

They are generated from the tasks, actions and objects in use, with the wording in `config/speech.yaml`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.stop_command import STOP_WORDS
from lucca_core.yaml_file import LocatedMapping, load_yaml
from lucca_memory.procedural import load_actions, load_tasks
from speech_node.interfaces import Intent, IntentKind

_SPOKEN = re.compile(r"[a-z']+(?: [a-z']+)*")
_TASK, _OBJECT, _PERSON = '{task}', '{object}', '{person}'
_TEXT_KEYS = ('start', 'resume', 'cancel')
_KEYS = (*_TEXT_KEYS, 'tasks', 'actions', 'talk', 'introduce', 'people', 'answers', 'written', 'pronunciations')


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence pattern with its intent. `slot` is the placeholder in `pattern` for one of `fillers`, or empty."""

    pattern: str
    intent: Intent
    slot: str = ''
    fillers: tuple[str, ...] = ()

    def sentences(self) -> Iterator[tuple[str, Intent]]:
        """Yields every sentence of the pattern with its intent."""
        if not self.slot:
            yield self.pattern, self.intent
        for filler in self.fillers:
            sentence = self.pattern.replace(self.slot, filler)
            if self.slot != _OBJECT:
                yield sentence, Intent(self.intent.kind, filler)
            else:
                yield sentence, Intent(self.intent.kind, self.intent.name, filler)


@dataclass(frozen=True)
class CommandBook:
    """Every sentence that the grammar accepts. If there is a wake word, all but answers begin with it.

    `written` maps spoken to written words (`one` to `1`); `pronunciations` maps words to their phonemes.
    """

    phrases: tuple[Phrase, ...]
    written: Mapping[str, str] = field(default_factory=dict)
    pronunciations: Mapping[str, str] = field(default_factory=dict)
    wake_word: str = ''

    def __post_init__(self) -> None:
        intents: dict[str, Intent] = {}
        for phrase in self.phrases:
            for sentence, intent in phrase.sentences():
                if not _SPOKEN.fullmatch(sentence):
                    raise ValueError(f'{sentence!r} must be lower-case words separated by single spaces')
                if set(sentence.split()) & set(STOP_WORDS):
                    raise ValueError(f'{sentence!r} contains a stop word, which is heard before any grammar')
                if intents.setdefault(sentence, intent) != intent:
                    meanings = ' and '.join(str(item) for item in (intents[sentence], intent))
                    raise ValueError(f'{sentence!r} has two meanings: {meanings}')
        object.__setattr__(self, '_intents', intents)
        wake = f'{self.wake_word} ' if self.wake_word else ''
        answers = (IntentKind.YES, IntentKind.NO)
        said = {(s if intent.kind in answers else wake + s): intent for s, intent in intents.items()}
        object.__setattr__(self, '_spoken', said)

    @property
    def sentences(self) -> Mapping[str, Intent]:
        """Every spoken sentence with its intent."""
        return self._intents  # type: ignore[attr-defined, no-any-return]

    @property
    def spoken(self) -> Mapping[str, Intent]:
        """Every sentence as it is said, with the wake word where it needs one, and its intent."""
        return self._spoken  # type: ignore[attr-defined, no-any-return]

    @property
    def slots(self) -> Mapping[str, tuple[str, ...]]:
        """The names that can be filled in, by placeholder: objects, tasks and people."""
        found: dict[str, dict[str, None]] = {}
        for phrase in self.phrases:
            if phrase.slot:
                found.setdefault(phrase.slot, {}).update(dict.fromkeys(phrase.fillers))
        return {slot: tuple(names) for slot, names in found.items()}

    def intent_of(self, spoken: str) -> Intent | None:
        """The intent of a spoken or written sentence; None if the grammar does not have it."""
        back = {written: word for word, written in self.written.items()}
        words = re.findall(r"[a-z0-9']+", spoken.lower())
        sentence = ' '.join(back.get(word, word) for word in words)
        return self.sentences.get(sentence.removeprefix(self.wake_word).strip())

    def text_of(self, spoken: str) -> str:
        """The written form of a spoken sentence: `box one` becomes `box 1`."""
        return ' '.join(self.written.get(word, word) for word in spoken.split())

    def words(self) -> set[str]:
        """Every word of the grammar."""
        return {word for sentence in (*self.sentences, self.wake_word) for word in sentence.split()}


def load_commands(
    file: Path | None = None,
    *,
    tasks_file: Path | None = None,
    actions_file: Path | None = None,
    tasks: Sequence[str] = (),
    wake_word: str = '',
) -> CommandBook:
    """Loads the commands for the tasks and actions of their files.

    Args:
        file: None for `config/speech.yaml`.
        tasks_file: None for `config/tasks.yaml`.
        actions_file: None for `config/actions.yaml`.
        tasks: tasks taught at run time; names that cannot be spoken are left out.
        wake_word: words that every command must begin with; empty for none.

    Raises:
        ConfigError: a file is invalid, or names an unknown task or action.
    """
    file = file or config_dir() / 'speech.yaml'
    document = load_yaml(file)
    actions = load_actions(actions_file)
    known = load_tasks(tasks_file, actions)
    names = [*known, *(name for name in tasks if name not in known and _SPOKEN.fullmatch(name))]
    things = object_names(config_dir() / 'objects.yaml')
    unknown = [key for key in document if key not in _KEYS]
    if unknown:
        reason = f'unknown key {unknown[0]!r}; known are {", ".join(_KEYS)}'
        raise ConfigError(reason, file=str(file), line=document.line_of(unknown[0]))
    phrases = [
        *_task_phrases(document, file, tuple(names)),
        *_named_phrases(document, file, 'tasks', tuple(known), IntentKind.START, ()),
        *_named_phrases(document, file, 'actions', tuple(actions), IntentKind.ACT, things),
        *_introductions(document, file),
        *_fixed_phrases(document, file),
    ]
    written, pronunciations = _words(document, file, 'written'), _words(document, file, 'pronunciations')
    try:
        return CommandBook(tuple(phrases), written, pronunciations, ' '.join(wake_word.lower().split()))
    except ValueError as error:
        raise ConfigError(str(error), file=str(file)) from error


def object_names(file: Path) -> tuple[str, ...]:
    """The names of the objects in a file of prototypes: `apple`, `red cube`.

    Raises:
        ConfigError: the file cannot be read or lists no objects.
    """
    document = load_yaml(file)
    found: list[str] = []
    objects = _section(document, file, 'objects')
    for label in objects:
        entry = _section(objects, file, label)
        colours = _texts(entry, file, 'colours') if entry.get('name_with_colour') else ()
        found += [f'{colour} {label}' for colour in colours] or [label]
    if not found:
        raise ConfigError('lists no objects', file=str(file))
    return tuple(found)


def _task_phrases(document: LocatedMapping, file: Path, names: tuple[str, ...]) -> Iterator[Phrase]:
    for key in _TEXT_KEYS:
        for pattern in _texts(document, file, key):
            if pattern.count(_TASK) != 1:
                raise ConfigError(f'{pattern!r} must contain {_TASK} once', file=str(file), line=document.line_of(key))
            yield Phrase(pattern, Intent(IntentKind(key)), _TASK, names)


def _named_phrases(
    document: LocatedMapping, file: Path, key: str, names: tuple[str, ...], kind: IntentKind, fillers: tuple[str, ...]
) -> Iterator[Phrase]:
    section = _section(document, file, key)
    for name in section:
        if name not in names:
            reason = f'unknown name {name!r} under {key}; known are {", ".join(names)}'
            raise ConfigError(reason, file=str(file), line=section.line_of(name))
        for pattern in _texts(section, file, name):
            if fillers and pattern.count(_OBJECT) != 1:
                reason = f'{pattern!r} must contain {_OBJECT} once'
                raise ConfigError(reason, file=str(file), line=section.line_of(name))
            yield Phrase(pattern, Intent(kind, name), _OBJECT if fillers else '', fillers)


def _introductions(document: LocatedMapping, file: Path) -> Iterator[Phrase]:
    people = tuple(name.lower() for name in _texts(document, file, 'people'))
    for pattern in _texts(document, file, 'introduce') if people else ():
        if pattern.count(_PERSON) != 1:
            reason = f'{pattern!r} must contain {_PERSON} once'
            raise ConfigError(reason, file=str(file), line=document.line_of('introduce'))
        yield Phrase(pattern, Intent(IntentKind.INTRODUCE), _PERSON, people)


def _fixed_phrases(document: LocatedMapping, file: Path) -> Iterator[Phrase]:
    for key, allowed in (('talk', ('go_on', 'ask')), ('answers', ('yes', 'no'))):
        section = _section(document, file, key)
        for name in section:
            if name not in allowed:
                reason = f'{name!r} is not one of {", ".join(allowed)}'
                raise ConfigError(reason, file=str(file), line=section.line_of(name))
            for pattern in _texts(section, file, name):
                yield Phrase(pattern, Intent(IntentKind(name)))


def _section(document: LocatedMapping, file: Path, key: str) -> LocatedMapping:
    section = document.get(key)
    if section is None:
        section = LocatedMapping()
        section.key_lines = {}
    if not isinstance(section, LocatedMapping):
        raise ConfigError(f'{key} must be a mapping', file=str(file), line=document.line_of(key))
    return section


def _texts(section: LocatedMapping, file: Path, key: str) -> tuple[str, ...]:
    values = section.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ConfigError(f'{key} must be a list of texts', file=str(file), line=section.line_of(key))
    return tuple(values)


def _words(document: LocatedMapping, file: Path, key: str) -> dict[str, str]:
    section = _section(document, file, key)
    for name, value in section.items():
        if not isinstance(value, str):
            raise ConfigError(f'{name} must be a text, as in {name}: "1"', file=str(file), line=section.line_of(name))
    return dict(section)
