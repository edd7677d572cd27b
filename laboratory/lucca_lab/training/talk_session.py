"""One session of talk of a person with the robot, drawn turn by turn, with the product's prompts and gate."""

import datetime
import random
import re
from collections.abc import Sequence
from typing import Any

from coordinator_node.persona import Persona, load_persona
from coordinator_node.prompts import CoordinatorPrompts
from coordinator_node.talk.fit_words import FitWords, Shown
from coordinator_node.talk.short_talk import NO, OTHER_TASK, YES
from lucca_core.protocol.tasks import TaskState
from lucca_lab.training.recording import NAMES as TASKS
from lucca_lab.training.scene_draft import lexicon
from lucca_lab.training.talk_facts import ToldFact, draw_fact, near_fact, other_fact, talk_words, to_you
from lucca_llm.rules.answers.earlier_talk import day_of, unended
from lucca_llm.talk_kinds import TalkKind, open_kinds


class TalkSession:
    """Draws one session of talk, and keeps its decisions."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.words = talk_words()
        self.prompts = CoordinatorPrompts()
        self.is_guest = chance.random() < 0.15
        self.person = '' if self.is_guest else chance.choice(self.words['names'])
        shipped = load_persona()
        self.persona = Persona(name=chance.choice(self.words['robots']), about=shipped.about)
        self.tasks = tuple(chance.sample(TASKS, chance.randint(2, 5)))
        self.facts: list[tuple[ToldFact, str]] = []
        self.before: tuple[str, str] | None = None
        self.decisions: list[dict[str, Any]] = []
        self.dropped = 0
        kinds = list(self.lexicon['train'])
        self.category = chance.choice(kinds)
        nouns = [*self.lexicon['train'][self.category]['nouns'], *self.lexicon['train'][chance.choice(kinds)]['nouns']]
        drawn = chance.sample(sorted(set(nouns)), 4)
        self.things, self.inside = drawn[:3], drawn[3]
        self.place = chance.choice(self.lexicon['places']['train'])

    @property
    def lexicon(self) -> Any:
        return lexicon()

    # -- prompts of the product ----------------------------------------------------------------------------------

    def ask(self, kind: str, question: str, choices: Sequence[str], answer: str) -> None:
        base = self.prompts.talk_base(self.persona, self.person, ())
        messages = [{'role': 'system', 'content': base}, {'role': 'user', 'content': question}]
        self.decisions.append({'kind': kind, 'messages': messages, 'choices': list(choices), 'answer': answer})

    def write(self, text: str, known: Sequence[str], answer: str, *, strict: bool, of_me: bool = False) -> None:
        """Words to learn, unless the gate would not let them through."""
        base = self.prompts.talk_base(self.persona, self.person, known)
        shown = Shown(
            said=text,
            known=(*known, self.persona.about, base.partition('.')[0]) if of_me else tuple(known),
            names=tuple(name for name in (self.person, self.persona.name) if name),
            prompt='' if of_me else base.partition('You know:')[0],
            strict=strict,
        )
        gate = FitWords(shown, lambda _: None, most=3)
        parts = re.split(r'(?<=[.!?]) ', answer)
        for part in parts:
            gate.take(part)
        if gate.dropped or not gate.spoken:
            self.dropped += 1
            return
        past = []
        if self.before is not None and not known:
            past = [{'role': 'user', 'content': self.before[0]}, {'role': 'assistant', 'content': self.before[1]}]
        messages = [{'role': 'system', 'content': base}, *past, {'role': 'user', 'content': text}]
        self.decisions.append({'kind': 'words', 'messages': messages, 'answer': answer})

    def filled(self, text: str, **more: str) -> str:
        """A template with names and things put in; without a person, their name and the comma before it go."""
        if not self.person:
            text = re.sub(r',? \{n\}', '', text)
        colour = self.chance.choice(self.lexicon['colours']['train'])
        thing = self.things[0] if self.chance.random() < 0.7 else f'{colour} {self.things[0]}'
        values = {
            'n': self.person,
            'r': self.persona.name,
            'thing': thing,
            'other': self.things[1],
            'inside': self.inside,
            'place': self.place,
            'kind': self.category,
            'task': self.chance.choice(self.tasks),
            'tasks': ', '.join(self.tasks),
            **more,
        }
        return text.format(**values)

    def said(self, text: str) -> str:
        """A text as people type it: some write in lower case, or without a mark at the end."""
        if self.chance.random() < 0.35:
            text = text.lower() if self.chance.random() < 0.5 else text.rstrip('.?!')
        elif self.chance.random() < 0.5:
            text = text[:1].upper() + text[1:]
        return text

    # -- turns ---------------------------------------------------------------------------------------------------

    def turn(self, kind: TalkKind) -> None:
        """Draws a turn of a kind, if its words have the form that opens that kind."""
        text, then = self.draw(kind)
        states = tuple(TaskState(task=name, description='', status='new') for name in self.tasks)
        if kind is TalkKind.STOP:
            states = tuple(TaskState(task=name, description='', status='running') for name in self.tasks[:1])
        choices = open_kinds(text, person=self.person, tasks=states).kinds
        if kind not in choices:
            return
        before = []
        if self.before is not None:
            who = self.person or 'A person'
            before = [f'{who} said: {self.before[0]}'[:120], f'{self.persona.name} said: {self.before[1]}'[:120]]
        self.ask('what it is', self.prompts.talk_kind(before, self.person, text), choices, kind)
        answer = then(text)
        self.before = (text, answer)

    def draw(self, kind: TalkKind) -> tuple[str, Any]:
        """What is said, and what draws the rest of the turn and returns the robot's answer."""
        words, chance = self.words['talk'], self.chance
        if kind in (TalkKind.GREETING, TalkKind.GOODBYE, TalkKind.THANKS):
            rows = words[{'a greeting': 'greeting', 'a goodbye': 'goodbye', 'thanks': 'thanks'}[kind]]
            return self.said(self.filled(chance.choice(rows['say']))), lambda text: self.greet(text, rows, kind)
        if kind in (TalkKind.SMALL_TALK, TalkKind.STATEMENT):
            return self.draw_chat(kind)
        if kind is TalkKind.ABOUT_ME:
            return self.draw_about_me()
        if kind is TalkKind.TOLD_BEFORE:
            return self.draw_question()
        if kind is TalkKind.WORLD:
            asked, answer = chance.choice(words['world']['pairs'])
            return self.said(asked), lambda text: self.answer(text, (), answer, strict=False)
        if kind is TalkKind.REQUEST:
            return self.draw_request()
        if kind is TalkKind.LAST_TALK:
            return self.said(chance.choice(words['last talk']['say'])), self.retell
        if kind is TalkKind.TABLE:
            return self.said(self.filled(chance.choice(words['table']['say']))), self.tell_table
        if kind is TalkKind.DEEDS:
            return self.said(self.filled(chance.choice(words['deeds']['say']))), self.tell_deeds
        return self.draw_kept(kind)

    def answer(self, text: str, known: Sequence[str], answer: str, *, strict: bool, of_me: bool = False) -> str:
        self.write(text, known, answer, strict=strict, of_me=of_me)
        return answer

    def greet(self, text: str, rows: Any, kind: TalkKind) -> str:
        known: list[str] = []
        said = self.filled(self.chance.choice(rows['answer']))
        if kind is TalkKind.GREETING and self.before is None and self.person and self.chance.random() < 0.6:
            fact = draw_fact(self.chance)
            line = self.line(fact)
            last = f'{self.day_in(line)} you told me that {_lower(to_you(unended(fact.text)))}.'
            said = self.filled(self.chance.choice(rows['again']), last=last)
            known = [line]
        return self.answer(text, known, said, strict=False)

    def draw_chat(self, kind: TalkKind) -> tuple[str, Any]:
        chance = self.chance
        if kind is TalkKind.SMALL_TALK:
            pair = chance.choice(self.words['talk']['small talk']['pairs'])
            answer = self.filled(chance.choice(pair['answer']))
            return self.said(chance.choice(pair['say'])), lambda text: self.answer(text, (), answer, strict=False)
        if chance.random() < 0.3:
            pair = chance.choice(self.words['opinions'])
            answer = self.filled(chance.choice(pair['answer']))
            return self.said(chance.choice(pair['say'])), lambda text: self.answer(text, (), answer, strict=False)
        fact = draw_fact(chance)
        self.facts.append((fact, self.line(fact, today=True)))
        moods = self.words[fact.mood or 'plain']
        echo = f'So {_lower(to_you(unended(fact.text)))}.'
        answer = self.filled(chance.choice(moods))
        answer = chance.choice((answer, answer, f'{echo} {answer}', f'{answer} {echo}'))
        told = (
            self.filled(chance.choice(self.words['tell'])).format(f=fact.text)
            if '{f}' not in (template := chance.choice(self.words['tell']))
            else template.format(f=fact.text if template.startswith('{f}') else _lower(fact.text))
        )
        return self.said(told), lambda text: self.answer(text, (), answer, strict=False)

    def draw_about_me(self) -> tuple[str, Any]:
        rows, chance = self.words['talk']['about me'], self.chance
        which = chance.choice(('who', 'can'))
        answer = self.filled(chance.choice(rows[f'{which} answer']))
        if which == 'can' and chance.random() < 0.5:
            more = self.filled(chance.choice(rows['tasks answer']))
            answer = chance.choice((more, f'{answer} {more}'))
        known = [f'your tasks are {", ".join(self.tasks)}']
        text = self.said(chance.choice(rows[which]))
        return text, lambda text: self.answer(text, known, answer, strict=True, of_me=True)

    def draw_question(self) -> tuple[str, Any]:
        chance = self.chance
        fact = chance.choice(self.facts)[0] if self.facts and chance.random() < 0.4 else draw_fact(chance)
        question = chance.choice(fact.questions)
        template = chance.choice(self.words['ask'])
        text = self.said(template.format(q=question))
        return text, lambda text: self.recall(text, fact)

    def recall(self, text: str, fact: ToldFact) -> str:
        chance, lines = self.chance, list[tuple[str, str]]()
        for _ in range(chance.choice((1, 1, 2))):
            wrong = near_fact(fact, chance) if chance.random() < 0.65 else other_fact(fact, chance)
            lines.append((self.line(wrong), NO))
        if is_known := chance.random() < 0.8:
            lines.append((line := self.line(fact), YES))
        for known, answer in lines:
            self.ask('line', self.prompts.talk_line(known, self.person, text), (YES, NO), answer)
        if not is_known:
            return 'I do not know. Nobody told me, and my fact files do not say.'
        day, told = self.day_in(line), _lower(to_you(unended(fact.text)))
        short = chance.choice(fact.answers)
        answer = chance.choice((short, short, f'{day} you told me that {told}.', f'You told me that {_lower(short)}'))
        return self.answer(text, [line], answer, strict=True)

    def line(self, fact: ToldFact, *, today: bool = False) -> str:
        """A line of memory as the product shows it."""
        now = datetime.date(2026, 1, 1) + datetime.timedelta(days=self.chance.randrange(500))
        then = (
            now if today or self.chance.random() < 0.4 else now - datetime.timedelta(days=self.chance.randrange(1, 90))
        )
        text = fact.text if self.chance.random() < 0.6 else self.chance.choice(self.words['tell']).format(f=fact.text)
        return f'{day_of(then.isoformat(), now.isoformat())} {self.person or "guest"} said: {unended(text)}'

    @staticmethod
    def day_in(line: str) -> str:
        return line.partition(' said: ')[0].rpartition(' ')[0]

    def retell(self, text: str) -> str:
        facts = [draw_fact(self.chance) for _ in range(self.chance.randint(0, 3))]
        if not facts:
            return 'I do not remember an earlier conversation with you.'
        lines = [self.line(fact) for fact in facts]
        parts = [f'that {_lower(to_you(unended(fact.text)))}' for fact in facts[:2]]
        return self.answer(text, lines, f'You told me {" and ".join(parts)}.', strict=True)

    def tell_table(self, text: str) -> str:
        lines = [f'Objects on the table: {", ".join(self.things)}', f'In {self.place}: {self.inside}']
        named = next((thing for thing in self.things if thing in text.lower()), '')
        if named and 'where' in text.lower():
            answer = f'The {named} is on the table.'
        elif self.inside in text.lower():
            answer = f'The {self.inside} is in the {self.place}.'
        elif named and re.search(r'\b(?:see|there)\b', text.lower()):
            answer = f'Yes, the {named} is on the table.'
        elif self.place in text.lower():
            answer = f'In the {self.place} is the {self.inside}.'
        else:
            answer = f'On the table are the {self.things[0]}, the {self.things[1]} and the {self.things[2]}.'
        return self.answer(text, lines, answer, strict=True)

    def tell_deeds(self, text: str) -> str:
        if self.chance.random() < 0.3:
            return 'I have done nothing yet.'
        task, hour = self.tasks[0], f'{self.chance.randrange(7, 22)}:{self.chance.randrange(10, 60)}'
        action = self.chance.choice((f'move to {self.place}', f'put in {self.place}'))
        done = self.things[: self.chance.randint(1, 2)]
        lines = [f'2026-05-1{number} {hour} ({task}): {action}: {thing}' for number, thing in enumerate(done)]
        verb = 'moved' if action.startswith('move') else 'put'
        where = f'to the {self.place}' if verb == 'moved' else f'in the {self.place}'
        answer = f'I {verb} the {" and the ".join(done)} {where}, for the task {task}.'
        return self.answer(text, lines, answer, strict=True)

    def draw_request(self) -> tuple[str, Any]:
        rows, chance = self.words['talk']['request'], self.chance
        descriptions = {
            name: f'Put all {chance.choice(list(self.lexicon["train"]))} into the '
            f'{chance.choice(self.lexicon["places"]["train"])}.'
            for name in self.tasks
        }
        drawn = chance.random()
        answer = OTHER_TASK
        if drawn < 0.45:
            answer = chance.choice(self.tasks)
            text = self.filled(chance.choice(rows['task']), task=answer)
        elif drawn < 0.65:
            answer = chance.choice(self.tasks)
            kind, _, place = descriptions[answer][8:-1].partition(' into the ')
            text = self.filled(chance.choice(rows['described']), kind=kind, place=place)
        else:
            text = self.filled(chance.choice(rows['say']))

        def choose(text: str) -> str:
            tasks = [{'name': name, 'description': told} for name, told in descriptions.items()]
            question = self.prompts.talk_task(tasks, self.person, text)
            self.ask('task', question, (*self.tasks, OTHER_TASK), answer)
            return f'I begin with {answer}.' if answer != OTHER_TASK else f'I will do this: {text}.'

        return self.said(text), choose

    def draw_kept(self, kind: TalkKind) -> tuple[str, Any]:
        rows, chance, fact = self.words['talk'], self.chance, draw_fact(self.chance)
        done = {
            TalkKind.STOP: 'I have stopped.',
            TalkKind.NAME: 'Nice to meet you. I will remember you.',
            TalkKind.REMEMBER: f'I will remember: {fact.text}',
            TalkKind.FORGET: 'I have forgotten it.',
            TalkKind.LESSON: 'I have learned that task.',
        }[kind]
        key = {'a stop': 'stop', 'a name': 'name', 'something to remember': 'remember'}
        row = rows[{**key, 'something to forget': 'forget', 'a new task': 'lesson'}[kind]]
        told = _lower(unended(fact.text))
        text = self.filled(
            chance.choice(row), f=told, m=' '.join(told.split()[:3]), g=chance.choice(self.words['names'])
        )

        def keep(text: str) -> str:
            if kind is TalkKind.FORGET:
                for line, answer in ((self.line(fact), YES), (self.line(other_fact(fact, chance)), NO)):
                    self.ask('line', self.prompts.talk_line(line, self.person, text), (YES, NO), answer)
            return done

        return (text if kind is TalkKind.NAME else self.said(text)), keep


def _lower(text: str) -> str:
    first = text.split(' ')[0]
    return (
        text
        if first in ('I', "I'm") or (first[1:].islower() and first in _kept_names())
        else text[:1].lower() + text[1:]
    )


def _kept_names() -> frozenset[str]:
    words = talk_words()
    values = [str(value) for row in words['attributes'] for value in row['values']]
    return frozenset(text.split(' ')[0] for text in (*values, *words['slots']['person']) if text[:1].isupper())
