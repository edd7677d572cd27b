"""`lucca eval evolution`: whether memory knows what has changed, with and without knowledge evolution."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.commands.eval_forgetting import HASHED, embedder_of
from lucca_lab.evolution.chats import SPLITS as CHATS_SPLITS
from lucca_lab.evolution.chats import chats
from lucca_lab.evolution.dialogue import EvolutionDialogue
from lucca_lab.evolution.measure import SHARES, VARIANTS, measure, pooled
from lucca_lab.evolution.weeks import weeks
from lucca_lab.forgetting.scenario import SPLITS
from lucca_lab.locomo.vector_cache import CachedEmbedder
from lucca_memory.embedding.spec import MINILM, minilm_folder

KINDS: dict[str, Callable[[str, int, int], Iterable[EvolutionDialogue]]] = {'weeks': weeks, 'chats': chats}
"""Functions that make the dialogues of each kind from (split, seed, number)."""


def evolution(
    kind: Annotated[Optional[list[str]], typer.Option(help=f'Kinds of dialogues: {", ".join(KINDS)}.')] = None,
    split: Annotated[
        str, typer.Option(help='Names and wordings: train, validation or test; for chats also fresh.')
    ] = 'test',
    seed: Annotated[int, typer.Option(min=0, help='Seed of the dialogues.')] = 0,
    dialogues: Annotated[int, typer.Option(min=1, help='Number of dialogues of each family.')] = 2,
    variant: Annotated[Optional[list[str]], typer.Option(help=f'Only these: {", ".join(VARIANTS)}.')] = None,
    embedding: Annotated[
        str,
        typer.Option(help='hashed (words, no model), or an embedding spec; empty: minilm if installed, else hashed.'),
    ] = '',
    cache: Annotated[Optional[Path], typer.Option(help='File (.npz) that keeps vectors between runs.')] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures valid and outdated values, history, order and wrong closings; no cue word announces an update."""
    show = Output(as_json=as_json)
    kinds, variants = kind or list(KINDS), variant or list(VARIANTS)
    embedding = embedding or (HASHED if minilm_folder() is None else MINILM)
    splits = CHATS_SPLITS if kinds == ['chats'] else SPLITS
    for wanted, known in ((kinds, KINDS), (variants, VARIANTS), ([split], dict.fromkeys(splits))):
        if unknown := [item for item in wanted if item not in known]:
            raise typer.BadParameter(f'there is no {unknown[0]!r}; there are {", ".join(known)}')
    with telling_errors(show):
        require_writable(cache)
        embedder = CachedEmbedder(embedder_of(embedding), cache)
        figures: dict[str, Any] = {}
        for name in kinds:
            drawn = list(KINDS[name](split, seed, dialogues))
            figures[name] = {'dialogues': len(drawn), 'variants': {}}
            for chosen in variants:
                shown = show.bar(drawn, f'{name}, {chosen}', len(drawn))
                outcomes = [measure(dialogue, embedder, VARIANTS[chosen]) for dialogue in shown]
                figures[name]['variants'][chosen] = {share: pooled(outcomes, share) for share in SHARES}
        embedder.save()
    if as_json:
        show.json({'split': split, 'seed': seed, 'embedding': embedding, 'kinds': figures})
        return
    for name, found in figures.items():
        table = Table(f'{name}, {found["dialogues"]} dialogues', *found['variants'], 'n', 'what')
        for share, what in SHARES.items():
            cells = [_cell(item[share]) for item in found['variants'].values()]
            table.add_row(share, *cells, str(next(iter(found['variants'].values()))[share]['n']), what)
        show.console.print(table)


def _cell(share: dict[str, Any]) -> str:
    if share['value'] is None:
        return '-'
    low, high = share['ci']
    return f'{share["value"]:.3f} \\[{low:.3f}, {high:.3f}]'
