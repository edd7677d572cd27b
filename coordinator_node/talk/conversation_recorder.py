"""The recorder of conversations: keeps turns in the dialogue and in the memory of people."""

import logging
from collections.abc import Callable
from datetime import datetime

from coordinator_node.people.interface import Partner, PeopleInterface
from coordinator_node.talk.general_knowledge import as_kept
from coordinator_node.talk.interpretation import Interpretation
from coordinator_node.talk.sessions import PastTurn, Session
from coordinator_node.talk.turn import Turn
from lucca_core.errors import MemoryFault, StackError
from lucca_core.protocol.people import RecordedTurn
from lucca_core.protocol.remembered import Recollection
from lucca_llm.prompt_text import harmless

_log = logging.getLogger(__name__)
_ASKED_TO_FORGET = '(asked for something to be forgotten)'
_FORGOTTEN = 'I have forgotten it.'
_NOT_KEPT = 'I could not keep what we just said in mind.'


class ConversationRecorder:
    """Meets people and keeps what was said. A turn goes on even if the memory of people is away."""

    def __init__(self, people: PeopleInterface | None, text_chars: int, now: Callable[[], datetime]) -> None:
        """
        Args:
            people: the memory of people; without it, nobody is remembered.
            text_chars: the longest text that a prompt shows.
            now: the date and time.
        """
        self._people = people
        self._text_chars = text_chars
        self._now = now

    def meet(self, session: Session) -> Partner:
        """The partner of a conversation. Turns that memory no longer holds are removed from the dialogue as well."""
        if self._people is None:
            return Partner(name=session.person, known=bool(session.person), remembered=False)
        try:
            # Done at every turn, so that what was erased or forgotten meanwhile also disappears from the prompt.
            partner = self._people.meet(session.source, session.person, session.conversation)
        except (StackError, MemoryFault) as error:
            # A request to stop a task must be heard even so; the next turn tries again.
            _log.warning('the memory of people cannot be reached: %s', error)
            return Partner(name=session.person, known=False, remembered=False)
        there = {harmless(item.text, self._text_chars) for item in partner.current}
        kept = [past for past in session.turns if not past.is_recorded or past.utterance in there]
        session.turns.clear()
        session.turns.extend(kept)
        session.partner = partner
        return partner

    def keep(self, turn: Turn, meaning: Interpretation, answer: str, rests_on: tuple[Recollection, ...] = ()) -> str:
        """Keeps a turn, with the model's answer. Returns what the person has to be told if that failed, else ''."""
        session, toolbox = turn.session, turn.toolbox
        if toolbox.introduced:
            session.partner = Partner(name=toolbox.introduced, known=True)
        if toolbox.forgot:
            # Neither the dialogue nor the record may bring back what was to be forgotten.
            session.turns.clear()
            answer = _FORGOTTEN
        said = _ASKED_TO_FORGET if toolbox.forgot else harmless(turn.heard.text, self._text_chars)
        name = session.partner.name if session.partner is not None else ''
        session.turns.append(PastTurn(f'{harmless(name, 80) or "A person"} said: {said}', answer, said))
        if self._people is None:
            return ''
        if not turn.partner.remembered:
            return _NOT_KEPT
        recorded = RecordedTurn(
            conversation=session.conversation,
            utterance=_ASKED_TO_FORGET if toolbox.forgot else turn.heard.text,
            answer=_FORGOTTEN if toolbox.forgot else as_kept(meaning.told()),
            stamp=turn.began,
            answered=self._now(),
            recalled=tuple(item.item_id for item in rests_on),
        )
        try:
            self._people.record_turn(recorded)
        except (StackError, MemoryFault) as error:
            # The request, above all a stop, is carried out even so; but the person must not believe that it was kept.
            _log.warning('a turn was not kept: %s', error)
            return _NOT_KEPT
        return ''

    def end(self, sessions: tuple[Session, ...]) -> None:
        """Ends conversations. What guests said in them is deleted."""
        for session in sessions:
            if self._people is None or session.partner is None:
                continue
            try:
                self._people.end(session.conversation)
            except (StackError, MemoryFault) as error:
                _log.warning('a conversation could not be ended: %s', error)
