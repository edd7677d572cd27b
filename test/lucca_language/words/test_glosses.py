"""What things are, by the longest known ending of their names."""

import lzma
from pathlib import Path

import pytest

from lucca_core.errors import ConfigError
from lucca_language.words import glosses
from lucca_language.words.glosses import (
    GLOSSES_FILE,
    IsA,
    broadest_categories,
    gloss,
    is_a,
    is_dangerous,
    is_substance,
    shared_kind,
)


def test_the_longest_known_ending_counts() -> None:
    assert 'adhesive tape' in gloss('old Scotch tape')
    assert gloss('two colanders') == gloss('colander') != ''


def test_a_word_that_is_none_has_no_gloss() -> None:
    assert gloss('qwxz') == gloss('') == ''


def test_a_thing_is_of_the_kinds_above_it_as_people_call_them() -> None:
    assert is_a('brie', 'cheese') is is_a('brie', 'dairy products') is IsA.WHOLE
    assert is_a('two wok pans', 'cooking utensils') is is_a('wine glass', 'glasses') is IsA.WHOLE
    assert is_a('brie', 'power tools') is is_a('qwxz', 'cheese') is is_a('brie', 'qwxz') is IsA.NOT


def test_of_a_narrower_kind_only_the_noun_is_known() -> None:
    assert is_a('parka', 'winter clothes') is IsA.HEAD


def test_the_narrower_the_kind_in_common_the_more_is_shared() -> None:
    same, near, far = (shared_kind('brie', kind) or 0.0 for kind in ('cheese', 'drinks', 'power tools'))
    assert 1 >= same > near > far


@pytest.mark.parametrize('kind', ['seafood', 'crackers', 'rice chips'])
def test_wordnet_or_the_noun_puts_a_kind_below_categories_of_the_lexicon(kind: str) -> None:
    assert 'food' in broadest_categories(kind)
    assert not {'toy', 'tool', 'kitchenware'} & broadest_categories(kind)


@pytest.mark.parametrize('kind', ['plastic toys', 'baby products', 'qwxz'])
def test_of_a_kind_with_a_wide_noun_no_category_is_known(kind: str) -> None:
    assert not broadest_categories(kind)


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        *[(name, True) for name in ('revolver', 'hunting knife', 'sleeping pills', 'rat poison', 'dynamite', 'lye')],
        *[(name, False) for name in ('cup', 'butter knife', 'rice crackers', 'rubber ball', 'grapes', 'qwxz')],
    ],
)
def test_weapons_knives_poisons_and_medicines_are_dangerous(name: str, expected: bool) -> None:
    assert is_dangerous(name) is expected


def test_nothing_is_known_of_what_wordnet_lacks() -> None:
    assert shared_kind('qwxz', 'cheese') is shared_kind('brie', 'qwxz') is None


@pytest.mark.parametrize(
    ('name', 'expected'),
    [('flour', True), ('dish soap', True), ('milk', True), ('cup', False), ('apple', False), ('qwxz', False)],
)
def test_substances_are_told_from_pieces(name: str, expected: bool) -> None:
    assert is_substance(name) is expected


def test_a_number_in_a_name_is_no_thing() -> None:
    # WordNet's four is a playing card.
    assert is_a('Connect Four', 'paper') is IsA.NOT


def test_the_kinds_of_people_are_in_the_words_of_the_table() -> None:
    known = {name for _, kinds in glosses._table().values() for name in kinds.split(',')}
    assert {name for names in glosses._kinds().values() for name in names} <= known


def test_the_licence_lies_beside_the_table() -> None:
    assert 'Princeton University' in GLOSSES_FILE.with_name('glosses.LICENSE.txt').read_text()


def test_a_damaged_table_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / 'glosses.tsv.xz'
    file.write_bytes(lzma.compress(b'no tab here\n'))
    monkeypatch.setattr(glosses, 'GLOSSES_FILE', file)
    glosses._table.cache_clear()
    try:
        with pytest.raises(ConfigError, match='no table of glosses'):
            gloss('colander')
    finally:
        glosses._table.cache_clear()
