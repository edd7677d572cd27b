"""Conversation with a small model: it chooses one thing at a time by likelihood, and writes a sentence or two.

The model decides what something said is, which task is meant, and which remembered line answers a question. Rules
only decide what is open to it (`talk_kinds`), read what is prohibited, and throw away sentences that are not fit
(`fit_words`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Flag, Tally
from coordinator_node.model_caller import ModelCaller
from coordinator_node.people.interface import ROBOT
from coordinator_node.persona import Persona
from coordinator_node.prompts import CoordinatorPrompts
from coordinator_node.talk.fit_words import Shown, content_of
from coordinator_node.talk.interpretation import Interpretation
from coordinator_node.talk.said_tasks import is_asked_for, names_one_of, running_of
from coordinator_node.talk.told_lines import (
    LINE_CHARS,
    can_retell,
    depends_on_day,
    in_sentences,
    quoted,
    shown_line,
    tells,
)
from coordinator_node.talk.tools import Call, Wish
from coordinator_node.talk.turn import Turn
from coordinator_node.talk.written_words import WrittenWords
from coordinator_node.tasks.task_definitions import for_conversation
from coordinator_node.waits import Interrupted
from lucca_core.protocol.remembered import Recollection
from lucca_core.protocol.tasks import TaskState
from lucca_llm.model import ChatReply, Message
from lucca_llm.prompt_text import harmless
from lucca_llm.rules.answers.earlier_talk import unended
from lucca_llm.rules.answers.open_talk import GENERAL_KNOWLEDGE
from lucca_llm.rules.answers.spoken_prohibitions import read_prohibitions
from lucca_llm.talk_kinds import Open, TalkKind, asks_to_stop, forbids, open_kinds

YES, NO, OTHER_TASK, NOTHING = 'yes', 'no', 'another', 'nothing'
_MOST_TASKS = 8
_TASK_CHARS = 60
_TEXT_CHARS = 300
_MOST_WEIGHED = 6
_WORDS_TOKENS = 56
_OPENING_LINES = 3
_MOST_COMPARED = 3
_LEAST_GAIN = 2.0
"""How much likelier what was said must make a remembered line, in nats. It was chosen on drawn facts."""
_LEAST_GAIN_OF_TASK = 3.0
"""How much more a task must gain than no task, in nats. It was chosen on twelve requests for the shipped tasks."""
_SURE = 10.0
_ABOUT_NOTHING = 'hello'
"""What is said for comparison; it makes no line likelier."""
UNKNOWN = 'I do not know. Nobody told me, and my fact files do not say.'
_NOTHING_SAID = 'I am not sure what to say to that.'


@dataclass(frozen=True, slots=True)
class _Asked:
    """A turn with what is passed on while it is answered.

    Attributes:
        text: what was said, harmless, and cut for prompts.
        whole: the same, uncut. What is done, kept and learned comes from it.
    """

    turn: Turn
    tally: Tally
    interrupted: Flag
    text: str
    whole: str

    @property
    def person(self) -> str:
        return harmless(self.turn.partner.name, 80)


class ShortTalk:
    """Decides turns with short prompts. Safe to use from several threads."""

    def __init__(
        self,
        asker: ModelCaller,
        config: CoordinatorConfig,
        persona: Persona,
        prompts: CoordinatorPrompts,
        today: Callable[[], str],
    ) -> None:
        """
        Args:
            asker: asks the model.
            config: the settings.
            persona: who the robot is.
            prompts: the prompts.
            today: the date, as `2026-11-20`.
        """
        self._asker = asker
        self._config = config
        self._persona = persona
        self._prompts = prompts
        self._today = today

    def decide(self, turn: Turn, tally: Tally, interrupted: Flag) -> Interpretation:
        """What the speaker wants, or the answer, which is spoken while it is written.

        Raises:
            Interrupted: the flag was raised.
            ModelError: the model gave no answer.
        """
        asked = _Asked(turn, tally, interrupted, harmless(turn.heard.text, _TEXT_CHARS), harmless(turn.heard.text))
        turn.toolbox.before(turn.heard.text)
        if (told := self._prohibited(asked)) is not None:
            return told
        tasks = for_conversation(turn.tasks, turn.heard.text)
        if (running := running_of(tasks)) and asks_to_stop(asked.whole):
            return Interpretation(Wish.STOP, running)
        if running and forbids(asked.whole):
            return Interpretation(Wish.CHANGE, running, words=asked.whole)
        open_now = open_kinds(asked.whole, person=asked.person, tasks=tasks)
        kinds = open_now.kinds
        only = len(kinds) == 1
        kind = kinds[0] if only else self._chosen(asked, self._kind_question(asked), kinds, TalkKind.SMALL_TALK)
        return self._answer(asked, TalkKind(kind), open_now, tasks)

    def _answer(self, asked: _Asked, kind: TalkKind, open_now: Open, tasks: Sequence[TaskState]) -> Interpretation:
        if kind is TalkKind.REQUEST:
            return self._requested(asked, tasks)
        if kind is TalkKind.STOP:
            return Interpretation(Wish.STOP, running_of(tasks))
        if kind is TalkKind.NAME:
            refused = self._run(asked, Call('introduce', (open_now.name,)))
            name = asked.turn.toolbox.introduced
            return _said(f'Nice to meet you, {name}. I will remember you.' if name else ' '.join(refused))
        if kind is TalkKind.REMEMBER:
            kept = self._run(asked, Call('remember', (open_now.to_remember,)))
            return _said(f'I will remember: {open_now.to_remember}.' if kept[0].startswith('Kept') else ' '.join(kept))
        if kind is TalkKind.LESSON and open_now.lesson is not None:
            return self._learned(asked, *open_now.lesson)
        if kind is TalkKind.FORGET:
            return self._forgotten(asked)
        if kind is TalkKind.TOLD_BEFORE:
            return self._from_memory(asked)
        if kind is TalkKind.LAST_TALK:
            return self._last_talk(asked)
        if kind is TalkKind.TABLE:
            return _told(self._run(asked, Call('look', ())), _NOTHING_SAID)
        if kind is TalkKind.DEEDS:
            done = self._run(asked, Call('last_actions', ()))[:3]
            return _told([] if done == ['nothing'] else done, 'I have done nothing yet.')
        if kind is TalkKind.ABOUT_ME:
            return self._about_me(asked, tasks)
        return self._chatted(asked, kind)

    # -- what moves, keeps or forgets something ------------------------------------------------------------------

    def _requested(self, asked: _Asked, tasks: Sequence[TaskState]) -> Interpretation:
        """The task that is asked for; a new one in the person's own words if none of those known is.

        A known task is open to the model only if a word of its name or description was said.
        """
        shown = [task for task in tasks if content_of(asked.whole) & content_of(f'{task.task} {task.description}')]
        shown = [] if names_one_of(asked.whole, asked.turn.toolbox.seen()) else shown[:_MOST_TASKS]
        chosen = self._task(asked, shown) if shown else OTHER_TASK
        if chosen == OTHER_TASK:
            return Interpretation(Wish.DO, asked.whole)
        running = any(item.task == chosen and item.status == 'running' for item in shown)
        if running:
            return Interpretation(Wish.CHANGE, chosen, words=asked.whole)
        meant = next(item for item in shown if item.task == chosen)
        return (
            Interpretation(Wish.START, chosen)
            if is_asked_for(meant, asked.whole)
            else Interpretation(Wish.DO, asked.whole)
        )

    def _task(self, asked: _Asked, shown: Sequence[TaskState]) -> str:
        """The name of the task that what was said makes likelier than all others, or OTHER_TASK."""
        rows = [{'name': item.task, 'description': harmless(item.description, _TASK_CHARS)} for item in shown]
        choices = (*(item.task for item in shown), OTHER_TASK)
        gains = self._gains(asked, lambda text: self._prompts.talk_task(rows, asked.person, text), choices)
        best = max(choices[:-1], key=lambda name: gains[name])
        return best if gains[best] - gains[OTHER_TASK] >= _LEAST_GAIN_OF_TASK else OTHER_TASK

    def _learned(self, asked: _Asked, name: str, description: str) -> Interpretation:
        learned = self._run(asked, Call('teach_task', (name, description)))
        if not learned[0].startswith('Learned'):
            return _said(learned[0])
        return _said(f'I have learned the task {name.lower()}. Say "do {name.lower()}" when I shall do it.')

    def _forgotten(self, asked: _Asked) -> Interpretation:
        toolbox = asked.turn.toolbox
        said = [item for item in toolbox.noted.ranked if item.kind in ('said', 'statement') and item.speaker != ROBOT]
        meant = self._meant(asked, said)
        if meant is None:
            return _said('You told me nothing of the kind.')
        done = self._run(asked, Call('forget', (f'm{toolbox.noted.memories.index(meant) + 1}',)))
        return _said('I have forgotten it.' if toolbox.forgot else ' '.join(done))

    def _prohibited(self, asked: _Asked) -> Interpretation | None:
        """What the text prohibits or permits is read by rules, whoever talks; None if it says nothing of that."""
        found = read_prohibitions(asked.turn.heard.text, self._run(asked, Call('look', ())))
        if found is None:
            return None
        if found.told:
            return _said(found.told)
        lines: list[str] = []
        for call in found.calls:
            if call.name == 'prohibitions':
                lines += self._run(asked, Call('prohibitions', ()))
            elif not self._run(asked, Call(call.name, (call.what, call.place)))[0].startswith('Done') and found.beside:
                return _said('')  # what could not be prohibited must not be moved by what is asked for beside it
        return None if found.beside else _said(' '.join(lines))

    @staticmethod
    def _run(asked: _Asked, call: Call) -> list[str]:
        try:
            return asked.turn.toolbox.run(call)
        except ValueError as error:
            return [f'That did not work: {error}.']

    # -- what is told --------------------------------------------------------------------------------------------

    def _from_memory(self, asked: _Asked) -> Interpretation:
        """The answer from the remembered line that the model finds to be about the question."""
        known = [
            item
            for item in (*asked.turn.toolbox.noted.ranked, *self._opening(asked))
            if item.speaker != ROBOT and item.kind != 'task' and tells(item)
        ]
        found = self._meant(asked, known)
        if found is None:
            asked.turn.toolbox.run(Call('search_facts', (asked.text,)))
            found = self._meant(asked, [item for item in asked.turn.toolbox.noted.ranked if item.kind == 'fact'])
        if found is None:
            return _said(UNKNOWN)
        # `Yesterday` was another day if it was said on another day, so then it is quoted with that day.
        is_old = found.time is not None and f'{found.time:%Y-%m-%d}' != self._today()
        is_quoted = not can_retell(found, asked.person) or (is_old and depends_on_day(found.text))
        words = '' if is_quoted else self._retold(asked, [found])
        return _said(words or quoted(found, self._today(), asked.person))

    def _retold(self, asked: _Asked, items: Sequence[Recollection]) -> str:
        told = tuple(unended(harmless(item.text, LINE_CHARS)) for item in items)
        return self._written(asked, [self._line(item) for item in items], told=told)

    def _meant(self, asked: _Asked, items: Sequence[Recollection]) -> Recollection | None:
        """The remembered line that the model finds to answer what was said; None if there is none.

        What was said has to make the line likelier. Of those, the one counts that is the surest answer.
        """
        lines = {unended(harmless(item.text, LINE_CHARS)): item for item in reversed(items[:_MOST_WEIGHED])}
        if not lines:
            return None
        likelier = self._likelier(asked, tuple(lines))
        odds = {text: self._odds(asked, lines[text]) for text in likelier[:_MOST_COMPARED]}
        return lines[max(odds, key=lambda text: odds[text])] if odds else None

    def _odds(self, asked: _Asked, item: Recollection) -> float:
        """The log odds that a line answers what was said; a model that tells no likelihoods says yes or no."""
        question = self._prompts.talk_line(self._line(item), asked.person, asked.text)
        reply = self._weighed(asked, question, (YES, NO))
        if len(reply.likelihoods) == 2:
            return reply.likelihoods[0] - reply.likelihoods[1]
        return 1.0 if reply.text.strip() == YES else -1.0

    def _likelier(self, asked: _Asked, lines: Sequence[str]) -> list[str]:
        """The lines that what was said makes likelier than they are anyway, the most so first."""
        gains = self._gains(asked, lambda text: self._prompts.talk_recall(asked.person, text), (*lines, NOTHING))
        return sorted((line for line in lines if gains[line] >= _LEAST_GAIN), key=lambda line: -gains[line])

    def _gains(self, asked: _Asked, question: Callable[[str], str], choices: Sequence[str]) -> dict[str, float]:
        """How much likelier, in nats, what was said makes each answer than a greeting does.

        If a model tells no likelihoods, the answer that it chooses is the only one that gains.
        """
        now, before = (self._weighed(asked, question(text), choices) for text in (asked.text, _ABOUT_NOTHING))
        if not len(now.likelihoods) == len(before.likelihoods) == len(choices):
            return {choice: _SURE if choice == now.text.strip() else -_SURE for choice in choices}
        return {choice: now.likelihoods[at] - before.likelihoods[at] for at, choice in enumerate(choices)}

    def _last_talk(self, asked: _Asked) -> Interpretation:
        """What was said last, in the model's words; the lines themselves if these say anything else."""
        items = self._opening(asked)
        may_retell = bool(items) and all(can_retell(item, asked.person) for item in items)
        words = self._retold(asked, items) if may_retell else ''
        lines = [self._line(item) for item in items]
        return _said(words) if words else _told(lines, 'I do not remember an earlier conversation with you.')

    def _about_me(self, asked: _Asked, tasks: Sequence[TaskState]) -> Interpretation:
        names = ', '.join(task.task for task in tasks if not task.described)
        known = [f'your tasks are {names}'] if names else []
        who = f'I am {self._persona.name}, a robot with two arms at its table.'
        return _said(self._written(asked, known, strict=True, of_me=True) or who)

    def _chatted(self, asked: _Asked, kind: TalkKind) -> Interpretation:
        opening = self._opening(asked)[-1:] if kind is TalkKind.GREETING and not asked.turn.past else ()
        lines = [self._line(item) for item in opening if can_retell(item, asked.person)]
        if kind is TalkKind.WORLD:
            words = self._written(asked, (), of_the_world=True)
            return _said(f'{GENERAL_KNOWLEDGE}: {words}' if words else UNKNOWN)
        instead = {
            TalkKind.GREETING: self._to_person(asked, 'Hello'),
            TalkKind.GOODBYE: self._to_person(asked, 'Goodbye'),
            TalkKind.THANKS: self._to_person(asked, 'You are welcome'),
            TalkKind.STATEMENT: 'I see. I will keep that in mind.' if asked.person else 'I see.',
        }
        words = self._written(asked, lines, greets=kind is TalkKind.GREETING)
        return _said(words or instead.get(kind, _NOTHING_SAID))

    @staticmethod
    def _to_person(asked: _Asked, words: str) -> str:
        return f'{words}, {asked.person}.' if asked.person else f'{words}.'

    def _opening(self, asked: _Asked) -> list[Recollection]:
        told = [item for item in asked.turn.partner.opening if item.speaker != ROBOT and tells(item)]
        return told[-_OPENING_LINES:]

    def _line(self, item: Recollection) -> str:
        return shown_line(item, self._today())

    # -- the model -----------------------------------------------------------------------------------------------

    def _kind_question(self, asked: _Asked) -> str:
        past = asked.turn.past[-1] if asked.turn.past else None
        before = [harmless(past.said, 120), f'{self._persona.name} said: {harmless(past.answer, 120)}'] if past else []
        return self._prompts.talk_kind(before, asked.person, asked.text)

    def _chosen(self, asked: _Asked, question: str, choices: Sequence[str], otherwise: str) -> str:
        """The likeliest of some answers; `otherwise` if the model gives none of them."""
        text = self._weighed(asked, question, choices).text.strip()
        return next((choice for choice in choices if text.casefold() == choice.casefold()), otherwise)

    def _weighed(self, asked: _Asked, question: str, choices: Sequence[str]) -> ChatReply:
        """The likeliest of some answers, with the likelihood of each if the model tells it."""
        base = self._prompts.talk_base(self._persona, asked.person, ())
        return self._asker.ask(
            [Message('system', base), Message('user', question)],
            asked.tally,
            asked.interrupted,
            choices=tuple(choices),
            temperature=0.0,
        )

    def _written(
        self,
        asked: _Asked,
        known: Sequence[str],
        *,
        strict: bool = False,
        told: tuple[str, ...] | None = None,
        of_me: bool = False,
        of_the_world: bool = False,
        greets: bool = False,
    ) -> str:
        """What the model writes, sentence by sentence, as far as it is fit to be spoken; empty if nothing is."""
        turn = asked.turn
        base = self._prompts.talk_base(self._persona, asked.person, [harmless(line) for line in known])
        past = turn.past[-1] if turn.past and not known else None
        before = [Message('user', _bare(past.said)), Message('assistant', past.answer)] if past else []
        shown = Shown(
            said=asked.text,
            known=(*known, self._persona.about, base.partition('.')[0]) if of_me else tuple(known),
            names=tuple(name for name in (asked.person, self._persona.name) if name),
            prompt='' if of_me else base.partition('You know:')[0],
            strict=strict,
            told=told,
            of_the_world=of_the_world,
            greets=greets,
        )
        # What is general knowledge is spoken with a mark before it, once it is known whether there is any.
        speak = (lambda _: None) if of_the_world else turn.voice.say
        written = WrittenWords(shown, speak, () if past is None else (past.answer,))
        try:
            reply = self._asker.ask(
                [Message('system', base), *before, Message('user', asked.text)],
                asked.tally,
                lambda: asked.interrupted() or written.fit.is_full,
                streamed=written.begin,
                max_tokens=_WORDS_TOKENS,
            )
            written.end(reply.text, finished=reply.finish_reason == 'stop')
        except Interrupted:
            if asked.interrupted() or not written.fit.is_full:
                raise
        return ' '.join(written.fit.spoken)


def _said(words: str) -> Interpretation:
    return Interpretation(Wish.SAY, words)


def _told(lines: Sequence[str], nothing: str) -> Interpretation:
    return _said(in_sentences(lines) or nothing)


def _bare(said: str) -> str:
    """What was said, without who said it."""
    return said.partition(' said: ')[2] or said
