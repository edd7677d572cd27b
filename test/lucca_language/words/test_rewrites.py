"""Rules that rewrite a text leave out patterns that cannot match, and change nothing by that."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_language.words import rewording, sentences
from lucca_language.words.rewrites import Rewrite, rewrites, rewritten

RULES = (*sentences._REWRITES, *rewording.rewordings())
# Texts that patterns need, and words beside them.
PARTS = sorted(
    {need for rule in RULES for need in rule.needs} | {'the cup', 'box 1', 'Put', ',', '.', '“', '’', 'ſ', 'K'}
)


def one_by_one(text: str, rules: tuple[Rewrite, ...]) -> str:
    for rule in rules:
        text = rule.pattern.sub(rule.said, text)
    return text


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.sampled_from([' ', '']), st.booleans())
def test_all_rules_at_once_do_the_same_as_one_after_the_other(parts: list[str], between: str, upper: bool) -> None:
    text = between.join(parts)
    text = text.upper() if upper else text
    for rules in (sentences._REWRITES, rewording.rewordings()):
        assert rewritten(text, rules) == one_by_one(text, rules)


@given(st.sampled_from(RULES).flatmap(lambda rule: st.tuples(st.just(rule), st.from_regex(rule.pattern))))
def test_whatever_a_pattern_matches_has_one_of_the_texts_that_it_needs(found: tuple[Rewrite, str]) -> None:
    rule, text = found
    if text.isascii() and rule.needs:
        assert any(need in text.lower() for need in rule.needs), rule.pattern.pattern


@pytest.mark.parametrize(
    ('pattern', 'needs'),
    [
        ('cup', ('cup',)),
        ('a big (?:cup|mug)', ('a big ',)),
        ('(?:red|blue) x?', ('red', 'blue')),
        ('(?:red|) cup', (' cup',)),
        ('(?:cup)?s', ('s',)),
        ('(?:cup)+', ('cup',)),
        (r'(?<=the )(?!x)cup(?=s)', ('the ',)),
        (r'cu\bp', ('cup',)),
        ('[ab]+', ()),
        ('x*', ()),
        ('(?:cup|[ab])', ()),
        ('CuP', ('cup',)),
    ],
)
def test_what_a_pattern_needs(pattern: str, needs: tuple[str, ...]) -> None:
    [rule] = rewrites([(pattern, '')], re.IGNORECASE)
    assert set(rule.needs) == set(needs)


def test_a_rule_sees_what_the_one_before_it_wrote() -> None:
    assert rewritten('a', rewrites([('a', 'b'), ('b', 'c'), ('x', 'y')])) == 'c'
