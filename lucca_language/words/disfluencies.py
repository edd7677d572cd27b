"""Disfluencies: what somebody says while looking for words, left out of a text before it is read.

Hesitations (`um`), words said twice in a row (`the the cup`), beginnings that were cut off (`the ban banana`), fillers
beside them (`you know`, `like`), and stretched letters (`pleeease`). What may be a correction stays, so that it is
asked about: in `the cup, uh, the mug`, the second may be meant instead of the first. `I mean`, `no`, `wait` and `sorry`
always stay, and so does a text that quotes something.
"""

import functools
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lucca_language.words.english import UNLISTED, is_known
from lucca_language.words.function_words import ARTICLES, FUNCTION_WORDS, PREPOSITIONS, RESTRICTIONS
from lucca_language.words.glosses import has_noun
from lucca_language.words.hesitations import HESITATION, SEARCH
from lucca_language.words.idle_words import idle_words
from lucca_language.words.lexicon import lexicon
from lucca_language.words.mistypings import autocorrected
from lucca_language.words.morphology import NUMBER_WORDS
from lucca_language.words.stretched import unstretched
from lucca_language.words.verbs import is_handling, target_words, verb
from lucca_language.words.word_sets import any_of

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_QUOTED = re.compile("[\"“”«»]|(?<![\\w])['‘](?=\\w[^'’]*\\s[^'’]*['’](?!\\w))")
_UH_UH = re.compile(r'\buh[ -]uh\W*$', re.IGNORECASE)
"""A no at the end: `give me the cup … uh-uh`."""
_ANSWERS = any_of('huh oh')
"""Words that make an answer of a hesitation: `uh huh`."""
_NAMING = any_of('is called named name say said saying word')
"""Words behind which the sound itself may be meant: `my name is Um`."""
_PAUSE = re.compile(r'\s*(?:[,–—-]+|\.{2,}|…)\s*|\s+')
_END = re.compile(r'[.!?;:\n()]')
_POINTING = any_of('the a an my your our his her their this that these those')
_BEFORE_A_NOUN = _POINTING | any_of('all both each every some any no another two three four five six')
_TOWARDS = any_of('in into on onto to inside at')
_MAY_GO_ON = (
    ARTICLES
    | PREPOSITIONS
    | any_of('my your our and or but then please me us you i we can could would will so that is')
)
"""Words that do not end a phrase: behind them, a comma is a pause."""
_SAID_TWICE = any_of(
    'the a an my your our all both each every in into on onto to of from with and then me i we could would'
)
_STRANDED = any_of('in on to')
"""Words that may end a clause before one of the same begins: `the box it is in in the corner`."""
_STATES = any_of('is are was were be stands lies it goes went want wants')
"""Words behind which that is so: `is in in`, `goes on on`, `want to to`."""
_NOT_TWICE = (
    RESTRICTIONS
    | NUMBER_WORDS.keys()
    | any_of('a an some another one ones any no that this stop halt freeze very more again up down mean means')
)
_MOST_TWICE = 4
"""How many words may be said twice in a row."""
_MOST_BETWEEN = 4
"""How many hesitations and fillers may stand between words that are said twice."""
_MOST = 50
"""More disfluencies than any request has."""
_OPENS = any_of('robot lucca hey hi hello so ok okay and then please well right now')
"""Words before a request: behind them, `can can you` is said twice and `like` in `like can you` is a filler."""
_KNOWS = any_of('do did does if as that what who whom all whatever things everything anything something should may')
"""Words behind which `you know` and `like` mean what they say: `do you know`, `as you like`, `anything like`."""
_FILLERS = (('you', 'know'), ('like',))
_LONGEST_ABBREVIATION = 3
"""WordNet has many nouns that are hardly words of English up to this length, as `ban`."""
_WISHES = any_of('like want need love prefer')


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, in lower case as `key`, and what stands before it."""

    before: str
    text: str

    @property
    def key(self) -> str:
        return self.text.lower().replace('’', "'")


def fluent(text: str, names: Collection[str] = ()) -> str:
    """The text without its disfluencies; as it is if it has none, quotes something, or has nothing else.

    Slips of words that mean no object are corrected as well; see `autocorrected`.

    Args:
        text: what was said or typed.
        names: names of things and places here, in lower case, which stay as they are: `yo yo`.
    """
    if _QUOTED.search(text) or _UH_UH.search(text):
        return text
    found = SEARCH.sub('', autocorrected(text))
    for _ in range(_MOST):
        shorter = _once(found, names)
        if shorter == found:
            return found
        found = shorter
    return text


def _once(text: str, names: Collection[str]) -> str:
    """The text without the first disfluency that is found."""
    matches = list(_WORD.finditer(text))
    ends = [0, *(match.end() for match in matches)]
    words = [_Word(text[end : match.start()], match.group()) for end, match in zip(ends, matches, strict=False)]
    tail = text[ends[-1] :]
    said = _Said(words, tail, frozenset(name.lower() for name in names))
    for change in (said.stretched, said.twice, said.filler, said.cut_off, said.hesitation):
        if (found := change()) is not None:
            return found
    return text


@dataclass(frozen=True)
class _Said:
    """What was said, as words; each method gives the text without one disfluency, or None."""

    words: Sequence[_Word]
    tail: str
    names: frozenset[str]

    @functools.cached_property
    def keys(self) -> list[str]:
        return [word.key for word in self.words]

    @functools.cached_property
    def hesitates(self) -> list[bool]:
        """Whether each word is a hesitation."""
        return [
            HESITATION.fullmatch(word.text) is not None and self._only_hesitates(at)
            for at, word in enumerate(self.words)
        ]

    @functools.cached_property
    def parts_of_names(self) -> frozenset[str]:
        return frozenset(part for name in self.names for part in name.split())

    def stretched(self) -> str | None:
        """`please` for `pleeease`, if that is the only word that may be meant."""
        for at, word in enumerate(self.words):
            if self._is_named(word.key) or self.hesitates[at] or (found := unstretched(word.text)) == word.text:
                continue
            return _joined([*self.words[:at], _Word(word.before, found), *self.words[at + 1 :]], self.tail)
        return None

    def twice(self) -> str | None:
        """Words said twice in a row said once, with hesitations between them left out."""
        several = {key for key, number in Counter(self.keys).items() if number > 1}
        starts = [at for at, key in enumerate(self.keys) if key in several and not self.hesitates[at]]
        for size in range(_MOST_TWICE, 0, -1):
            for at in starts:
                again = at + size
                while again < len(self.words) and again - at - size < _MOST_BETWEEN and self._is_idle(again):
                    again += max(1, self.fillers[again])
                if self._is_said_twice(at, again, size):
                    second = _Word(self.words[at].before, self.words[again].text)
                    return _joined([*self.words[:at], second, *self.words[again + 1 :]], self.tail)
        return None

    def _is_said_twice(self, at: int, again: int, size: int) -> bool:
        keys = self.keys[at : at + size]
        if keys != self.keys[again : again + size]:
            return False
        first, second = (self.words[start : start + size] for start in (at, again))
        if any(word.before.strip() for word in (*first[1:], *second[1:])):
            return False
        pauses = [word.before for word in self.words[at + size : again + 1]]
        is_open = keys[-1] in _MAY_GO_ON or is_handling(keys[-1])
        if not all(_PAUSE.fullmatch(pause) if is_open else not pause.strip() for pause in pauses):
            return False
        if any(' '.join((*keys, *keys)) in name for name in self.names):
            return False
        before = self.words[at - 1].key if at else ''
        return self._word_may_stutter(keys[0], before) if size == 1 else self._may_be_begun_anew(keys)

    def _word_may_stutter(self, key: str, before: str) -> bool:
        if key == 'can':
            return before == '' or before in _OPENS
        if key in _SAID_TWICE:
            return not (key in _STRANDED and before in _STATES)
        if key in _NOT_TWICE or key in FUNCTION_WORDS:
            return False
        known = verb(key)
        is_order = known is not None and known.lemma == key and is_handling(key)
        return (is_order or self._is_noun(key) or lexicon().colour(key) is not None) and not has_noun(f'{key} {key}')

    def _may_be_begun_anew(self, keys: Sequence[str]) -> bool:
        """Whether these are words of a phrase that was begun anew: only the last may be a noun.

        In `the cup on the cup on the tray`, two cups are meant.
        """
        if any(key in _NOT_TWICE or key.isdigit() for key in keys):
            return False
        verbs = [at for at, key in enumerate(keys) if is_handling(key)]
        if verbs and verbs != [0]:
            return False
        middle = keys[len(verbs) : -1]
        return all(key in FUNCTION_WORDS or lexicon().colour(key) for key in middle) and (
            keys[-1] in FUNCTION_WORDS or self._is_noun(keys[-1]) or lexicon().colour(keys[-1]) is not None
        )

    @functools.cached_property
    def fillers(self) -> list[int]:
        """The number of words of the filler that begins at each word; 0 where none does."""
        return [self._filler_at(at) for at in range(len(self.words))]

    def _is_idle(self, at: int) -> bool:
        return self.hesitates[at] or self.fillers[at] > 0

    def filler(self) -> str | None:
        """The text without the first `you know` or `like` that is only a filler."""
        for at in range(len(self.words)):
            if count := self.fillers[at]:
                return self._without(at, count)
        return None

    def _filler_at(self, at: int) -> int:
        """The number of words of the filler that begins here; 0 if none does."""
        for filler in _FILLERS:
            end = at + len(filler)
            if tuple(self.keys[at:end]) != filler:
                continue
            before, after = self._before(at), self._after(end)
            at_pauses = self._has_pause(at) and self._has_pause(end) and at + end > 1
            hesitates = (at > 0 and self.hesitates[at - 1]) or (end < len(self.words) and self.hesitates[end])
            if filler == ('like',):
                asks = after in ('can', 'could', 'would', 'will') and before in _OPENS
                is_filler = asks or (at_pauses and before not in _KNOWS) or (hesitates and before in {*_OPENS, ''})
            else:
                twice = end + 1 < len(self.words) and self.words[end].key == self.words[end + 1].key
                is_filler = (at_pauses or hesitates or twice) and before not in _KNOWS
            if is_filler and after and not self._may_correct(before, after, at):
                return len(filler)
        return 0

    def cut_off(self) -> str | None:
        """`the banana` for `the ban banana`."""
        for at in range(1, len(self.words) - 1):
            key, following = self.words[at].key, self.words[at + 1]
            is_begun = 1 < len(key) < len(following.key) and following.key.startswith(key)
            if not is_begun or is_known(key) or self._is_named(key):
                continue
            if len(key) > _LONGEST_ABBREVIATION and has_noun(key):
                continue
            is_cut = re.fullmatch(r'(?:-+|–|—|\.{2,}|…)\s*', following.before) is not None
            before = self.words[at - 1].key
            fits = before in _BEFORE_A_NOUN or lexicon().colour(before) is not None
            known = self._is_noun(following.key) or self._is_named(following.key) or lexicon().colour(following.key)
            if known and fits and (is_cut or not following.before.strip()):
                kept = _Word(self.words[at].before, following.text)
                return _joined([*self.words[:at], kept, *self.words[at + 2 :]], self.tail)
        return None

    def hesitation(self) -> str | None:
        """The text without its first hesitation that may be left out."""
        for at in range(len(self.words)):
            if not self.hesitates[at]:
                continue
            before, after = self._before(at), self._after(at + 1)
            is_meant = before in _NAMING and self._ends_clause(at + 1)
            if self._has_others() and not is_meant and not self._may_correct(before, after, at):
                return self._without(at, 1)
        return None

    def _has_others(self) -> bool:
        return not all(self.hesitates)

    def _only_hesitates(self, at: int) -> bool:
        """Whether a hesitation is neither a name, nor a unit, nor an answer."""
        word = self.words[at]
        after = self.keys[at + 1] if at + 1 < len(self.words) else ''
        if self._is_named(word.key) or after in _ANSWERS:
            return False
        if at and self.keys[at - 1].isdigit() and word.key == 'mm':
            return False
        if word.text.isupper():
            return ''.join(other.text for other in self.words).isupper()
        return word.text.islower() or not at or not word.before.isspace()

    def _before(self, at: int) -> str:
        """The word before, in the same clause, that is no hesitation; empty if there is none."""
        while at and not _is_end(self.words[at].before):
            at -= 1
            if not self.hesitates[at]:
                return self.words[at].key
        return ''

    def _after(self, at: int) -> str:
        while at < len(self.words) and not _is_end(self.words[at].before):
            if not self.hesitates[at]:
                return self.words[at].key
            at += 1
        return ''

    def _has_pause(self, at: int) -> bool:
        """Whether there is a comma or the like before this word, or nothing."""
        return at == 0 or (at < len(self.words) and self.words[at].before.strip() != '')

    def _ends_clause(self, at: int) -> bool:
        return at >= len(self.words) or self.words[at].before.strip() != ''

    def _may_correct(self, before: str, after: str, at: int) -> bool:
        """Whether what is said behind a hesitation may be meant instead of what was said before it.

        A phrase of the same form is said again: `the cup uh the mug`, `in uh on the tower`, `the uh my cup`.
        """
        if not before or not after or any(f'{before} {after}' in name for name in self.names):
            return False
        if before in _POINTING and after in _POINTING:
            return True
        if before in _TOWARDS and after in _TOWARDS:
            return True
        is_order = is_handling(after) and not self._is_noun(after)
        is_verb = is_handling(before) and (place := self._place_of(at)) >= 0 and not self._stands_as_noun(place)
        if is_order and (is_verb or (before in (PREPOSITIONS | _BEFORE_A_NOUN) and before != 'to')):
            return True
        return (
            not is_verb and self._ends_noun_phrase(before, self._place_of(at)) and self._begins_another(before, after)
        )

    def _place_of(self, at: int) -> int:
        """Where the word before is that is no hesitation."""
        return next((place for place in range(at - 1, -1, -1) if not self.hesitates[place]), -1)

    def _stands_as_noun(self, at: int) -> bool:
        before = self.words[at - 1].key if at else ''
        return before in _BEFORE_A_NOUN or before in _TOWARDS or lexicon().colour(before) is not None

    def _ends_noun_phrase(self, key: str, at: int) -> bool:
        earlier = self.words[at - 1].key if at > 0 else ''
        if key.isdigit() or key in NUMBER_WORDS:  # `box 1`, but not `two` in `put two um cups`
            return self._is_noun(earlier) and not is_handling(earlier)
        if key in ('it', 'them', 'those', 'these', 'this', 'that'):
            return is_handling(earlier) or earlier in ('me', 'at')
        if key in FUNCTION_WORDS or is_handling(key):
            return self._stands_as_noun(at) and key not in _BEFORE_A_NOUN and key not in PREPOSITIONS
        is_verb = key in _WISHES or (verb(key) is not None and not self._is_noun(key))
        return not is_verb and key not in {*_OPENS, 'other'} and not key.endswith('ly')

    def _begins_another(self, before: str, after: str) -> bool:
        describes = lexicon().colour(before) is not None or before in lexicon().adjectives
        is_number = after.isdigit() or after in NUMBER_WORDS
        if is_number and (before in target_words() or self._is_place(before)):
            return False  # `box uh one`
        if describes and after in ('one', 'ones'):
            return False
        if after in _BEFORE_A_NOUN or is_number or after in ('it', 'them', 'one', 'ones') or lexicon().colour(after):
            return True
        if after in FUNCTION_WORDS or after.endswith('ly') or (verb(after) is not None and not self._is_noun(after)):
            return False
        return not describes and after not in idle_words() and after not in UNLISTED

    def _without(self, at: int, count: int) -> str:
        """The text without these words and the pauses around them."""
        left = self.words[at].before
        right = self.words[at + count].before if at + count < len(self.words) else self.tail
        before = self.words[at - 1].key if at else ''
        if at + count == len(self.words):
            return _joined(self.words[:at], right if right.strip() else left.rstrip(' ,–—-') + right)
        space = _between(left, right, before) if at else ''
        following = _Word(space, self.words[at + count].text)
        return _joined([*self.words[:at], following, *self.words[at + count + 1 :]], self.tail)

    def _is_named(self, key: str) -> bool:
        return key in self.parts_of_names

    def _is_place(self, key: str) -> bool:
        return any(re.fullmatch(rf'{re.escape(key)} \d+', name) for name in self.names)

    def _is_noun(self, key: str) -> bool:
        return self._is_named(key) or lexicon().knows(lexicon().singular(key)) or key in target_words()


def _joined(words: Sequence[_Word], tail: str) -> str:
    return ''.join([*(f'{word.before}{word.text}' for word in words), tail])


def _between(left: str, right: str, before: str) -> str:
    """What stands between two words when the hesitation between them is left out."""
    for mark in (left, right):
        if _is_end(mark):
            return mark
    if left.strip():
        return ' ' if right.strip() else left
    is_pause = before in _MAY_GO_ON or is_handling(before)
    return ' ' if is_pause or not right.strip() else right


def _is_end(mark: str) -> bool:
    """Whether a mark ends a clause; `...` is a pause."""
    return _END.search(re.sub(r'\.{2,}', ' ', mark)) is not None
