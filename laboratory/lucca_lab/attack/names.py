"""Attack on people's names: random Unicode strings must be refused with a reason or survive every round trip."""

import io
import random
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from lucca_core.errors import MemoryFault
from lucca_core.person_names import MOST_NAME_CHARS, check_name
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_llm.prompt_text import harmless
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.sqlite_store import IN_MEMORY, SqliteStore
from lucca_memory.people.transfer import export_person, import_person
from lucca_memory.retrieval.library import Library

NOW = datetime(2026, 11, 23, tzinfo=UTC)
_NAMES = (
    'Anna',
    'Jean-Luc',
    "O'Neil",
    'José',
    'Zoë',
    'Nguyễn Văn An',
    '王伟',
    'محمد',
    'Søren',
    'Ольга',
    'ਸਿੰਘ',
    'R2-D2',
    'Dr. [bold]',
)
_PIECES = (
    *(
        '\u202e',
        '\u200b',
        '\u200d',
        '\u2066',
        '\ufeff',
        '\u00ad',
        '\u3164',
        '\ufe0f',
        '\u115f',
        '\x00',
        '\x1b[31m',
        '\r',
        '\n',
        '\t',
    ),
    *(
        '\x7f',
        '\u0085',
        '\u2028',
        '\ud800',
        '\U000e0041',
        '\U000f0000',
        '<',
        '>',
        '[red]',
        '[/]',
        '\\',
        '\u0301',
        '\u0301' * 9,
    ),
    *(
        ' ' * 5,
        'x' * 100,
        'x' * 10_000,
        '🤖',
        '👨\u200d👩',
        '٣',
        'ﬁ',
        'ẞ',
        'İ',
        '\u1e9b\u0323',
        '\u2800',
        '{{ x }}',
        '%s',
        "'; --",
        '..',
    ),
)


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    embedder = HashedEmbedder()

    def trial(chance: random.Random) -> Counts:
        name = _drawn(chance)
        with SqliteStore(IN_MEMORY) as store, SqliteStore(IN_MEMORY) as other:
            memory = PeopleMemory(store, embedder, Library(lambda scope: None, embedder))
            try:
                checked = check_name(name)
            except ValueError as error:
                if not str(error).isprintable() or len(str(error)) > 1000:
                    raise Broken(f'{name[:80]!a}: the reason cannot be shown: {str(error)[:200]!a}') from error
                _refused(memory, name)
                return {'refused': 1}
            if len(checked) > MOST_NAME_CHARS or check_name(checked) != checked:
                raise Broken(f'{name[:80]!a} became {checked!a}, which is no normal form')
            known = memory.person(name)
            if known.name != checked or store.find(checked) != known or memory.person(f' {name}\n') != known:
                raise Broken(f'{name!a} was kept as {known.name!a}')
            if import_person(other, export_person(store, known)).name != checked:
                raise Broken(f'{name!a} was imported under another name')
        if harmless(checked, MOST_NAME_CHARS) != checked:
            raise Broken(f'{checked!a} is {harmless(checked, MOST_NAME_CHARS)!a} in prompts')
        screen = io.StringIO()
        Console(file=screen, highlight=False, emoji=False, width=400, force_terminal=True, color_system=None).print(
            escape(checked)
        )
        if screen.getvalue() != f'{checked}\n':
            raise Broken(f'{checked!a} is {screen.getvalue()!a} on a terminal')
        if not NameEraser(checked).occurs_in(f'I met {checked} today.'):
            raise Broken(f'{checked!a} would not be found by erasing')
        return {'accepted': 1}

    yield trial


def _refused(memory: PeopleMemory, name: str) -> None:
    for take in (memory.person, lambda text: memory.introduce(memory.guest('c'), text)):
        try:
            take(name)
        except MemoryFault:
            continue
        raise Broken(f'{name[:80]!a} is no name, and somebody is called that')


def _drawn(chance: random.Random) -> str:
    kind = chance.randrange(4)
    if kind == 0:
        return ''.join(chr(chance.randrange(0x110000)) for _ in range(chance.randint(0, 12)))
    if kind == 1:
        return ''.join(chr(chance.randrange(0x20, 0x3000)) for _ in range(chance.randint(0, 100)))
    name = chance.choice(_NAMES)
    for _ in range(chance.choice((0, 1, 1, 3))):
        place = chance.randrange(len(name) + 1)
        name = name[:place] + chance.choice(_PIECES) + name[place:]
    return unicodedata.normalize(chance.choice(('NFC', 'NFD')), name)


PART = Attack(
    name='names',
    promise='A name is refused with a printable reason, or is the same in memory, prompts, files and on a terminal.',
    open=_open,
    sample=100,
    count=100_000,
)
