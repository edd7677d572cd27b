"""`lucca eval words`: the law of foreign words."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.understanding.foreign_words import WordEffect, load_foreign_words, try_foreign_words
from lucca_lab.understanding.requests_drawn import load_nouns


def words(
    sentences: Annotated[
        int, typer.Option(min=1, help='Number of sentences that were done correctly without the word.')
    ] = 500,
    seed: Annotated[int, typer.Option(min=0, help='Seed of sentences, words and places.')] = 0,
    nouns: Annotated[
        Optional[Path],
        typer.Option(help='File with nouns for the sentences, one per line; by default those of wonderwords.'),
    ] = None,
    file: Annotated[
        Optional[Path],
        typer.Option('--words', help='File with foreign words, one per line; by default those of wonderwords.'),
    ] = None,
    llm: Annotated[str, typer.Option(help='Model spec of coordinator and worker.')] = 'embedded',
    out: Annotated[Optional[Path], typer.Option(help='File to write, with one line of JSON per sentence.')] = None,
    as_json: Json = False,
) -> None:
    """Puts a foreign word into sentences that were understood. `still`: nothing moved; `same`: the word was passed
    over; `other`: something else moved, for a person to judge."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        require_writable(out)
        report = try_foreign_words(
            sentences,
            seed,
            load_nouns(nouns),
            load_foreign_words(file),
            llm=llm,
            on_progress=lambda number: show.line(f'{number} of {sentences} …', 'dim'),
        )
        if out is not None:
            lines = [
                {
                    'effect': item.effect,
                    'kind': item.kind,
                    'word': item.word,
                    'text': item.after.request.text,
                    'objects': item.after.request.objects,
                    'performed': item.after.outcome.performed,
                    'before': item.before.outcome.performed,
                    'said': item.after.outcome.said,
                }
                for item in report.found
            ]
            out.write_text(''.join(f'{json.dumps(line)}\n' for line in lines), encoding='utf-8')
    figures = report.as_json()
    if as_json:
        show.json(figures)
        return
    show.line(', '.join(f'{figures[effect]} {effect}' for effect in WordEffect) + f' of {figures["sentences"]}')
