"""One turn of a conversation: the model sees who speaks, what goes on and what is remembered, looks things up, answers."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from coordinator_node.asking import Asker
from coordinator_node.config import CoordinatorConfig
from coordinator_node.people.ports import ROBOT, Memory, Partner, PeoplePort, SaidTurn
from coordinator_node.persona import Persona
from coordinator_node.ports import Flag, MemoryPort, Tally, TaskStatus, never
from coordinator_node.prompts import Prompts, TurnView, harmless
from coordinator_node.sentences import SpokenPart, Voice
from coordinator_node.sessions import PastTurn, Session, Sessions
from coordinator_node.toolbox import Toolbox
from coordinator_node.tools import IN_TEXT, NATIVE, Call, Wish, read_calls
from coordinator_node.waits import Interrupted, Waits
from lucca_core.errors import MemoryFault, ModelTimeout, StackError, ToolsRefused
from lucca_core.values import Snapshot
from lucca_llm.model import ChatReply, Message, Role, has_native_tools

_log = logging.getLogger(__name__)
_WORD = re.compile(r'\w{4,}')
_SHOWN_BACK = 600
_SLICE_S = 0.05
_ASKED_TO_FORGET = '(asked for something to be forgotten)'
_FORGOTTEN = 'I have forgotten it.'


def _nothing() -> None:
    """Nothing is left to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Something said to the robot. `source` is where it came from, `person` whom that source names, if anybody."""

    text: str
    person: str = ''
    source: str = ''


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a text means. `argument`: the task for START, RESUME and STOP; the description for DO; the answer for
    SAY; the reason for CANNOT. `spoken`: all of the answer was spoken already. `rests_on`: the memories it takes up.
    `afterwards`: to be called once the wish has been acted on; a stop does not wait for memory."""

    wish: Wish
    argument: str
    spoken: bool = False
    rests_on: tuple[Memory, ...] = ()
    afterwards: Callable[[], object] = field(default=_nothing, compare=False)


@dataclass(slots=True)
class _Turn:
    heard: Heard
    session: Session
    partner: Partner
    tasks: tuple[TaskStatus, ...]
    toolbox: Toolbox
    voice: Voice
    messages: list[Message]
    native: bool
    end_s: float


class Agent:
    """Holds conversations with the coordinator's model. Safe to use from several threads."""

    def __init__(
        self,
        asker: Asker,
        memory: MemoryPort,
        config: CoordinatorConfig,
        *,
        people: PeoplePort | None = None,
        persona: Persona | None = None,
        prompts: Prompts | None = None,
        waits: Waits | None = None,
        table: Callable[[], Snapshot | None] = lambda: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        no_hands: str = '',
    ) -> None:
        """
        Args:
            asker: asks the model.
            memory: the tasks.
            config: bounds.
            people: the memory of people; without, nobody is remembered.
            persona: who the robot is.
            prompts: the templates.
            waits: clock and sleep.
            table: what is seen now; None while nothing is.
            now: the time of day.
            no_hands: why no task can be run or stopped here; empty where it can.
        """
        self._asker = asker
        self._memory = memory
        self._config = config
        self._people = people
        self._persona = persona or Persona()
        self._prompts = prompts or Prompts()
        self._waits = waits or Waits()
        self._table = table
        self._now = now
        self._no_hands = no_hands
        self._sessions = Sessions(
            idle_s=config.conversation_idle_s, turns_kept=config.conversation_turns, clock=self._waits.clock
        )

    def turn(
        self,
        heard: Heard,
        tally: Tally,
        interrupted: Flag,
        on_sentence: Callable[[str], None] | None = None,
    ) -> Meaning:
        """What somebody wants who said something; where it is an answer, it is spoken sentence by sentence.

        Args:
            heard: what was said, by whom.
            tally: what the model cost is added here.
            interrupted: ends the turn; nothing is spoken afterwards.
            on_sentence: speaks a sentence; None: nothing is spoken, the answer is in the meaning.

        Raises:
            Interrupted: the flag was raised.
            ModelError: the model gave no answer.
            StackError, MemoryFault: the tasks could not be read.
        """
        session, ended = self._sessions.of(heard.source, heard.person)
        self._end(ended)
        with _held(session, interrupted):
            began = self._now()
            turn = self._begin(heard, session, interrupted, on_sentence)
            meaning, answer = self._decide(turn, tally, interrupted)
            if self._no_hands and meaning.wish not in (Wish.SAY, Wish.CANNOT):
                meaning = Meaning(Wish.CANNOT, self._no_hands)
            if interrupted():
                raise Interrupted
            shown = [*turn.toolbox.noted.memories, *turn.partner.opening]
            rests_on = _taken_up(shown, heard.text, meaning.argument) if meaning.wish is Wish.SAY else ()
            if meaning.wish is Wish.STOP:
                return replace(meaning, afterwards=lambda: self._keep_later(turn, meaning, answer, began))
            told = ' '.join((meaning.argument, self._keep(turn, meaning, answer, began, rests_on))).strip()
            if meaning.wish is not Wish.SAY:
                return Meaning(meaning.wish, meaning.argument, rests_on=rests_on)
            if on_sentence is not None:
                turn.voice.say_rest(told)
            return Meaning(Wish.SAY, told, bool(turn.voice.spoken), rests_on)

    def rate(self, heard: Heard, verdict: str) -> str:
        """Keeps what a person thinks of the last answer to them, and returns that answer.

        Raises:
            StackError, MemoryFault: it was not kept.
        """
        if self._people is None:
            raise MemoryFault('there is no memory of people')
        session, ended = self._sessions.of(heard.source, heard.person)
        self._end(ended)
        with _held(session, never):
            self._partner(session)
            return self._people.rate(session.conversation, verdict)

    def leave(self, heard: Heard) -> None:
        """Ends the conversation with whoever speaks; what a guest said is gone."""
        self._end(self._sessions.end(heard.source, heard.person))

    def close(self) -> None:
        """Ends all conversations; what guests said is gone."""
        self._end(self._sessions.end_all())

    def _begin(
        self, heard: Heard, session: Session, interrupted: Flag, on_sentence: Callable[[str], None] | None
    ) -> _Turn:
        tasks = self._waits.patiently(self._memory.tasks, limit_s=self._config.stack_wait_s, interrupted=interrupted)
        partner = self._partner(session)
        people = self._people if partner.remembered else None
        toolbox = Toolbox(
            conversation=session.conversation,
            people=people,
            memory=self._memory,
            tasks=tasks,
            table=self._table,
            prompts=self._prompts,
            limit=self._config.recall_limit,
        )
        return _Turn(
            heard=heard,
            session=session,
            partner=partner,
            tasks=tasks,
            toolbox=toolbox,
            voice=Voice(on_sentence or (lambda _: None), interrupted),
            messages=[],
            native=self._config.native_tools and has_native_tools(self._asker.model),
            end_s=self._waits.clock() + self._config.turn_deadline_s,
        )

    def _decide(self, turn: _Turn, tally: Tally, interrupted: Flag) -> tuple[Meaning, str]:
        """The meaning, and the answer as it stays in the dialogue."""
        recalled = turn.toolbox.before(turn.heard.text)
        turn.messages = self._opening_messages(turn, recalled)
        repairs = lookups = 0
        while repairs <= self._config.max_repairs:
            if self._is_late(turn):
                raise self._too_late()
            try:
                reply = self._ask(turn, tally, interrupted)
            except ToolsRefused:
                _log.info('%s takes no tools; they are offered in text from now on', self._asker.model.spec)
                turn.native = False
                turn.messages = self._opening_messages(turn, recalled)
                continue
            try:
                calls = read_calls(reply, self._config.answer_chars, native=turn.native)
                if (meaning := _wish(calls, turn.tasks)) is not None:
                    return meaning, reply.text.strip() if not reply.tool_calls else _told(meaning)
                if lookups + len(calls) > self._config.max_lookups:
                    raise ValueError('no more lookups in this turn; answer with what was found')
                lookups += len(calls)
                self._show_results(turn, reply, calls, interrupted)
            except ValueError as error:
                repairs += 1
                tally.refusals += 1
                self._show_error(turn, reply, str(error))
        reason = f'I did not understand: {harmless(turn.heard.text, 100)}'
        return Meaning(Wish.CANNOT, reason), f'<cannot_do({reason})>'

    def _ask(self, turn: _Turn, tally: Tally, interrupted: Flag) -> ChatReply:
        parts: list[SpokenPart] = []

        def streamed() -> Callable[[str], None]:
            parts.append(SpokenPart(turn.voice.say, free=turn.native))
            return parts[-1].feed

        tools = NATIVE if turn.native else ()
        try:
            reply = self._asker.ask(
                turn.messages,
                tally,
                lambda: interrupted() or self._is_late(turn),
                tools=tools,
                streamed=streamed,
            )
        except Interrupted:
            if interrupted():
                raise
            raise self._too_late() from None
        parts[-1].close()
        return reply

    def _is_late(self, turn: _Turn) -> bool:
        return self._waits.clock() >= turn.end_s

    def _too_late(self) -> ModelTimeout:
        return ModelTimeout(f'{self._asker.model.spec} gave no answer within {self._config.turn_deadline_s:g} s')

    def _opening_messages(self, turn: _Turn, recalled: list[str]) -> list[Message]:
        """What never changes first, so that prompt caches hit; then the last turns, then what changes most."""
        turns = [
            message
            for past in turn.session.turns
            for message in (Message('user', past.said), Message('assistant', past.answer))
        ]
        view = TurnView(
            text=turn.heard.text,
            now=f'{self._now():%A, %Y-%m-%d %H:%M} UTC',
            person=turn.partner.name,
            remembered=turn.partner.remembered,
            tasks=turn.tasks,
            table=self._table(),
            opening=[f'{item.shown_source}: {item.text}' for item in turn.partner.opening],
            memories=recalled,
        )
        base = self._prompts.conversation_base(self._persona, IN_TEXT, native=turn.native)
        text = self._prompts.conversation_turn(view, self._config.text_chars, native=turn.native)
        role: Role = 'user' if self._config.base_role == 'user' else 'system'
        return [Message(role, base), *turns, Message('user', text)]

    def _show_results(self, turn: _Turn, reply: ChatReply, calls: tuple[Call, ...], interrupted: Flag) -> None:
        # All are run before any is shown, so that a wrong one does not leave half of an exchange behind.
        found = []
        for call in calls:
            if interrupted():
                raise Interrupted
            if self._is_late(turn):
                raise self._too_late()
            found.append((call, turn.toolbox.run(call)))
        turn.messages.append(Message('assistant', reply.text[:_SHOWN_BACK], tool_calls=reply.tool_calls))
        for call, lines in found:
            native = bool(reply.tool_calls)
            shown = self._prompts.conversation_result(
                lines, self._config.text_chars, call='' if native else str(call), native=turn.native
            )
            turn.messages.append(
                Message('tool', shown, call_id=call.call_id, tool_name=call.name) if native else Message('user', shown)
            )

    def _show_error(self, turn: _Turn, reply: ChatReply, error: str) -> None:
        shown = self._prompts.conversation_result((), self._config.text_chars, correction=error, native=turn.native)
        turn.messages.append(Message('assistant', reply.text[:_SHOWN_BACK], tool_calls=reply.tool_calls))
        if reply.tool_calls:
            turn.messages += [
                Message('tool', shown, call_id=call.call_id, tool_name=call.name) for call in reply.tool_calls
            ]
        else:
            turn.messages.append(Message('user', shown))

    def _partner(self, session: Session) -> Partner:
        if self._people is None:
            return Partner(name=session.person, known=bool(session.person), remembered=False)
        if session.partner is None:
            try:
                session.partner = self._people.meet(session.source, session.person, session.conversation)
            except (StackError, MemoryFault) as error:
                # Who wants a task stopped must be heard all the same; the next turn tries again.
                _log.warning('the memory of people cannot be reached: %s', error)
                return Partner(name=session.person, known=False, remembered=False)
        return session.partner

    def _keep_later(self, turn: _Turn, meaning: Meaning, answer: str, began: datetime) -> None:
        with _held(turn.session, never):
            if complaint := self._keep(turn, meaning, answer, began, ()):
                _log.warning('%s', complaint)

    def _keep(self, turn: _Turn, meaning: Meaning, answer: str, began: datetime, rests_on: tuple[Memory, ...]) -> str:
        """Keeps the turn; returns what the person has to be told if that failed."""
        session, toolbox = turn.session, turn.toolbox
        if toolbox.introduced:
            session.partner = Partner(name=toolbox.introduced, known=True)
        if toolbox.forgot:
            # Neither the dialogue nor the record may bring back what was to be forgotten.
            session.turns.clear()
            answer = _FORGOTTEN
            if session.partner is not None:
                session.partner = replace(session.partner, opening=())
        said = _ASKED_TO_FORGET if toolbox.forgot else harmless(turn.heard.text, self._config.text_chars)
        name = session.partner.name if session.partner is not None else ''
        session.turns.append(PastTurn(f'{harmless(name, 80) or "A person"} said: {said}', answer))
        if self._people is None or not turn.partner.remembered:
            return ''
        said_turn = SaidTurn(
            utterance=_ASKED_TO_FORGET if toolbox.forgot else turn.heard.text,
            answer=_FORGOTTEN if toolbox.forgot else _told(meaning),
            said=began,
            answered=self._now(),
            recalled=tuple(item.item_id for item in rests_on),
        )
        try:
            self._people.record_turn(session.conversation, said_turn)
        except (StackError, MemoryFault) as error:
            # What was asked for is done all the same, above all a stop; but nobody is left to believe that it was kept.
            _log.warning('a turn was not kept: %s', error)
            return 'I could not keep what we just said in mind.'
        return ''

    def _end(self, sessions: tuple[Session, ...]) -> None:
        for session in sessions:
            if self._people is None or session.partner is None:
                continue
            try:
                self._people.end(session.conversation)
            except (StackError, MemoryFault) as error:
                _log.warning('a conversation could not be ended: %s', error)


@contextmanager
def _held(session: Session, interrupted: Flag) -> Iterator[None]:
    """Waits until the conversation's turn before has ended."""
    while not session.lock.acquire(timeout=_SLICE_S):
        if interrupted():
            raise Interrupted
    try:
        yield
    finally:
        session.lock.release()


def _wish(calls: tuple[Call, ...], tasks: tuple[TaskStatus, ...]) -> Meaning | None:
    """The meaning, where the calls are a wish.

    Raises:
        ValueError: it names a task that is not known.
    """
    wish = calls[0].wish
    if wish is None:
        return None
    argument = calls[0].arguments[0]
    names = [item.task for item in tasks]
    if wish in (Wish.START, Wish.RESUME, Wish.STOP) and argument not in names:
        raise ValueError(f'no task is named {argument!r}; known are {", ".join(names)}')
    return Meaning(wish, argument)


def _told(meaning: Meaning) -> str:
    """What the robot said to a person, or began."""
    begun = {Wish.START: 'I begin with', Wish.RESUME: 'I go on with', Wish.STOP: 'I stop', Wish.DO: 'I will do this:'}
    if meaning.wish is Wish.SAY:
        return meaning.argument
    if meaning.wish is Wish.CANNOT:
        return f'I cannot do that: {meaning.argument}'
    return f'{begun[meaning.wish]} {meaning.argument}.'


def _taken_up(memories: list[Memory], said: str, answer: str) -> tuple[Memory, ...]:
    """The memories that an answer takes up: a fact by its place, anything else by words that were not in the question.

    Which ones a language model really went by cannot be known; this is what can be seen.
    """
    asked, told = set(_WORD.findall(said.lower())), set(_WORD.findall(answer.lower()))
    taken: dict[str, Memory] = {}
    for item in memories:
        new = set(_WORD.findall(item.text.lower())) - asked
        repeats = item.speaker != ROBOT and len(new & told) >= min(2, len(new)) > 0
        if item.source in answer if item.kind == 'fact' else repeats:
            taken.setdefault(item.item_id, item)
    return tuple(taken.values())
