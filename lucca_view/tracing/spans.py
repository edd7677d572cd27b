"""A session as spans: a root for each goal, a child for each action, and below that its model calls and its motion.

Names and attributes of model calls and actions follow OpenTelemetry's conventions for generative AI.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lucca_core.codes import ReasonCode
from lucca_core.protocol.goals import Phase, Status
from lucca_core.protocol.observations import ActionEnded, GateDecision, GoalNews, LogEntry, MemoryMisread
from lucca_llm.exchange import ModelExchange
from lucca_llm.model import Message
from lucca_memory.declarative.entry import entry_from_text
from lucca_view.events import Event

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened at one moment of a span; wall time in s."""

    wall_s: float
    name: str
    attributes: Mapping[str, Value]


@dataclass(slots=True, kw_only=True)
class Span:
    """A part of a goal.

    Attributes:
        name: operation and target, by the conventions.
        node: the node that did it: coordinator, worker or action.
        began_s: wall time.
        ended_s: wall time.
        calls_out: it is a call of a model, perhaps of a remote service.
        error: why it failed; empty if it did not.
        children: spans within this one, also in time.
    """

    name: str
    node: str
    began_s: float
    ended_s: float
    calls_out: bool = False
    attributes: dict[str, Value] = field(default_factory=dict)
    events: list[SpanEvent] = field(default_factory=list)
    error: str = ''
    children: list['Span'] = field(default_factory=list)


class GoalSpans:
    """Makes spans from events as they arrive. A goal's spans are complete, and returned, when the goal has ended.

    Assignment to goals: the coordinator reports the goal of its model calls and steps; gate, motion and log name the
    task; a call of the worker's model belongs to the goal that thought last. Not thread-safe.
    """

    def __init__(self, *, texts: bool = False) -> None:
        """`texts`: include prompts and answers, which may name people."""
        self._texts = texts
        self._going: dict[str, _Goal] = {}

    def take(self, event: Event) -> tuple[Span, ...]:
        """Takes the next event; returns the spans that it completes, as roots of traces of their own."""
        match event.value:
            case GoalNews() as news:
                return self._news(event.wall_s, news)
            case ModelExchange() as exchange:
                return self._asked(event.wall_s, exchange)
            case GateDecision() as decision:
                if goal := self._of_task(decision.request.task):
                    goal.note(event.wall_s, 'gate', {'lucca.code': decision.code, 'lucca.reason': decision.message})
            case ActionEnded() as ended:
                if goal := self._of_task(ended.task):
                    goal.moved(event.wall_s, ended)
            case LogEntry() as entry:
                if goal := self._of_task(entry.task):
                    goal.note(event.wall_s, 'log', {'lucca.entry': _kind(entry.text)})
            case MemoryMisread() as corrected:
                if goal := self._of_task(corrected.task):
                    goal.note(event.wall_s, 'correction', {'lucca.misread': len(corrected.misread)})
        return ()

    def end(self, wall_s: float) -> tuple[Span, ...]:
        """The spans of goals that had not ended when the session did."""
        ended = tuple(goal.end(wall_s, {'lucca.status': 'not ended'}, '') for goal in self._going.values())
        self._going.clear()
        return ended

    def _news(self, wall_s: float, news: GoalNews) -> tuple[Span, ...]:
        goal = self._going.get(news.goal_id)
        if goal is None:
            goal = self._going[news.goal_id] = _Goal(wall_s, news)
        if news.step is not None:
            # The goal heard of last is at the end; it is the one that asks the worker now.
            self._going[news.goal_id] = self._going.pop(news.goal_id)
            if news.step.phase is Phase.ACTING:
                goal.acting(news.step.text)
            elif news.step.phase is Phase.ACTED:
                goal.acted(wall_s, news.step.code)
        if news.result is None:
            return ()
        del self._going[news.goal_id]
        result = news.result
        attributes: dict[str, Value] = {
            'lucca.status': str(result.status),
            'lucca.task': result.task,
            'lucca.actions_done': len(result.actions_done),
            'lucca.retries': result.retries,
        }
        failed = result.status in (Status.FAILED, Status.REFUSED)
        return (goal.end(wall_s, attributes, (result.reason or str(result.status)) if failed else ''),)

    def _asked(self, wall_s: float, exchange: ModelExchange) -> tuple[Span, ...]:
        span = _chat(wall_s, exchange, texts=self._texts)
        goal = self._going.get(exchange.goal) if exchange.goal else next(reversed(self._going.values()), None)
        if goal is None:
            # It belongs to no goal, for example a summary that the worker writes, so it is a trace of its own.
            return (span,)
        goal.add(span)
        return ()

    def _of_task(self, task: str) -> '_Goal | None':
        acting = [goal for goal in self._going.values() if goal.task == task]
        if acting:
            return acting[-1]
        # A goal given in words has no task until it acts.
        open_ones = [goal for goal in self._going.values() if not goal.task]
        if open_ones:
            open_ones[-1].task = task
        return open_ones[-1] if open_ones else None


class _Goal:
    """A running goal, and its present step."""

    def __init__(self, wall_s: float, news: GoalNews) -> None:
        self.task = news.request.task
        attributes: dict[str, Value] = {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.agent.name': 'lucca',
            'lucca.goal': news.goal_id,
            'lucca.source': news.source,
            'lucca.priority': news.request.priority,
        }
        self._root = Span(
            name='invoke_agent lucca', node='coordinator', began_s=wall_s, ended_s=wall_s, attributes=attributes
        )
        self._step: Span | None = None

    def acting(self, call: str) -> None:
        step = self._begun()
        name = call.strip('<>').partition('(')[0] or 'action'
        step.name = f'execute_tool {name}'
        step.attributes |= {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': name,
            'gen_ai.tool.type': 'function',
            'lucca.call': call,
        }

    def acted(self, wall_s: float, code: str) -> None:
        step = self._begun()
        step.attributes['lucca.code'] = code
        step.error = '' if code == ReasonCode.DONE else code
        self._close(wall_s)

    def note(self, wall_s: float, name: str, attributes: Mapping[str, Value]) -> None:
        self._begun().events.append(SpanEvent(wall_s, name, attributes))

    def moved(self, wall_s: float, ended: ActionEnded) -> None:
        result = ended.result
        gates = [event.wall_s for event in self._begun().events if event.name == 'gate']
        # Counted from the gate on, as durations are in simulated time, which may run at another speed.
        began_s = (gates[-1] if gates else self._begun().began_s) + result.overhead_before_s + result.planning_s
        end_s = wall_s - result.overhead_after_s - result.verify_wait_s
        attributes: dict[str, Value] = {
            'lucca.call': result.action,
            'lucca.attempts': result.attempts,
            'lucca.duration_s': result.duration_s,
            'lucca.planning_s': result.planning_s,
            'lucca.verify_wait_s': result.verify_wait_s,
            'lucca.overhead_s': result.overhead_before_s + result.overhead_after_s,
        }
        error = '' if result.code is ReasonCode.DONE else str(result.code)
        self.add(
            Span(
                name='motion',
                node='action',
                began_s=min(began_s, end_s),
                ended_s=end_s,
                attributes=attributes,
                error=error,
            )
        )

    def add(self, span: Span) -> None:
        self._begun().children.append(span)

    def end(self, wall_s: float, attributes: Mapping[str, Value], error: str) -> Span:
        self._close(wall_s)
        self._root.attributes |= attributes
        self._root.error = error
        self._root.ended_s = wall_s
        return self._root

    def _begun(self) -> Span:
        """The present step; a new one begins where the last one ended."""
        if self._step is None:
            before_s = self._root.children[-1].ended_s if self._root.children else self._root.began_s
            self._step = Span(name='think', node='coordinator', began_s=before_s, ended_s=before_s)
        return self._step

    def _close(self, wall_s: float) -> None:
        step, self._step = self._step, None
        if step is None:
            return
        step.ended_s = max(wall_s, step.began_s)
        for child in step.children:
            # The clocks of the nodes differ, and simulated times are mixed with wall times.
            child.began_s = min(max(child.began_s, step.began_s), step.ended_s)
            child.ended_s = min(max(child.ended_s, child.began_s), step.ended_s)
        self._root.children.append(step)


def spans_of(events: Sequence[Event], *, texts: bool = False) -> tuple[Span, ...]:
    """The roots of a whole session: one for each goal, and one for each model call outside of goals."""
    spans = GoalSpans(texts=texts)
    found = [root for event in events for root in spans.take(event)]
    return (*found, *spans.end(events[-1].wall_s if events else 0.0))


def _chat(wall_s: float, exchange: ModelExchange, *, texts: bool) -> Span:
    provider, _, model = exchange.model.partition(':')
    reply, options = exchange.reply, exchange.options
    attributes: dict[str, Value] = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model or provider,
        'gen_ai.request.temperature': options.temperature,
        'gen_ai.request.max_tokens': options.max_tokens,
        'gen_ai.agent.name': exchange.asker,
    }
    if reply is not None:
        attributes |= {
            'gen_ai.usage.input_tokens': reply.prompt_tokens,
            'gen_ai.usage.output_tokens': reply.completion_tokens,
        }
    if texts:
        attributes['gen_ai.input.messages'] = _messages(exchange.messages)
        if reply is not None:
            attributes['gen_ai.output.messages'] = _messages((Message('assistant', reply.text),))
    return Span(
        name=f'chat {model or provider}',
        node=exchange.asker,
        began_s=wall_s - (reply.model_s if reply is not None else 0.0),
        ended_s=wall_s,
        calls_out=True,
        attributes=attributes,
        error=exchange.error,
    )


def _messages(messages: Sequence[Message]) -> str:
    return json.dumps(
        [{'role': item.role, 'parts': [{'type': 'text', 'content': item.content}]} for item in messages],
        ensure_ascii=False,
    )


def _kind(text: str) -> str:
    try:
        return str(entry_from_text(text).kind)
    except ValueError:
        return 'unknown'
