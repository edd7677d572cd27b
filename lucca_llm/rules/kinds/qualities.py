"""Qualities that tell objects of one kind apart: a dirty shirt is none of the clean clothes."""

from collections.abc import Collection, Iterable

from lucca_language.reading.selectors import Knowledge, ListedObject, Noun
from lucca_language.words.lexicon import lexicon

_SCALES = (
    # Each scale lists its values; words of one value mean the same.
    'wooden wood | metal metallic steel iron aluminium | glass | plastic | paper cardboard | ceramic porcelain china | '
    'leather | rubber | stone | cotton | wool woollen | silk',
    'clean washed | dirty soiled unwashed stained',
    'empty | full filled',
    'wet damp | dry',
    'fresh | rotten stale spoiled mouldy spoilt',
    'ripe | unripe',
    'raw uncooked | cooked',
    'old used | new unused',
    'hot warm | cold cool frozen',
    'big large huge | small little tiny',
    'long | short',
    'heavy | light',
    'soft | hard',
    'open opened | closed unopened sealed',
    'sharp | blunt dull',
    'broken damaged | intact whole',
    'left | right',
    'light pale pastel | dark',
)
_VALUES: dict[str, frozenset[tuple[int, int]]] = {}
"""Word -> its values, as (scale, value): `light` is on two scales."""
for _scale, _values in enumerate(_SCALES):
    for _value, _words in enumerate(_values.split('|')):
        for _word in _words.split():
            _VALUES[_word] = _VALUES.get(_word, frozenset()) | {(_scale, _value)}
_SHADES = {
    **dict.fromkeys(('white', 'cream', 'ivory', 'beige'), _VALUES['pale']),
    **dict.fromkeys(('black', 'navy', 'charcoal', 'maroon', 'burgundy'), _VALUES['dark']),
}
"""The shade that a colour shows. Brown, grey and bright colours are called either."""


def rules_out(shown: Collection[str], wanted: str) -> bool:
    """Whether a thing with these words has another value than a quality on its scale: `dirty` rules out `clean`."""
    wanted_values = _VALUES.get(wanted, frozenset())
    scales = {scale for scale, _ in wanted_values}
    values = {value for value in _values_of(shown) if value[0] in scales}
    return bool(values) and values.isdisjoint(wanted_values)


def _values_of(words: Iterable[str]) -> frozenset[tuple[int, int]]:
    return frozenset(value for word in words for value in _SHADES.get(word, _VALUES.get(word, ())))


def words_shown(thing: ListedObject) -> frozenset[str]:
    """The words of a thing's name and attributes, in the singular."""
    words = (*thing.label.split(), *(word for item in thing.attributes for word in item.replace('-', ' ').split()))
    return frozenset(form for word in words for form in (word.lower(), lexicon().singular(word.lower())))


class QualifiedKind:
    """A kind that is named with qualities, such as `clean clothes`, `wine glasses` or `metal spoons`."""

    def __init__(self, words: str, knowledge: Knowledge) -> None:
        *qualities, noun = words.split() or ['']
        self._qualities = [lexicon().singular(word) for word in qualities if word != 'and']
        self._noun = lexicon().singular(noun)
        self._knowledge = knowledge

    def rules_out(self, thing: ListedObject) -> bool:
        """Whether a thing is of the kind but has the opposite of one of the qualities."""
        shown = words_shown(thing)
        return self._is_of_noun(thing) and any(rules_out(shown, quality) for quality in self._qualities)

    def is_told_apart(self, thing: ListedObject, things: Iterable[ListedObject]) -> bool:
        """Whether a thing is of the kind, but only others show its qualities: `fork` beside `plastic fork`."""
        if not self._qualities or not self._is_of_noun(thing) or self._shows(thing):
            return False
        return any(self._shows(other) for other in things)

    def _is_of_noun(self, thing: ListedObject) -> bool:
        return self._knowledge.matches(Noun(self._noun), thing)

    def _shows(self, thing: ListedObject) -> bool:
        shown = words_shown(thing)
        values = _values_of(shown)
        return self._is_of_noun(thing) and all(
            quality in shown or not values.isdisjoint(_VALUES.get(quality, ())) for quality in self._qualities
        )
