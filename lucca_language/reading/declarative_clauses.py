"""Declarative clauses, such as `fruit belongs in box 1`, `box 2 is for tools` and `a zorb is a red fruit`."""

from dataclasses import replace

from lucca_language.reading.clause_state import GIVEN, PLACED, ClauseState
from lucca_language.reading.noun_parser import ABSTRACT_NOUNS
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.noun_phrase_parser import NounPhraseParser
from lucca_language.reading.program import FITTING_RELATIONS, Destination
from lucca_language.reading.selectors import And, Anything, Not, Noun, Rest, Selector, either, walk
from lucca_language.words.function_words import PREPOSITIONS
from lucca_language.words.verbs import Verb, target_words, verb
from lucca_language.words.word_sets import any_of

_USED = Verb('use', frozenset({'use'}))
_KEPT = Verb('leave', frozenset({'keep'}))
_MODALS = any_of('should must may can could shall will might would')
_COUNT_AS = any_of('count counts qualify qualifies counted considered regarded treated understood')


class DeclarativeClauses(ClauseState):
    """Mixin of ClauseParser for clauses with a subject."""

    def declarative(self, index: int, negated: bool) -> int | None:
        """Reads a clause that begins with a noun phrase. Without a verb, it takes that of the previous clause."""
        words = self.phrases
        behind = self._not_colours(index)
        if behind is not None:
            return behind
        inverted = self._inverted(index)
        if inverted is not None:
            return inverted
        items, end = words.items(index)
        if (
            not items
            and (colours := words.colours(index)) is not None
            and words.at(colours[1]) in FITTING_RELATIONS | any_of(': goes go belongs belong should must')
        ):
            items, end = (
                [NounPhrase(colours[0], Anything(), universal=True, specific=1, text=words.at(index))],
                colours[1],
            )
        if not items:
            return None
        subject_end = end
        if words.at(end) in any_of('all both each also then'):
            end += 1
        only = words.at(end) == 'only'
        end += only
        modal = words.at(end) in _MODALS
        if modal:
            end += 1
            if words.at(end) == 'only':
                only, end = True, end + 1
        if words.at(end) in ('do', 'does', 'did') and words.at(end + 1) == 'not':
            negated, end = True, end + 2
        elif words.at(end) in ('not', 'never'):
            negated, end = True, end + 1
        items = self._limited(items, only)
        word = words.at(end)
        if word in ('have', 'has') and words.at(end + 1) in ('been', 'be'):
            end, word = end + 1, 'be'
        if word in any_of('is are be been being get gets was were'):
            return self._copula(items, end + 1, modal=modal or word in ('be', 'been'), negated=negated)
        if word in _COUNT_AS and words.at(end + 1) == 'as':
            return self._define(items, end + 2, negated)
        if word in ('means', 'mean') or (word in ('refers', 'refer') and words.at(end + 1) == 'to'):
            return self._define(items, end + (1 if word.startswith('mean') else 2), negated)
        found = verb(word)
        if found is None or word in PREPOSITIONS:
            return self._gapped(items, subject_end, negated, index)
        if 'stay' in found.senses:
            self.emit('dont' if not negated else 'do', _KEPT, items, None)
            return self._skip_place(end + 1)
        if found.lemma == 'matter':
            return self._skip(end)
        if found.senses & {'need', 'receive'} and not found.senses & {'belong'}:
            return self._needs(items, end + 1)
        if found.lemma in ('consist', 'comprise'):
            return self._skip(end)
        if 'belong' in found.senses:
            self.antecedent = items[0]
            start = end + 1
            while (
                words.at(start) in any_of('back straight over only all both down up together inside')
                and words.at(start + 1) in PREPOSITIONS
            ):
                if words.at(start) == 'only':
                    items = self._limited(items, True)
                start += 1
            targets, table, behind = self.places(start)
            if table and not targets:
                self.emit('dont', _KEPT, items, None)
                return behind
            if targets:
                target = targets[-1]
                verb_used = GIVEN if target.is_recipient else PLACED
                return self.finish('dont' if negated else 'do', verb_used, items, target, behind)
            if words.at(start) in ('first', 'last', 'next') and self.verb is not None:
                return self.finish('do', self.verb, items, self.target, start)
            return self._skip(start)
        return self._skip(end)

    def _not_colours(self, index: int) -> int | None:
        """`black and white do not count as colours`: notes the colours and skips the clause."""
        words = self.phrases
        end = index
        colours: list[str] = []
        while self.lexicon.colour(words.at(end)) or words.at(end) in any_of('and or , nor neither'):
            colour = self.lexicon.colour(words.at(end))
            colours += [colour] if colour else []
            end += 1
        if not colours:
            return None
        span = words.words[end : end + 8]
        for offset, word in enumerate(span):
            if word in (',', 'so'):
                return None
            if word in ('colour', 'colours', 'coloured'):
                if not set(span[:offset]) <= any_of('do does are is not no never count counted as a'):
                    return None
                if {'not', 'no', 'never', 'neither', 'nor'} & {*span[:offset], *words.words[index:end]}:
                    self.no_colours = self.no_colours | frozenset(colours)
                    return end + offset + 1
                return None
        return None

    def _inverted(self, index: int) -> int | None:
        """`box 1 is for fruit`, `the bowl gets every fruit`, `the tower consists of cubes`, `box 1: fruit`."""
        words = self.phrases
        if words.at(index) in any_of('every each all any no nothing everything only it they'):
            return None
        place = words.place(index)
        if place is None:
            return None
        name, end = place
        head = [word for word in name.split() if not word.isdigit()][-1]
        if (
            head not in target_words()
            and not name[-1].isdigit()
            and head not in any_of('bowl basket tray drawer shelf pot jar')
        ):
            return None
        target = Destination(tuple(name.split()))
        modal = words.at(end) in _MODALS
        end += modal
        kind = 'do'
        if words.at(end) in ('not', 'never'):
            kind, end = 'dont', end + 1
        only = words.at(end) == 'only'
        end += only
        word = words.at(end)
        if word in ('is', 'are', 'be'):
            if words.at(end + 1) == 'only':
                only, end = True, end + 1
            if words.at(end + 1) in ('for', 'where') or (
                words.at(end + 1) in any_of('reserved meant intended there used made built')
                and words.at(end + 2) in ('for', 'of', 'from')
            ):
                start = end + 2 if words.at(end + 1) in ('for', 'where') else end + 3
            elif words.at(end + 1) in ('filled', 'loaded') and words.at(end + 2) == 'with':
                start = end + 3
            elif words.sees(end + 1, 'the', 'place', 'for'):
                start = end + 4
            else:
                return None
        elif word in any_of(
            'gets get takes receives receive holds hold contains contain accepts has have collects houses take'
        ):
            start = end + 1
        elif word in ('consists', 'consist') and words.at(end + 1) == 'of':
            start = end + 2
        elif word == ':' or (word in ('for', 'with') and self.verb is not None):
            start = end + 1
        elif word in any_of('every each all the') and self.inverted:
            start = end  # `…, and box 2 every toy`
        else:
            return None
        items, behind = words.items(start)
        if not items:
            return None
        behind = (
            behind + 1
            if words.at(end + 1) == 'where'
            and (found := verb(words.at(behind))) is not None
            and 'belong' in found.senses
            else behind
        )
        self.inverted = True
        return self.finish(kind, PLACED, self._limited(items, only), target, behind)

    def _copula(self, items: list[NounPhrase], index: int, *, modal: bool, negated: bool) -> int:
        words = self.phrases
        while words.at(index) in any_of('to be also all then been both always only being each now already'):
            if words.at(index) == 'only':
                items = self._limited(items, True)
            index += 1
        is_no = words.at(index) == 'no' and words.at(index + 1) not in ('longer', 'more')
        if words.at(index) in ('not', 'never') or is_no:
            negated, index = not negated, index + 1
        while words.at(index) in any_of('to be allowed permitted supposed meant welcome'):
            index += 1
        word = words.at(index)
        kind = 'dont' if negated else 'do'
        if word == 'for' or word in PREPOSITIONS:
            start = index + 1 if word == 'for' else index
            targets, table, end = self.places(index)
            if word == 'for' and words.at(start) in ('me', 'us'):
                return self.finish(kind, GIVEN, items, Destination(('me',), 'to'), start + 1)
            if word == 'for' and (place := words.place(start)) is not None:
                targets, end = [Destination(tuple(place[0].split()), 'to')], place[1]
            if table and not targets:
                if modal:
                    self.emit('dont', _KEPT, items, None)
                return end
            wanted = modal or self.weak or word == 'for' or negated
            if targets and (wanted or any(item.polarity != 'some' or item.universal for item in items)):
                target = targets[-1]
                return self.finish(kind, GIVEN if target.is_recipient else PLACED, items, target, end)
            if targets:
                return end
        if word in any_of(
            'left ignored skipped kept untouched irrelevant spared excluded unimportant omitted '
            'exempt exempted excepted'
        ):
            self.emit('do' if negated else 'dont', _KEPT, items, None)
            return self._skip_place(index + 1)
        if word in any_of('needed required necessary wanted') and not negated:
            self.needed_items = (*self.needed_items, *items)
            return self._skip(index + 1)
        if word in any_of('needed required wanted touched considered included') and negated:
            self.emit('dont', _KEPT, items, None)
            return self._skip_place(index + 1)
        if word in any_of('my mine yours next'):
            return self._skip(index)
        if word in _COUNT_AS:
            return self._define(items, index + (2 if words.at(index + 1) == 'as' else 1), negated)
        found = verb(word)
        if (
            found is not None
            and (word != found.lemma or word in ('put', 'set', 'cut'))
            and not found.senses <= {'need'}
        ):
            behind = self.imperative(index, found, negated=negated, items=items)
            return behind if behind is not None else self._skip(index + 1)
        if modal and not word:
            return index
        if modal:
            self.unclear.append(f'should be {word}')  # `the tower should be blue`: no action makes it so
        return self._define(items, index, negated)

    def _define(self, items: list[NounPhrase], index: int, negated: bool) -> int:
        """`a zorb is a red fruit`, `zorbs and wugs are toys`, `the ingredients are a bowl and a spoon`."""
        words = self.phrases
        if len(items) == 1 and (
            items[0].abstract or (isinstance(items[0].head, Noun) and items[0].head.word in ABSTRACT_NOUNS)
        ):
            needed, end = words.items(index)
            if needed and not negated:
                self.needed_items = tuple(needed)
                return end
        parsed = words.predicates(index)
        if parsed is None:
            return self._skip(index)
        meaning: Selector = Not(parsed[0]) if negated else parsed[0]
        for item in items:
            if item.pronoun and item.count == 1:
                return index  # `it is hot` describes one object, and defines no word
            if (
                isinstance(item.selector, Noun)
                and not isinstance(meaning, Anything | Rest)
                and item.selector != meaning
            ):
                word = item.selector.word
                known = self.meanings.get(word)
                # Two sentences about one word are combined.
                self.meanings[word] = meaning if known is None else And((known, meaning))
        defined = parsed[0]
        if isinstance(defined, Noun) and not negated and not self.lexicon.knows(defined.word):
            # `electronics are frobs`: the second word is the new one
            subjects = either(*(item.selector for item in items))
            earlier = self.meanings.get(defined.word)
            self.meanings[defined.word] = subjects if earlier is None else either(earlier, subjects)
        return parsed[1]

    def _needs(self, subject: list[NounPhrase], index: int) -> int:
        """`the recipe needs a bowl`, `for this we need a spoon`."""
        words = self.phrases
        items, end = words.items(index)
        if not items:
            return self._skip(index)
        self.needed_items = (*self.needed_items, *items)
        self.remember(items)
        named = [part.word for item in subject for part in (item.head,) if isinstance(part, Noun)]
        if any(target_words().get(word) == 'user' for word in named):
            return self.finish('do', GIVEN, items, Destination(('me',), 'to'), end)
        return end

    def _named_as(self, index: int) -> int:
        """`we call red fruits zorbs`: the last word is new, and the words before it define it."""
        words = self.phrases
        end = index
        while words.at(end) and words.at(end) not in (',', 'and', 'but', 'so'):
            end += 1
        new = self.lexicon.singular(words.at(end - 1))
        items, _ = NounPhraseParser(words.words[index : end - 1], self.lexicon).items(0)
        if items and not self.lexicon.knows(new):
            self.meanings[new] = either(*(item.selector for item in items))
        return end

    def _gapped(self, items: list[NounPhrase], index: int, negated: bool, start: int) -> int | None:
        """`and every red object in the bowl`, `then the banana`: takes the verb of the previous clause."""
        words = self.phrases
        kind = 'dont' if negated else 'do'
        colon = words.at(index) == ':'
        if colon:
            targets, _, end = self.places(index + 1)
            if not targets and (place := words.place(index + 1)) is not None and place[0].split()[0] in target_words():
                targets, end = [Destination(tuple(place[0].split()))], place[1]
            if targets:
                return self.finish(kind, PLACED, items, targets[-1], end)
            return None
        if words.at(start - 1) == ':' and not self.phrases.at(index) and self._lists(items):
            return index
        excepts = any(isinstance(part, Not) for part in walk(items[-1].selector))
        targets, table, end = self.places(index + 1 if excepts and words.at(index) == ',' else index)
        if targets:
            target = targets[-1]
            used = (
                self.verb
                if self.verb is not None and not target.is_recipient and 'point' not in self.verb.senses
                else None
            )
            return self.finish(kind, used or (GIVEN if target.is_recipient else PLACED), items, target, end)
        if not start and not self.fragments and not self._is_listed(items):
            return None  # `include mistakes` is not a list of objects that the previous sentence asks for
        if (
            self.verb is not None
            and not table
            and words.at(index)
            in any_of(
                '$ , and then but first last before after so when once unless if only starting beginning except '
                'finally next : too'
            )
        ):
            if self.target is not None and not self.target.is_recipient:
                # `The cup in box 1 and the mug on the table`: the mug is there, or is to stay there.
                there = [item for item in items if item.text.endswith(' on the table')]
                self.unclear += [item.text for item in there]
                items = [item for item in items if item not in there]
                if not items:
                    return index
                if all(item.polarity == 'none' for item in items):
                    return self.finish(kind, self.verb, items, None, index)  # `…, but nothing red`: in no place
            return self.finish(kind, self.verb, items, self.target, index)
        if self.fragments and words.at(index) in any_of('$ , and then finally next before after'):
            return self.finish(kind, Verb('', frozenset()), items, None, index)
        if table:
            return end
        return None

    def _is_listed(self, items: list[NounPhrase]) -> bool:
        """Whether all of these certainly name objects: by an article, or by words of the lexicon."""
        return all(
            item.definite or item.universal or item.count is not None or not isinstance(item.head, Noun)
            or self.lexicon.knows(item.head.word)
            for item in items
        )  # fmt: skip

    def _lists(self, items: list[NounPhrase]) -> bool:
        """`the cubes, in this order: the red cube, the blue cube`: the list replaces what it explains."""
        last = self.directives[-1] if self.directives else None
        if last is None or len(last.items) != 1 or last.items[0].universal or last.items[0].count is not None:
            return False
        self.directives[-1] = replace(last, items=tuple(items))
        self.remember(items)
        return True
