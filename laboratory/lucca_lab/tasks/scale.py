"""An experiment with many generated tasks and objects in one session, interrupted and nested three deep."""

from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.judge.truth import ExpectedOutcome
from lucca_lab.tasks.generator import GeneratedTask, make_task
from lucca_lab.tasks.session import TaskSession
from lucca_lab.tasks.spec import TrialSpec
from lucca_lab.tasks.trial import LaidTask, known, trial_record
from lucca_memory.procedural import TaskSpec


def generated_tasks(spec: TrialSpec, count: int, objects: int) -> list[GeneratedTask]:
    """The tasks of a trial. The same trial always has the same tasks."""
    chance = spec.chance('generated tasks')
    return [make_task(f'chore {number + 1}', objects, chance) for number in range(count)]


def run_scale(spec: TrialSpec) -> dict[str, Any]:
    """Runs one session. Tasks come in groups of `depth`; in each group, all but the last are suspended half way.

    Raises:
        ConfigError: a model or a fault profile of the spec is wrong, or the depth is below 1.
    """
    made = generated_tasks(spec, spec.number('tasks'), spec.number('objects'))
    depth = spec.number('depth')
    if depth < 1:
        raise ConfigError(f'the depth of interruption must be at least 1, got {depth}')
    _, actions = known()
    tasks = {item.name: TaskSpec(name=item.name, description=item.description, actions=item.actions) for item in made}
    with TaskSession(spec, tasks, actions) as session:
        laid = [_laid(session, item, tasks[item.name]) for item in made]
        for start in range(0, len(laid), depth):
            nested = laid[start : start + depth]
            for item in nested[:-1]:
                item.run_until(len(item.truth.actions) // 2)
            for item in reversed(nested):
                item.run()
        for item in laid:
            item.ask()
        name = f'{spec.number("tasks")} tasks of {spec.number("objects")} objects'
        return trial_record(spec, session, [{**item.as_json(), 'task': name} for item in laid])


def _laid(session: TaskSession, made: GeneratedTask, task: TaskSpec) -> LaidTask:
    truth = ExpectedOutcome(groups=made.groups, places={})
    filled = tuple(dict.fromkeys(session.actions[name].effect.container for name in task.actions))
    table = session.lay(task.name, [thing.described for thing in made.things], tuple(filter(None, filled)))
    return LaidTask(session, task, truth, table)
