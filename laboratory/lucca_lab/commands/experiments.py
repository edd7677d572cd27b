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

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)


@app.command()
def tasks(
    out: Annotated[Path, typer.Option(help='Folder of the run; one that is there already is gone on with.')] = Path(
        'out/eval'
    ),
    coordinator: Annotated[str, typer.Option(help='Model spec of the coordinator.')] = 'embedded',
    worker: Annotated[str, typer.Option(help="Model spec of the worker; the coordinator's if not given.")] = '',
    seed: Annotated[int, typer.Option(min=0, help='Seed of object order, faults and slips.')] = 0,
    trials: Annotated[int, typer.Option(min=1, help='Trials a cell.')] = 50,
    suite: Annotated[
        Optional[list[str]], typer.Option(help=f'What to run, may be repeated: {", ".join(SUITES)}.')
    ] = None,
    mode: Annotated[Optional[list[str]], typer.Option(help=f'Only these modes: {", ".join(Mode)}.')] = None,
    memory: Annotated[
        Optional[bool], typer.Option('--memory/--no-memory', help='Only with, or only without memory.')
    ] = None,
    context: Annotated[int, typer.Option(min=1, help='Context window of both models, in tokens.')] = 8192,
    overflow: Annotated[str, typer.Option(help='A prompt that does not fit: truncate, or error.')] = 'truncate',
    faults: Annotated[str, typer.Option(help='Fault profile of config/faults.yaml around both models.')] = '',
    fault_rate: Annotated[float, typer.Option(help='Scale the profile to this many faults a call.')] = -1.0,
    safeguards: Annotated[
        bool, typer.Option(help='Off: the first wrong answer ends a task, as the paper scores.')
    ] = True,
    grammar: Annotated[
        bool, typer.Option(help='Hold models to a grammar of the possible answers, where their server can.')
    ] = True,
    second_opinion: Annotated[
        Optional[bool],
        typer.Option('--second-opinion/--no-second-opinion', help='Worker reviews each action; with faults.'),
    ] = None,
    deliberate: Annotated[
        bool, typer.Option(help='Ask in other ways where a model insists on what was refused; see ADR 55.')
    ] = True,
    slips: Annotated[float, typer.Option(help='Chance that an action has no effect on the table.')] = 0.0,
    shuffle_tasks: Annotated[bool, typer.Option(help="Draw the order of the tasks instead of the paper's.")] = False,
    questions: Annotated[
        bool, typer.Option(help='Ask about each task, for retention; off, only success is measured.')
    ] = True,
    ask_late: Annotated[bool, typer.Option(help='Ask about all tasks at the end of the session.')] = False,
    system_prompt: Annotated[
        bool, typer.Option(help='Send the base prompt as system message, which no server drops.')
    ] = False,
    prompts: Annotated[
        str, typer.Option(help='How models are asked with memory: long, short, or auto (short with an adapter).')
    ] = AUTO,
    whole_dialogue: Annotated[
        bool, typer.Option(help='With memory, send the whole dialogue all the same, as the paper does.')
    ] = False,
    containers: Annotated[
        bool, typer.Option(help="Say what lies in the containers; the paper's prompt names objects on the table only.")
    ] = True,
    think_first: Annotated[
        bool, typer.Option(help='Have the coordinator think in words before each call, as the paper does.')
    ] = False,
    must_retrieve: Annotated[
        bool, typer.Option(help='Refuse actions before both memories were retrieved; off, the model decides.')
    ] = True,
    record: Annotated[str, typer.Option(help='Folder to record the calls of both models in, a file a trial.')] = '',
    replay: Annotated[str, typer.Option(help='Folder of recordings to answer from instead of models.')] = '',
    processes: Annotated[int, typer.Option(min=0, help='Worker processes; 0: one a core, 1: none but this.')] = 0,
    ray: Annotated[str, typer.Option(help='Address of a Ray cluster to run on; local: one on this machine.')] = '',
    as_json: Json = False,
) -> None:
    """Standalone, consecutive and intervened tasks with and without memory, beside the published tables."""
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
                record=record,
                replay=replay,
            ),
        )
        folder = RunFolder(out)
        folder.begin(plan)
        with _kept_loaded(plan.setting):
            _run(folder, plan, _executor(processes, ray))
        _present(folder, show)


@app.command()
def report(folder: Annotated[Path, typer.Argument(help='Folder of a run of lucca eval tasks.')]) -> None:
    """Writes summary, tables and figures of a run anew; runs nothing."""
    show = Output()
    with telling_errors(show, wrong_call=ValueError, goes_on=True):
        _present(RunFolder(folder), show)


@app.command()
def study(
    ratings: Annotated[str, typer.Argument(help='CSV of participant, group, metric, rating; or: session.')] = '',
    from_summary: Annotated[
        Optional[Path], typer.Option(help='YAML of means, variances and n instead of ratings.')
    ] = None,
    figure: Annotated[Optional[Path], typer.Option(help='File for the means as PNG and SVG.')] = None,
    participant: Annotated[str, typer.Option(help='session: who takes part, a number or a code.')] = '',
    model: Annotated[str, typer.Option(help='session: model spec of both groups.')] = 'embedded',
    to: Annotated[Path, typer.Option(help='session: the CSV that gets the ratings.')] = Path('ratings.csv'),
    facts: Annotated[
        Optional[Path], typer.Option(help='session: folder of text files that the group with memory is answered from.')
    ] = None,
) -> None:
    """Likert ratings of two groups: means, t-tests, Mann-Whitney, effect size, beside the published tables."""
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
