"""Prompts of the coordinator. Text from the table or from people is data, and is sanitized before it is inserted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coordinator_node.persona import Persona
from lucca_core.protocol.actions import objects_of
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_llm.model import ToolSpec
from lucca_llm.prompt_templates import prompt_templates
from lucca_llm.prompt_text import MOST_NAME_CHARS, contents, harmless, on_table, seen_from_users_side
from lucca_memory.procedural import ActionSpec, TaskSpec

MOST_LINE_CHARS = 4000
"""Longest line about a prohibition; it holds the names of all objects on the table at most."""

_MOST_MESSAGE_CHARS = 200
_PARENTHESES = str.maketrans('()', '  ')


def _lines(prohibited: Sequence[str]) -> list[str]:
    """The lines about prohibitions, harmless as all that people say."""
    return [harmless(line, MOST_LINE_CHARS) for line in prohibited]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """The parts of a step's prompt, besides the base prompt."""

    task: str
    snapshot: Snapshot
    declarative: str = ''
    working: str = ''
    last_action: str = ''
    last_code: str = ''
    last_message: str = ''
    correction: str = ''
    prohibited: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """The parts of the prompt for one turn of a conversation, besides the base prompt and the last turns.

    `asked` is the robot's own question that the text may answer, `asked_of` what it is about; `person` is empty for a
    guest; `remembered` is false while the memory of people cannot be reached; `table` is None if nothing is seen;
    `opening` and `memories` are lines.
    """

    text: str
    now: str
    asked: str = ''
    asked_of: str = ''
    person: str = ''
    remembered: bool = True
    tasks: Sequence[TaskState] = ()
    table: Snapshot | None = None
    opening: Sequence[str] = ()
    memories: Sequence[str] = ()


def _standing(task: TaskState) -> str:
    """The status of a task, with the objects whose effects are gone. Prompts show it in parentheses."""
    names = ', '.join(harmless(name, MOST_NAME_CHARS).translate(_PARENTHESES) for name in objects_of(task.undone))
    return f'{task.status}; no longer so: {names}' if names else task.status


class CoordinatorPrompts:
    """The prompts, made from the templates in `config/prompts`."""

    def __init__(self) -> None:
        self._template = prompt_templates()

    def base(self, tasks: Iterable[TaskSpec], actions: Iterable[ActionSpec], *, memory: bool) -> str:
        """The unchanging start of every prompt: tasks, actions, other calls and rules ("…Multitask…", III-D)."""
        return self._template('coordinator_base.j2').render(tasks=list(tasks), actions=list(actions), memory=memory)

    def short_base(self) -> str:
        """The start of a prompt for a small model. What a step needs to know of the task is in the working memory."""
        return self._template('coordinator_short_base.j2').render()

    def short_step(self, view: StepView) -> str:
        """The question of a step for a small model: the working memory, and which call comes next."""
        return self._template('coordinator_short_step.j2').render(
            task=view.task,
            working=view.working,
            last_action=view.last_action,
            last_code=view.last_code,
            last_message=harmless(view.last_message, _MOST_MESSAGE_CHARS),
            correction=harmless(view.correction, 400),
        )

    def step(self, view: StepView, *, memory: bool, brief: bool = False, containers: bool = True) -> str:
        """The prompt of a step: what is remembered and what is seen now.

        Args:
            view: the parts of the prompt.
            memory: whether there is a memory outside of the dialogue.
            brief: leave out what is remembered and seen, for a turn that is kept in the dialogue.
            containers: list the contents of the containers.
        """
        return self._template('coordinator_step.j2').render(
            memory=memory,
            brief=brief,
            task=view.task,
            declarative=view.declarative,
            working=view.working,
            objects_on_table=on_table(view.snapshot),
            containers=contents(view.snapshot) if containers else [],
            prohibited=_lines(view.prohibited),
            last_action=view.last_action,
            last_code=view.last_code,
            last_message=harmless(view.last_message, _MOST_MESSAGE_CHARS),
            correction=harmless(view.correction, 400),
        )

    def by_action(
        self,
        task: TaskSpec,
        actions: Iterable[ActionSpec],
        wanted: str,
        done: Sequence[str],
        snapshot: Snapshot,
        prohibited: Sequence[str] = (),
    ) -> str:
        """Asks for which objects on the table the task still wants one of its actions."""
        return self._template('coordinator_by_action.j2').render(
            task=task,
            actions=list(actions),
            wanted=wanted,
            done=', '.join(done),
            objects_on_table=on_table(snapshot),
            containers=contents(snapshot),
            prohibited=_lines(prohibited),
        )

    def restate(
        self,
        task: str,
        snapshot: Snapshot,
        *,
        done: Sequence[str] = (),
        said: str = '',
        speaker: str = '',
        correction: str = '',
        prohibited: Sequence[str] = (),
    ) -> str:
        """Asks how the model understands a task, before anything moves.

        `said`: words that change the task. `prohibited`: lines that say what must not be done with which objects.
        """
        return self._template('coordinator_restate.j2').render(
            task=task,
            objects_on_table=on_table(snapshot),
            containers=contents(snapshot),
            prohibited=_lines(prohibited),
            done=', '.join(item.strip('<>') for item in done),
            said=harmless(said, 1000),
            speaker=harmless(speaker, 80).replace(':', ' '),
            correction=harmless(correction, 400),
        )

    def conversation_base(
        self, persona: Persona, tools: Sequence[ToolSpec], *, native: bool, step_by_step: bool = False
    ) -> str:
        """The unchanging start of a conversation's prompts: persona, rules, and the calls of the text protocol."""
        return self._template('conversation_base.j2').render(
            persona=persona, tools=list(tools), native=native, step_by_step=step_by_step
        )

    def conversation_turn(self, view: TurnView, max_chars: int, *, native: bool) -> str:
        """The prompt of one turn: the present state, the memories, and what was said."""
        rows: list[Mapping[str, str]] = [
            {'name': item.task, 'status': _standing(item), 'description': harmless(item.description, 1000)}
            for item in view.tasks
        ]
        return self._template('conversation_turn.j2').render(
            tasks=rows,
            table=None if view.table is None else self.table(view.table),
            person=harmless(view.person, 80).replace(':', ' '),
            remembered=view.remembered,
            opening=[harmless(line, max_chars) for line in view.opening],
            memories=[harmless(line, max_chars) for line in view.memories],
            now=view.now,
            asked=harmless(view.asked, max_chars),
            asked_of=harmless(view.asked_of, max_chars),
            text=harmless(view.text, max_chars),
            native=native,
        )

    def conversation_result(
        self, lines: Sequence[str], max_chars: int, *, call: str = '', correction: str = '', native: bool
    ) -> str:
        """The result of a lookup, or the reason why an answer was not accepted."""
        return self._template('conversation_result.j2').render(
            call=call,
            correction=harmless(correction, 600),
            lines=[harmless(line, max_chars) for line in lines],
            native=native,
        )

    def talk_base(self, persona: Persona, person: str, known: Sequence[str]) -> str:
        """The start of a conversation's prompts for a small model: who it is, with whom it talks, and what it knows.

        `person`: empty for a guest. `known`: harmless lines that an answer rests on.
        """
        return (
            self._template('talk_base.j2')
            .render(name=persona.name, about=persona.about, person=person, known=list(known))
            .rstrip()
        )

    def talk_kind(self, before: Sequence[str], person: str, text: str) -> str:
        """Asks a small model what something said is. `before`: harmless lines of the turn before."""
        return self._template('talk_kind.j2').render(before=list(before), person=person, text=text)

    def talk_task(self, tasks: Sequence[Mapping[str, str]], person: str, text: str) -> str:
        """Asks a small model which task is meant; each has `name` and `description`, harmless and short."""
        return self._template('talk_task.j2').render(tasks=list(tasks), person=person, text=text)

    def talk_line(self, line: str, person: str, text: str) -> str:
        """Asks a small model whether a remembered line answers what was said."""
        return self._template('talk_line.j2').render(line=line, person=person, text=text)

    def talk_recall(self, person: str, text: str) -> str:
        """Asks a small model which remembered line is about what was said."""
        return self._template('talk_recall.j2').render(person=person, text=text)

    def table(self, snapshot: Snapshot) -> str:
        """What is seen, in lines of text."""
        lines = [f'Objects on the table: {on_table(snapshot) or "none"}']
        lines += [f'In {item["name"]}: {item["contents"] or "none"}' for item in contents(snapshot)]
        return '\n'.join((*lines, *seen_from_users_side(snapshot)))
