"""Makes `lucca_language/words/words.txt.xz` from WordNet's files, such as those of Debian's package `wordnet-base`.

The words of one part that WordNet has in any part of speech, the irregular forms of these, and comparatives: what is no
slip of the keyboard. Behind an empty line, the verbs again. Words of one or two letters are left out: most abbreviate.

Usage: python laboratory/scripts/build_words.py [FOLDER]
"""

import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DEBIAN = Path('/usr/share/wordnet')
OUT = Path(__file__).parents[2] / 'lucca_language' / 'words' / 'words.txt.xz'
PARTS = ('noun', 'verb', 'adj', 'adv')
_WORD = re.compile('[a-z]{3,14}')
_LONGEST_COMPARED = 6
"""The most letters of an adjective that is compared by endings: `nicer`."""


def words(folder: Path, part: str) -> Iterator[str]:
    """The words of an index, and the inflected forms in its list of exceptions; some occur more than once."""
    for kind in (f'index.{part}', f'{part}.exc'):
        for line in (folder / kind).read_text(encoding='utf-8').splitlines():
            word = line.partition(' ')[0]
            if _WORD.fullmatch(word):
                yield word
                if kind == 'index.adj' and len(word) <= _LONGEST_COMPARED:
                    stem = f'{word[:-1]}i' if word.endswith('y') else word.removesuffix('e')
                    yield from (f'{stem}er', f'{stem}est')


def main() -> None:
    """Writes the words and the verbs, sorted, one on a line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEBIAN
    found = sorted({word for part in PARTS for word in words(folder, part)})
    verbs = sorted(set(words(folder, 'verb')))
    OUT.write_bytes(lzma.compress('\n'.join([*found, '', *verbs]).encode(), preset=9))
    sys.stdout.write(f'{len(found)} words, of which {len(verbs)} are verbs, in {OUT}\n')


if __name__ == '__main__':
    main()
