"""Parser of the parts of noun phrases: quantifiers, adjectives, nouns, colours and places."""

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import (
    Anything,
    Coloured,
    Named,
    Not,
    Noun,
    Quality,
    Rest,
    Selector,
    both,
    with_another,
)
from lucca_language.words.function_words import ARTICLES, FUNCTION_WORDS, PREPOSITIONS
from lucca_language.words.glosses import gloss
from lucca_language.words.lexicon import Lexicon
from lucca_language.words.morphology import NUMBER_WORDS
from lucca_language.words.verbs import target_words, verb
from lucca_language.words.word_sets import any_of

GENERIC = any_of('object thing item one stuff article product element entity piece objekt matter')
ABSTRACT_NOUNS = any_of('ingredient requirement component necessity need supply part list following')
ABSTRACT_ADJECTIVES = any_of(
    'required needed necessary following listed relevant correct appropriate suitable right '
    'mentioned requested said these'
)
_EACH = any_of('all every each any both whichever')
_PARTITIVE = any_of('piece item kind type sort article bit unit')
SEPARATORS = any_of(', and or nor')
_BEHIND_SUBJECTS = any_of('$ , and or go goes belong belongs stay stays should must are is')
_OTHER = any_of('other talk')
"""The senses of verbs that ask for nothing with objects."""
_PUTS = any_of('place keep')
_ALTERNATIVES = any_of('or nor')
_MODIFYING = any_of('serving cleaning packing building stacking storing carrying sorting writing')
"""Gerunds that say what a thing is for although their verb is one of moving: `serving bowls`, not `putting bowls`."""
_VERBS_AND_NOUNS = any_of('supplies sets packs presents lights')
"""Forms of verbs for handling things that end a compound: `art supplies`."""


class NounParser:
    """Reads the words of one sentence. Methods take a position, and return what they read and the position after it."""

    def __init__(self, words: list[str], lexicon: Lexicon, antecedent: NounPhrase | None = None) -> None:
        self.words = words
        self.lexicon = lexicon
        self.antecedent = antecedent

    def at(self, index: int) -> str:
        """The word at a position, or an empty text past the end."""
        return self.words[index] if 0 <= index < len(self.words) else ''

    def sees(self, index: int, *phrase: str) -> bool:
        """Whether these words stand at the position."""
        return tuple(self.words[index : index + len(phrase)]) == phrase

    def is_modifier(self, index: int) -> bool:
        """Whether a participle tells of what follows: `baking tools`, `dried fruit`, but not `leaving the tools`."""
        word, following = self.at(index), self.at(index + 1)
        found = verb(word)
        return (
            found is not None
            and word.endswith(('ing', 'ed'))
            and word != found.lemma
            and (found.senses <= _OTHER or word in _MODIFYING)
            and following[:1].isalpha()
            and following not in FUNCTION_WORDS
            and (verb(following) is None or self._is_noun_after_all(index + 1))
        )

    def is_plural_noun(self, index: int) -> bool:
        """Whether a form of a verb is the plural of a thing's name: `dips`."""
        return self.at(index).endswith('s') and self._is_noun_after_all(index) and bool(gloss(self.at(index)))

    def _is_behind_put(self, index: int) -> bool:
        """Whether a word that may be a verb stands between another verb and a noun: `put hand towels`."""
        before, following = verb(self.at(index - 1)), self.at(index + 1)
        is_put = before is not None and self.at(index - 1) == before.lemma and not before.senses.isdisjoint(_PUTS)
        return is_put and following not in FUNCTION_WORDS and bool(gloss(following)) and verb(following) is None

    def _is_noun_after_all(self, index: int) -> bool:
        """Whether a form of a verb ends a noun phrase, where no verb can stand: `energy drinks in`, `spreads and`."""
        word = self.at(index)
        found = verb(word)
        if found is None or not (found.senses <= _OTHER or word in _VERBS_AND_NOUNS):
            return False
        return self.at(index + 1) in _BEHIND_SUBJECTS or self.at(index + 1) in PREPOSITIONS

    def _adjectives(self, index: int) -> tuple[list[Selector], set[str], int]:
        """`red`, `red and yellow`, `coloured`, `other` or `non-red` before a noun."""
        groups: list[Selector] = []
        flags: set[str] = set()
        joints: list[str] = []
        has_and = False
        while True:
            word = self.at(index)
            if word in any_of('other another different remaining rest leftover') or (
                word in ABSTRACT_ADJECTIVES and self.at(index + 1)
            ):
                flags.add(word)
                index += 1
                continue
            parsed = self._adjective(index)
            if parsed is None:
                break
            quality, index = parsed
            if joints:
                # `or` joins what commas separate before it, but not what `and` joins: `red, blue or green`.
                has_and = has_and or 'and' in joints
                listed = has_and or _ALTERNATIVES.isdisjoint(joints)
                groups[-1] = with_another(groups[-1], quality, listed=listed)
            else:
                has_and = False
                groups.append(quality)
            joints = []
            following = index
            while self.at(following) in SEPARATORS:
                following += 1
            if following > index and self._adjective(following) is not None and self._leads_to_noun(following):
                joints = [] if self._narrows_further(index, following) else self.words[index:following]
                index = following
        return groups, flags, index

    def _narrows_further(self, index: int, following: int) -> bool:
        """Whether the adjective at `following` is of the same things: `red, square bricks`, not `red, blue cups`."""
        if self.words[index:following] != [',']:
            return False
        are_colours = [self.lexicon.colour(self.at(place)) is not None for place in (index - 1, following)]
        return are_colours[0] != are_colours[1] or (not any(are_colours) and self.at(following + 1) not in SEPARATORS)

    def _leads_to_noun(self, index: int) -> bool:
        while (parsed := self._adjective(index)) is not None:
            index = parsed[1]
            while self.at(index) in SEPARATORS:
                index += 1
        return self._noun(index, after_determiner=True) is not None

    def _adjective(self, index: int) -> tuple[Selector, int] | None:
        word = self.at(index)
        if word in any_of('coloured colourful coloring multicoloured colour'):
            return (Coloured(), index + 1) if word != 'colour' or self.at(index + 1).startswith('cube') else None
        if word in any_of('uncoloured colourless noncoloured non-coloured'):
            return Not(Coloured()), index + 1
        if word.startswith('non-'):
            inner = word[4:]
            noun = self.lexicon.singular(inner)
            if self.lexicon.knows(noun) and self.lexicon.colour(inner) is None:
                return Not(Noun(noun)), index + 1
            return Not(Quality(inner)), self._after_coloured(index + 1) if self.lexicon.colour(inner) else index + 1
        if word == 'not' and self.lexicon.colour(self.at(index + 1)):
            return Not(Quality(self.at(index + 1))), self._after_coloured(index + 2)
        is_quality = self.lexicon.colour(word) is not None or word in self.lexicon.adjectives
        if not is_quality or (
            self.lexicon.colour(word) is None and self._noun(index, after_determiner=True, compound=True) is not None
        ):
            return None
        if self.lexicon.knows(self.lexicon.singular(word)):  # orange, glass, sweet, light: a noun unless one follows
            following = index + 1
            while self.at(following) in ('and', 'or', ',') and self.lexicon.colour(self.at(following + 1)):
                following += 2
            if (
                self._noun(following, after_determiner=False) is None
                or self._noun(index, after_determiner=True, compound=True) is not None
            ):
                return None
        return Quality(word), self._after_coloured(index + 1) if self.lexicon.colour(word) else index + 1

    def _after_coloured(self, index: int) -> int:
        """Position after `coloured` or `colour` behind a colour: a `black coloured cube` is a black one."""
        word = self.at(index)
        is_of_noun = word == 'colour' and self._noun(index + 1, after_determiner=True) is not None
        return index + 1 if word == 'coloured' or is_of_noun else index

    def _noun(self, index: int, *, after_determiner: bool, compound: bool = False) -> tuple[Selector, bool, int] | None:
        """A noun, known or not, and whether it is a plural or mass noun. `compound`: only nouns of several words."""
        word = self.at(index)
        if (
            not word
            or not word[0].isalpha()
            or (word in FUNCTION_WORDS and self.lexicon.singular(word) not in GENERIC and word != 'can')
        ):
            return None
        for length in range(min(self.lexicon.longest, len(self.words) - index), 1 if compound else 0, -1):
            phrase = ' '.join(self.words[index : index + length])
            noun = self.lexicon.singular(phrase)
            if ',' in phrase or not self.lexicon.knows(noun):
                continue
            if length == 1 and not self._may_be_noun(index, after_determiner):
                return None
            return self._finish_noun(noun, phrase, index + length)
        if compound or not self._may_be_noun(index, after_determiner):
            return None
        if self.lexicon.singular(word) in _PARTITIVE and self.at(index + 1) == 'of':
            inner = self._noun(index + 2, after_determiner=True)
            if inner is not None:
                return inner[0], inner[1] and self.lexicon.singular(word) != word, inner[2]
        if self.lexicon.singular(word) in GENERIC:
            plural_form = self.lexicon.singular(word) != word or word == 'stuff'
            return Anything(), plural_form, index + 1
        end = index + 1
        while end < index + 3 and self._continues_compound(end):
            end += 1
        following = self._noun(end, after_determiner=True) if self._continues_with_noun(end) else None
        if following is not None:
            modifiers = tuple(Quality(part) for part in self.words[index:end])
            return both(following[0], *modifiers), following[1], following[2]
        phrase = ' '.join(self.words[index:end])
        return self._finish_noun(self.lexicon.singular(phrase), phrase, end)

    def _finish_noun(self, noun: str, phrase: str, index: int) -> tuple[Selector, bool, int]:
        plural_form = noun != phrase or noun in self.lexicon.mass
        number = self.at(index)
        if number.isdigit():
            return Named(f'{noun} {number}'), False, index + 1
        following = self.lexicon.singular(self.at(index)) if self.at(index) else ''
        if following in GENERIC and following not in ('one', 'matter'):
            return Noun(noun), following != self.at(index) or following == 'stuff', index + 1
        if following and self._continues_with_noun(index) and (self._is_can(index) or verb(self.at(index)) is None):
            inner = self._noun(index, after_determiner=True)
            if inner is not None and isinstance(inner[0], Noun):
                return Noun(f'{noun} {inner[0].word}'), inner[1], inner[2]
        if following and (self._is_noun_after_all(index) or (self._continues_compound(index) and gloss(following))):
            # `the soap bars`, `food storage containers`
            return self._finish_noun(f'{noun} {following}', f'{noun} {self.at(index)}', index + 1)
        return Noun(noun), plural_form, index

    def _continues_compound(self, index: int) -> bool:
        word = self.at(index)
        if verb(word) is not None:
            return self._is_noun_after_all(index)
        return bool(word) and word[0].isalpha() and word not in FUNCTION_WORDS and not self._continues_with_noun(index)

    def _is_can(self, index: int) -> bool:
        """Whether `can` behind a noun is a noun as well, as in `the coke can in box 1`."""
        following = self.at(index + 1)
        return self.at(index) == 'can' and (following in any_of('$ , and or') or following in PREPOSITIONS - {'at'})

    def _continues_with_noun(self, index: int) -> bool:
        word = self.at(index)
        if self._is_can(index):
            return True
        if not word or not word[0].isalpha() or self.lexicon.colour(word):
            return False
        if word == 'one':
            return self.at(index - 2) in ARTICLES  # `the shabby one`, but not `put one`
        if word in FUNCTION_WORDS:
            return False
        noun = self.lexicon.singular(word)
        return (self.lexicon.knows(noun) or noun in GENERIC) and (verb(word) is None or noun in GENERIC)

    def _may_be_noun(self, index: int, after_determiner: bool) -> bool:
        """Whether a word that may be a verb is a noun: after a determiner, or if no object of a verb follows."""
        word = self.at(index)
        if after_determiner or self.is_modifier(index) or self._is_behind_put(index):
            return True
        if word == 'can' or verb(word) is not None:
            following = self.at(index + 1)
            known = self.lexicon.knows(self.lexicon.singular(word)) or self.is_plural_noun(index)
            return known and (following in any_of('$ , and or') or (following in PREPOSITIONS and following != 'at'))
        return True

    def _quantifier(self, index: int) -> tuple[int | None, int, bool, bool, int]:
        """The number meant, the total mentioned, whether `the` or `all` occurs, and the position after these words."""
        count: int | None = None
        stated = 0
        definite = universal = partitive = False
        while True:
            word = self.at(index)
            following = self.at(index + 1)
            if word == 'both' and following in ('the', 'this', 'my'):
                pass  # `both the cup and the mug`
            elif word == 'any' and (following in NUMBER_WORDS or following.isdigit()):
                pass  # `any two cups`: two of them
            elif word in _EACH:
                universal, count, stated = True, None, 2 if word == 'both' else 0
            elif word in any_of('the this that these those your my our'):
                definite = True
            elif word in ('a', 'an', 'some', 'either') and following != 'few':
                count = 1
            elif word.isdigit() and following not in ('', ',', 'and'):
                count, stated = count or int(word), int(word) if definite or universal else stated
            elif word in NUMBER_WORDS and not (
                word == 'one' and following in ('', ',', 'and', 'that', 'which', *PREPOSITIONS) and following != 'of'
            ):
                stated = NUMBER_WORDS[word] if definite or universal else stated  # `two of the three cubes`
                count = count or NUMBER_WORDS[word]
            elif (word == 'of' and (count or universal)) or (
                word in any_of('single very whole entire same') and (definite or universal or count)
            ):
                partitive = partitive or word == 'of'
            else:
                break
            index += 1
        if count and not universal and partitive:
            definite = False  # `one of the cubes`: no matter which
        return (None if universal else count), stated, definite, universal, index

    def colours(self, index: int) -> tuple[Selector, int] | None:
        """Colours joined by commas, `and` or `or`."""
        found: Selector | None = None
        joint, has_and = '', False
        while self.lexicon.colour(self.at(index)):
            colour = Quality(self.at(index))
            has_and = has_and or joint == 'and'
            listed = has_and or joint not in _ALTERNATIVES
            found = colour if found is None else with_another(found, colour, listed=listed)
            index += 1
            if self.at(index) in any_of('and or , nor') and self.lexicon.colour(self.at(index + 1)):
                joint = self.at(index)
                index += 1
        return None if found is None else (found, index)

    def _of_colour(self, index: int) -> tuple[Selector, int] | None:
        """`another colour`, `red colour`, `the colour red`, `a different colour`, `red`."""
        start = index
        while self.at(index) in ARTICLES or self.at(index) in any_of('any some their its'):
            index += 1
        word, following = self.at(index), self.at(index + 1)
        if word in any_of('another other different remaining') and following in any_of(
            'colour colours kind kinds sort type types'
        ):
            return Rest(), index + 2
        if word in ('colour', 'colours') and self.lexicon.colour(following):
            return self.colours(index + 1)
        if word in ('colour', 'colours') and following == 'except':
            items = self.colours(index + 2)
            return None if items is None else (Not(items[0]), items[1])
        if self.lexicon.colour(word):
            parsed = self.colours(index)
            if parsed is not None and (self.at(parsed[1]) in ('colour', 'colours')):
                return parsed[0], parsed[1] + 1
            if (
                parsed is not None
                and start == index
                and self.at(index - 1) == 'in'
                and self.at(parsed[1]) in ('', ',', 'and')
            ):
                return parsed
        if word in ('colour', 'colours') and self.at(index - 1) in any_of('a any some with'):
            return Coloured(), index + 1
        return None

    def _ends_in_can(self, start: int, index: int) -> bool:
        """`the trash can`: the noun, not the verb."""
        return index > start and self.at(index) == 'can' and self.at(index + 1) in any_of('$ , . and or but then')

    def place(self, index: int) -> tuple[str, int] | None:
        """A place such as `the big bowl` or `box 1`, without its article."""
        while self.at(index) in any_of('the a an your my this that our their its his her'):
            index += 1
        start = index
        while (
            self.at(index)
            and self.at(index)[0].isalpha()
            and (self.at(index) not in FUNCTION_WORDS or self._ends_in_can(start, index))
            and index < start + 3
        ):
            ends = self.at(index) in target_words() or self._ends_in_can(start, index)
            if index > start and verb(self.at(index)) is not None and not ends:
                break
            index += 1
        if index == start:
            return None
        if self.at(index).isdigit():
            index += 1
        return ' '.join(self.words[start:index]), index
