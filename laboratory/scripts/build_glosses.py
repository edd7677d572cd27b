"""Makes `lucca_language/words/glosses.tsv.xz` from WordNet's files, such as those of Debian's package `wordnet-base`.

Usage: python laboratory/scripts/build_glosses.py [FOLDER]
"""

import lzma
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

DEBIAN = Path('/usr/share/wordnet')
OUT = Path(__file__).parents[2] / 'lucca_language' / 'words' / 'glosses.tsv.xz'
THINGS = {'06', '13'}
"""Lexicographer files of things: artefacts and food."""
THINGS_FIRST = {'10', '27'}
"""Communication (books, letters) and substances. They count only as the first sense of a noun."""
MOST_SENSES = 4
MOST_WORDS = 4
MOST_CHARACTERS = 60
_TOO_WIDE = """
entity|physical entity|object|physical object|whole|unit|artifact|artefact|matter|abstraction|abstract entity|substance
instrumentality|instrumentation|relation|part|portion|thing|solid|causal agent|cause|causal agency|living thing
animate thing|organism|being|creation|group|grouping|attribute|psychological feature|product"""
TOO_WIDE = frozenset(word for line in _TOO_WIDE.split('\n') for word in line.split('|'))
"""Words above nearly everything, which say nothing about a thing."""
_NOUN = re.compile(r"[a-z][a-z'. -]*")
_ASIDE = re.compile(r'\(.*?\)\s*')


@dataclass(frozen=True)
class Synset:
    """Nouns of one meaning: the lexicographer file, the words, the gloss, and the offsets of the synsets above it."""

    file: str
    words: tuple[str, ...]
    gloss: str
    above: tuple[str, ...]


def synsets(folder: Path) -> dict[str, Synset]:
    """The synsets of WordNet's nouns, by their offsets."""
    found = {}
    for line in (folder / 'data.noun').read_text(encoding='utf-8').splitlines():
        if not line.startswith(' '):
            head, _, definition = line.partition('|')
            fields = head.split()
            end = 4 + 2 * int(fields[3], 16)
            links = [fields[start : start + 2] for start in range(end + 1, len(fields), 4)]
            found[fields[0]] = Synset(
                file=fields[1],
                words=tuple(word.replace('_', ' ').lower() for word in fields[4:end:2]),
                gloss=_ASIDE.sub('', definition.split(';')[0]).strip(),
                above=tuple(link[1] for link in links if link[0] in ('@', '@i')),
            )
    return found


def _words_above(offset: str, known: Mapping[str, Synset]) -> Iterator[str]:
    """The words of a synset and of all synsets above it, the nearest first. Some occur more than once."""
    level = [offset]
    while level:
        yield from (word for place in level for word in known[place].words)
        level = [above for place in level for above in known[place].above]


def glosses(folder: Path) -> Iterator[tuple[str, str, str]]:
    """(noun, gloss, its kinds separated by commas) for each noun that names a thing."""
    known = synsets(folder)
    for line in (folder / 'index.noun').read_text(encoding='utf-8').splitlines():
        if line.startswith(' '):
            continue
        fields = line.split()
        noun = fields[0].replace('_', ' ')
        if not _NOUN.fullmatch(noun) or len(noun.split()) > MOST_WORDS:
            continue
        found = [
            offset
            for number, offset in enumerate(fields[6 + int(fields[3]) :][:MOST_SENSES])
            if known[offset].file in THINGS or (known[offset].file in THINGS_FIRST and number == 0)
        ]
        if found:
            text = known[found[0]].gloss
            kinds = dict.fromkeys(word for offset in found for word in _words_above(offset, known))
            short = text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS].rsplit(' ', 1)[0]
            yield noun, short, ','.join(word for word in kinds if word not in TOO_WIDE and ',' not in word)


def main() -> None:
    """Writes the table, sorted by noun."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEBIAN
    lines = ['\t'.join(row) + '\n' for row in sorted(glosses(folder))]
    OUT.write_bytes(lzma.compress(''.join(lines).encode(), preset=9))
    sys.stdout.write(f'{len(lines)} nouns in {OUT}\n')


if __name__ == '__main__':
    main()
