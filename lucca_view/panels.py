"""The panels of a page as data: the part of a session that each one shows, in types for JSON."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.goals import AS_UNDERSTOOD, GoalRequest, GoalResult, Phase, Status
from lucca_core.protocol.observations import PERMITTED
from lucca_core.protocol.snapshots import TABLE, Snapshot, TableObject
from lucca_memory.declarative.entry import Entry, entry_from_text
from lucca_view.memory_panel import memory_panel
from lucca_view.robot_lines import RobotLines
from lucca_view.session import SessionView, ShownExchange, ShownGoal

MOST_TEXT_CHARS = 20_000
"""Maximum length of a message's text on a page."""

_MOST_S = 1e9

GROWS = '+'
"""After the name of a panel: only its new rows."""

_VERBS = {
    EntryKind.STARTED: 'The task was started.',
    EntryKind.SUSPENDED: 'The task was suspended.',
    EntryKind.REFUSED: 'The task was refused.',
    EntryKind.RESUMED: 'The task was resumed.',
    EntryKind.FINISHED: 'The task was finished.',
}


class Panels:
    """Makes the panels of one session. `robot` draws the robot; None if its profile is unknown."""

    def __init__(self, robot: RobotLines | None) -> None:
        self._robot = robot
        self._made: Mapping[str, Callable[[SessionView], Any]] = {
            'camera': lambda view: {'jpeg': view.picture, 'age_s': _age(view)},
            'objects': lambda view: [_object(item) for item in view.scene.value.objects] if view.scene else [],
            'scene': self._scene,
            'models': lambda view: [_exchange(item) for item in view.exchanges],
            'corrections': lambda view: [
                {
                    'wall_s': item.wall_s,
                    'task': item.value.task,
                    'misread': [_cut(text) for text in item.value.misread],
                    'corrected': item.value.corrected,
                }
                for item in view.corrections
            ],
            'gate': _gate,
            'timeline': lambda view: [_goal(goal) for goal in view.goals],
            'tasks': lambda view: [task.as_json() for task in view.tasks],
            'prohibitions': _prohibitions,
            'log': _log,
            'said': lambda view: [
                {
                    'wall_s': item.wall_s,
                    'who': 'robot' if item.value.by_robot else item.value.person or 'somebody',
                    'text': item.value.text,
                }
                for item in view.said
            ],
            'memory': lambda view: memory_panel(view.memory),
            'latency': _latency,
            'diagnostics': lambda view: [
                {'part': item.part, 'level': item.level, 'message': item.message, 'values': dict(item.values)}
                for _, item in sorted(view.diagnostics.items())
            ],
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all panels."""
        return tuple(self._made)

    def changed(self, view: SessionView, before: SessionView | None, wanted: Collection[str]) -> dict[str, Any]:
        """The wanted panels whose part of the session has changed; all of them if there is no `before`.

        For a panel that only grows, just the new rows are sent, under its name and GROWS, as prompts are long.
        """
        found: dict[str, Any] = {}
        for name, make in self._made.items():
            parts = _PARTS.get(name, (name,))
            if name not in wanted:
                continue
            if before is None:
                found[name] = make(view)
            elif any(getattr(view, part) is not getattr(before, part) for part in parts):
                new = _rows_since(getattr(before, parts[0]), getattr(view, parts[0])) if name in _GROWING else None
                if new is None:
                    found[name] = make(view)
                else:
                    found[name + GROWS] = make(replace(view, **{parts[0]: new}))  # type: ignore[arg-type]
        return found

    def _scene(self, view: SessionView) -> dict[str, Any]:
        snapshot, robot = view.scene.value if view.scene else Snapshot(), self._robot
        return {
            'objects': [
                {
                    'name': item.name,
                    'at_m': item.pose_world.position_m,
                    'size_m': item.size_m,
                    'looks': item.attributes,
                    'seen': _seen(item),
                }
                for item in snapshot.objects
            ],
            'containers': [
                {'name': item.name, 'at_m': item.position_world_m, 'size_m': item.size_m, 'contents': item.contents}
                for item in snapshot.containers
            ],
            'robot': robot.lines(view.joints) if robot and view.joints else [],
            'path': robot.path(view.path, view.joints) if robot and view.path else [],
        }


_PARTS: Mapping[str, tuple[str, ...]] = {
    'camera': ('picture',),
    'objects': ('scene',),
    'scene': ('scene', 'joints', 'path'),
    'models': ('exchanges',),
    'gate': ('decisions',),
    'timeline': ('goals',),
    'log': ('entries',),
    'latency': ('exchanges', 'actions', 'goals'),
}
"""The parts of a session that a panel shows, if they are not named like the panel."""

_GROWING = frozenset({'models', 'corrections', 'gate', 'log', 'said'})
"""Panels with one row for each item of a single part. Existing rows never change."""


def grows(name: str) -> bool:
    """Whether `changed` has only the new rows under this name."""
    return name.endswith(GROWS)


def _rows_since(before: tuple[Any, ...], now: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The items added to a bounded list, whose oldest items may be gone; None if it is a different list."""
    if before:
        for at in range(len(now) - 1, -1, -1):
            if now[at] is before[-1]:
                return now[at + 1 :]
    return None


def _age(view: SessionView) -> float:
    return round(view.now_s - view.scene.wall_s, 1) if view.scene else 0.0


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT_CHARS else f'{text[:MOST_TEXT_CHARS]}… ({len(text)} characters)'


def _object(item: TableObject) -> dict[str, Any]:
    return {
        'id': item.object_id,
        'name': item.name,
        'attributes': list(item.attributes),
        'score': round(item.score, 2),
        # Rounded to the centimetre that is shown, so that rows that look the same are not drawn again.
        'at_m': [round(value, 2) for value in item.pose_world.position_m],
        'container': '' if item.container == TABLE else item.container,
        'seen': _seen(item),
    }


def _seen(item: TableObject) -> str:
    return 'seen' if item.visible else 'inferred' if item.inferred else 'not seen now'


def _exchange(item: ShownExchange) -> dict[str, Any]:
    exchange, reply = item.exchange, item.exchange.reply
    return {
        'wall_s': item.wall_s,
        'asker': exchange.asker,
        'model': exchange.model,
        'messages': [
            {'role': message.role, 'text': _cut(message.content), 'new': new}
            for message, new in zip(exchange.messages, item.is_new, strict=True)
        ],
        'left_out': [{'role': message.role, 'text': _cut(message.content)} for message in item.left_out],
        'answer': _cut(reply.text) if reply else '',
        'calls': [f'{call.name}({call.arguments})' for call in reply.tool_calls] if reply else [],
        'error': exchange.error,
        'prompt_tokens': reply.prompt_tokens if reply else 0,
        'completion_tokens': reply.completion_tokens if reply else 0,
        'model_s': round(reply.model_s, 3) if reply else 0.0,
    }


def _gate(view: SessionView) -> list[dict[str, Any]]:
    return [
        {
            'wall_s': item.wall_s,
            'task': item.value.request.task,
            'text': _cut(item.value.request.text),
            'permitted': item.value.code == PERMITTED,
            'code': str(item.value.code),
            'message': _cut(item.value.message),
        }
        for item in view.decisions
    ]


def _prohibitions(view: SessionView) -> dict[str, Any]:
    known = view.prohibitions
    return {
        'unknown': _cut(known.unknown),
        'found': [
            {
                'text': str(item),
                'person': item.person or 'somebody',
                'on': f'{item.said_at:%Y-%m-%d %H:%M} UTC' if item.said_at else '',
                'lift': item.how_to_lift,
            }
            for item in known.prohibitions
        ],
    }


def _waits(goal: ShownGoal) -> bool:
    """Whether a goal has ended and left its task suspended."""
    result = goal.result
    if result is None:
        return False
    if goal.waits is not None:
        return goal.waits
    # Earlier versions recorded no answer. However a goal ends that had begun, its task waits, unless it is finished;
    # after a refusal, only if something had been done.
    if result.status == Status.REFUSED:
        return goal.begun and bool(result.actions_done or result.undone)
    return goal.begun and result.status != Status.FINISHED


def _goal(goal: ShownGoal) -> dict[str, Any]:
    request, result = goal.request, goal.result
    return {
        'id': goal.goal_id,
        'wish': _cut(request.text or request.task),
        'person': request.person,
        'source': goal.source,
        'priority': request.priority,
        'given_s': goal.given_s,
        'ended_s': goal.ended_s,
        'status': str(result.status) if result else 'going on',
        'task': result.task if result else request.task,
        'said': _cut(result.said) if result else '',
        'reason': _cut(result.reason) if result else '',
        'question': _cut(result.question) if result else '',
        'begun': goal.begun or _waits(goal),
        'waits': _waits(goal),
        'agree': _agree(request, result) if result else None,
        'retries': result.retries if result else 0,
        'steps': [
            {
                'wall_s': step.wall_s,
                'phase': str(step.value.phase),
                'text': _cut(step.value.text),
                'code': step.value.code,
            }
            for step in goal.steps
        ],
    }


def _agree(request: GoalRequest, result: GoalResult) -> dict[str, Any] | None:
    """The act by which a person agrees to what a goal asks, as in `lucca run`; None if it asks nothing."""
    if not result.to_confirm and 'Shall I' not in result.question:
        return None
    if not result.to_confirm and result.not_understood:
        return {'label': 'Yes', 'act': 'say', 'values': {'text': 'yes', 'person': request.person}}
    call = result.to_confirm or AS_UNDERSTOOD
    label = f'Confirm {call}' if result.to_confirm else 'Yes, as understood'
    values = {'task': result.task, 'call': call, 'person': request.person}
    return {'label': label, 'act': 'confirm', 'values': values}


def _log(view: SessionView) -> list[dict[str, Any]]:
    return [
        {'wall_s': item.wall_s, 'task': item.value.task, 'prose': _cut(prose(item.value.text))} for item in view.entries
    ]


def prose(text: str) -> str:
    """A log entry in a sentence or two; the text itself if it is not an entry of this version."""
    try:
        entry = entry_from_text(text)
    except ValueError:
        return text
    told = _told(entry)
    return f'{told} {entry.note}'.strip() if entry.note else told


def _told(entry: Entry) -> str:
    if entry.kind is EntryKind.INTENT:
        return f'It was about to do {entry.action}.'
    if entry.kind is EntryKind.OUTCOME:
        if entry.refused:
            return f'{entry.action or "An answer"} was refused: {entry.code}.'
        tries = f' after {entry.attempts} attempts' if entry.attempts > 1 else ''
        doubt = ', though not all of it was seen' if entry.uncertain else ''
        return f'{entry.action} ended{tries} with: {entry.code}{doubt}.'
    if entry.kind is EntryKind.WORLD_CHANGED:
        return f'The table changed after {entry.action}.'
    return _VERBS.get(entry.kind, f'{str(entry.kind).replace("_", " ").capitalize()}.')


def _latency(view: SessionView) -> dict[str, Any]:
    return {
        'models': [
            {'wall_s': item.wall_s, 'asker': item.exchange.asker, 'model_s': round(item.exchange.reply.model_s, 3)}
            for item in view.exchanges
            if item.exchange.reply
        ],
        'actions': [
            {
                'wall_s': item.wall_s,
                'action': item.value.result.action,
                'code': str(item.value.result.code),
                'overhead_ms': _ms(item.value.result.overhead_before_s + item.value.result.overhead_after_s),
                'planning_ms': _ms(item.value.result.planning_s),
                'verify_ms': _ms(item.value.result.verify_wait_s),
                'duration_s': round(item.value.result.duration_s, 1),
            }
            for item in view.actions
        ],
        'turns': [
            {'wish': _cut(goal.request.text or goal.request.task), 'first_s': round(first_s, 2)}
            for goal in view.goals
            if (first_s := _first_s(goal)) is not None
        ],
    }


def _ms(time_s: float) -> float:
    """A time of a recording, which may be damaged, in ms: never infinite, which JSON cannot represent."""
    return round(1e3 * min(max(time_s, -_MOST_S), _MOST_S), 1)


def _first_s(goal: ShownGoal) -> float | None:
    """Time from a request to the first thing that was said or done for it; None if nothing was yet."""
    told = [step.wall_s for step in goal.steps if step.value.phase in (Phase.SAYING, Phase.ACTING)]
    first_s = told[0] if told else goal.ended_s
    return first_s - goal.given_s if first_s else None
