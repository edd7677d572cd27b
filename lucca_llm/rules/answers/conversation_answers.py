"""Answers in conversation: greetings, quotations from memory with date or source, and task requests."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lucca_language.words.self_corrections import takes_back
from lucca_language.words.verbs import is_handling, verb
from lucca_llm.model import Message
from lucca_llm.rules.answers.deed_answers import DeedAnswers
from lucca_llm.rules.answers.earlier_talk import day_of, last_time, quoted, said_here, told_last_time, unended
from lucca_llm.rules.answers.forgetting import asks_to_forget, forgetting
from lucca_llm.rules.answers.mistyped_answers import with_slips_corrected
from lucca_llm.rules.answers.owned_things import tells_owner
from lucca_llm.rules.answers.owner_answers import NO_LOOKUP, whose_it_is, with_owned_things
from lucca_llm.rules.answers.phrases import NO_REQUEST, NOTED, UNKNOWN
from lucca_llm.rules.answers.place_answers import answer_by_place, chosen_answer
from lucca_llm.rules.answers.prohibition_answers import ProhibitionAnswers
from lucca_llm.rules.answers.self_description import WHAT_I_AM, asks_what_it_is, asks_who_it_is, my_name, who_i_am
from lucca_llm.rules.answers.suggestions import suggested
from lucca_llm.rules.answers.table_answers import answer_about_table
from lucca_llm.rules.plans.habits import asks_to_do_as_told, described, examples_told, question_about
from lucca_llm.rules.plans.spreading import spread
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn, read_turn
from lucca_llm.rules.prompts.prompt_reader import OfferedCall, PromptTask, call_text, say
from lucca_llm.rules.prompts.table_view import read_table_lines
from lucca_llm.rules.space.told_by_place import BEGINS
from lucca_llm.rules.utterances.change_forms import ChangeKind, change_in
from lucca_llm.rules.utterances.fluency import said_fluently
from lucca_llm.rules.utterances.follow_ups import completed, completed_question, is_fragment, things_asked_for
from lucca_llm.rules.utterances.introductions import introduced
from lucca_llm.rules.utterances.openings import somebody_else
from lucca_llm.rules.utterances.own_names import in_own_names
from lucca_llm.rules.utterances.quotation import best_answer, content_words, is_bare_phrase, is_question
from lucca_llm.rules.utterances.requests import asks_inside, handles_it, may_ask, sentences_in
from lucca_llm.rules.utterances.said_prohibitions import may_forbid
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence
from lucca_llm.rules.utterances.talk_forms import (
    asks_about_last_time,
    asks_what_they_said,
    asks_who_they_are,
    behind_courtesy,
    is_goodbye,
    is_greeting,
    is_thanks,
)
from lucca_llm.rules.utterances.task_requests import NOT_UNDERSTOOD, TaskRequests
from lucca_llm.rules.utterances.teaching import taught
from lucca_llm.rules.utterances.undoing import asks_to_undo, undone

_PLEASE = re.compile(r'^(?:(?:please|ok|okay|well|so|hey|robot|now|and)[,\s]+)+', re.IGNORECASE)
_REMEMBER = re.compile(
    r'^(?:remember|keep in mind|note|do not forget|don\'t forget)(?: that|:)?\s+(?P<what>.+)$', re.IGNORECASE
)
_STATEMENT = re.compile(
    r"^(?:i|i'm|i've|my|we|our|he|she|they|his|her|their|"
    r"yesterday)\b(?!(?:'d| would)? (?:want|like|need|should|could|must|have to) (?:you|to|the|a|an)\b)",
    re.IGNORECASE,
)
_REFERS = re.compile(r'\b(?:it|that|there|them|this|more)\b', re.IGNORECASE)
_NEEDS = re.compile(
    r"\bi(?:'m| am) (?:so |very |a bit |really |getting )?(?P<need>hungry|thirsty|starving)\b", re.IGNORECASE
)
_PLACES_LOOKED_UP = 6
"""Equals the number of lookups that a turn allows."""
_ABOUT_THINGS = {Mood.REQUEST, Mood.RULE, Mood.QUESTION}
_NO_PROHIBITION = (
    'I am not sure what I must leave alone, so I keep no prohibition. Shall I not move something? Then say “do not '
    'touch …”.'
)


def answer_talk(messages: Sequence[Message], offered: Sequence[OfferedCall]) -> str:
    """The offered call that answers what the person said, or what the lookups of this turn found."""
    turn = read_turn(messages)
    if turn is None:
        return say(WHAT_I_AM)
    try:
        turn = in_own_names(said_fluently(turn))
    except LookupError as error:
        return call_text('cannot_do', str(error))
    rules = _TurnRules(turn, offered, who_i_am(messages), my_name(messages))
    return with_slips_corrected(turn, rules.table, rules.to_me(rules.answer_or_suggestion()), rules.instead)


def is_conversation(offered: Sequence[OfferedCall]) -> bool:
    """Whether a prompt offers to start tasks and to recall memories."""
    names = {call.name for call in offered}
    return {'start_task', 'recall'} <= names


class _TurnRules:
    def __init__(self, turn: ConversationTurn, offered: Sequence[OfferedCall], who_i_am: str, my_name: str) -> None:
        self.turn = turn
        self.offered = offered
        self.who_i_am = who_i_am
        self.my_name = my_name
        self.said = _PLEASE.sub('', turn.said).strip() or turn.said
        self.sentences = sentences_in(turn.said)
        self.table = read_table_lines(turn.table)
        self.requests = TaskRequests(offered, turn.tasks, self.table)
        self.deeds = DeedAnswers(turn, offered, self.requests, self.table)
        self.prohibitions = ProhibitionAnswers(turn, offered, self.sentences, self.table)

    def to_me(self, answer: str) -> str:
        """An answer, unless it begins something that somebody else is asked for: `Bob, hand me the mug`."""
        other = somebody_else(self.turn.said, self.my_name) if self.my_name and answer.startswith(BEGINS) else ''
        if other:
            again = f'If you mean me, and not {other}, please say it again without that name.'
            return call_text('cannot_do', f'I am {self.my_name}. {again}')
        return answer

    def answer_or_suggestion(self) -> str:
        """The call for this turn; where nothing of what was said is understood, what may be meant is suggested."""
        answer = self.answer()
        return suggested(self.turn.said, self.table, answer, self.instead) or answer

    def answer(self) -> str:
        """The call for this turn, whoever was called."""
        rest, is_apart = behind_courtesy(self.turn.said)
        if is_thanks(self.turn.said) and not self._asks_for_things(rest):  # `thanks for the pear, give me the apple`
            commas = re.finditer(', ', self.turn.said)
            behind = (self.turn.said[comma.end() :] for comma in commas)
            rest = next((part for part in behind if self._asks_for_things(part)), rest)
        if rest and (self._asks_for_things(rest) or (is_apart and self._completes(rest))):
            return self.instead(rest, may_answer=True)
        if (found := chosen_answer(self.turn, self.table, self.instead)) is not None:
            return found
        if (found := whose_it_is(self.turn, self.table)) is not None or (found := self._owned()) is not None:
            return found
        if (found := self._by_place()) is not None:
            return found
        running = self._running()
        if (found := self.prohibitions.answer(running=running is not None)) is not None:
            return found
        if asks_who_it_is(self.said):
            return say(self.who_i_am)
        if asks_what_it_is(self.said):
            return say(WHAT_I_AM)
        if running is not None and self._changes(running):
            return call_text('change_task', f'{running.name}, {self.turn.said}')
        if (found := forgetting(self.said, self.turn)) is not None:
            return found
        for rule in (self._undo, self._spread, self._follow_up, self._teach):
            if (found := rule()) is not None:
                return found
        if (found := introduced(self.said, self.turn)) is not None or (found := self._remember()) is not None:
            return found
        if tells_owner(self.said, self.table):
            return self._noted()
        if asks_about_last_time(self.said):
            is_lost = self.turn.before[-1:] and self.turn.before[-1].startswith('(')  # behind a request to forget
            if is_lost and self.turn.step('recall') is None and self.turn.reachable:
                return call_text('recall', f'{self.turn.person} I my')
            return say(last_time(self.turn))
        if which := asks_what_they_said(self.said):
            return say(said_here(self.turn, which))
        if is_greeting(self.said) and not self._is_order():
            return self._greet()
        if asks_who_they_are(self.said):
            return say(f'You are {self.turn.person}.' if self.turn.person else 'I do not know your name yet.')
        if is_goodbye(self.said):
            return say(self._to_person('Goodbye'))
        if is_thanks(self.said):
            return say(self._to_person('You are welcome'))
        if asks_to_do_as_told(self.said) and self.table.places and self.turn.person:
            return self._do_as_told()
        return self._by_mood()

    def _by_mood(self) -> str:
        """The answer by mood: requests come before questions, and questions before statements."""
        moods = {sentence.mood for sentence in self.sentences}
        name = ' '.join(re.findall(r'[^\W_]+', self.said.lower()))
        if any(name == ' '.join(re.findall(r'[^\W_]+', task.name.lower())) for task in self.turn.tasks):
            return self.requests.begin_named(name, is_asked=self.said.rstrip('"”’)').endswith('?'))
        if moods & {Mood.REQUEST, Mood.RULE}:
            wish = self.requests.answer(self.sentences)
            if NOT_UNDERSTOOD in wish and (known := self._phrase()) is not None:
                return known
            if wish.startswith('<do(') and takes_back(self.turn.said):
                return call_text('do', self.turn.said)  # with the words taken back, so that they are asked about
            # Next to other sentences, an exclamation without a meaning here does not count as a failed request.
            if not wish.startswith('<cannot_do(') or moods <= {Mood.REQUEST, Mood.RULE, Mood.FORBID}:
                return wish
            if any(map(self._is_deed, self.sentences)):
                return wish  # whatever else was said, it is told that this is not done
        asked = [sentence.asked for sentence in self.sentences if sentence.mood is Mood.QUESTION]
        if asked and not self._forbids_a_deed():
            answer = self._question(asked[-1])
            return call_text('cannot_do', NO_REQUEST) if answer == UNKNOWN and self._may_ask() else answer
        if Mood.FORBID in moods:
            return self.requests.forbidden(self.said)
        if self.table.named(self.turn.said) and may_forbid(self.turn.said):
            return call_text('cannot_do', _NO_PROHIBITION)
        return call_text('cannot_do', NO_REQUEST) if self._may_ask() else self._phrase() or self._noted()

    def _is_deed(self, sentence: SaidSentence) -> bool:
        """Whether a sentence asks to handle something here, or what was spoken of before: `put them in box 1`."""
        first = sentence.asked.lower().partition(' ')[0]
        if sentence.mood is not Mood.REQUEST or not is_handling(first):
            return False
        return self.table.seen and bool(self.table.named(sentence.asked) or self.table.place_in(sentence.asked))

    def _forbids_a_deed(self) -> bool:
        """Whether a sentence forbids to handle things: `do not touch it`, but not `never mind`."""
        words = [
            word
            for item in self.sentences
            if item.mood is Mood.FORBID
            for word in re.findall(r'[a-z]+', item.asked.lower())
        ]
        return self.table.seen and any(word == 'touch' or is_handling(word) for word in words)

    def _is_order(self) -> bool:
        """Whether the first sentence is a request that begins with a known verb: `hello, please put …`."""
        first = self.sentences[0] if self.sentences else None
        return first is not None and first.mood is Mood.REQUEST and verb(first.asked.split()[0].lower()) is not None

    def _may_ask(self) -> bool:
        """Whether the text may ask for something with the objects here, though it was not understood as a request."""
        if not self.table.seen:
            return False
        named = bool(self.table.named(self.turn.said))
        here = named or bool(self.table.place_in(self.turn.said))
        inside = named and asks_inside(self.turn.said)
        return handles_it(self.said) or inside or (here and may_ask(self.turn.said))

    def _running(self) -> PromptTask | None:
        return next((task for task in self.turn.tasks if 'running' in task.status), None)

    def _changes(self, running: PromptTask) -> bool:
        """Whether the text has the form of a change, and is about something here or in the task's description."""
        form = change_in(self.turn.said)
        if form is None:
            return False
        spoken_of = f'{form.what} {form.instead}'
        if form.kind is ChangeKind.CORRECT or self.table.named(spoken_of) or self.table.knows(spoken_of):
            return True
        return bool(content_words(spoken_of) & content_words(running.description))

    def _to_person(self, words: str) -> str:
        return f'{words}, {self.turn.person}.' if self.turn.person else f'{words}.'

    def _owned(self) -> str | None:
        """The answer to what is said of somebody's things here, once it is known which these are."""
        if taught(self.said) is not None or _REMEMBER.match(self.said) or asks_to_forget(self.said):
            return None
        found = with_owned_things(self.turn, self.sentences, self.table)
        if isinstance(found, ConversationTurn):
            return _TurnRules(found, self.offered, self.who_i_am, self.my_name).answer()
        return found

    def instead(self, said: str, *, may_answer: bool = False) -> str:
        """The answer to a text in place of what was said; it `may_answer` what the robot asked last."""
        turn = replace(self.turn, said=said)
        if not may_answer:
            turn = replace(turn, asked='', asked_of='', answers=('',) * len(turn.before))
        rules = _TurnRules(turn, self.offered, self.who_i_am, self.my_name)
        return rules.to_me(rules.answer())

    def _by_place(self) -> str | None:
        """The answer to what is told by where it stands, and to the question which one is meant."""
        is_about = bool({sentence.mood for sentence in self.sentences} & _ABOUT_THINGS)
        # A running task has to hear `stop moving the left cube` all the same.
        is_asked = self._running() is None
        return answer_by_place(self.turn, self.table, self.instead, is_about=is_about, is_asked=is_asked)

    def _asks_for_things(self, text: str) -> bool:
        """Whether a text begins with a request that handles things or names a place here."""
        first = next(iter(sentences_in(text)), None)
        is_order = first is not None and first.mood is Mood.REQUEST and is_handling(first.asked.lower().split()[0])
        return self.table.seen and is_order and bool(self.table.named(text) or self.table.place_in(text))

    def _completes(self, text: str) -> bool:
        """Whether a text is a follow-up to what was said before, or looks like one."""
        before = self.turn.before
        return completed(text, before, self.table) is not None or is_fragment(text, before, self.table)

    def _undo(self) -> str | None:
        """What takes back the request before, told as a request of its own, which an action may fit or not."""
        if not self.table.seen or not asks_to_undo(self.turn.said):
            return None
        what, place = things_asked_for(self.turn.before, self.table)
        wish = undone(what, place, self.table) if what else ''
        if wish:
            return self.requests.new_task(wish)
        there = f'I do not see that I moved {what}.' if what else 'I am not sure what I shall take back.'
        return call_text('cannot_do', f'{there} Which thing shall I put where?')

    def _spread(self) -> str | None:
        asked = self.sentences[0].asked if len(self.sentences) == 1 else ''
        try:
            wish = spread(asked, self.table)
        except LookupError as error:
            return call_text('cannot_do', str(error))
        return None if wish is None else self.requests.new_task(wish)

    def _follow_up(self) -> str | None:
        if (question := completed_question(self.turn.said, self.turn.before, self.table)) is not None:
            return self._question(question)
        follow_up = completed(self.turn.said, self.turn.before, self.table)
        if follow_up is None:
            asks = any(sentence.mood in (Mood.REQUEST, Mood.RULE) for sentence in self.sentences)
            is_open = not asks and is_fragment(self.turn.said, self.turn.before, self.table)
            return call_text('cannot_do', NO_REQUEST) if is_open else None
        if not follow_up.is_asked:
            is_mine = re.search(r'\b(?:me|my|mine)\b', follow_up.text) is not None
            again = f'Say “{follow_up.text}” if I shall do it.' if is_mine else f'Shall I {follow_up.text}?'
            return call_text('cannot_do', f'I am not sure that you asked for it. {again}')
        return self.requests.new_task(follow_up.text)

    # -- what people ask to be kept -----------------------------------------------------------------------------

    def _teach(self) -> str | None:
        lesson = taught(self.said)
        if lesson is None:
            return None
        name, what = lesson
        step = self.turn.step('teach_task')
        if step is not None:
            learned = any(line.startswith('Learned') for line in step.lines)
            name = name.lower()
            return say(
                f'I have learned the task {name}. Say "do {name}" when I shall do it.' if learned else step.lines[0]
            )
        if self.turn.correction:
            return say(f'I could not learn that: {self.turn.correction}.')
        return call_text('teach_task', f'{name}, {what}')

    def _remember(self) -> str | None:
        match = _REMEMBER.match(self.said)
        if match is None:
            return None
        step = self.turn.step('remember')
        if step is None:
            return call_text('remember', match['what'])
        kept = any(line.startswith('Kept') for line in step.lines)
        return say(f'I will remember: {match["what"].rstrip(".")}.' if kept else ' '.join(step.lines))

    def _noted(self) -> str:
        if match := _NEEDS.search(self.said):
            things = ', '.join(item.name for item in self.table.objects)
            seen = f' I see: {things}.' if things else ''
            return say(f'You are {match["need"].lower()}.{seen} Shall I hand you something, and what?')
        return say(f'I see. {NOTED}.' if self.turn.person else 'I see.')

    def _do_as_told(self) -> str:
        looked_up = {item.argument for item in self.turn.steps if item.call == 'recall'}
        if not self.turn.looks_up:
            return say('I cannot look up now where you put things, so I leave them where they are.')
        for place in self.table.places[:_PLACES_LOOKED_UP]:
            if question_about(place) not in looked_up:
                return call_text('recall', question_about(place))
        examples, days = examples_told(self.turn.memories, self.turn.person, self.table.places)
        if len(examples) < 2:
            return say(
                'I do not know enough of where you put things. Tell me, such as: “I always put the apple in '
                f'{self.table.places[0]}”.'
            )
        return self.requests.new_task(described(examples, self.turn.person, days))

    # -- what is remembered -------------------------------------------------------------------------------------

    def _greet(self) -> str:
        hello = f'Hello {self.turn.person}.' if self.turn.person else 'Hello.'
        if self.turn.before:
            return say(hello)
        told = told_last_time(self.turn)
        plain = [item for item in told if _STATEMENT.match(_PLEASE.sub('', item.text)) and not is_question(item.text)]
        if plain:
            day = day_of(plain[-1].date, self.turn.today)
            return say(f'{hello} {day} you told me: “{unended(plain[-1].text)}”. How are you today?')
        if self.turn.person:
            return say(f'{hello} What can I do for you?')
        return say(f'{hello} Tell me your name, name a task, or say what to do with which object.')

    def _question(self, asked: str) -> str:
        seen = answer_about_table(asked, self.table, self.turn.table)
        if seen is not None:
            return say(seen)
        done = self.deeds.answer(asked)
        if done is not None:
            return done
        if _REFERS.search(asked) and len(content_words(asked)) < 2 and self.turn.before:
            asked = f'{self.turn.before[-1]} {asked}'
            if self.turn.step('recall') is None and self.turn.reachable:
                return call_text('recall', asked)
        found = best_answer(asked, self.turn.memories, (self.turn.person,))
        if found is None and self.turn.step('search_facts') is None and self.turn.reachable:
            return call_text('search_facts', asked)
        if found is None:
            return UNKNOWN if self.turn.looks_up else say(NO_LOOKUP)
        return say(quoted(*found, self.turn))

    def _phrase(self) -> str | None:
        """What was recalled about a few words without a verb, such as "router password"; None if nothing was."""
        if not is_bare_phrase(self.said) or verb(self.said.split()[0].lower().strip('.!,')) is not None:
            return None
        found = best_answer(self.said, self.turn.memories, (self.turn.person,))
        return None if found is None else say(quoted(*found, self.turn))
