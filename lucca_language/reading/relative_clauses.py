"""Relative clauses and other modifiers after a noun: `that is not a fruit`, `of another colour`."""

import re
from dataclasses import replace

from lucca_language.reading.noun_parser import NounParser
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import (
    And,
    Anything,
    Coloured,
    In,
    Not,
    Noun,
    Or,
    Quality,
    Rest,
    Selector,
    both,
    either,
    with_another,
)
from lucca_language.words.function_words import ARTICLES, FUNCTION_WORDS
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of

_BE = any_of('is are was were be being been looks look appears seems stays')
_POSTURES = any_of(
    'lying standing sitting placed located found left remaining situated seen visible available present shown still'
)


class RelativeClauseParser(NounParser):
    """Narrows noun phrases by the modifiers after them."""

    def item(self, index: int) -> tuple[NounPhrase, int] | None:
        """One noun phrase with its modifiers, or None."""
        raise NotImplementedError

    def items(
        self, index: int, *, after_verb: bool = False, after_place: bool = False, excepted: bool = False
    ) -> tuple[list[NounPhrase], int]:
        """Noun phrases joined by commas, `and` or `or`."""
        raise NotImplementedError

    def _post_modifiers(self, item: NounPhrase, index: int) -> tuple[NounPhrase, int]:
        """The noun phrase, narrowed by all modifiers after it."""
        while True:
            narrowed = self._post_modifier(item, index)
            if narrowed is None:
                return item, index
            item, index = narrowed

    def _post_modifier(self, item: NounPhrase, index: int) -> tuple[NounPhrase, int] | None:
        word = self.at(index)
        start = index + 1 if word == ',' else index
        if self.at(start) in ('that', 'which', 'who') or (self.at(start) == 'whose'):
            if item.abstract:
                # `what the recipe needs, which is a bowl …`: the clause says what it is instead of narrowing it
                if self.at(start + 1) in _BE:
                    items, end = self.items(start + 2)
                    if items:
                        return self._as_group(items), end
                end_needed = self.needed(start + 1)
                return None if end_needed is None else (item, end_needed)
            parsed = self.relative(start)
            if parsed is not None:
                return self._narrowed(item, parsed[0]), parsed[1]
            needed = self.needed(start + 1)
            if needed is not None:
                return replace(item, abstract=True, selector=Noun('needed')), needed
            return None
        if self.at(start) == 'namely' or (word == ':' and item.abstract):
            items, end = self.items(start + 1)
            if items and (item.abstract or item.vague or item.pronoun or item.selector == Anything()):
                return self._as_group(items), end
            return (item, end if items else start + 1) if self.at(start) == 'namely' else None
        if word in ('suchas', 'like', 'including') and item.polarity == 'some' and not item.is_rest:
            items, end = self.items(index + 1)
            if items:
                return replace(item, selector=either(item.selector, *(part.selector for part in items))), end
        if item.abstract and word in any_of('for of by in to') and self.at(index + 1) not in ('me', 'us'):
            return item, self._to_clause_end(index + 1)
        if word in any_of('from for of in') and (use := self._use(index)) is not None:
            return self._narrowed(item, use[0]), use[1]
        if word in _POSTURES and (
            self.at(index + 1) in any_of('$ , and on over left behind') or self.at(index + 1) in FUNCTION_WORDS
        ):
            rest = word in ('left', 'remaining') and item.universal is False and item.selector == Anything()
            end = index + 1
            if self.at(end) in ('left', 'over', 'there'):
                end += 1
            skipped = self._table(end)
            return (replace(item, selector=Rest()) if rest else item), skipped if skipped is not None else end
        table = self._table(index)
        if table is not None:
            return item, table
        if (
            word in any_of('you we people i')
            and self.at(index + 1) in any_of('can could may')
            and (use := self._relative_part(index))
        ):
            return self._narrowed(item, use[0]), use[1]
        if word == 'of':
            start = index + 2 if self.at(index + 1) in ('the', 'this') else index + 1
            if self.at(start) in any_of('type kind category class sort group') and (kind := self.item(start + 1)):
                return self._narrowed(item, kind[0].selector), kind[1]
        if (
            self.sees(index, 'you', 'see')
            or self.sees(index, 'there', 'is')
            or self.sees(index, 'there', 'are')
            or self.sees(index, 'you', 'find')
        ):
            return item, index + 2
        if self.sees(index, 'you', 'can', 'see') or self.sees(index, 'you', 'can', 'find'):
            return item, index + 3
        if word in ('coloured', 'painted', 'colour') and self.lexicon.colour(self.at(index + 1)):
            return self._narrowed(item, Quality(self.at(index + 1))), index + 2
        if word in any_of('of with in having'):
            colour = self._of_colour(index + 1)
            if colour is not None:
                return self._narrowed(item, colour[0]), colour[1]
        if word == 'of' and self.sees(index + 1, 'the', 'kind') is False and self.at(index + 1) in ('type', 'kind'):
            return None
        if (word in self.lexicon.adjectives or self.lexicon.colour(word) is not None) and isinstance(
            item.head, Anything
        ):
            predicate = self.predicates(index)
            if predicate is not None:
                return self._narrowed(item, predicate[0]), predicate[1]
        return None

    def _as_group(self, items: list[NounPhrase]) -> NounPhrase:
        """Several noun phrases as the group of a single one."""
        return replace(items[0], group=tuple(items))

    def _narrowed(self, item: NounPhrase, selector: Selector) -> NounPhrase:
        return replace(item, selector=both(item.selector, selector), specific=item.specific + 1, vague=False)

    def _table(self, index: int) -> int | None:
        """Position after `(still) on the table`, which is true of every object."""
        start = index + 1 if self.at(index) == 'still' else index
        if (
            self.at(start) in any_of('on at from off over upon')
            and self.at(start + 1) in any_of('the your this my')
            and self.at(start + 2) in any_of('table tabletop')
        ):
            return start + 3
        if self.at(start) in ('before', 'near') and self.at(start + 1) == 'you':
            return start + 2
        if self.at(start) == 'here' or (self.sees(start, 'there') and self.at(start + 1) in ('', ',')):
            return start + 1
        return None

    def relative(self, index: int) -> tuple[Selector, int] | None:
        """A relative clause that begins with `that`, `which`, `who` or `whose`."""
        if self.at(index) == 'whose' and self.at(index + 1) == 'colour':
            start = index + 3 if self.at(index + 2) in _BE else index + 2
            return self.predicates(start)
        parsed = self._relative_part(index + 1)
        if parsed is None:
            return None
        selector, index = parsed
        while True:
            following = index
            joint = ''
            while self.at(following) in any_of(', and or but'):
                joint = self.at(following) if self.at(following) != ',' else joint or ','
                following += 1
            if following == index:
                return selector, index
            if self.at(following) in ('that', 'which'):
                following += 1
            elif self.at(following) not in (*_BE, 'can', 'has', 'have', 'does', 'do', 'not') or joint == ',':
                return selector, index
            if self.at(following) == 'not' and (verb(self.at(following + 1)) is not None or joint != 'but'):
                return selector, index
            more = self._relative_part(following) if self.at(following) != 'not' else self.predicates(following)
            if more is None:
                return selector, index
            selector = either(selector, more[0]) if joint == 'or' else both(selector, more[0])
            index = more[1]

    def _relative_part(self, index: int) -> tuple[Selector, int] | None:
        word = self.at(index)
        if word in _BE or (word in any_of('count counts qualify qualifies') and self.at(index + 1) == 'as'):
            return self.predicates(index + (1 if word in _BE else 2))
        if word in any_of('does do can could may should') and self.at(index + 1) == 'not':
            parsed = self._relative_part(index + 2) or self._use(index + 2)
            return None if parsed is None else (Not(parsed[0]), parsed[1])
        if word in ('has', 'have'):
            colour = self._of_colour(index + 1)
            if colour is not None:
                return colour
        if word == 'belong' or word == 'belongs':
            use = self._use(index)
            if use is not None:
                return use
            if self.at(index + 1) == 'to':
                start = index + 2
                while self.at(start) in any_of('the a category class group kind of family type'):
                    start += 1
                return self.predicates(start)
        if word in any_of('remain remains stay stays'):
            table = self._table(index + 1)
            return Rest(), table if table is not None else index + 1
        if self.sees(index, 'you', 'see') or self.sees(index, 'you', 'find'):
            return Anything(), index + 2
        if word in ('you', 'we') and self.at(index + 1) == 'can' and self.at(index + 2) in ('see', 'find', 'reach'):
            return Anything(), index + 3
        if word in any_of('stand stands lie lies sit sits'):
            table = self._table(index + 1)
            return None if table is None else (Anything(), table)
        if word in any_of('you we people one i') and self.at(index + 1) in ('can', 'could', 'may'):
            negated = self.at(index + 2) == 'not'
            use = self._use(index + (3 if negated else 2))
            return None if use is None else ((Not(use[0]) if negated else use[0]), use[1])
        if word in any_of('can could may might'):
            return self._use(index + 1)
        return self._use(index)

    def _use(self, index: int) -> tuple[Selector, int] | None:
        """A phrase for the use of objects: `hold something` means containers."""
        best = self.lexicon.use(self.words[index:])
        if best is None:
            return None
        end = index + best[1]
        if self.at(end) in any_of('something things liquids liquid objects stuff water it them else inside in'):
            end += 1 if self.at(end) not in ('in',) or self.at(end + 1) in ('it', 'them', '') else 0
            if self.at(end) in ('it', 'them', 'else'):
                end += 1
        return Noun(best[0]), end

    def predicates(self, index: int) -> tuple[Selector, int] | None:
        """What may follow `is`: `not a fruit`, `red or yellow`, `neither red nor a cube`, `on the table`."""
        while self.at(index) in any_of('either both also still all actually'):
            index += 1
        negated = self.at(index) in ('not', 'neither', 'never')
        if negated:
            index += 1
            if self.at(index) == 'either':
                index += 1
        first = self._predicate(index)
        if first is None:
            return None
        selector, index = first
        while True:
            following = index
            joint = ''
            while self.at(following) in any_of(', and or nor but'):
                joint = self.at(following) if self.at(following) != ',' else joint or ','
                following += 1
            if following == index:
                break
            inner_not = self.at(following) == 'not' and joint in ('and', 'but')
            more = self._predicate(following + inner_not) if self._may_go_on(following + inner_not, joint) else None
            if more is None:
                break
            part: Selector = Not(more[0]) if inner_not else more[0]
            if inner_not:
                selector, negated = both(Not(selector) if negated else selector, part), False
            elif joint == 'and' and self._are_exclusive(selector, part):
                before = either(*selector.parts) if isinstance(selector, And) else selector
                selector = with_another(before, part, listed=True)
            elif negated or joint in ('or', 'nor') or (joint == ',' and self._or_follows(more[1])):
                selector = with_another(selector, part, listed=False)
            else:
                selector = both(selector, part)
            index = more[1]
        return (Not(selector) if negated else selector), index

    def _or_follows(self, index: int) -> bool:
        return bool(re.match(r'(\S+ ){0,3}or ', ' '.join(self.words[index - 1 : index + 6]) + ' '))

    def _are_exclusive(self, left: Selector, right: Selector) -> bool:
        """Whether things have one of these qualities each, as in `objects that are red, yellow and blue`."""
        parts = (*left.parts, right) if isinstance(left, And | Or) else (left, right)
        words = [part.word for part in parts if isinstance(part, Quality)]
        are_colours = all(self.lexicon.colour(word) for word in words)
        return len(words) == len(parts) and (are_colours or not isinstance(left, And))

    def _may_go_on(self, index: int, joint: str) -> bool:
        """Whether the words continue the predicate; `and the banana` does not."""
        word = self.at(index)
        if self.lexicon.colour(word) or word in self.lexicon.adjectives:
            following = self.at(index + 1)
            if following in any_of('$ , and or nor but') or following in FUNCTION_WORDS or verb(following) is not None:
                return True
        if word in ('a', 'an'):
            return True
        return joint in ('or', 'nor') and word not in FUNCTION_WORDS

    def _predicate(self, index: int) -> tuple[Selector, int] | None:
        word = self.at(index)
        table = self._table(index)
        if table is not None:
            return Anything(), table
        if (word in ('in', 'inside') and self.at(index + 1) in ('the', *ARTICLES)) or (
            word in ('in', 'inside') and self.at(index + 2).isdigit()
        ):
            place = self.place(index + 1)
            if place is not None:
                return In(place[0]), place[1]
        if word in ('of', 'in', 'with'):
            return self._of_colour(index + 1)
        if word == 'left':
            return Rest(), index + 1
        if word in any_of('used found made needed called named for meant good able something there visible present'):
            return self._function(index)
        if (
            self.lexicon.colour(word)
            or word in self.lexicon.adjectives
            or word in ('coloured', 'colourful', 'colourless')
        ):
            end = self._after_coloured(index + 1) if self.lexicon.colour(word) else index + 1
            following = self.at(end)
            if (
                following in any_of('$ , and or nor but then')
                or following in FUNCTION_WORDS
                or verb(following) is not None
            ):
                quality: Selector = (
                    Coloured()
                    if word in ('coloured', 'colourful')
                    else Not(Coloured())
                    if word == 'colourless'
                    else Quality(word)
                )
                if following in ('in', 'of') and self.at(end + 1) == 'colour':
                    return quality, end + 2
                return quality, end
        if word in ('the', 'each', 'every') or (
            word in FUNCTION_WORDS and word not in any_of('a an any one anything everything something all no')
        ):
            return None
        parsed = self.item(index)
        return None if parsed is None else (parsed[0].selector, parsed[1])

    def _function(self, index: int) -> tuple[Selector, int] | None:
        word = self.at(index)
        if word in ('visible', 'present', 'there'):
            return Anything(), index + 1
        if word in ('called', 'named'):
            parsed = self.item(index + 1)
            return None if parsed is None else (parsed[0].selector, parsed[1])
        if word == 'made' and self.at(index + 1) in ('of', 'from', 'out'):
            start = index + 3 if self.at(index + 2) == 'of' else index + 2
            material = {'wood': 'wooden'}.get(self.at(start), self.at(start))
            return either(Quality(material), Quality(self.at(start))), start + 1
        for start in (index, index + 1, index + 2, index + 3):
            use = self._use(start)
            if use is not None:
                return use
        return None

    def needed(self, index: int) -> int | None:
        """Position after `the recipe needs`, `is needed for it` or `you need`; None without such words."""
        for position in range(index, min(index + 8, len(self.words))):
            word = self.at(position)
            if word in any_of(', which namely :'):
                return None
            if word in any_of('needs need needed requires require required necessary wants asks calls') or (
                word == 'belongs' and self.at(position + 1) == 'to'
            ):
                return self._to_clause_end(position + 1)
        return None

    def _to_clause_end(self, index: int) -> int:
        while (
            self.at(index)
            and self.at(index) not in any_of(', : namely which')
            and self.at(index) not in any_of('is are should must')
        ):
            index += 1
        return index
