"""`lucca eval answers`: the answers of a language model from the context that each memory retrieves."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional, TypeVar

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.commands.eval_forgetting import HASHED, embedder_of
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.locomo.vector_cache import CachedEmbedder
from lucca_lab.reader.contexts import Asked, evidence_handed_over, from_kept, from_whole_dialogues
from lucca_lab.reader.run import read, write_requests
from lucca_llm.model_spec import is_language_model, make_model
from lucca_llm.servers.embedder import make_http_embedder
from lucca_memory.embedding.spec import AUTO, make_embedder

Number = TypeVar('Number', int, float)


def answers(
    data: Annotated[Path, typer.Option(help="Folder with files in LoCoMo's format, with answers.")],
    model: Annotated[
        str,
        typer.Option(help='Model spec of the reader, such as local:smollm2; without one, only evidence is counted.'),
    ] = '',
    out: Annotated[
        Optional[Path], typer.Option(help='File of answers (.jsonl), with --model; an existing run is continued.')
    ] = None,
    requests: Annotated[
        Optional[Path],
        typer.Option(help='File (.jsonl) for what the model would be asked, to be answered on another machine.'),
    ] = None,
    questions: Annotated[int, typer.Option(min=1, help='Number of questions to draw.')] = 200,
    budgets: Annotated[
        Optional[str],
        typer.Option(help='Tokens per context, separated by commas; 256,1024 if not given, 256 with --keep.'),
    ] = None,
    keep: Annotated[
        str, typer.Option(help='Shares of the bytes that memories keep, separated by commas; all if not given.')
    ] = '',
    seed: Annotated[int, typer.Option(min=0, help='Seed of the drawn questions.')] = 0,
    embedding: Annotated[
        str, typer.Option(help='Embedding spec: auto, minilm, mpnet, ollama:…, openai:…, none.')
    ] = AUTO,
    cache: Annotated[Optional[Path], typer.Option(help='File (.npz) that keeps vectors between runs.')] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures the share that a model answers correctly from our memory, RAG, words, the newest lines or nothing."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        sizes = _numbers('--budgets', budgets or ('256' if keep else '256,1024'), int)
        shares = _numbers('--keep', keep, float) if keep else []
        if min(sizes) < 1 or (shares and len(sizes) > 1):
            raise typer.BadParameter(f'--budgets must be at least 1, and one number with --keep, got {budgets!r}')
        if not all(0 < share <= 1 for share in shares):
            raise typer.BadParameter(f'--keep must be above 0 and at most 1, got {keep!r}')
        if model and not is_language_model(model):
            raise typer.BadParameter(f'--model must be a language model, got {model!r}')
        if bool(model) != (out is not None):
            raise typer.BadParameter('--model and --out are given together, or neither')
        if model and requests is not None:
            raise typer.BadParameter('--requests is given without --model: it is for a model on another machine')
        require_writable(out)
        require_writable(requests)
        require_writable(cache)
        loaded = load_dialogues(data)
        reader = make_model(model) if model else None
        embedder = CachedEmbedder(make_embedder(embedding, make_http_embedder), cache)
        try:
            drawn: list[Asked] = (
                from_kept(
                    loaded, shares, sizes[0], embedder, embedder_of(HASHED), questions, seed, on_progress=show.line
                )
                if shares
                else from_whole_dialogues(loaded, sizes, embedder, questions, seed)
            )
        finally:
            embedder.save()
        if requests is not None:
            show.line(f'{write_requests(drawn, requests)} requests in {requests}')
        if reader is None or out is None:
            figures = evidence_handed_over(drawn)
        else:
            figures = read(drawn, reader, out, on_progress=show.line)
    if as_json:
        show.json(figures)
        return
    for budget, rows in figures['budgets'].items():
        title = f'{budget} of the bytes' if keep else f'{budget} tokens'
        show.console.print(_table(title, rows))
    if reader is not None:
        show.line(f'{figures["questions"]} questions, {figures["calls"]} calls, {figures["model_s"]} s of the model')


def _table(title: str, rows: Mapping[str, Any]) -> Table:
    shown = {'evidence': 'evidence handed over', 'right': 'answered rightly', 'f1': 'F1'}
    first = next(iter(rows.values()))
    names = [name for name in shown if name in first]
    table = Table(title, *(column for name in names for column in (shown[name], '95 %')))
    for system, row in rows.items():
        spans = [row[f'{name}_interval'] for name in names]
        cells = zip(
            (f'{row[name]:.3f}' for name in names), (f'{low:.3f} to {high:.3f}' for low, high in spans), strict=True
        )
        table.add_row(system, *(cell for pair in cells for cell in pair))
    return table


def _numbers(option: str, text: str, kind: type[Number]) -> list[Number]:
    try:
        return [kind(number) for number in text.split(',')]
    except ValueError as error:
        raise typer.BadParameter(f'{option} must be numbers separated by commas, got {text!r}') from error
