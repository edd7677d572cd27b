"""The list of English words, and words with stretched letters."""

import lzma
from pathlib import Path

import pytest

from lucca_core.errors import ConfigError
from lucca_language.words import english
from lucca_language.words.english import is_english, is_known
from lucca_language.words.stretched import unstretched


@pytest.mark.parametrize('word', ['hike', 'cute', 'wore', 'met', 'nicest', 'happier', 'organizes', 'shyly', 'kiwis'])
def test_words_in_any_form_are_english(word: str) -> None:
    assert is_english(word)


@pytest.mark.parametrize('word', ['teh', 'stak', 'briing', 'hamer', 'cubse', 'gren', 'cu', ''])
def test_slips_and_abbreviations_are_not(word: str) -> None:
    assert not is_english(word)


@pytest.mark.parametrize(('word', 'known'), [('put', True), ('the', True), ('yellow', True), ('cute', False)])
def test_the_reader_knows_fewer_words(word: str, known: bool) -> None:
    assert is_known(word) is known


@pytest.mark.parametrize(
    ('word', 'meant'),
    [('pleeeease', 'please'), ('Sooo', 'So'), ('stoppp', 'stop'), ('baaall', 'ball'), ('AAA', 'AAA'), ('tooo', 'tooo')],
)
def test_stretched_letters_are_shortened_where_one_word_is_meant(word: str, meant: str) -> None:
    assert unstretched(word) == meant


@pytest.mark.parametrize('content', [b'no archive', lzma.compress(b'one\ntwo')])
def test_a_damaged_list_is_reported(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / 'words.txt.xz'
    damaged.write_bytes(content)
    monkeypatch.setattr(english, 'WORDS_FILE', damaged)
    english._words.cache_clear()
    with pytest.raises(ConfigError, match='this is no list of words'):
        is_english('cute')
    english._words.cache_clear()
