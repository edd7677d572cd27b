"""The script of `lucca demo`: its tables and tasks, the interruption, and the summary of results."""

import json
import queue
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from lucca_cli.laboratory import Judge, Judgement, find_judge
from lucca_cli.output import Output
from lucca_cli.running_goal import RunningGoal
from lucca_cli.setup_checks import check_setups
from lucca_cli.stack import Stack, StackOptions, node_setups
from lucca_cli.still_table import wait_until_still
from lucca_core.errors import StackError
from lucca_core.laboratory import INSTALL
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult, OnFeedback
from lucca_sim.recordings import join_traces, join_videos

GOAL_TIMEOUT_S = 900.0
INTERRUPTER_PRIORITY = 10

MARK = '.lucca-demo'
"""Marks a folder that a later demo may replace."""

SPEED = 2.5
"""Simulated seconds per wall second, at most. Unpaced, a command would come behind its own start on a fast machine."""

CAMERA_RATE_HZ = 4.0
JOINT_STATE_RATE_HZ = 25.0
"""Per simulated second. Above real time each message wakes two nodes, and rendering is done in software."""


@dataclass(frozen=True)
class DemoTable:
    """One table of the demo: its scene, the tasks done on it, and which task is interrupted by which."""

    scene: str
    tasks: tuple[str, ...]
    interrupted: str = ''
    resumed_with: str = ''


TABLES = (
    DemoTable('sorting_tower', ('sorting', 'tower'), interrupted='sorting', resumed_with='go on with the sorting'),
    DemoTable('arrangement', ('arrangement',)),
    DemoTable('pointing', ('pointing',)),
    DemoTable('recipe', ('recipe',)),
)


@dataclass(frozen=True)
class TableResult:
    """The final report of each task on one table, and how often one was interrupted."""

    reports: dict[str, GoalResult]
    interruptions: int


Play = Callable[[DemoTable, Stack, Output], TableResult]
"""Does the tasks of one table on a running stack."""


def run_demo(
    out: Path,
    options: StackOptions,
    show: Output,
    *,
    play: Play | None = None,
) -> dict[str, Any]:
    """Runs every table, judges it if the laboratory is installed, and writes summary, pictures, logs, trace and video.

    `play` replaces the default way of doing the tasks of a table. All files are below `out`. Returns the content of
    `summary.json`. Raises StackError if a stack cannot be started or stops answering.
    """
    # Before an earlier demo's folder is cleared.
    check_setups(node_setups(options))
    judge = find_judge()
    _make_room(out)
    started_s = time.monotonic()
    judgements: dict[str, Judgement] = {}
    reports: dict[str, GoalResult] = {}
    interruptions = 0
    for table in TABLES:
        show.heading(table.scene.replace('_', ' and '))
        folder = out / table.scene
        stack_options = replace(
            options, scene=table.scene, data_dir=out / 'memory', state_dir=folder / 'state', record_dir=folder
        )
        with Stack(stack_options, folder) as stack:
            _save_picture(stack, folder / 'before.png')
            result = (play or _play)(table, stack, show)
            wait_until_still(stack.client)
            _save_picture(stack, folder / 'after.png')
        reports |= result.reports
        interruptions += result.interruptions
        if judge is not None:
            trace, seed = folder / 'trace.npz', options.seed or 0
            judgements |= judge.judge_tasks(trace, table.scene, seed, table.tasks, options.robot)
    for log in sorted((out / 'memory' / 'tasks').glob('*.log')):
        shutil.copy(log, out / log.name)
    sim_s = join_traces({table.scene: out / table.scene / 'trace.npz' for table in TABLES}, out / 'trace.npz')
    if options.video:
        join_videos([out / table.scene / 'demo.mp4' for table in TABLES], out / 'demo.mp4')
    planned = sum(bool(table.interrupted) for table in TABLES)
    wall_s = time.monotonic() - started_s
    summary = summarise(reports, judgements, judge, interruptions, wall_s, sim_s, interruptions_planned=planned)
    (out / 'summary.json').write_text(json.dumps(summary, indent=2), encoding='utf-8')
    _tell(summary, out, show)
    if judge is None:
        show.line(f'  not judged: the judge is part of the laboratory: {INSTALL}', 'yellow')
    return summary


def _make_room(out: Path) -> None:
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise StackError(f'{out} is not empty and holds no earlier demo; choose another folder with --out')
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / MARK).touch()


def succeeded(summary: dict[str, Any]) -> bool:
    """True only if every task was done and the interruption came when half of the task was done.

    A task counts as done if it is complete, nothing was repeated or missed, and the judge, if there is one, found
    nothing wrong.
    """
    return bool(summary['interrupted_as_planned']) and all(_came_out_right(task) for task in summary['tasks'].values())


def _came_out_right(task: dict[str, Any]) -> bool:
    if not task['completed'] or task['repeated'] or task['faults']:
        return False
    # None means not judged: the physics with the engine `kinematic`, and everything without a judge.
    return all(task[key] is not False for key in ('judged_complete', 'physical', 'in_order')) and not task['missed']


def summarise(
    reports: dict[str, GoalResult],
    judgements: Mapping[str, Judgement],
    judge: Judge | None,
    interruptions: int,
    wall_s: float,
    sim_s: float,
    *,
    interruptions_planned: int = 1,
) -> dict[str, Any]:
    """The content of `summary.json`."""
    tasks = {name: _task_summary(name, report, judgements.get(name), judge) for name, report in reports.items()}
    overhead_ms = 1e3 * np.array([value for report in reports.values() for value in report.overhead_s])
    return {
        'tasks': tasks,
        'interruptions': interruptions,
        'interrupted_as_planned': interruptions == interruptions_planned,
        'wall_s': round(wall_s, 1),
        'sim_s': round(sim_s, 1),
        'overhead_ms_per_action': _percentiles(overhead_ms),
    }


def _task_summary(name: str, report: GoalResult, judgement: Judgement | None, judge: Judge | None) -> dict[str, Any]:
    done = report.actions_done
    return {
        'completed': report.finished,
        'status': report.status,
        'reason': report.reason,
        'judged_complete': judgement and judgement.complete,
        'physical': judgement and judgement.physical,
        'in_order': judgement and judgement.order,
        'actions': list(done),
        'repeated': max(report.repeated + len(done) - len(set(done)), judgement.repeated if judgement else 0),
        'missed': judge and len(set(judge.needed_actions(name)) - set(done)),
        'retries': report.retries,
        'refusals': report.refusals,
        'faults': [str(fault) for fault in judgement.faults] if judgement else [],
        'coordinator': report.as_json()['coordinator'],
        'worker': report.as_json()['worker'],
    }


def _percentiles(values: np.ndarray) -> dict[str, float] | None:
    if not len(values):
        return None
    return {'p50': round(float(np.percentile(values, 50)), 2), 'p99': round(float(np.percentile(values, 99)), 2)}


def _play(table: DemoTable, stack: Stack, show: Output) -> TableResult:
    if table.interrupted:
        return _play_interrupted(table, stack, show)
    reports = {}
    for task in table.tasks:
        goal = stack.client.send_goal(GoalRequest(task=task), _shown(task, show))
        reports[task] = goal.wait(GOAL_TIMEOUT_S, stack.alive)
        show.report(reports[task])
    return TableResult(reports, interruptions=0)


def _play_interrupted(table: DemoTable, stack: Stack, show: Output) -> TableResult:
    """Starts the first task, gives the second when half of the first's actions are done or begun, then resumes."""
    (first,) = [task for task in table.tasks if task == table.interrupted]
    (second,) = [task for task in table.tasks if task != table.interrupted]
    steps: queue.Queue[GoalFeedback] = queue.Queue()

    def both(step: GoalFeedback) -> None:
        steps.put(step)
        show.feedback(first, step)

    goal = stack.client.send_goal(GoalRequest(task=first), both)
    half = _until_half_is_under_way(steps, goal, stack.alive)
    if half is None:
        ended = {first: _finish(goal, stack, show)}
        show.line(f'  {first} ended before half of it was done, so {second} does not interrupt it', 'magenta')
        alone = stack.client.send_goal(GoalRequest(task=second), _shown(second, show))
        return TableResult(ended | {second: _finish(alone, stack, show)}, interruptions=0)
    show.line(f'  interrupting {first} with: {second}', 'magenta')
    interrupter = stack.client.send_goal(GoalRequest(task=second, priority=INTERRUPTER_PRIORITY), _shown(second, show))
    suspended = goal.wait(GOAL_TIMEOUT_S, stack.alive)
    show.report(suspended)
    reports = {second: _finish(interrupter, stack, show)}
    show.line(f'  “{table.resumed_with}”', 'magenta')
    resumed = stack.client.send_goal(GoalRequest(text=table.resumed_with), _shown(first, show))
    reports = {first: _joined(suspended, _finish(resumed, stack, show))} | reports
    return TableResult(
        reports, interruptions=int(suspended.status == 'suspended' and len(suspended.actions_done) == half)
    )


def _until_half_is_under_way(
    steps: 'queue.Queue[GoalFeedback]', goal: RunningGoal, alive: Callable[[], None]
) -> int | None:
    """Half of the number of the task's actions, rounded down; returns while the last of that half is in progress.

    None if the goal ended before.
    """
    half = None
    deadline = time.monotonic() + GOAL_TIMEOUT_S
    while time.monotonic() < deadline:
        has_ended = goal.ended
        try:
            step = steps.get(timeout=0.5)
        except queue.Empty:
            if has_ended:
                return None
            alive()
            continue
        if step.phase == 'acting':
            half = half or (len(step.actions_done) + len(step.left)) // 2
            if len(step.actions_done) >= half - 1:
                return half
    raise StackError(f'half of the task was not reached within {GOAL_TIMEOUT_S:g} s')


def _finish(goal: RunningGoal, stack: Stack, show: Output) -> GoalResult:
    report = goal.wait(GOAL_TIMEOUT_S, stack.alive)
    show.report(report)
    return report


def _joined(earlier: GoalResult, later: GoalResult) -> GoalResult:
    """One result for a task done in two goals: the status of the later one, the cost of both."""
    return replace(
        later,
        retries=max(earlier.retries, later.retries),
        refusals=earlier.refusals + later.refusals,
        coordinator=earlier.coordinator + later.coordinator,
        worker=earlier.worker + later.worker,
        overhead_s=earlier.overhead_s + later.overhead_s,
        planning_s=earlier.planning_s + later.planning_s,
        verify_wait_s=earlier.verify_wait_s + later.verify_wait_s,
        prompt_tokens=earlier.prompt_tokens + later.prompt_tokens,
    )


def _shown(task: str, show: Output) -> OnFeedback:
    return lambda step: show.feedback(task, step)


def _save_picture(stack: Stack, file: Path) -> None:
    picture = cv2.cvtColor(stack.client.annotated_image(), cv2.COLOR_RGB2BGR)
    if not cv2.imwrite(str(file), picture):
        raise StackError(f'{file}: the picture could not be written')


def _tell(summary: dict[str, Any], out: Path, show: Output) -> None:
    show.heading('result')
    for name, task in summary['tasks'].items():
        good = _came_out_right(task)
        show.line(
            f'  {name:<12} completed={task["completed"]} judged={task["judged_complete"]} physical={task["physical"]} '
            f'actions={len(task["actions"])} '
            f'repeated={task["repeated"]} missed={task["missed"]}',
            'green' if good else 'red',
        )
        for fault in task['faults']:
            show.line(f'    {fault}', 'red')
    overhead = summary['overhead_ms_per_action']
    # Tasks given by voice report no overhead.
    cost = f', overhead per action p50 {overhead["p50"]} ms, p99 {overhead["p99"]} ms' if overhead else ''
    times = f'{summary["sim_s"]:.0f} s simulated in {summary["wall_s"]:.0f} s'
    show.line(f'  {summary["interruptions"]} interruption, {times}{cost}')
    video = 'demo.mp4, ' if (out / 'demo.mp4').exists() else ''
    show.line(f'  {out}/: summary.json, */before.png, */after.png, {video}trace.npz, *.log')
