"""Runs of goals for `lucca run`: on the running stack, or on one that is started for them and judged afterwards."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lucca_cli.client import StackClient
from lucca_cli.exit_codes import EXIT_CANNOT, EXIT_FAILED, code_of
from lucca_cli.laboratory import Judge, find_judge
from lucca_cli.output import Output
from lucca_cli.setup_checks import check_setups
from lucca_cli.stack import Stack, StackOptions, node_setups
from lucca_cli.still_table import wait_until_still
from lucca_cli.terminal import Terminal
from lucca_core.errors import StackError
from lucca_core.laboratory import INSTALL
from lucca_core.protocol.goals import AS_UNDERSTOOD, End, GoalRequest, GoalResult
from lucca_core.protocol.snapshots import TABLE, Snapshot
from lucca_memory.procedural import load_tasks
from lucca_sim.scene import Scene, load_scene, scene_names

STANDARD_SCENE = 'table'
"""The default scene of a described task: it has every container, and objects can be chosen."""

CANNOT = frozenset({'refused'})


@dataclass(frozen=True)
class RunResult:
    """The results of goals.

    Attributes:
        physical: nothing is wrong with the run; None if it was not judged, or its trace has no physics.
        faults: what the judge found, even without physics: what jumped, or is not where the stack says it is.
    """

    completed: bool
    physical: bool | None
    reports: tuple[GoalResult, ...]
    containers: dict[str, list[str]]
    faults: tuple[str, ...]
    stopped: bool = False
    interrupted: bool = False

    @property
    def succeeded(self) -> bool:
        """True only if every goal is complete, and the judge, if there is one, found nothing wrong."""
        return self.completed and self.physical is not False and not self.faults

    @property
    def cannot(self) -> bool:
        """True if a goal was impossible and nothing was done for it."""
        return any(report.status in CANNOT and not report.actions_done for report in self.reports)

    @property
    def asked(self) -> bool:
        """True if the last goal waits for the answer to a question."""
        return bool(self.reports) and self.reports[-1].end is End.ASKED

    @property
    def end(self) -> End:
        """The overall end: DONE only if everything is seen as it was restated, and the judge found nothing wrong."""
        if self.succeeded:
            return End.DONE
        last = self.reports[-1].end if self.reports else End.FAILED
        return last if last is not End.DONE else End.FAILED

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        if self.succeeded and not self.stopped:
            return 0
        if self.cannot or self.asked:
            return EXIT_CANNOT
        last = self.reports[-1].status if self.reports else 'suspended'
        code = code_of(last, stopped=self.stopped, interrupted=self.interrupted)
        return EXIT_FAILED if code in (0, EXIT_CANNOT) else code

    def sentence(self) -> str:
        """The result in one line for the terminal."""
        if self.succeeded:
            understood = '; '.join(report.understood for report in self.reports if report.understood)
            judged = '' if self.physical is None else ', and the physics agrees'
            return f'complete{judged}' + (f'; I understood: {understood}' if understood else '')
        if self.stopped and not self.reports:
            return 'stopped before it began'
        reasons = [report.reason or report.status for report in self.reports if not report.finished]
        return '; '.join([*reasons, *self.faults]) or 'not complete'

    def as_json(self) -> dict[str, Any]:
        """The output of `--json`."""
        return {
            'end': self.end,
            'understood': '; '.join(report.understood for report in self.reports if report.understood),
            'not_understood': [word for report in self.reports for word in report.not_understood],
            'question': self.reports[-1].question if self.reports else '',
            'completed': self.completed,
            'physical': self.physical,
            'actions': [action for report in self.reports for action in report.actions_done],
            'containers': self.containers,
            'said': ' '.join(report.said for report in self.reports if report.said),
            'reason': '; '.join(
                [*(report.reason for report in self.reports if report.reason and not report.finished), *self.faults]
            ),
            'goals': [report.as_json() for report in self.reports],
        }


def run_goals(
    requests: Sequence[GoalRequest], options: StackOptions, out: Path | None, show: Output, *, may_ask: bool = False
) -> RunResult:
    """Gives the goals one after the other.

    If no stack is up, one is started in simulation, and judged at the end if the laboratory is installed. With
    `may_ask`, the person at the terminal confirms each call that needs it; otherwise the task is suspended there.

    Raises:
        StackError: no stack can be started, or the one that runs does not answer, or stopped answering.
    """
    with StackClient() as client:
        if client.finds_stack():
            _refuse_options_of_a_start(options, out)
            with Terminal(client.stop, show, may_ask=may_ask) as terminal:
                reports = give(requests, client, show, None, terminal)
            return _result(reports, client.snapshot(), terminal)
    with ExitStack() as cleanup:
        folder = out or Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix='lucca-run-')))
        return _run_own_stack(requests, options, folder, show, may_ask=may_ask)


def _run_own_stack(
    requests: Sequence[GoalRequest], options: StackOptions, folder: Path, show: Output, *, may_ask: bool
) -> RunResult:
    scene_name = options.scene or _scene_for(requests, options)
    stack_options = replace(
        options, scene=scene_name, data_dir=folder / 'memory', state_dir=folder / 'state', record_dir=folder
    )
    check_setups(node_setups(stack_options))
    judge = find_judge()
    scene = load_scene(scene_name, options.seed or 0)
    if options.objects:
        scene = scene.with_objects(options.objects)
    show.line(f'no stack is running, starting one with the scene {scene_name} …')
    with Stack(stack_options, folder) as stack:
        before_s = stack.first_snapshot.stamp_s
        with Terminal(stack.client.stop, show, may_ask=may_ask) as terminal:
            reports = give(requests, stack.client, show, stack.alive, terminal)
        wait_until_still(stack.client)
        snapshot = stack.client.snapshot(newer_than_s=before_s)
    result = _result(reports, snapshot, terminal)
    if judge is None:
        show.line(f'not judged: the judge is part of the laboratory: {INSTALL}', 'yellow')
        return result
    return judged(result, judge, folder / 'trace.npz', scene, show, robot=options.robot)


def judged(result: RunResult, judge: Judge, trace: Path, scene: Scene, show: Output, *, robot: str = '') -> RunResult:
    """The result with what the judge says of the trace. `robot`: see `Judge`."""
    judgement = judge.judge_run(trace, scene, result.containers, robot)
    if judgement.physical is None:
        show.line('the physics is not judged: the trace has none', 'yellow')
    return replace(result, physical=judgement.physical, faults=judgement.faults)


def _refuse_options_of_a_start(options: StackOptions, out: Path | None) -> None:
    given = {
        '--scene': options.scene,
        '--objects': options.objects,
        '--seed': options.seed is not None,
        '--engine': options.engine,
        '--llm': options.llm,
        '--worker-llm': options.worker_llm,
        '--out': out is not None,
    }
    if meaningless := [name for name, value in given.items() if value]:
        raise StackError(
            f'a stack is already running; {", ".join(meaningless)} can only be given if this command starts one'
        )


def _scene_for(requests: Sequence[GoalRequest], options: StackOptions) -> str:
    tasks = list(dict.fromkeys(request.task for request in requests))
    if options.objects or '' in tasks:
        return STANDARD_SCENE
    name = '_'.join(tasks)
    if name in scene_names():
        return name
    known = load_tasks()
    if unknown := [task for task in tasks if task not in known]:
        raise StackError(
            f'no task is named {", ".join(unknown)}; there are {", ".join(known)}. A taught task needs a scene: '
            f'--scene {"|".join(scene_names())}'
        )
    raise StackError(
        f'no scene is named {name}; choose one that has the objects needed: --scene {"|".join(scene_names())}'
    )


def give(
    requests: Sequence[GoalRequest],
    client: StackClient,
    show: Output,
    alive: Callable[[], None] | None,
    terminal: Terminal,
) -> tuple[GoalResult, ...]:
    """Gives goals one after the other, until one is not finished or the robot is stopped."""
    reports: list[GoalResult] = []
    for request in requests:
        if terminal.stopped:
            break
        report = _give_one(request, client, show, alive, terminal)
        while report.to_confirm and terminal.agrees(f'Shall the robot do {report.to_confirm}?'):
            # Resumed, not restarted.
            again = replace(request, task=report.task, text='', restart=False, confirmed=report.to_confirm)
            report = _give_one(again, client, show, alive, terminal)
        if 'Shall I' in report.question and terminal.agrees(report.question):
            again = (
                replace(request, task='', text='yes', restart=False)
                if report.not_understood or not report.task
                else replace(request, task=report.task, text='', confirmed=AS_UNDERSTOOD)
            )
            report = _give_one(again, client, show, alive, terminal)
        if report.to_confirm:
            show.line(f'  to confirm it: lucca run {report.task} --confirm "{report.to_confirm}"', 'yellow')
        reports.append(report)
        if not report.finished:
            break
    return tuple(reports)


def _give_one(
    request: GoalRequest, client: StackClient, show: Output, alive: Callable[[], None] | None, terminal: Terminal
) -> GoalResult:
    name = request.task or 'described'
    report = terminal.wait(client.send_goal(request, lambda step: show.feedback(name, step)), alive)
    show.report(report)
    return report


def _result(reports: tuple[GoalResult, ...], snapshot: Snapshot, terminal: Terminal) -> RunResult:
    """The result of the goals, before the physics is judged."""
    places: dict[str, list[str]] = {container.name: [] for container in snapshot.containers}
    for item in snapshot.objects:
        if item.container != TABLE:
            places.setdefault(item.container, []).append(item.name)
    return RunResult(
        completed=bool(reports) and all(report.finished for report in reports),
        physical=None,
        reports=reports,
        containers=places,
        faults=(),
        stopped=terminal.stopped,
        interrupted=terminal.interrupted,
    )
