"""`lucca eval`: the command of each experiment on tasks, switching, people and the user study."""

import random
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lucca_cli.exit_codes import EXIT_FAILED, telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_packages, require_writable
from lucca_lab.study.conversation_partners import talker_of
from lucca_lab.study.questionnaire import load_questionnaire
from lucca_lab.study.ratings import comparisons, load_published, load_ratings, load_summary
from lucca_lab.study.report import draw_means, published_report
from lucca_lab.study.report import report as study_report
from lucca_lab.study.session import append_ratings, draw_group, run_session
from lucca_lab.tasks.executors import Executor, InThisProcess, Processes
from lucca_lab.tasks.report import REPORT_FILE, write_report
from lucca_lab.tasks.results import OnDone, RunFolder
from lucca_lab.tasks.spec import Mode, Setting
from lucca_lab.tasks.suites import GRID, SUITES, SuitePlan
from lucca_llm.model_spec import AUTO, PROMPTS, make_model


def tasks(
    out: Annotated[Path, typer.Option(help='Folder of the run; an existing run is continued.')] = Path('out/eval'),
    coordinator: Annotated[str, typer.Option(help='Model spec of the coordinator.')] = 'embedded',
    worker: Annotated[str, typer.Option(help="Model spec of the worker; the coordinator's if not given.")] = '',
    seed: Annotated[int, typer.Option(min=0, help='Seed of object order, faults and slips.')] = 0,
    trials: Annotated[int, typer.Option(min=1, help='Trials per cell.')] = 50,
    suite: Annotated[
        Optional[list[str]], typer.Option(help=f'What to run; may be repeated: {", ".join(SUITES)}.')
    ] = None,
    mode: Annotated[Optional[list[str]], typer.Option(help=f'Only these modes: {", ".join(Mode)}.')] = None,
    memory: Annotated[
        Optional[bool], typer.Option('--memory/--no-memory', help='Only with, or only without, memory.')
    ] = None,
    context: Annotated[int, typer.Option(min=1, help='Context window of both models, in tokens.')] = 8192,
    overflow: Annotated[
        str, typer.Option(help='What to do with a prompt that is too long: truncate or error.')
    ] = 'truncate',
    faults: Annotated[str, typer.Option(help='Fault profile in config/faults.yaml, applied to both models.')] = '',
    fault_rate: Annotated[float, typer.Option(help='Scale the profile to this many faults per call.')] = -1.0,
    safeguards: Annotated[
        bool, typer.Option(help='Let models correct wrong answers; off: the first one ends a task, as in the paper.')
    ] = True,
    grammar: Annotated[
        bool, typer.Option(help='Hold models to a grammar of the possible answers, if their server supports it.')
    ] = True,
    second_opinion: Annotated[
        Optional[bool],
        typer.Option(
            '--second-opinion/--no-second-opinion', help='Have the worker review each action; for use with faults.'
        ),
    ] = None,
    deliberate: Annotated[
        bool, typer.Option(help='If a model insists on something refused, ask in other ways; see ADR 55.')
    ] = True,
    slips: Annotated[float, typer.Option(help='Chance that an action has no effect on the table.')] = 0.0,
    shuffle_tasks: Annotated[
        bool, typer.Option(help="Draw the order of the tasks at random instead of using the paper's.")
    ] = False,
    questions: Annotated[
        bool, typer.Option(help='Ask about each task, to measure retention; off: only success is measured.')
    ] = True,
    ask_late: Annotated[bool, typer.Option(help='Ask about all tasks at the end of the session.')] = False,
    system_prompt: Annotated[
        bool, typer.Option(help='Send the base prompt as a system message, which no server drops.')
    ] = False,
    prompts: Annotated[
        str, typer.Option(help='How models are asked with memory: long, short, or auto (short with an adapter).')
    ] = AUTO,
    whole_dialogue: Annotated[
        bool, typer.Option(help='With memory, still send the whole dialogue, as the paper does.')
    ] = False,
    containers: Annotated[
        bool, typer.Option(help="List what is in the containers; the paper's prompt lists only objects on the table.")
    ] = True,
    think_first: Annotated[
        bool, typer.Option(help='Have the coordinator think in words before each call, as the paper does.')
    ] = False,
    must_retrieve: Annotated[
        bool, typer.Option(help='Refuse actions until both memories have been retrieved; off: the model decides.')
    ] = True,
    answer_tokens: Annotated[
        int, typer.Option(min=1, help='Longest answer of both models, in tokens.')
    ] = Setting().answer_tokens,
    record: Annotated[str, typer.Option(help="Folder for recordings of both models' calls, one file per trial.")] = '',
    replay: Annotated[str, typer.Option(help='Folder of recordings to use instead of models.')] = '',
    processes: Annotated[int, typer.Option(min=0, help='Worker processes; 0: one per core, 1: only this process.')] = 0,
    ray: Annotated[str, typer.Option(help='Address of the Ray cluster to use; local: one on this machine.')] = '',
    as_json: Json = False,
) -> None:
    """Runs standalone, consecutive and intervened tasks with and without memory, beside the published tables."""
    show = Output(as_json=as_json)
    with telling_errors(show, wrong_call=ValueError, goes_on=True):
        plan = SuitePlan(
            seed=seed,
            trials=trials,
            suites=tuple(_chosen(suite or [GRID], list(SUITES), 'suite')),
            modes=tuple(_chosen(mode or list(Mode), list(Mode), 'mode')),
            memory=(False, True) if memory is None else (memory,),
            shuffle_tasks=shuffle_tasks,
            setting=Setting(
                coordinator=coordinator,
                worker=worker,
                context_tokens=context,
                overflow=_chosen([overflow], ['truncate', 'error'], 'overflow')[0],
                base_role='system' if system_prompt else 'user',
                faults=faults,
                fault_rate=fault_rate,
                safeguards=safeguards,
                grammar=grammar,
                second_opinion=bool(faults) if second_opinion is None else second_opinion,
                deliberate=deliberate,
                slips=slips,
                questions=questions,
                ask_late=ask_late,
                prompts=_chosen([prompts], list(PROMPTS), 'kind of prompts')[0],
                whole_dialogue=whole_dialogue,
                containers=containers,
                think_first=think_first,
                must_retrieve=must_retrieve,
                answer_tokens=answer_tokens,
                record=record,
                replay=replay,
            ),
        )
        folder = RunFolder(out)
        folder.begin(plan)
        with _kept_loaded(plan.setting):
            _run(folder, plan, _executor(processes, ray))
        _present(folder, show)


def report(folder: Annotated[Path, typer.Argument(help='Folder of a run of lucca eval tasks.')]) -> None:
    """Writes summary, tables and figures of a run again, without running anything."""
    show = Output()
    with telling_errors(show, wrong_call=ValueError, goes_on=True):
        _present(RunFolder(folder), show)


def study(
    ratings: Annotated[
        str, typer.Argument(help='CSV with participant, group, metric and rating; or the word session.')
    ] = '',
    from_summary: Annotated[
        Optional[Path], typer.Option(help='YAML file with means, variances and n, instead of ratings.')
    ] = None,
    figure: Annotated[Optional[Path], typer.Option(help='File to write the means to, as PNG and SVG.')] = None,
    participant: Annotated[str, typer.Option(help='session: number or code of the participant.')] = '',
    model: Annotated[str, typer.Option(help='session: model spec of both groups.')] = 'embedded',
    to: Annotated[Path, typer.Option(help='session: CSV file for the ratings.')] = Path('ratings.csv'),
    facts: Annotated[
        Optional[Path], typer.Option(help='session: folder of text files from which the group with memory is answered.')
    ] = None,
) -> None:
    """Compares Likert ratings of two groups: means, t-tests, Mann-Whitney, effect size, beside published tables."""
    show = Output()
    with telling_errors(show, wrong_call=ValueError, goes_on=True):
        if figure is not None:
            require_packages('figures', 'matplotlib')
            require_writable(figure.with_suffix('.png'))
        if ratings == 'session':
            _session(participant, model, to, facts, show)
            return
        found = []
        if ratings:
            found = comparisons(load_ratings(Path(ratings)))
        elif from_summary is not None:
            found = load_summary(from_summary)
        published = load_published()
        if found:
            show.console.print(Markdown(study_report(found)))
        show.console.print(Markdown(published_report(published)))
        if figure is not None:
            draw_means(found or published.comparisons, figure)
            show.line(f'written to {figure.with_suffix(".png")} and {figure.with_suffix(".svg").name}', 'green')


def _session(participant: str, model: str, to: Path, facts: Path | None, show: Output) -> None:
    if not participant.strip():
        raise typer.BadParameter('a session needs --participant CODE')
    group = draw_group(participant, to, random.SystemRandom())
    try:
        with talker_of(group, make_model(model), participant, facts) as talker:
            rows = run_session(
                participant,
                group,
                talker,
                load_questionnaire(),
                lambda text: show.console.input(f'{text}> '),
                show.line,
            )
    except EOFError:
        show.line('the session ended early; nothing was kept', 'yellow')
        raise typer.Exit(EXIT_FAILED) from None
    append_ratings(to, rows)
    show.line(f'Thank you. {len(rows)} ratings are in {to}.', 'green')


def _executor(processes: int, ray: str) -> Executor:
    if ray:
        from lucca_lab.tasks.on_ray import OnRay

        return OnRay('' if ray == 'local' else ray)
    return InThisProcess() if processes == 1 else Processes(processes)


@contextmanager
def _kept_loaded(setting: Setting) -> Iterator[None]:
    """Keeps local models loaded between the trials that run in this process."""
    with ExitStack() as closing:
        for spec in {setting.coordinator, setting.worker or setting.coordinator}:
            if spec.startswith('local:') and not setting.replay:
                closing.callback(make_model(spec).close)  # type: ignore[attr-defined]
        yield


def _run(folder: RunFolder, plan: SuitePlan, executor: Executor) -> None:
    start_s = time.monotonic()
    try:
        with _progress() as on_done:
            folder.run(plan.specs(), executor, on_done)
    finally:
        folder.add_wall_s(time.monotonic() - start_s)


def _present(folder: RunFolder, show: Output) -> None:
    summary = write_report(folder)
    if show.as_json:
        show.json(summary)
    show.console.print(Markdown((folder.path / REPORT_FILE).read_text(encoding='utf-8').split('![')[0]))
    show.line(f'written to {folder.path}', 'green')
    if summary['ungated_actions']:
        show.error(f'{summary["ungated_actions"]} actions were carried out that should never have been')
        raise typer.Exit(EXIT_FAILED)


def _chosen(names: list[str], known: list[str], what: str) -> list[str]:
    for name in names:
        if name not in known:
            raise typer.BadParameter(f'there is no {what} {name!r}; there are {", ".join(known)}')
    return [name for name in known if name in names]


@contextmanager
def _progress() -> Iterator[OnDone]:
    columns = (TextColumn('trials'), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn('left'))
    with Progress(*columns, TimeRemainingColumn(), disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task('trials', total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)
