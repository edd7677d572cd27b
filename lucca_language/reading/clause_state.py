"""State of the clause parser: last verb and place, antecedents of pronouns, and the directives found so far."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lucca_language.reading.noun_phrase import NounPhrase, kind_of_any, stands_for_kind, tells_which
from lucca_language.reading.noun_phrase_parser import NounPhraseParser
from lucca_language.reading.program import FITTING_RELATIONS, Destination, Directive, Presence
from lucca_language.reading.selectors import And, Anything, Not, Noun, Or, Selector, both, either, is_within
from lucca_language.words.function_words import PREPOSITIONS
from lucca_language.words.lexicon import Lexicon, lexicon
from lucca_language.words.verbs import Verb, target_words, verb
from lucca_language.words.word_sets import any_of

PLACED = Verb('put', frozenset({'place'}))
GIVEN = Verb('give', frozenset({'give'}))
_MORE = any_of('first then next also too as well last finally before after instead only just not')
"""Words in a clause with `but` that say when or how something is done, and not that it is left out."""
TAKING = any_of('take grab pick grasp lift find select choose get fetch collect gather look identify search')
"""Verbs for a step towards something else: `take the cup and …`."""


def _whichever(item: NounPhrase, *, given: bool) -> NounPhrase:
    """When something is given, `any cup` or `anything red` means one object."""
    first, last = item.text.split()[:1], item.text.split()[-1:]
    if given and first == ['anything']:
        return replace(item, universal=False, count=1)
    one = item.universal and first == ['any'] and [lexicon().singular(word) for word in last] == last
    return replace(item, universal=False, count=1) if one else item


def _excludes(item: NounPhrase) -> bool:
    """Whether it is certain which objects a noun phrase means, so that others of an earlier one remain."""
    return not (item.is_rest or item.pronoun or item.vague) and (item.count is None or item.definite)


class ClauseState:
    """State of the clause parser, with steps that all kinds of clauses share."""

    def __init__(self, lexicon: Lexicon, *, fragments: bool = False) -> None:
        self.lexicon = lexicon
        self.directives: list[Directive] = []
        self.meanings: dict[str, Selector] = {}
        self.no_colours: frozenset[str] = frozenset()
        self.needed_items: tuple[NounPhrase, ...] = ()
        self.stage = 0.0
        self.verb: Verb | None = None
        self.target: Destination | None = None
        self.goal: Destination | None = None
        self.number = 0
        """number of this sentence"""
        self.begun = 0
        """number of directives before this sentence"""
        self.antecedent: NounPhrase | None = None
        self.condition: tuple[Selector, Selector] | None = None
        self.given: tuple[Presence, ...] = ()
        self.given_before: tuple[Presence, ...] = ()
        """conditions of the sentence before, to which `otherwise` may refer"""
        self.opposite: tuple[Presence, ...] = ()
        """conditions behind the last `otherwise`"""
        self.asides: list[str] = []
        self.unclear: list[str] = []
        self.events: list[tuple[str, list[Directive]]] = []
        """expressions of time, with the text and the directives: `after you have moved the cup`"""
        self.excepted: list[NounPhrase] = []
        """all that is excepted somewhere"""
        self.excepts_inside = False
        """whether this clause has an exception of its own behind its place, before other clauses"""
        self.with_exception: set[int] = set()
        """numbers of the directives with such an exception"""
        self.fragments = fragments
        self.inverted = False
        self.weak = False
        self.phrases = NounPhraseParser([], lexicon)

    def sentence(self, words: list[str]) -> None:
        """Reads one sentence."""
        raise NotImplementedError

    def clause(self, index: int) -> int | None:
        """Reads one clause. Returns the position after it, or None if it cannot be read."""
        raise NotImplementedError

    def imperative(
        self,
        index: int,
        found: Verb,
        *,
        negated: bool = False,
        only: bool = False,
        items: list[NounPhrase] | None = None,
    ) -> int | None:
        """Reads a verb with what follows it. In the passive, `items` are the objects that stood before it."""
        raise NotImplementedError

    def finish(self, kind: str, found: Verb, items: list[NounPhrase], target: Destination | None, index: int) -> int:
        """Reads what may follow the objects of any verb, then adds the directive."""
        raise NotImplementedError

    def _limited(self, items: list[NounPhrase], only: bool) -> list[NounPhrase]:
        return [replace(item, polarity='only') for item in items] if only else items

    def _skip(self, index: int) -> int:
        """Position of the next word that may begin a clause."""
        words = self.phrases
        while index < len(words.words):
            word = words.at(index)
            if word in any_of(', : then but so otherwise') or (word == 'by' and words.at(index + 1).endswith('ing')):
                return index
            if (
                word == 'and'
                and (found := verb(words.at(index + 1))) is not None
                and not found.senses <= {'other', 'talk'}
            ):
                return index
            index += 1
        return index

    def emit(self, kind: str, found: Verb, items: list[NounPhrase], target: Destination | None) -> None:
        """Adds a directive, or several if the noun phrases differ in polarity (`only`, `no`)."""
        if target is not None and target.is_table:
            kind, target = ('dont' if kind == 'do' else kind), None
        kept: dict[str, list[NounPhrase]] = {}
        given = target is not None and target.is_recipient
        if target is not None and not given and any(map(_is_left, items[:-1])) and not _is_left(items[-1]):
            self.unclear.append('on the table')
        if kind == 'do' and (given or (found.senses & {'give', 'point'} and not found.senses & {'place'})):
            items = [_whichever(item, given=given) for item in items]
        for item in items:
            flipped = {'none': 'dont' if kind == 'do' else 'do', 'only': 'only' if kind != 'dont' else 'dont'}.get(
                item.polarity, kind
            )
            several = flipped == 'dont' and target is None and stands_for_kind(item)
            kept.setdefault(flipped, []).append(self._of_any_kind(item) if several else item)
        weak = self.weak or (target is None and found.lemma in TAKING and 'give' not in found.senses)
        for part, members in kept.items():
            self.with_exception |= {len(self.directives)} if self.excepts_inside else set()
            self.directives.append(
                Directive(
                    part, found.lemma, found.senses, tuple(members), target, self.stage, weak, self.given, self.number
                )
            )
        self.remember(items)
        self.phrases.earlier = tuple(item for item in self.asked_before() if not item.is_single)
        if kind == 'do' and not weak:
            self.verb, self.target = found, target

    def asked_before(self) -> list[NounPhrase]:
        """The noun phrases for which something was asked in this sentence so far."""
        return [
            item for directive in self.directives[self.begun :] if directive.kind == 'do' for item in directive.items
        ]

    def each_has_an_exception(self) -> bool:
        """Whether each earlier clause of this sentence has its own exception, so that a later one is not for it."""
        earlier = range(self.begun, len(self.directives))
        return bool(earlier) and self.with_exception.issuperset(earlier)

    def except_before(self, excluded: Selector) -> None:
        """Excludes objects from all that was asked in this sentence so far.

        `Cups in box 1 and cubes in box 2, except the blue ones`: blue cups stay where they are, too. But in `the pear
        in box 1 and the rest in box 2, except the fruit`, the pear is asked for by name.
        """
        self._except_from(range(self.begun, len(self.directives)), excluded)

    def except_elsewhere(self, items: Iterable[NounPhrase], excluded: Selector) -> None:
        """Excludes from earlier clauses what cannot be meant of these objects.

        `Point at the tools and hand me the fruit, but not the saw`: no fruit, so it is one of the tools.
        """
        parts = excluded.parts if isinstance(excluded, Or) else (excluded,)
        for part in parts:
            if not any(item.head == Anything() or is_within(part, item.head, self.lexicon) for item in items):
                self.except_before(part)

    def except_contrasted(self, first: int) -> None:
        """Excludes what the directives from number `first` on put elsewhere from those before in this sentence.

        `The cups in box 1, but the red one in box 2`: the red one does not go in box 1. Of `but put one cup in box 2`,
        any cup may be meant, so none is excluded; and a condition may not hold.
        """
        asked = {item.head for directive in self.directives[self.begun : first] for item in directive.items}
        for directive in self.directives[first:]:
            named = [item.selector for item in directive.items if _excludes(item)]
            if len(asked) > 1 and directive.kind == 'do' and directive.target is not None:
                # `The fruit in box 1 and the tools in box 2, but the red ones in the bowl`: of which kind?
                self.unclear += [item.text for item in directive.items if stands_for_kind(item)]
            if directive.kind == 'do' and directive.target is not None and named and not directive.given:
                elsewhere = [
                    number
                    for number in range(self.begun, first)
                    if self.directives[number].target not in (None, directive.target)
                    or (self.directives[number].target is None and 'stack' in self.directives[number].senses)
                ]
                self._except_from(elsewhere, either(*named))

    def leaves_out(self, first: int, words: Sequence[str]) -> bool:
        """Whether `but` and its words only leave out what the directive before means: `the fruit, but the pear`.

        Then the directives from number `first` on, which read that as one more thing to do, are taken back.
        """
        added = self.directives[first:]
        if not added or first <= self.begun or not _MORE.isdisjoint(words):
            return False
        before = self.directives[first - 1]
        same = ('do', before.verb, before.target)
        if before.kind != 'do' or any((item.kind, item.verb, item.target) != same for item in added):
            return False
        named = [item for directive in added for item in directive.items]
        if all(any(is_within(item.selector, other.selector, self.lexicon) for other in before.items) for item in named):
            self._except_from([first - 1], either(*(item.selector for item in named)))
            self.excepted += named
        else:
            self.unclear.append(' '.join(words))
        del self.directives[first:]
        return True

    def tells_which(self, first: int, words: Sequence[str]) -> None:
        """Takes `…, the blue one and the red one` behind `two cubes` for which two are meant, and not for two more.

        Then the directives from number `first` on replace the last noun phrase of the one before. If it means another
        number of objects, it is not understood.
        """
        added = self.directives[first:]
        if len(added) != 1 or first < 1 or words[:1] == ['and']:
            return
        before, which = self.directives[first - 1], added[0]
        general = before.items[-1]
        same = replace(which, items=before.items) == before
        if not same or not all(tells_which(item, general, self.lexicon) for item in which.items):
            return
        meant = general.count or (len(which.items) if general.definite else 0)
        if general.universal or meant != len(which.items) or meant < 2:
            self.unclear.append(' '.join(words))
        self.directives[first - 1 :] = [replace(before, items=(*before.items[:-1], *which.items))]

    def _except_from(self, numbers: Iterable[int], excluded: Selector) -> None:
        for number in numbers:
            directive = self.directives[number]
            if directive.kind == 'do':
                items = tuple(self._without(item, excluded) for item in directive.items)
                self.directives[number] = replace(directive, items=items)

    def _without(self, item: NounPhrase, excluded: Selector) -> NounPhrase:
        parts = excluded.parts if isinstance(excluded, Or) else (excluded,)
        others = [part for part in parts if not is_within(item.selector, part, self.lexicon)]
        return replace(item, selector=both(item.selector, Not(either(*others)))) if others else item

    def _of_any_kind(self, item: NounPhrase) -> NounPhrase:
        """`… but leave the red ones`: those of all kinds that were asked for, not only of the last one."""
        asked = [other for directive in self.directives if directive.kind == 'do' for other in directive.items]
        kind = kind_of_any([item, *asked])
        parts = item.selector.parts if isinstance(item.selector, And) else (item.selector,)
        return replace(item, selector=both(kind, *(part for part in parts if part != item.head)), head=kind)

    def remember(self, items: list[NounPhrase]) -> None:
        """Sets what `it` and `them` refer to from here on."""
        named = [item for item in items if not item.is_rest]
        if named:
            self.antecedent = replace(
                named[-1], plural=tuple(replace(item, plural=()) for item in named) if len(named) > 1 else ()
            )

    def places(self, index: int) -> tuple[list[Destination], bool, int]:
        """Consecutive places with their prepositions, whether the table was among them, and the position after them."""
        words = self.phrases
        found: list[Destination] = []
        table = False
        while words.at(index) in PREPOSITIONS and words.at(index) not in any_of(
            'of with for by without before after until'
        ):
            relation, start = words.at(index), index + 1
            if relation == 'out' or (relation in ('from', 'off') and words.at(start)):
                break
            if words.at(start) == 'of':
                start += 1
            if words.at(start) == 'eachother':
                found.append(Destination(('tower',), 'on'))
                index = start + 1
                continue
            if words.at(start) == 'it' and (place_meant := self._place_meant(relation)) is not None:
                found.append(place_meant)
                index = start + 1
                continue
            if words.at(start) in any_of('me us him her them'):
                is_me = words.at(start) in ('me', 'us')
                found.append(Destination(('me',), 'to') if is_me else Destination((words.at(start),), relation))
                index = start + 1
                continue
            place = words.place(start)
            if place is None or (
                relation == 'to' and verb(words.at(start)) is not None and words.at(start) not in target_words()
            ):
                break
            article, (name, index) = words.at(start), place
            target = Destination(tuple(name.split()), relation)
            if target.is_recipient and article in ('a', 'an'):
                self.unclear.append(f'{article} {name}')  # `a visitor` is not the one who says it
            if target.is_table:
                table = True
            else:
                found.append(target)
                if words.at(index) == 'of' and words.at(index + 1) in any_of('the cubes fruit blocks'):
                    inner = words.place(index + 1)
                    index = inner[1] if inner is not None else index
        return found, table, index

    def _place_meant(self, relation: str) -> Destination | None:
        """The place that `it` refers to, unless it may just as well be an object mentioned before."""
        place = self.target or self.goal
        if place is None or place.is_recipient or relation not in FITTING_RELATIONS:
            return None
        on_tower = target_words().get(place.words[-1]) == 'tower' and relation in ('on', 'onto')
        spoken_of = self.antecedent.head if self.antecedent is not None else None
        holds = isinstance(spoken_of, Noun) and self.lexicon.is_a(spoken_of.word, 'container')
        return place if on_tower or not holds else None

    def _skip_place(self, index: int) -> int:
        """Position after phrases such as `stays where it is on the table`."""
        words = self.phrases
        while words.at(index) and words.at(index) not in any_of(', and but so then while whereas :'):
            index += 1
        return index


def _is_left(item: NounPhrase) -> bool:
    """Whether `put the cup on the table and the mug in box 1` may want an object to be on the table."""
    before, here, behind = item.text.rpartition(' on the table')
    return bool(here) and not behind and not set(before.split()) & any_of('that which is are lying standing')
