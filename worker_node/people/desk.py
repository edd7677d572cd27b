"""The worker's methods behind the services about people, free of ROS: meet, recall, remember, forget and more.

The conversation alone decides whose memory is used. Recalled memories are never stored as newly said. An answer keeps
the ids of the memories it rests on; it does not count as evidence beside them, nor after they were forgotten.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from typing import Protocol, get_args

from lucca_core.errors import DeskRefusal
from lucca_core.protocol.people import Met
from lucca_core.protocol.refusal import DeskCode
from lucca_core.protocol.remembered import Kind, Recollection
from lucca_memory.declarative.log import utc_now
from lucca_memory.item_ids import NODE, number_of
from lucca_memory.people.memory import PeopleMemory, item_id_of, recollection_of
from lucca_memory.people.summarizer import telling
from lucca_memory.people.values import ROBOT, Line, Person, Told, Verdict
from lucca_memory.retrieval.analysis import estimated_tokens
from lucca_memory.retrieval.values import Question
from worker_node.network.desk import NetworkDesk
from worker_node.network.network_recall import placed
from worker_node.people.config import DeskConfig
from worker_node.people.conversations import Conversations, Introduced
from worker_node.people.long_term import LongTermMemory
from worker_node.people.said_again import says_no_more

KINDS: tuple[Kind, ...] = get_args(Kind)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_MOST_RECALLED = 200
_LONGEST_QUERY = 2_000
_LONGEST_ID = 5_000
"""Most characters of a memory's id; the id of a fact contains a path."""
_ALIKE_LOOKED_AT = 50
"""Lines among which those are looked for that say again what is forgotten."""
_SPARE = 20
"""Additional lines to look for, as some of those found may have to be left out."""


class Finder(Protocol):
    """Finds memories of one kind that belong to no person: facts or tasks."""

    def recall(self, question: Question) -> Sequence[Recollection]:
        """The memories that answer a question, best first."""
        ...


class PeopleDesk:
    """The desk for people. Safe to use from several threads.

    Every method raises DeskRefusal with a code if it refuses a request, and MemoryFault if memory cannot be read or
    written; then nothing was stored.
    """

    def __init__(
        self,
        memory: PeopleMemory,
        summaries: LongTermMemory,
        facts: Finder,
        tasks: Finder,
        config: DeskConfig | None = None,
        *,
        now: Callable[[], datetime] = utc_now,
        on_turn: Callable[[Person], None] = lambda person: None,
        on_call: Callable[[], None] = lambda: None,
        network: NetworkDesk | None = None,
        statements: int = 2,
    ) -> None:
        """
        Args:
            memory, summaries, facts, tasks: where memories are found.
            config: the settings.
            now: the date and time.
            on_turn: called with a person after their memory has changed.
            on_call: called when somebody waits for an answer.
            network: takes part in recalls; None: recalls work without it.
            statements: most statements of the network among the other memories of a recall.
        """
        self._memory = memory
        self._summaries = summaries
        self._finders: dict[Kind, Finder] = {'fact': facts, 'task': tasks}
        self._config = config or DeskConfig()
        self._conversations = Conversations(memory, self._config.trusted_sources, self._config.most_guests)
        self._now = now
        self._on_turn = on_turn
        self._on_call = on_call
        self._network = network
        self._statements = statements

    # -- who ----------------------------------------------------------------------------------------------------

    def meet(self, source: str, name: str, conversation: str) -> Met:
        """Begins or continues a conversation; see Conversations.meet."""
        person = self._conversations.meet(source, name, conversation)
        last = self._memory.last_conversation(person, conversation)
        # A greeting refers to what the person said; if all of that was forgotten, the robot's answers alone are no use.
        said = [line for line in last if line.speaker != ROBOT]
        return Met(
            person='' if person.is_guest else person.name,
            known=not person.is_guest,
            first_time=not person.is_guest and not last,
            opening=self._opening(person, telling(said, self._config.opening_tokens)) if said else (),
            current=tuple(map(recollection_of, self._memory.current(person, conversation))),
        )

    def introduce(self, conversation: str, name: str) -> Introduced:
        """Makes a guest a new person; see Conversations.introduce."""
        self._check_length(name=name)
        introduced = self._conversations.introduce(conversation, name)
        self._on_turn(introduced.person)
        return introduced

    def end(self, conversation: str) -> None:
        """Ends a conversation. A guest's memory of it is deleted."""
        self._conversations.end(conversation)

    # -- what was said ------------------------------------------------------------------------------------------

    def record_turn(
        self,
        conversation: str,
        utterance: str,
        answer: str,
        *,
        time: datetime | None = None,
        answered: datetime | None = None,
        recalled: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Stores a turn, and returns the ids of its lines once it is on disk.

        A turn with the same time and utterance is not stored twice: the caller may not have received the answer.
        Without `time`, the turn is new and happens now.
        """
        self._on_call()
        person = self._conversations.person(conversation)
        self._check_length(utterance=utterance)
        if len(answer) > self._config.text_chars:
            raise DeskRefusal(
                DeskCode.BAD_REQUEST, f'answer has {len(answer)} characters, {self._config.text_chars} fit'
            )
        if len(recalled) > _MOST_RECALLED:
            raise DeskRefusal(DeskCode.BAD_REQUEST, f'recalled has {len(recalled)} ids, at most {_MOST_RECALLED} fit')
        if longest := [item for item in recalled if len(item) > _LONGEST_ID]:
            raise DeskRefusal(
                DeskCode.BAD_REQUEST, f'an id in recalled has {len(longest[0])} characters, {_LONGEST_ID} fit'
            )
        if time is not None and (known := self._known_turn(person, conversation, utterance, time)):
            return known
        told = Told(
            conversation=conversation,
            utterance=utterance,
            answer=answer,
            time=time or self._now(),
            answered=answered,
            # An answer also rests on the lines behind a statement, so that it is forgotten with them.
            recalled=tuple(dict.fromkeys([*recalled, *self._lines_behind(person, recalled)])),
        )
        turn = self._memory.remember(person, told)
        self._on_turn(person)
        return tuple(map(item_id_of, turn.lines))

    def remember(self, conversation: str, text: str) -> str:
        """Keeps what a person asks to be kept, once; returns its id."""
        person = self._conversations.person(conversation)
        self._check_length(text=text)
        kept = self._memory.keep(person, text.strip())
        self._on_turn(person)
        return item_id_of(kept)

    def forget(self, conversation: str, item_ids: Sequence[str]) -> int:
        """Puts away lines of the conversation's person, all or none, with lines that say the same; returns how many.

        A fact that was said twice would otherwise still be recalled after it was forgotten.
        """
        person = self._conversations.person(conversation)
        named = [item for item in item_ids if not _is_node(item)]
        wanted = list(dict.fromkeys([*named, *self._lines_behind(person, item_ids)]))
        if not wanted:
            raise DeskRefusal(DeskCode.BAD_REQUEST, 'nothing was named; recall first, then name ids such as "said:17"')
        for item in wanted:
            if number_of(item) is None:
                raise DeskRefusal(DeskCode.BAD_REQUEST, f'{item[:80]!r} names nothing said; ids are like "said:17"')
        lines = self._memory.lines(person, wanted)
        if len(lines) < len(wanted):
            raise DeskRefusal(DeskCode.BAD_REQUEST, 'not all of these are lines of this person; nothing was forgotten')
        wanted += self._said_again(person, lines)
        count = self._memory.forget(person, wanted, 'asked for')
        self._on_turn(person)
        return count

    def feedback(self, conversation: str, verdict: str) -> str:
        """Keeps a person's verdict on the last answer to them; returns that answer."""
        person = self._conversations.person(conversation)
        known = {item: item for item in VERDICTS}
        if verdict not in known:
            raise DeskRefusal(DeskCode.BAD_REQUEST, f'verdict must be {" or ".join(VERDICTS)}, got {verdict[:80]!r}')
        answer = self._memory.rate(person, known[verdict]).answer
        self._on_turn(person)
        return answer

    # -- what is remembered -------------------------------------------------------------------------------------

    def recall(
        self,
        conversation: str,
        query: str,
        *,
        kinds: Sequence[str] = (),
        token_budget: int = 0,
        limit: int = 0,
        skip_current: bool = False,
    ) -> tuple[Recollection, ...]:
        """Memories that answer a query; none of another person. Kinds take turns, each with its best first.

        With a network, outdated memories are marked and stand behind their replacement, and a few statements of the
        network are added.
        """
        self._on_call()
        person = self._conversations.person(conversation)
        self._check_length(query=query)
        if unknown := set(kinds) - set(KINDS):
            raise DeskRefusal(DeskCode.BAD_REQUEST, f'kinds are of {", ".join(KINDS)}, got {sorted(unknown)[0][:80]!r}')
        limit = limit or self._config.recall_limit
        question = Question(text=query[:_LONGEST_QUERY], now=self._now(), asker=person.name, limit=limit)
        found = [
            self._recall_kind(kind, person, question, conversation if skip_current else None)[:limit]
            for kind in KINDS
            if kind != 'statement' and (not kinds or kind in kinds)
        ]
        turns = [item for row in zip_longest(*found) for item in row if item is not None]
        tokens = token_budget or self._config.recall_tokens
        if self._network is None:
            return _within(turns, limit, tokens)
        turns = self._network.marked(person, turns)
        if kinds and 'statement' not in kinds:
            return _within(turns, limit, tokens)
        added = self._network.added(person, question, turns)
        return placed(turns, added, limit, tokens, self._statements if found else limit)

    def _recall_kind(
        self, kind: Kind, person: Person, question: Question, skipped: str | None
    ) -> Sequence[Recollection]:
        if kind == 'summary':
            return self._summaries.recall(person, question)
        if kind == 'said':
            current = self._memory.current(person, skipped) if skipped is not None else ()
            wider = replace(question, limit=question.limit + len(current) + _SPARE)
            found = [item for item in self._memory.recall(person, wider) if skipped is None or item.group != skipped]
            return self._evidence(person, found)
        return self._finders[kind].recall(question)

    def _evidence(self, person: Person, found: Sequence[Recollection]) -> Sequence[Recollection]:
        """Leaves out answers of the robot that only repeat other memories found, or that rest on forgotten ones."""
        ids = {item.item_id for item in found}
        answers = [item.item_id for item in found if item.speaker == ROBOT]
        rests_on = {
            item_id_of(line): {item for item in line.recalled if item.startswith('said:')}
            for line in (self._memory.lines(person, answers) if answers else ())
        }
        named = sorted({item for items in rests_on.values() for item in items if number_of(item) is not None})
        there = {item_id_of(line) for line in self._memory.lines(person, named)} if named else set()
        return [
            item for item in found if not (rested := rests_on.get(item.item_id)) or not (rested & ids or rested - there)
        ]

    def _opening(self, person: Person, lines: Sequence[Line]) -> tuple[Recollection, ...]:
        opening = list(map(recollection_of, lines))
        return tuple(opening if self._network is None else self._network.marked(person, opening))

    def _lines_behind(self, person: Person, item_ids: Sequence[str]) -> list[str]:
        nodes = [int(item.removeprefix(NODE)) for item in item_ids if _is_node(item)]
        if not nodes or self._network is None:
            return []
        return [item_id_of(line) for line in self._memory.lines(person, self._network.lines_of(person, nodes))]

    def _said_again(self, person: Person, lines: Sequence[Line]) -> list[str]:
        """The ids of further lines that say nothing but what these lines say."""
        ids = [item_id_of(line) for line in lines]
        found: dict[str, None] = {}
        for line in lines:
            question = Question(
                text=line.text[:_LONGEST_QUERY], now=self._now(), asker=person.name, limit=_ALIKE_LOOKED_AT
            )
            found |= dict.fromkeys(item.item_id for item in self._memory.recall(person, question))
        others = self._memory.lines(person, [item for item in found if item not in ids])
        return [item_id_of(line) for line in others if says_no_more(line, lines)]

    def _known_turn(self, person: Person, conversation: str, utterance: str, time: datetime) -> tuple[str, ...]:
        lines = self._memory.current(person, conversation)
        for place, line in enumerate(lines):
            if not line.answers and line.text == utterance and line.time == time:
                answer: Iterable[Line] = lines[place + 1 : place + 2]
                return (item_id_of(line), *(item_id_of(item) for item in answer if item.answers))
        return ()

    def _check_length(self, **texts: str) -> None:
        for name, text in texts.items():
            if not text.strip():
                raise DeskRefusal(DeskCode.BAD_REQUEST, f'{name} must not be empty')
            if len(text) > self._config.text_chars:
                raise DeskRefusal(
                    DeskCode.BAD_REQUEST, f'{name} has {len(text)} characters, {self._config.text_chars} fit'
                )


def _is_node(item: str) -> bool:
    return number_of(item, NODE) is not None


def _within(found: Iterable[Recollection], limit: int, tokens: int) -> tuple[Recollection, ...]:
    taken: list[Recollection] = []
    for item in found:
        size = estimated_tokens(item.text)
        # A memory too long for the remaining tokens is skipped, as a shorter one may still fit.
        if size <= tokens and len(taken) < limit:
            taken.append(item)
            tokens -= size
    return tuple(taken)
