"""Makes `lucca_language/words/glosses.tsv.xz` from WordNet's files, such as those of Debian's package `wordnet-base`.

Usage: python laboratory/scripts/build_glosses.py [FOLDER]
"""

import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DEBIAN = Path('/usr/share/wordnet')
OUT = Path(__file__).parents[2] / 'lucca_language' / 'words' / 'glosses.tsv.xz'
THINGS = {'06', '13'}
"""Lexicographer files: artefacts and food."""
THINGS_FIRST = {'10', '27'}
"""Communication (books, letters) and substances: only where that is the first sense of a noun."""
MOST_SENSES = 4
MOST_WORDS = 4
MOST_CHARACTERS = 60
_NOUN = re.compile(r"[a-z][a-z'. -]*")
_ASIDE = re.compile(r'\(.*?\)\s*')


def senses(folder: Path) -> dict[str, tuple[str, str]]:
    """Offset of a synset -> its lexicographer file and gloss."""
    found = {}
    for line in (folder / 'data.noun').read_text(encoding='utf-8').splitlines():
        if not line.startswith(' '):
            head, _, definition = line.partition('|')
            offset, file, *_ = head.split()
            found[offset] = file, _ASIDE.sub('', definition.split(';')[0]).strip()
    return found


def glosses(folder: Path) -> Iterator[tuple[str, str]]:
    """(noun, gloss) of the nouns that name things."""
    known = senses(folder)
    for line in (folder / 'index.noun').read_text(encoding='utf-8').splitlines():
        if line.startswith(' '):
            continue
        fields = line.split()
        noun = fields[0].replace('_', ' ')
        if not _NOUN.fullmatch(noun) or len(noun.split()) > MOST_WORDS:
            continue
        for number, offset in enumerate(fields[6 + int(fields[3]) :][:MOST_SENSES]):
            file, text = known[offset]
            if file in THINGS or (file in THINGS_FIRST and number == 0):
                yield noun, text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS].rsplit(' ', 1)[0]
                break


def main() -> None:
    """Writes the table, in the order of the nouns."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEBIAN
    lines = [f'{noun}\t{text}\n' for noun, text in sorted(glosses(folder))]
    OUT.write_bytes(lzma.compress(''.join(lines).encode(), preset=9))
    sys.stdout.write(f'{len(lines)} nouns in {OUT}\n')


if __name__ == '__main__':
    main()
