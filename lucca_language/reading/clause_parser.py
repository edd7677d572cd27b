"""Parser of clauses: what to do with which objects, where and in which order."""

from dataclasses import replace

from lucca_language.reading.asides import aside_length, remarks_in
from lucca_language.reading.bare_kinds import with_kinds
from lucca_language.reading.clause_state import GIVEN, PLACED
from lucca_language.reading.declarative_clauses import DeclarativeClauses
from lucca_language.reading.imperative_clauses import ImperativeClauses
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.noun_phrase_parser import NounPhraseParser
from lucca_language.reading.program import FITTING_RELATIONS, Destination, Directive, Presence, Program
from lucca_language.reading.selectors import Not, Selector, both
from lucca_language.words.function_words import PREPOSITIONS
from lucca_language.words.verbs import target_words, verb
from lucca_language.words.word_sets import any_of

_LINKS = any_of(
    ', and but so while whereas also now : still however instead rather moreover furthermore '
    'additionally too or again therefore thus hence just'
)
_LATER = any_of('then next finally last second third fourth fifth')
_TIMES = any_of('when once after whenever')
_DETERMINERS = any_of('the a an my your our all every each')
_VERBS_AND_QUALITIES = any_of('light clean dry empty')
_ONLY = any_of('only just not')
_LIMITS = any_of('but except')
_BEFORE = 100
"""Number of stages by which `…, but first …` precedes everything else."""


class ClauseParser(DeclarativeClauses, ImperativeClauses):
    """Reads sentences one by one and collects directives and definitions."""

    def program(self) -> Program:
        """Everything read so far."""
        unclear = [said for said, found in self.events if not all(map(self._comes_about, found))]
        return Program(
            tuple(with_kinds(self.directives)),
            dict(self.meanings),
            self.no_colours,
            self.needed_items,
            self.goal,
            tuple(self.asides),
            (*self.unclear, *unclear),
            tuple(self.excepted),
        )

    def _comes_about(self, event: Directive) -> bool:
        """Whether the event that sets a time happens: an action brings it about, or another directive asks for it."""
        if event.kind != 'do' or event.target is not None or 'point' in event.senses:
            return True
        meant = {item.selector for item in event.items}
        return bool(event.senses & {'place', 'stack'}) and any(
            meant <= {item.selector for item in other.items}
            for other in self.directives
            if other.kind == 'do' and not other.weak
        )

    def sentence(self, words: list[str]) -> None:
        """Reads one sentence."""
        outer = self.phrases
        self.phrases = NounPhraseParser(words, self.lexicon, self.antecedent)
        given, begun = self.given, self.begun
        self.begun = len(self.directives)
        self.asides += remarks_in(words)
        start = self._aside(words)
        excepted, start = self._leading_exception(start)
        index = start
        guard = 0
        while index < len(words) and guard < 200:
            guard += 1
            begin, before = index, len(self.directives)
            behind = self.clause(index)
            index = behind if behind is not None and behind > index else self._skip(index + 1)
            found = self.directives[before:]
            contrasts = 'but' in words[begin : begin + 2] and not _ONLY.intersection(words[begin : begin + 3])
            if contrasts and not self.leaves_out(before, words[begin:index]):
                self.except_contrasted(before)
            self.tells_which(before, words[begin:index])
            if start < begin and before > 0 and found and self._is_unlinked(begin):
                self.unclear.append(' '.join(words[begin:index]))
            if 'while' in words[begin : begin + 2] and not any(item.target for item in found):
                self.unclear.append(' '.join(words[begin:index]))  # it says when, but not what else to do
        if self._is_afterthought(words):
            self.unclear.append(' '.join(words))
        if self.phrases.excepted_last is not None:
            self.except_elsewhere(*self.phrases.excepted_last)
        if excepted is not None and any(item.count is None for item in self.asked_before()):
            self.except_before(excepted)
        elif excepted is not None:
            self.unclear.append(' '.join(words[:start]))  # `Apart from the cup, put the mug in box 1`: the cup as well?
        self.excepted += [item for items in self.phrases.excepted.values() for item in items]
        self.unclear += self.phrases.ambiguous.values()
        self.given_before = self.given[len(given) :]
        self.phrases, self.given, self.begun = outer, given, begun

    def _is_afterthought(self, words: list[str]) -> bool:
        """Whether a sentence without a verb or a place limits the one before: `All but the pear.`, `Two of them.`"""
        limits = words[:1] == ['just'] or words[-1:] == ['them'] or _LIMITS & {*words}
        if not limits or not 0 < self.begun < len(self.directives):
            return False
        before = self.directives[self.begun - 1]
        found = self.directives[self.begun :]
        phrases = [phrase for item in found for phrase in item.items]
        phrases += [phrase for items in self.phrases.excepted.values() for phrase in items]
        # Many things have the name of a verb: water, drinks, a hammer.
        named = {word for phrase in phrases for word in phrase.text.split()}
        return all(
            (item.kind, item.verb, item.target) == ('do', before.verb, before.target) for item in found
        ) and not any((word not in named and verb(word)) or word in FITTING_RELATIONS for word in words)

    def _leading_exception(self, index: int) -> tuple[Selector | None, int]:
        """`Except for the cup, put everything in box 1`: the objects excluded, and the position after the comma.

        In `except for the cup, the mug and the plate, …`, the last comma counts if a verb follows it. Otherwise it is
        not clear where the exceptions end, and the words are left unread.
        """
        words = self.phrases.words
        if words[index : index + 1] == ['besides']:
            return None, index  # it may as well mean the others in addition
        found: list[tuple[Selector, int]] = []
        items: list[NounPhrase] = []
        for comma in (place for place, word in enumerate(words) if word == ','):
            phrases = NounPhraseParser(words[index:comma], self.lexicon)
            excluded = phrases.exceptions(0, ())
            if excluded is not None and excluded[1] == comma - index:
                found.append((excluded[0], comma + 1))
                items = [item for excepted in phrases.excepted.values() for item in excepted]
        if found and (len(found) == 1 or verb(self.phrases.at(found[-1][1])) is not None):
            self.phrases.excepted[index] = items
            return found[-1]
        return None, index

    def _is_unlinked(self, index: int) -> bool:
        """Whether a clause begins with more objects, without a link to the last one: `give the bear the apple`."""
        return self.phrases.at(index) in _DETERMINERS and self.phrases.at(index - 1) not in _LINKS | _LATER | _TIMES

    def _aside(self, words: list[str]) -> int:
        """Notes an aside at the beginning of a sentence. Returns the position after it."""
        length = aside_length(words)
        if length:
            self.asides.append(' '.join(words[:length]))
        return length

    def clause(self, index: int) -> int | None:
        """Reads one clause. Returns the position after it, or None if it cannot be read."""
        words = self.phrases
        self.phrases.antecedent = self.antecedent
        negated = only = False
        while True:
            word = words.at(index)
            if word in _LINKS:
                if word == 'or' and self.directives and self.directives[-1].kind == 'do':
                    self.unclear.append(word)  # `put it in box 1 or hand it to me`: which one is not said
                index += 1
            elif word in _LATER and not (
                word in ('second', 'third') and words.at(index + 1) not in (',', 'put', 'point')
            ):
                self.stage += 1
                index += 1
            elif word == 'first':
                self.stage -= _BEFORE if words.at(index - 1) == 'but' and self.directives else 0
                index += 1
            elif (
                words.sees(index, 'do', 'not') or words.sees(index, 'should', 'not') or words.sees(index, 'must', 'not')
            ):
                negated, index = True, index + 2
            elif word in ('never', 'do') or (
                word == 'not' and verb(words.at(index + 1)) is not None and words.at(index + 1) not in ('only',)
            ):
                if word == 'not' and words.at(index - 1) in (',', ''):
                    self.unclear.append(f'not {words.at(index + 1)}')  # `…, not put the cup in it`: is it forbidden?
                negated, index = negated or word != 'do', index + 1
            elif words.sees(index, 'not', 'only'):
                index += 2
            elif word == 'only' and verb(words.at(index + 1)) is not None and not self._is_noun(index + 1):
                only, index = True, index + 1
            elif word == 'otherwise' and self.condition is not None:
                base, condition = self.condition
                self.antecedent = NounPhrase(
                    both(base, Not(condition)), base, universal=True, specific=1, text='the others'
                )
                self.phrases.antecedent = self.antecedent
                return self._otherwise(index + 1)
            elif word == 'otherwise' and (given := self._given_last()):
                # `If there is a cup, …, otherwise …`: under the opposite condition.
                self.given = self.opposite = (*given[:-1], replace(given[-1], wanted=not given[-1].wanted))
                index += 2 if words.at(index + 1) == ',' else 1
            elif (
                (word in ('you', 'we') and words.at(index + 1))
                or (word in ('have', 'has') and verb(words.at(index + 1)) is not None)
                or (word == 'by' and words.at(index + 1).endswith('ing'))
                or (word == 'to' and words.at(index - 1) in ('and', 'then') and verb(words.at(index + 1)) is not None)
            ):
                index += 1
            else:
                break
        if not word:
            return index
        if word in any_of('because since as until'):
            return self._skip(index + 1)
        if word in _TIMES or (word in ('before', 'if', 'unless') and not negated):
            return self._subordinate(index)
        if word == 'for' and (parsed := words.items(index + 1))[0] and words.at(parsed[1]) in (',', ''):
            self.antecedent = replace(parsed[0][0], count=None, universal=True)
            return parsed[1] + 1
        if word == 'wecall':
            return self._named_as(index + 1)
        if word == 'that' or (word == 'let' and words.at(index + 1) not in any_of('it me go')):
            return self.clause(index + 1)
        if (
            word == 'i'
            or words.sees(index, 'can', 'i')
            or words.sees(index, 'could', 'i')
            or words.sees(index, 'may', 'i')
        ):
            return self._wish(index)
        found = verb(word)
        if words.is_modifier(index):
            found = None  # `put plates in box 1, serving bowls in box 2`: they are not to be served
        if found is not None and not self._begins_subject(index) and not self._lists_objects(index):
            return self.imperative(index, found, negated=negated, only=only)
        if word in PREPOSITIONS:
            return self._place_first(index, negated)
        return self.declarative(index, negated)

    def _given_last(self) -> tuple[Presence, ...]:
        """The conditions of the last directive, if they are those of this sentence or of the one before.

        Empty if they are opposite conditions already: what a second `otherwise` means is not said.
        """
        given = self.given or self.given_before
        if not self.directives or given == self.opposite or self.directives[-1].given[-1:] != given[-1:]:
            return ()
        return given

    def _lists_objects(self, index: int) -> bool:
        """`…, drinks on the shelf, cleaning supplies in the drawer, clean clothes on the bed`: nouns that look like
        verbs, and qualities that do, in a list."""
        words = self.phrases
        if self.verb is None or words.at(index - 1) not in (',', 'and'):
            return False
        quality = words.at(index) in _VERBS_AND_QUALITIES and words.at(index + 1).endswith('s')
        items, end = words.items(index + quality)
        return (
            bool(items) and (quality or words.at(index).endswith(('s', 'ing'))) and words.at(end) in FITTING_RELATIONS
        )

    def _is_noun(self, index: int) -> bool:
        return self._is_declarative(index)

    def _begins_subject(self, index: int) -> bool:
        """Whether a word that may be a verb begins a subject: `water goes …`, `clean clothes go …`."""
        return self._is_declarative(index) or self._is_quality_of_subject(index)

    def _is_quality_of_subject(self, index: int) -> bool:
        words = self.phrases
        if words.at(index) not in _VERBS_AND_QUALITIES or words.at(index + 1) in _DETERMINERS:
            return False
        items, end = words.items(index + 1)
        return bool(items) and words.is_finite(end)

    def _is_declarative(self, index: int) -> bool:
        """Whether a word that may be a verb is a subject: `water goes …`, `plants belong …`, `tops and balls`."""
        words = self.phrases
        if not self.lexicon.knows(self.lexicon.singular(words.at(index))):
            return False
        following = words.at(index + 1)
        if following in any_of('is are should must may can will shall and , that which $'):
            return True
        after = verb(following)
        return (
            after is not None
            and bool(after.senses & {'belong', 'stay'})
            and not self.lexicon.knows(self.lexicon.singular(following))
        )

    def _wish(self, index: int) -> int | None:
        """`I want the banana`, `can I have the cup`, `I would like the pear in box 1`."""
        words = self.phrases
        start = index
        while words.at(index) in any_of('i can could may would also only really just do not'):
            index += 1
        negated = 'not' in words.words[start:index]
        found = verb(words.at(index))
        # `can I take the cup` asks for it; in `so that I can take the cup` the speaker takes it.
        asked = words.at(start) != 'i' and not any_of('can could may would').isdisjoint(words.words[start:index])
        if found is None or not (found.senses & {'need'} or (asked and found.senses & {'receive'})):
            return None  # `I get the cup`: the speaker does that
        if found.lemma == 'like' and 'would' not in words.words[start:index]:
            return None  # `I like the cup` tells a taste
        index += 1
        while words.at(index) in any_of('to have get see'):
            index += 1
        items, index = words.items(index)
        if not items:
            return None
        targets, table, index = self.places(index)
        if 'only' in words.words[start:index]:
            items = [replace(item, polarity='only') for item in items]
        if targets:
            self.emit('dont' if negated else 'do', PLACED, items, targets[-1])
        elif not table:
            self.emit('dont' if negated else 'do', GIVEN, items, Destination(('me',), 'to'))
        return index

    def _place_first(self, index: int, negated: bool) -> int | None:
        """`into the bowl goes every fruit`, `in box 1, put the cans`, `and at the red ones`."""
        words = self.phrases
        preposition = words.at(index)
        if preposition in any_of('at to toward towards on') and self.verb is not None and 'point' in self.verb.senses:
            items, end = words.items(index + 1)
            if items:
                return self.finish('dont' if negated else 'do', self.verb, items, None, end)
        if preposition == 'with' and self.goal is not None:
            items, end = words.items(index + 1)
            if items:
                return self.finish('do', PLACED, items, self.goal, end)
        if preposition not in FITTING_RELATIONS and preposition != 'of':
            return None
        targets, _, end = self.places(index)
        if not targets:
            return None
        if words.at(end) == ',' and verb(words.at(end + 1)) is None and targets[-1].words[0] not in target_words():
            return end  # `In this game, …`
        end = end + 1 if words.at(end) in (',', ':') else end
        target = targets[-1]
        found = verb(words.at(end))
        while words.at(end) in any_of('only should must you we may can do not'):
            negated = negated or words.at(end) == 'not'
            end += 1
            found = verb(words.at(end))
        only = words.at(end - 1) == 'only'
        if found is not None:
            end += 1
        items, behind = words.items(end)
        if not items and words.at(end) in ('if', 'unless') and self.condition is not None:
            base = NounPhrase(self.condition[0], self.condition[0], universal=True)
            return self.finish('do', self.verb or PLACED, [base], target, end)
        if not items:
            return None
        if only:
            items = [replace(item, polarity='only') for item in items]
        return self.finish(
            'dont' if negated else 'do',
            PLACED if found is None or 'belong' in found.senses else found,
            items,
            target,
            behind,
        )
