"""Subordinate clauses: `when`, `before` and `after` order directives, `if` and `unless` select objects."""

from dataclasses import replace

from lucca_language.reading.clause_state import PLACED, ClauseState
from lucca_language.reading.noun_phrase import NounPhrase, stands_for_kind
from lucca_language.reading.noun_phrase_parser import NounPhraseParser
from lucca_language.reading.program import Destination, Presence
from lucca_language.reading.selectors import Anything, Not, Selector, both, either
from lucca_language.words.function_words import FUNCTION_WORDS, PREPOSITIONS
from lucca_language.words.morphology import NUMBER_WORDS
from lucca_language.words.verbs import Verb, verb
from lucca_language.words.word_sets import any_of


class SubordinateClauses(ClauseState):
    """Mixin of ClauseParser for subordinate clauses."""

    def _subordinate(self, index: int) -> int:
        """`when …,`, `after …,`, `before …,` or `if …,` before the main clause."""
        words = self.phrases
        word = words.at(index)
        end = index + 1
        while (
            words.at(end)
            and words.at(end) != ','
            and not (words.at(end) == 'then' and word in any_of('if when once after'))
        ):
            end += 1
        inner = words.words[index + 1 : end]
        if word in ('if', 'unless') and (presence := self._presence(inner, word)) is not None:
            self.given = (*self.given, presence)
            return end
        if word in ('if', 'whenever', 'when') and not self._is_about_time(word, inner) and self._condition(inner):
            return end
        if word in ('if', 'unless'):
            return end
        before = len(self.directives)
        if word == 'before':
            stage, self.stage = self.stage, self.stage + 1
            self.sentence(inner)
            self.events.append((' '.join(inner), self.directives[before:]))
            later = [replace(directive, weak=True) for directive in self.directives[before:]]
            self.directives[before:] = []
            self.stage = stage
            following = self.clause(end)
            self.stage += 1
            self.directives += [replace(directive, stage=self.stage) for directive in later]
            return following if following is not None else end
        weak, self.weak = self.weak, True
        verb_before, target_before = self.verb, self.target
        self.sentence(inner)
        self.events.append((' '.join(inner), self.directives[before:]))
        self.weak = weak
        self.stage += 1
        if verb_before is not None and self.verb is None:
            self.verb, self.target = verb_before, target_before
        return end

    def _is_about_time(self, word: str, inner: list[str]) -> bool:
        """`when the cups are in the box` after a request: it says when, not which."""
        return word == 'when' and bool(self.directives) and inner[:1] == ['the']

    def _presence(self, inner: list[str], word: str) -> Presence | None:
        """`there is a banana`, `you see no cup`: a condition, if nothing else follows."""
        phrases = NounPhraseParser(inner, self.lexicon, self.antecedent)
        if not (phrases.at(0) == 'there' and phrases.at(1) in ('is', 'are')) and not phrases.sees(0, 'you', 'see'):
            return None
        start, wanted = 2, word != 'unless'
        if phrases.at(start) in ('no', 'not'):
            start, wanted = start + 1, not wanted
        items, end = phrases.items(start)
        while phrases.at(end) in any_of('on the table here left there now'):
            end += 1
        if len(items) != 1 or end < len(inner):
            return None
        self.antecedent = replace(items[0], count=None, universal=True)
        return Presence(items[0].selector, wanted)

    def _until(self, items: list[NounPhrase], index: int) -> tuple[list[NounPhrase], int] | None:
        """`until three are on it`, `until there are two in the bowl`: the number wanted there."""
        words = self.phrases
        start = index + 2 if words.at(index) == ',' else index + 1
        if words.at(start - 1) != 'until' or len(items) != 1:
            return None
        there = words.at(start) == 'there' and words.at(start + 1) in ('is', 'are')
        start += 2 if there else 0
        count = int(words.at(start)) if words.at(start).isdigit() else NUMBER_WORDS.get(words.at(start))
        if not count:
            return None
        start += 1
        if words.sees(start, 'of', 'them'):
            start += 2
        elif words.at(start) not in ('is', 'are', 'in', 'on', '', ','):
            named, start = words.items(start)
            if [item.selector for item in named] != [items[0].selector]:
                return None
        if not there and words.at(start) not in ('is', 'are'):
            return None
        start += not there
        if words.at(start) in ('there', 'inside'):
            start += 1
        else:
            targets, _, start = self.places(start)
            if targets and self.target is not None and targets[-1].words != self.target.words:
                return None
        return [replace(items[0], count=count, universal=False)], start

    def _condition(self, inner: list[str]) -> bool:
        """`an object is red`, `there is a banana`, `it is a fruit`: sets the antecedent for the main clause."""
        phrases = NounPhraseParser(inner, self.lexicon, self.antecedent)
        if phrases.at(0) == 'there' and phrases.at(1) in ('is', 'are'):
            items, _ = phrases.items(2)
            if items:
                self.antecedent = replace(items[0], universal=True)
            return bool(items)
        if phrases.sees(0, 'you', 'see') or phrases.sees(0, 'you', 'find'):
            items, _ = phrases.items(2)
            if items:
                self.antecedent = replace(items[0], count=None, universal=True)
            return bool(items)
        parsed = phrases.item(0)
        if parsed is None and phrases.at(0) in any_of('it they one something anything'):
            parsed = NounPhrase(Anything(), Anything()), 1
        if parsed is None or phrases.at(parsed[1]) not in ('is', 'are'):
            return False
        item, end = parsed
        if item.pronoun and self.condition is not None:
            item = replace(item, selector=self.condition[0], universal=False)
        if item.universal and item.selector != Anything():
            return False  # `when all yellow objects are done` is about time
        predicate = phrases.predicates(end + 1)
        if predicate is None or predicate[1] < len(inner):
            return False
        base, condition = item.selector, predicate[0]
        if item.pronoun and self.condition is not None:
            base, condition = self.condition[0], either(self.condition[1], predicate[0])
        self.condition = (base, condition)
        self.antecedent = NounPhrase(
            both(base, predicate[0]), item.head, universal=True, specific=1, text=' '.join(inner)
        )
        return True

    def _otherwise(self, index: int) -> int | None:
        words = self.phrases
        index = index + 1 if words.at(index) == ',' else index
        assert self.antecedent is not None
        targets, _, end = self.places(index)
        if (
            not targets
            and (place := words.place(index)) is not None
            and place[0].split()[-1] not in ('it', 'them')
            and verb(words.at(index)) is None
        ):
            targets, end = [Destination(tuple(place[0].split()))], place[1]
        if targets:
            self.emit('do', self.verb or PLACED, [self.antecedent], targets[-1])
            return end
        others, before = self.antecedent, len(self.directives)
        behind = self.clause(index)
        spoken_of = [item for directive in self.directives[before:] for item in directive.items]
        if any(not (item.pronoun or item.is_rest or item.selector == others.selector) for item in spoken_of):
            self.unclear.append('otherwise')  # `give me the cup if it is red, otherwise the mug`: no other cup is meant
        return behind

    def _in_order(self, items: list[NounPhrase], index: int) -> tuple[list[NounPhrase], int]:
        """`the cubes in the order red, blue, green`: the objects in that order."""
        words = self.phrases
        named: list[NounPhrase] = []
        while self.lexicon.colour(words.at(index)) and (colours := words.item_of_colour(index, items[0])) is not None:
            named.append(colours)
            index += 1
            while words.at(index) in (',', 'and', 'then'):
                index += 1
        if not named:
            named, index = words.items(index)
        return (named or items), index

    def _trailing_condition(self, items: list[NounPhrase], index: int) -> tuple[list[NounPhrase], int] | None:
        """`unless it is black` or `if they are red` after the objects."""
        words = self.phrases
        if (limited := self._until(items, index)) is not None:
            return limited
        start = index + 1 if words.at(index) == ',' else index
        word = words.at(start)
        if word in ('unless', 'if') and words.at(start + 1) in ('there', 'you'):
            antecedent = self.antecedent
            rest = words.words[start + 1 :]
            inner = rest[: rest.index('otherwise')] if 'otherwise' in rest else rest
            presence = self._presence([*inner[:-1], *(part for part in inner[-1:] if part != ',')], word)
            if presence is None:
                return None
            self.given, self.antecedent = (*self.given, presence), antecedent
            return items, start + 1 + len(inner)
        if word == 'but' and words.at(start + 1) == 'only' and words.at(start + 2) == 'if':
            start, word = start + 2, 'if'
        if word == 'only' and words.at(start + 1) == 'if':
            start, word = start + 1, 'if'
        if word == 'only' or words.sees(start, 'but', 'only'):
            only, end = words.items_among(items, start + (1 if word == 'only' else 2), after_place=True)
            if only and (word == 'but' or (stands_for_kind(only[-1]) and words.at(end) not in PREPOSITIONS)):
                self._note_of_several(items, start, end)
                wanted = either(*(item.selector for item in only))
                return [replace(item, selector=both(item.selector, wanted)) for item in items], end
        if word not in ('unless', 'if', 'provided') or words.at(start + 1) not in any_of('it they that these those'):
            return None
        start = start + 2 if words.at(start + 1) != 'that' or words.at(start + 2) in ('is', 'are') else start + 3
        if words.at(start) not in ('is', 'are'):
            return None
        predicate = words.predicates(start + 1)
        if predicate is None:
            return None
        condition: Selector = Not(predicate[0]) if word == 'unless' else predicate[0]
        # Behind a condition of one cube of many, `otherwise` may mean the others, or that there is none.
        self.condition = None if _is_counted(items[0]) else (items[0].selector, condition)
        self._note_of_several(items, index, predicate[1])
        return [_under(condition, item) for item in items], predicate[1]

    def _note_of_several(self, items: list[NounPhrase], start: int, end: int) -> None:
        """Notes a condition at the end that may be one for other kinds before, too: `… unless they are red`."""
        kinds = {item.head for item in items}
        if not self.phrases.at(end) and any(
            item.count is None and item.head not in kinds for item in self.asked_before()
        ):
            self.unclear.append(' '.join(self.phrases.words[start:end]).removeprefix(', '))

    def _is_bare_unknown(self, word: str) -> bool:
        """Whether a word without an article is a single noun that the lexicon does not know."""
        return not (
            self.lexicon.knows(word)
            or self.lexicon.singular(word) != word
            or word in FUNCTION_WORDS
            or self.lexicon.colour(word)
        )

    def _relative_order(
        self, kind: str, found: Verb, items: list[NounPhrase], target: Destination | None, index: int
    ) -> int:
        """`… before the red ones`, `… after all yellow ones have been pointed at`."""
        words = self.phrases
        while words.at(index) in ('but', 'only'):
            index += 1
        later = words.at(index) == 'before'
        stage = self.stage
        end = index + 1
        while words.at(end) and words.at(end) not in (',', 'then', 'but'):
            end += 1
        inner = words.words[index + 1 : end]
        before = len(self.directives)
        if later:
            self.emit(kind, found, items, target)
            before = len(self.directives)
        self.stage = stage + 1 if later else stage - 0.5
        saved = self.verb, self.target
        self.verb, self.target = found, target
        self.antecedent = items[0]
        phrases = NounPhraseParser(inner, self.lexicon, self.antecedent)
        others, behind = phrases.items(0)
        if others and len(inner) == 1 and self._is_bare_unknown(inner[0]):
            if not later:
                self.emit(kind, found, items, target)
            self.stage, (self.verb, self.target) = stage, saved
            self.unclear.append(inner[0])
            return end  # `after lunch` is a time
        if others and behind >= len(inner):
            self.emit(kind, found, others, target)
        else:
            weak, self.weak = self.weak, True
            self.sentence(inner)
            self.weak = weak
            self.events.append((' '.join(inner), self.directives[before:]))
            if len(self.directives) == before:
                self.unclear.append(' '.join(inner))
        self.directives[before:] = [replace(directive, stage=self.stage) for directive in self.directives[before:]]
        if not later:
            self.stage = stage
            self.emit(kind, found, items, target)
        self.verb, self.target = saved if saved[0] is not None else (found, target)
        self.stage = stage + 1 if later else stage
        return end


def _is_counted(item: NounPhrase) -> bool:
    """Whether a noun phrase asks for a number of objects, no matter which, as `a cube` does."""
    return item.count is not None and not item.definite


def _under(condition: Selector, item: NounPhrase) -> NounPhrase:
    """The objects that fulfil a condition; as many as asked for, as `a cube unless it is red` is one cube."""
    narrowed = replace(item, selector=both(item.selector, condition))
    return narrowed if _is_counted(item) else replace(narrowed, universal=True, count=None)
