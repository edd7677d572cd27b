"""Parser of noun phrases, such as `every red object that is not a fruit except the can`."""

from dataclasses import replace

from lucca_language.reading.exception_parser import DETERMINERS, ExceptionParser, number
from lucca_language.reading.noun_parser import ABSTRACT_ADJECTIVES, ABSTRACT_NOUNS, SEPARATORS
from lucca_language.reading.noun_phrase import NounPhrase, tells_which
from lucca_language.reading.program import FITTING_RELATIONS
from lucca_language.reading.selectors import (
    Anything,
    Named,
    Not,
    Noun,
    Quality,
    Rest,
    Selector,
    both,
    either,
)
from lucca_language.words.function_words import FUNCTION_WORDS, PREPOSITIONS
from lucca_language.words.verbs import target_words, verb
from lucca_language.words.word_sets import any_of


def _one_of(found: list[NounPhrase], another: NounPhrase) -> NounPhrase:
    """`the cup or the mug`: either of them."""
    selectors = (*(item.selector for item in found), another.selector)
    return replace(another, selector=either(*selectors), head=Anything(), definite=False, count=1)


def _pronoun(antecedent: NounPhrase) -> NounPhrase:
    """The antecedent, meant by `it` or as a part of `them`."""
    return replace(antecedent, pronoun=True, plural=(), stands_for=antecedent.called)


class NounPhraseParser(ExceptionParser):
    """Reads noun phrases and lists of them, with exceptions and elided nouns."""

    excepted_last: tuple[tuple[NounPhrase, ...], Selector] | None = None
    """The noun phrases and their exceptions at the end of the sentence: `…, hand me the fruit, but not the saw`."""

    def items(
        self, index: int, *, after_verb: bool = False, after_place: bool = False, excepted: bool = False
    ) -> tuple[list[NounPhrase], int]:
        """Noun phrases joined by commas, `and` or `or`, with their exceptions; an empty list if there are none.

        `after_verb`: they are the objects of a verb, so the last one may turn out to be the subject of the next clause,
        as in `point at the cup and the pear goes in box 1`. `after_place`: they follow a place, so the last one may
        turn out to have the next place, as in `tools in box 1 except the saw, and fruit in box 2`. `excepted`: they are
        exceptions themselves, so in `not the saw and not the pear` the pear is one more, not one from the saw.
        """
        first = self.item(index)
        if first is None:
            return [], index
        found, index = list(first[0].group or first[:1]), first[1]
        only = found[0].polarity == 'only'
        shorter: list[tuple[list[NounPhrase], int]] = []
        joined_by_and = False
        alternatives: list[NounPhrase] = []
        while True:
            excluded = None if excepted else self.exception(index, found)
            if excluded is not None:
                if not self.at(excluded[1]):
                    excluded = self.exception(index, (*self.earlier, *found)) or excluded
                    self.excepted_last = tuple(found), excluded[0]
                found = [replace(item, selector=both(item.selector, Not(excluded[0]))) for item in found]
                index = excluded[1]
                continue
            following = index
            while self.at(following) in SEPARATORS:
                following += 1
            if following == index:
                break
            alternative = 'or' in self.words[index:following]
            parsed = self._item_beside(found[-1], following) if self._starts_item(following) else None
            if parsed is None or self._names_place(parsed[0], parsed[1]):
                break
            if found[-1].elided and self.words[index:following] == [','] and self._only_adds(following, parsed[1]):
                # `the red, wide cups`: no second thing, but more of the same
                narrowed = both(parsed[0].selector, found[-1].selector)
                found[-1], index = replace(found[-1], selector=narrowed, head=parsed[0].head, elided=False), parsed[1]
                continue
            if self.words[index:following] == [','] and tells_which(parsed[0], found[-1], self.lexicon):
                if found[-1].count != 1:
                    break  # `two cubes, the blue one and the red one`
                found[-1], index = replace(parsed[0], text=f'{found[-1].text}, {parsed[0].text}'), parsed[1]
                continue
            shorter.append((list(found), index))
            if found[-1].polarity == 'none' and (alternative or 'nor' in self.words[index:following]):
                parsed = replace(parsed[0], polarity='none'), parsed[1]  # `no cups or plates` means no plates, either
                alternative = False
            # `The cup and the mug or the can`, `the cup or the mug and the can`: which are alternatives is not said.
            joined_by_and = joined_by_and or 'and' in self.words[index:following]
            if alternative and not joined_by_and and parsed[0].is_single and all(item.is_single for item in found):
                alternatives = [*(alternatives or found), parsed[0]]
                found = [_one_of(found, parsed[0])]
            else:
                found = [*(alternatives or found), *(parsed[0].group or parsed[:1])]
                alternatives = []
            index = parsed[1]
        if after_verb and shorter and self.is_finite(index):
            singular_subject = found[-1].count == 1 and self.at(index) not in any_of(
                'goes belongs is has stays should must'
            )
            found, index = shorter[-2] if singular_subject and len(shorter) > 1 else shorter[-1]
        if after_place and shorter and self.at(index) in FITTING_RELATIONS:
            found, index = shorter[-1]
        if only:
            found = [replace(item, polarity='only') for item in found]
        return self._share_head(found), index

    def _item_beside(self, before: NounPhrase, index: int) -> tuple[NounPhrase, int] | None:
        """The next item of a list. In `a blue cube and a red one`, `one` is of the kind of the item before."""
        antecedent = self.antecedent
        if not any_of('one ones').isdisjoint(self.words[index : index + 6]) and not isinstance(before.head, Anything):
            self.antecedent = before
        try:
            return self.item(index)
        finally:
            self.antecedent = antecedent

    def _only_adds(self, start: int, end: int) -> bool:
        """Whether words without an article describe a thing further: `wide cups`, but not `cups` or `wide cups and`."""
        return end - start > 1 and self.at(start) not in DETERMINERS and self.at(end) not in SEPARATORS

    def item_of_colour(self, index: int, kind: NounPhrase) -> NounPhrase | None:
        """A colour as a noun phrase for the object of this kind and colour."""
        quality = Quality(self.at(index))
        return replace(
            kind, selector=both(kind.head, quality), count=1, universal=False, text=f'{self.at(index)} {kind.text}'
        )

    def _starts_item(self, index: int) -> bool:
        """Whether the word after a comma or `and` begins a noun phrase rather than a clause."""
        word = self.at(index)
        if word in any_of('not no only nothing none') or (word in FUNCTION_WORDS and word not in DETERMINERS):
            return False
        if verb(word) is None or word in DETERMINERS or self._noun(index, after_determiner=True, compound=True):
            return True
        if self.is_modifier(index) or self.is_plural_noun(index):
            return True
        following = self.at(index + 1)
        known = self.lexicon.knows(self.lexicon.singular(word)) or self.lexicon.colour(word) is not None
        return known and (
            following in any_of('$ , and or nor then')
            or following in PREPOSITIONS
            or self._adjective(index) is not None
        )

    def _share_head(self, items: list[NounPhrase]) -> list[NounPhrase]:
        """`the red and the yellow cube`: a colour without a noun takes the next noun, otherwise the last one."""
        head = self.antecedent.head if self.antecedent is not None else Anything()
        out: list[NounPhrase] = []
        for item in reversed(items):
            if item.elided:
                count = 1 if item.definite and out and out[0].count == 1 else item.count
                item = replace(item, selector=both(head, item.selector), head=head, count=count, elided=False)
            elif not isinstance(item.head, Anything):
                head = item.head
            out.insert(0, item)
        return out

    def _names_place(self, item: NounPhrase, index: int) -> bool:
        """Whether the noun phrase is a place that begins a new clause: `…, box 2 gets the tools`."""
        following = self.at(index)
        if isinstance(item.head, Named) and item.head.name.split()[0] in target_words():
            return (
                following in any_of('is are : for should must with every each all the') or verb(following) is not None
            )
        if isinstance(item.head, Noun) and item.head.word in target_words():
            found = verb(following)
            return (found is not None and 'receive' in found.senses) or self.sees(index, 'is', 'for')
        return False

    def item(self, index: int) -> tuple[NounPhrase, int] | None:
        """One noun phrase with its relative clauses, or None."""
        start = index
        parsed = self._core(index)
        if parsed is None:
            return None
        item, index = parsed
        item, index = self._post_modifiers(item, index)
        return replace(item, text=' '.join(self.words[start:index])), index

    def _core(self, index: int) -> tuple[NounPhrase, int] | None:
        word = self.at(index)
        if word in any_of('only just solely exclusively exactly precisely'):
            parsed = self._core(index + 1)
            if parsed is None or word in ('exactly', 'precisely'):
                return parsed
            return replace(parsed[0], polarity='only'), parsed[1]
        if word == 'nothing' or self.sees(index, 'no', 'one') or (word == 'none' and self.at(index + 1) != 'of'):
            return self._nothing(index + (2 if word == 'no' else 1))
        if self.sees(index, 'all', 'but') and (left_out := number(self.at(index + 2))) and self.at(index + 3) == 'of':
            parsed = self._core(index + 4)
            return parsed and (replace(parsed[0], left_out=left_out, universal=True, count=None), parsed[1])
        if word == 'half' and self.at(index + 1) in any_of('of the my our your these those all'):
            parsed = self._core(index + (2 if self.at(index + 1) == 'of' else 1))
            return parsed and (replace(parsed[0], half=True, universal=True, count=None), parsed[1])
        if word in ('no', 'none', 'neither'):
            skip = 2 if self.at(index + 1) == 'of' else 1
            parsed = self._core(index + skip)
            return None if parsed is None else (replace(parsed[0], polarity='none'), parsed[1])
        if word in any_of('everything anything something whatever what') or (
            word == 'all' and self.at(index + 1) in ('that', 'else')
        ):
            return self._everything(index)
        if word in any_of('it them they these those this that') and (
            self.at(index + 1) in any_of('$ , and all both then should must go goes belong belongs is are back too')
            or self.at(index + 1) in PREPOSITIONS
        ):
            if word in any_of('it them they these those this') and self.antecedent is not None:
                end = index + 2 if self.at(index + 1) in ('all', 'both') else index + 1
                if word in ('it', 'this'):
                    return _pronoun(self.antecedent), end
                return self._them(self.antecedent), end
            return None
        return self._noun_phrase(index)

    @staticmethod
    def _them(antecedent: NounPhrase) -> NounPhrase:
        group = tuple(map(_pronoun, antecedent.plural))
        one = not group and antecedent.count == 1 and antecedent.universal  # `when there is a cup, put them …`: all
        return replace(_pronoun(antecedent), group=group, count=None if one else antecedent.count)

    def _nothing(self, index: int) -> tuple[NounPhrase, int]:
        if self.at(index) == 'else':
            return NounPhrase(Rest(), Anything(), polarity='none'), index + 1
        if self.at(index) in ('but', 'except'):
            items, end = self.items(index + 1)
            if items:
                return NounPhrase(
                    either(*(item.selector for item in items)),
                    items[0].head,
                    polarity='only',
                    specific=items[0].specific,
                ), end
        return NounPhrase(Anything(), Anything(), polarity='none'), index

    def _everything(self, index: int) -> tuple[NounPhrase, int] | None:
        word = self.at(index)
        index += 1
        if self.at(index) == 'else':
            return NounPhrase(Rest(), Anything(), universal=True), index + 1
        if word in ('what', 'whatever'):
            if self.at(index) in ('is', 'are'):
                predicate = self.predicates(index + 1)
                if predicate is not None:
                    return NounPhrase(predicate[0], Anything(), specific=1, universal=True), predicate[1]
            parsed = self.needed(index)
            if parsed is not None:
                return NounPhrase(Noun('needed'), Anything(), abstract=True), parsed
            return None
        one = word == 'something'
        return NounPhrase(Anything(), Anything(), count=1 if one else None, universal=not one), index

    def _noun_phrase(self, index: int) -> tuple[NounPhrase, int] | None:
        start = index
        count, stated, definite, universal, index = self._quantifier(index)
        after_determiner = index > start
        is_counted = count is not None
        parts, flags, index = self._adjectives(index)
        noun = self._noun(index, after_determiner=after_determiner or bool(parts) or bool(flags))
        if noun is None or self.at(index - 1) == 'rest':
            parsed = self._without_noun(index, parts, flags, count, definite, universal, after_determiner)
            return parsed and (replace(parsed[0], stated=stated), parsed[1])
        head, plural_form, index = noun
        generic = isinstance(head, Anything)
        named_kind = isinstance(head, Noun) and head.word in ABSTRACT_NOUNS
        known = generic or (isinstance(head, Noun) and self.lexicon.knows(head.word))
        abstract = named_kind or (known and bool(flags & ABSTRACT_ADJECTIVES))
        singular_form = not plural_form or self.at(start) in ('that', 'this')  # `that fruit` is one
        bare = not (after_determiner or flags or plural_form) and self._is_one(head, parts)
        definite = definite or bare  # `green block` means the green block
        if definite and singular_form and count is None and not universal:
            count = 1
        if (self.at(start) in ('one', 'ones') and not after_determiner) or (
            generic and self.at(index - 1) in ('one', 'ones') and self.antecedent is not None
        ):
            same_kind = is_counted or 'another' in flags or self._is_of_kind(flags)
            head = self.antecedent.head if self.antecedent is not None and same_kind else head
            if self.at(start) == 'one' and not after_determiner:
                if self.antecedent is None or len({item.head for item in self.antecedent.plural}) > 1:
                    return None  # `put one in box 1`, `take the cup and the mug and put one …`: one of what?
                count = 1
        if self.at(start) == 'both' and not singular_form and self.at(index) not in ('and', ','):
            stated = 2  # `both the cups`, but not `both the cups and the mug`
        mass = isinstance(head, Noun) and {head.word, head.word.split()[-1]} & self.lexicon.mass
        if flags & {'other', 'another', 'remaining', 'rest'}:
            parts = [*parts, Rest()]
            single = self.at(start) == 'another' or (singular_form and not mass)  # `the other fruit` may be several
            count = None if count == 1 and not universal and not single else count
            if 'another' in flags and count is None and singular_form and not universal:
                count = 1
        specific = (
            0
            if isinstance(head, Anything)
            else 1
            if isinstance(head, Noun) and self.lexicon.is_category(head.word)
            else 3
        ) + bool(parts)
        item = NounPhrase(
            both(head, *parts), head, count=count, definite=definite, specific=specific, abstract=abstract,
            universal=universal, stated=stated,
            vague=generic and not parts and not universal and (definite or not after_determiner), bare=bare,
        )  # fmt: skip
        if abstract and generic:
            item = replace(item, selector=both(Noun('needed'), *parts))
        return item, index

    def _is_one(self, head: Selector, qualities: list[Selector]) -> bool:
        """Whether a noun in the singular without an article names one object: `green block`, `toy`, `white object`."""
        if isinstance(head, Noun):
            return self.lexicon.is_countable(head.word) or self.lexicon.is_single_category(head.word)
        return isinstance(head, Anything) and bool(qualities)

    def _is_of_kind(self, flags: set[str]) -> bool:
        """Whether `the other ones` is limited to the same kind, as in `the red cubes and the others`.

        `One of the cubes and the others` is, too, but behind `the mug`, which may be the only one, all may be meant.
        """
        before = self.antecedent
        if before is None or not flags & {'other', 'another', 'remaining'}:
            return before is not None
        is_one_of_several = before.count is not None and before.text.split()[:1] != ['the']
        return before.selector != before.head or is_one_of_several

    def _without_noun(
        self,
        index: int,
        parts: list[Selector],
        flags: set[str],
        count: int | None,
        definite: bool,
        universal: bool,
        after_determiner: bool,
    ) -> tuple[NounPhrase, int] | None:
        """`the rest`, `all of them`, `the red`, `everything`, `all`."""
        if flags == {'other'} and definite and not (count or universal or parts) and self.at(index) != 'of':
            # `one in box 1 and the other in box 2`: one more, and not all that is left
            if self.antecedent is None:
                return None
            kind = self.antecedent.head if self._is_of_kind(flags) else Anything()
            return NounPhrase(both(kind, Rest()), kind, count=1, definite=True, specific=1), index
        if 'rest' in flags or (flags & {'other', 'remaining'} and after_determiner):
            head: Selector = Anything()
            if self.at(index) == 'of':
                inner = self._core(index + 1)
                if inner is not None and not inner[0].pronoun:
                    head, index = inner[0].selector, inner[1]
            counted = count if 'rest' not in flags else None  # `two other`, but `the rest of the two`
            what = both(head, Rest(), *parts)
            return NounPhrase(what, head, count=counted, universal=counted is None, specific=0), index
        if universal and self.at(index) in ('them', 'these', 'those') and self.antecedent is not None:
            return self._them(self.antecedent), index + 1
        if count and self.at(index) in ('them', 'these', 'those') and self.antecedent is not None:
            return replace(self.antecedent, count=count), index + 1
        if parts and after_determiner:
            return NounPhrase(
                both(*parts), Anything(), count=count, definite=definite, specific=1, universal=universal, elided=True
            ), index
        if universal and not parts and self.at(index) not in ('of',) and self.at(index - 1) in ('all', 'each', 'both'):
            return (
                (self._them(self.antecedent), index)
                if self.antecedent
                else (NounPhrase(Anything(), Anything(), universal=True), index)
            )
        return None
