"""An experiment on task switching: interrupt a task, run nested others, restart the processes and resume.

A trial succeeds only if the interrupted task ends complete, with no step repeated or skipped. No published robot has
been scored on this; the baseline is the same stack with a worker that sees the table and the task, but no log.
"""

from typing import Any

from lucca_lab.tasks.paper import TASKS
from lucca_lab.tasks.session import TaskSession
from lucca_lab.tasks.spec import TrialSpec
from lucca_lab.tasks.trial import LaidTask, known, lay_task, trial_record


def run_switching(spec: TrialSpec) -> dict[str, Any]:
    """Runs one trial. `extra` has the step at which the task is interrupted and the depth of nesting.

    The first task is suspended after `step` actions; 0 means before the first one, the number of its actions means
    before its end. With a depth of 2, the second task is suspended halfway for a third, and so on; each is finished on
    the way back. All processes are restarted after every suspension and before every resumption.

    Raises:
        ConfigError: a model or a fault profile of the spec is wrong.
    """
    tasks, actions = known()
    first, step, depth = spec.tasks[0], spec.number('step'), spec.number('depth')
    others = [name for name in TASKS if name != first]
    spec.chance('inner tasks').shuffle(others)
    with TaskSession(spec, tasks, actions) as session:
        outer = lay_task(session, tasks[first])
        inner = [lay_task(session, tasks[name]) for name in others[:depth]]
        outer.run_until(step)
        for item in inner[:-1]:
            session.restart()
            item.run_until(len(item.truth.actions) // 2)
        session.restart()
        inner[-1].run()
        for item in [*reversed(inner[:-1]), outer]:
            session.restart()
            item.run()
        return trial_record(spec, session, [_scored(outer, depth)])


def _scored(outer: LaidTask, depth: int) -> dict[str, Any]:
    """The record of the outer task. It is named after the depth, since the benchmark's tables are by depth."""
    record = outer.as_json()
    return {**record, 'interrupted': record['task'], 'task': f'depth {depth}'}
