"""The agent of a conversation: it shows the model speaker, state and memories, runs lookups, and answers."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Flag, MemoryInterface, ProhibitionsInterface, Tally, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.people.interface import PeopleInterface
from coordinator_node.persona import Persona
from coordinator_node.prompts import CoordinatorPrompts, TurnView
from coordinator_node.talk.conversation_recorder import ConversationRecorder
from coordinator_node.talk.interpretation import Heard, Interpretation
from coordinator_node.talk.sentences import SpokenPart, Voice
from coordinator_node.talk.sessions import Session, Sessions
from coordinator_node.talk.short_talk import ShortTalk
from coordinator_node.talk.toolbox import Toolbox
from coordinator_node.talk.tools import IN_TEXT, NATIVE, Call, Wish, read_calls
from coordinator_node.talk.turn import Turn
from coordinator_node.tasks.task_definitions import for_conversation
from coordinator_node.waits import Interrupted, Waits
from lucca_core.errors import LuccaError, MemoryFault, ModelTimeout, ToolsRefused
from lucca_core.protocol.snapshots import Snapshot
from lucca_llm.model import ChatReply, Message, Role, has_native_tools
from lucca_llm.model_spec import talks_in_short
from lucca_llm.prompt_text import harmless

_log = logging.getLogger(__name__)
_SHOWN_BACK = 600
NOT_KEPT = 'I did not keep what you just said.'
"""Said to a person, whose words are kept otherwise, if no answer is found."""


class Agent:
    """Holds conversations with the coordinator's model. Safe to use from several threads."""

    def __init__(
        self,
        asker: ModelCaller,
        memory: MemoryInterface,
        config: CoordinatorConfig,
        *,
        people: PeopleInterface | None = None,
        persona: Persona | None = None,
        waits: Waits | None = None,
        table: Callable[[], Snapshot | None] = lambda: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        no_hands: str = '',
        prohibitions: ProhibitionsInterface | None = None,
    ) -> None:
        """
        Args:
            asker: asks the model.
            memory: knows the tasks.
            config: the settings.
            people: the memory of people; without it, nobody is remembered.
            persona: the persona of the robot.
            waits: clock and sleep.
            table: the last snapshot; None while nothing is seen.
            now: the date and time.
            no_hands: why no task can be run or stopped here; empty if tasks can be run.
            prohibitions: the prohibitions that the action node keeps; None where there are no arms.
        """
        self._asker = asker
        self._memory = memory
        self._config = config
        self._people = people
        self._persona = persona or Persona()
        self._prompts = CoordinatorPrompts()
        self._waits = waits or Waits()
        self._table = table
        self._now = now
        self._no_hands = no_hands
        self._prohibitions = prohibitions
        self._keeper = ConversationRecorder(people, config.text_chars, now)
        self._short = (
            ShortTalk(asker, config, self._persona, self._prompts, lambda: f'{now():%Y-%m-%d}')
            if talks_in_short(asker.model.spec, config.talk_prompts)
            else None
        )
        self._sessions = Sessions(
            idle_s=config.conversation_idle_s, turns_kept=config.conversation_turns, clock=self._waits.clock
        )

    @property
    def name(self) -> str:
        """What the robot is called."""
        return self._persona.name

    def turn(
        self,
        heard: Heard,
        tally: Tally,
        interrupted: Flag,
        on_sentence: Callable[[str], None] | None = None,
        on_wait: Callable[[str], None] = lambda _: None,
    ) -> Interpretation:
        """What the speaker wants. An answer is spoken sentence by sentence. Empty text is not sent to the model.

        Args:
            heard: what was said, and by whom.
            tally: the cost of the model is added here.
            interrupted: ends the turn; nothing is spoken afterwards.
            on_sentence: speaks a sentence; with None nothing is spoken, and the answer is in the interpretation.
            on_wait: called with the earlier utterance of the same conversation if that has to be answered first.

        Raises:
            Interrupted: the flag was raised.
            ModelError: the model gave no answer.
            StackError, MemoryFault: the tasks could not be read.
        """
        if not harmless(heard.text):
            return Interpretation(Wish.CANNOT, 'I did not hear anything.')
        session, ended = self._sessions.of(heard.source, heard.person)
        self._keeper.end(ended)
        with session.held(interrupted, heard.text, on_wait):
            turn = self._begin(heard, session, interrupted, on_sentence)
            try:
                meaning, answer = self._decide(turn, tally, interrupted)
            except LuccaError:
                # What was prohibited or lifted holds, so it is told even if no answer is found.
                not_kept = (NOT_KEPT,) if turn.partner.known and turn.partner.remembered else ()
                turn.voice.say_rest(' '.join((*turn.toolbox.told, *not_kept)))
                raise
            if self._no_hands and meaning.wish not in (Wish.SAY, Wish.CANNOT):
                meaning = Interpretation(Wish.CANNOT, self._no_hands)
            if interrupted():
                raise Interrupted
            also = ' '.join(turn.toolbox.told)
            rests_on = turn.taken_up(meaning.argument) if meaning.wish is Wish.SAY else ()
            if meaning.wish is Wish.SAY:
                meaning = replace(meaning, argument=f'{meaning.argument} {also}'.strip())
            elif also:
                turn.voice.say_rest(also)
            if meaning.wish is Wish.STOP:
                return replace(meaning, afterwards=lambda: self._keep_later(turn, meaning, answer))
            told = ' '.join((meaning.argument, self._keeper.keep(turn, meaning, answer, rests_on))).strip()
            if meaning.wish is not Wish.SAY:
                return Interpretation(meaning.wish, meaning.argument, meaning.words, rests_on=rests_on)
            if on_sentence is not None:
                turn.voice.say_rest(told)
            return Interpretation(Wish.SAY, told, spoken=bool(turn.voice.spoken), rests_on=rests_on)

    def rate(self, heard: Heard, verdict: str) -> str:
        """Keeps a person's verdict on the last answer to them, and returns that answer.

        Raises:
            StackError, MemoryFault: the verdict was not kept.
        """
        if self._people is None:
            raise MemoryFault('there is no memory of people')
        session, ended = self._sessions.of(heard.source, heard.person)
        self._keeper.end(ended)
        with session.held(never):
            self._keeper.meet(session)
            return self._people.rate(session.conversation, verdict)

    def stopped(self, heard: Heard) -> None:
        """Notes in the conversation that somebody asked for a stop, so that nothing said before it is taken up."""
        self._sessions.stopped(heard.source, heard.person, harmless(heard.person, 80) or 'A person')

    def asked(self, heard: Heard, question: str, *, of: str) -> None:
        """Notes in the conversation that a task ended with a question, which the next text may answer.

        `of`: the text that the question is about: what was said, or what it was taken for.
        """
        self._sessions.asked(heard.source, heard.person, question, of)

    def leave(self, heard: Heard) -> None:
        """Ends the conversation with a speaker. What a guest said is deleted."""
        self._keeper.end(self._sessions.end(heard.source, heard.person))

    def close(self) -> None:
        """Ends all conversations. What guests said is deleted."""
        self._keeper.end(self._sessions.end_all())

    def _begin(
        self, heard: Heard, session: Session, interrupted: Flag, on_sentence: Callable[[str], None] | None
    ) -> Turn:
        began = self._now()
        tasks = self._waits.patiently(self._memory.tasks, limit_s=self._config.stack_wait_s, interrupted=interrupted)
        session.take_stops()
        asked = session.take_asked()
        partner = self._keeper.meet(session)
        people = self._people if partner.remembered else None
        toolbox = Toolbox(
            conversation=session.conversation,
            people=people,
            memory=self._memory,
            tasks=tasks,
            table=self._table,
            prompts=self._prompts,
            limit=self._config.recall_limit,
            llm=self._config.llm,
            said=heard.text,
            person=partner.name,
            prohibitions=self._prohibitions,
        )
        return Turn(
            began=began,
            heard=heard,
            session=session,
            asked=asked,
            partner=partner,
            tasks=tasks,
            toolbox=toolbox,
            voice=Voice(on_sentence or (lambda _: None), interrupted),
            messages=[],
            native=self._config.native_tools and has_native_tools(self._asker.model),
            end_s=self._waits.clock() + self._config.turn_deadline_s,
            past=tuple(session.turns) if partner.remembered or self._people is None else (),
        )

    def _decide(self, turn: Turn, tally: Tally, interrupted: Flag) -> tuple[Interpretation, str]:
        """The interpretation, and the answer as it stays in the dialogue."""
        if self._short is not None:
            return self._short_answer(self._short, turn, tally, interrupted)
        recalled = turn.toolbox.before(turn.heard.text)
        turn.messages = self._opening_messages(turn, recalled)
        repairs = lookups = 0
        wrong: tuple[object, ...] = ()
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
                calls = read_calls(reply, self._config.answer_chars, turn.tasks, native=turn.native)
                if (wish := calls[0].wish) is not None:
                    meaning = Interpretation(wish, *calls[0].arguments)
                    return meaning, reply.text.strip() if not reply.tool_calls else meaning.told()
                if lookups + len(calls) > self._config.max_lookups:
                    raise ValueError('no more lookups in this turn; answer with what was found')
                lookups += len(calls)
                self._show_results(turn, reply, calls, interrupted)
            except ValueError as error:
                repairs += 1
                tally.refusals += 1
                answer = (reply.text, *((call.name, call.arguments) for call in reply.tool_calls))
                if answer == wrong and any(answer):
                    break  # told what was wrong, the model insists; it would cost the person's time to ask again
                wrong = answer
                self._show_error(turn, reply, str(error))
        heard, model = harmless(turn.heard.text, 100), self._asker.model.spec
        reason = f'I did not understand: {heard}; {model} gave no answer that I can use'
        return Interpretation(Wish.CANNOT, reason), f'<cannot_do({reason})>'

    def _short_answer(
        self, short: ShortTalk, turn: Turn, tally: Tally, interrupted: Flag
    ) -> tuple[Interpretation, str]:
        try:
            meaning = short.decide(turn, tally, lambda: interrupted() or self._is_late(turn))
        except Interrupted:
            if interrupted():
                raise
            raise self._too_late() from None
        return meaning, meaning.told()

    def _ask(self, turn: Turn, tally: Tally, interrupted: Flag) -> ChatReply:
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

    def _is_late(self, turn: Turn) -> bool:
        return self._waits.clock() >= turn.end_s

    def _too_late(self) -> ModelTimeout:
        return ModelTimeout(f'{self._asker.model.spec} gave no answer within {self._config.turn_deadline_s:g} s')

    def _opening_messages(self, turn: Turn, recalled: list[str]) -> list[Message]:
        """The prompt: unchanging text first, so that prompt caches hit; then the last turns; then what changes most."""
        turns = [
            message for past in turn.past for message in (Message('user', past.said), Message('assistant', past.answer))
        ]
        view = TurnView(
            text=turn.heard.text,
            asked=turn.asked[0],
            asked_of=turn.asked[1],
            now=f'{self._now():%A, %Y-%m-%d %H:%M} UTC',
            person=turn.partner.name,
            remembered=turn.partner.remembered,
            tasks=for_conversation(turn.tasks, turn.heard.text),
            table=self._table(),
            opening=[f'{item.shown_source}: {item.text}' for item in turn.partner.opening],
            memories=recalled,
        )
        base = self._prompts.conversation_base(
            self._persona, IN_TEXT, native=turn.native, step_by_step=self._config.step_by_step
        )
        text = self._prompts.conversation_turn(view, self._config.text_chars, native=turn.native)
        role: Role = 'user' if self._config.base_role == 'user' else 'system'
        return [Message(role, base), *turns, Message('user', text)]

    def _show_results(self, turn: Turn, reply: ChatReply, calls: tuple[Call, ...], interrupted: Flag) -> None:
        # All calls are run before any result is shown, so that a wrong call does not leave half an exchange behind.
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

    def _show_error(self, turn: Turn, reply: ChatReply, error: str) -> None:
        shown = self._prompts.conversation_result((), self._config.text_chars, correction=error, native=turn.native)
        turn.messages.append(Message('assistant', reply.text[:_SHOWN_BACK], tool_calls=reply.tool_calls))
        if reply.tool_calls:
            turn.messages += [
                Message('tool', shown, call_id=call.call_id, tool_name=call.name) for call in reply.tool_calls
            ]
        else:
            turn.messages.append(Message('user', shown))

    def _keep_later(self, turn: Turn, meaning: Interpretation, answer: str) -> None:
        with turn.session.held(never):
            if complaint := self._keeper.keep(turn, meaning, answer):
                _log.warning('%s', complaint)
