"""Things and places without a verb: `can to bowl`, `mug box 1, cup box 2`, `fruit: bowl`, `box 1 for the can`.

They may ask for that or tell it, so what they may ask for is only suggested.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from lucca_core.english import and_list, at_place
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.table_view import NUMBERS, TableView

_PARTS = re.compile(r'\s*(?:[.;!\n]|,(?: (?:and(?: then)?|then|plus|also)\b)?)\s*|\s+(?:then|plus)\s+')
_NUMBERED = re.compile(r'(?:^|\s)\d+\)\s*|(?:^|\n)\d+[.)]\s+')
_TO = r'(?:\s*(?:->|=>|→|:|=|- (?:(?:in|on)?to |in |on )?)\s*|\s+(?:go(?:es)? )?(?:to|into|in|onto|on)\s+|\s+)'
_COURTESY = re.compile(
    r'(?:^(?:please,? |put |move |pick[- ]and[- ]place )+|,? (?:please|thanks|thank you|thx)$)', re.IGNORECASE
)
_ALL_BUT = re.compile(
    r'(?P<all>everything|all (?:the )?[a-z]+) (?:but|except(?: for)?) (?P<but>(?:the|my) [a-z ]+)', re.IGNORECASE
)
_NO_NAMES = any_of('it them that this these those one thing object item stuff piece')
_ME = any_of('me us')
_DETERMINER = re.compile(
    r'^(?:please |all of the |all the |all |every |each |both the |both |the |a |an |my )+', re.IGNORECASE
)
_LEAVES_THE_REST = re.compile(
    r'^(?:(?:ignore|leave|skip|keep)(?: all)? (?:the )?(?:rest|others)|(?:the )?(?:rest|others)\s*(?::|->|=)?\s*'
    r'(?:nothing|stays?|nowhere|as is|leave|ignore))$',
    re.IGNORECASE,
)
"""What is true anyway of things that are not named."""
_THE_SAME = re.compile(r'^(?:the )?same (?:goes )?(?:for|with) (?P<what>.+)$', re.IGNORECASE)
_MOST_PARTS = 8


def placements_in(text: str, table: TableView) -> str:
    """The request that things and places without a verb may stand for, such as `put the can in the bowl`.

    Empty unless every part of the text is things that are here, and a place, or `me`.
    """
    bare = _NUMBERED.sub('; ', _COURTESY.sub('', text.strip(' .!?')))
    if bare.count(',') <= 1 and (found := _placed(bare.replace(', ', ' '), table)) is not None:
        return _request([found])  # `hammer, box 2`
    parts = [part for part in _PARTS.split(bare) if part and not _LEAVES_THE_REST.match(part)]
    if not 0 < len(parts) <= _MOST_PARTS:
        return ''
    placed: list[tuple[str, str]] = []
    for part in parts:
        same = _THE_SAME.match(part) if placed else None
        found = (_things(same['what'], table), placed[-1][1]) if same is not None else _placed(part, table)
        if found is None or not found[0]:
            return ''
        placed.append(found)
    return _request(placed)


def _request(placed: Sequence[tuple[str, str]]) -> str:
    """Things and where they go as a request."""
    grouped = groupby(placed, key=lambda pair: pair[1])
    return ', then '.join(
        f'give me {and_list([what for what, _ in pairs])}'
        if where in _ME
        else f'put {and_list([what for what, _ in pairs])} {where}'
        for where, pairs in grouped
    )


def _placed(part: str, table: TableView) -> tuple[str, str] | None:
    """The things of a part as noun phrases, and where they go: `('the can', 'in the bowl')` for `can to bowl`."""
    for named, where in _places(table):
        for form in (
            rf'(?P<what>.+?){_TO}(?:the )?{named}',
            rf'(?:the )?{named}(?:\s*[:=]\s*|\s+(?:for|gets?)\s+)(?P<what>.+)',
        ):
            match = re.fullmatch(form, part, re.IGNORECASE)
            if match is not None and (what := _things(match['what'], table)):
                return what, where
    return None


def _places(table: TableView) -> Sequence[tuple[str, str]]:
    """For each place, a pattern of its names, and the words for being there."""
    spelled = {number: word for word, number in NUMBERS.items() if not word.endswith(('st', 'nd', 'rd'))}
    found = [('(?:me|us)', 'me')]
    for place in table.places:
        *words, last = place.lower().split()
        ending = rf'(?:{last}|{spelled[last]})' if last in spelled else re.escape(last)
        joint = r'\s?' if last.isdigit() else ' '
        found.append((joint.join([*map(re.escape, words), ending]), at_place(place)))
    return found


def _things(text: str, table: TableView) -> str:
    """The noun phrases of a list of things that are all here; empty if one of them is not."""
    if (but := _ALL_BUT.fullmatch(text.strip())) is not None:
        return text.strip() if _things(but['all'], table) and _things(but['but'], table) else ''
    called: list[str] = []
    for name in re.split(r'\s*(?:,|\+|&|\band\b)\s*', text.strip().lower()):
        bare = _DETERMINER.sub('', name)
        if name == 'everything' and not called:
            return name
        if not bare or not _is_name(bare, table):
            return ''
        is_kind = lexicon().is_category(bare) and name == bare
        called.append(f'all {bare}' if is_kind else name if name != bare else f'the {bare}')
    return and_list(called)


def _is_name(text: str, table: TableView) -> bool:
    """Whether all words of a text name one thing here, or one kind of things: by name, kind or colour."""
    words = [lexicon().singular(word) for word in text.split()]
    if re.fullmatch(r"[a-z' -]+( \d)?", text) is None or words[-1] in _NO_NAMES:
        return False
    return any(
        all(word in item.name.lower().split() or lexicon().colour(word) in item.attributes for word in words[:-1])
        for item in table.fitting(text)
    )
