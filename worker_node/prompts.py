"""Prompts of the worker, each with everything its question needs ("Robots Can Multitask Too", III-D)."""

from collections.abc import Iterable, Sequence

from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_llm.prompt_templates import prompt_templates
from lucca_llm.prompt_text import contents, described, harmless, on_table, shown_name
from lucca_memory.declarative.entry import Entry, text_for_model
from lucca_memory.procedural import ActionSpec, TaskSpec


class WorkerPrompts:
    """The prompts, made from the templates in `config/prompts`."""

    def __init__(self) -> None:
        self._template = prompt_templates()

    def declarative(self, task: str, entries: Iterable[Entry], question: str, line: str, correction: str = '') -> str:
        """Asks for the names on one line of the last entry of a log."""
        return self._template('worker_declarative.j2').render(
            task=shown_name(task),
            log=text_for_model(entries).strip(),
            question=question,
            line=line,
            correction=correction,
        )

    def working(
        self,
        task: TaskSpec,
        actions: Iterable[ActionSpec],
        done: Sequence[str],
        snapshot: Snapshot,
        correction: str = '',
        prohibited: Sequence[str] = (),
    ) -> str:
        """Asks for the objects on the table that the task still needs, in order.

        `prohibited`: lines that say what must not be done with which objects.
        """
        return self._template('worker_working.j2').render(
            **_situation(task, actions, done, snapshot),
            correction=correction,
            prohibited=[*map(harmless, prohibited)],
        )

    def object(self, task: TaskSpec, actions: Iterable[ActionSpec], item: TableObject, correction: str = '') -> str:
        """Asks which action the task requires for one object."""
        return self._template('worker_object.j2').render(
            task=shown_name(task.name),
            description=task.description,
            actions=list(actions),
            object=described(item),
            correction=correction,
        )

    def review(
        self,
        task: TaskSpec,
        actions: Iterable[ActionSpec],
        done: Sequence[str],
        snapshot: Snapshot,
        proposed: str,
        *,
        finish: bool,
        prohibited: Sequence[str] = (),
        correction: str = '',
    ) -> str:
        """Asks whether a proposed call fits the task. `finish`: the call claims that nothing is left to do."""
        return self._template('worker_review.j2').render(
            **_situation(task, actions, done, snapshot),
            proposed=' '.join(proposed.split())[:200],
            finish=finish,
            prohibited=[*map(harmless, prohibited)],
            correction=correction,
        )


def _situation(
    task: TaskSpec, actions: Iterable[ActionSpec], done: Sequence[str], snapshot: Snapshot
) -> dict[str, object]:
    return {
        'task': shown_name(task.name),
        'description': task.description,
        'actions': list(actions),
        'done': ', '.join(done),
        'containers': contents(snapshot),
        'objects_on_table': on_table(snapshot),
    }
