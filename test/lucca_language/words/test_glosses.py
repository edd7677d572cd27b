"""What things are, by the longest known ending of their names."""

import lzma
from pathlib import Path

import pytest

from lucca_core.errors import ConfigError
from lucca_language.words import glosses
from lucca_language.words.glosses import GLOSSES_FILE, gloss


def test_the_longest_known_ending_counts() -> None:
    assert 'adhesive tape' in gloss('old Scotch tape')
    assert gloss('two colanders') == gloss('colander') != ''


def test_a_word_that_is_none_has_no_gloss() -> None:
    assert gloss('qwxz') == gloss('') == ''


def test_the_licence_lies_beside_the_table() -> None:
    assert 'Princeton University' in GLOSSES_FILE.with_name('glosses.LICENSE.txt').read_text()


def test_a_damaged_table_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / 'glosses.tsv.xz'
    file.write_bytes(lzma.compress(b'no tab here\n'))
    monkeypatch.setattr(glosses, 'GLOSSES_FILE', file)
    glosses._glosses.cache_clear()
    try:
        with pytest.raises(ConfigError, match='no table of glosses'):
            gloss('colander')
    finally:
        glosses._glosses.cache_clear()
