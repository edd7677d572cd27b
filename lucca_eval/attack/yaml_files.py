"""Attack on the reader of YAML: mutated files of ours end in values or in an error with file and line."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.yaml_file import parse_yaml
from lucca_eval.attack.part import Counts, Part, Trial

_PIECES = (
    '{',
    '[',
    '&a ',
    '*a',
    '<<: *a',
    '- ',
    ': ',
    '\t',
    '"',
    "'",
    '!!python/object:os.system ',
    '\x00',
    '\n',
    '1e999',
    '.inf',
)


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    texts = [file.read_text(encoding='utf-8') for file in sorted(config_dir().rglob('*.yaml'))]

    def trial(chance: random.Random) -> Counts:
        text = _mutated(chance.choice(texts), chance)
        try:
            parse_yaml(text, 'drawn.yaml')
        except ConfigError:
            return {'refused': 1}
        return {'read': 1}

    yield trial


def _mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(text) + 1)
        gone = chance.choice((0, 0, 1, 20))
        text = text[:place] + chance.choice(_PIECES) + text[place + gone :]
    return text


PART = Part(
    name='yaml',
    promise='A mutated YAML file is read, or refused with a ConfigError.',
    open=_open,
    sample=100,
    count=100_000,
)
