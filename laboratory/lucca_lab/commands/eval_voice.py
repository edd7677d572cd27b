"""`lucca eval voice`, `stop` and `barge-in`: speech understanding, stop latency and barge-in latency."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from lucca_cli.exit_codes import EXIT_FAILED, telling_errors
from lucca_cli.output import Output
from lucca_lab.voice.barge_in import Onset, hears_itself, onsets, silenced_after_ms, summary
from lucca_lab.voice.recordings import RecordingKind, hear_recordings
from lucca_lab.voice.sentences import talk
from lucca_lab.voice.stop_latency import Way, run_stop_latency
from lucca_lab.voice.trials import Kind
from lucca_lab.voice.voice_evaluation import run_eval

Json = Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')]


def voice(
    out: Annotated[Path, typer.Option(help='Folder for the figures.')] = Path('out/voice'),
    count: Annotated[int, typer.Option(min=1, help='Sentences of each kind.')] = 200,
    snr: Annotated[Optional[list[float]], typer.Option(help='Signal-to-noise ratio in dB; may be repeated.')] = None,
    voices: Annotated[
        Optional[list[str]],
        typer.Option(
            '--speaker',
            help='Voice of espeak-ng, or flite:VOICE; may be repeated. other, fresh, later, last, final, spare: ten of '
            'espeak-ng in turn; recorded: four of flite.',
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help='Seed of sentences and noise.')] = 0,
    kinds: Annotated[
        Optional[list[Kind]], typer.Option('--only', help='What is said; may be repeated; by default everything.')
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help='Number of sentences said at a time.')] = 1,
    wav_dir: Annotated[
        Optional[Path], typer.Option(help='Folder with recordings (WAV) of other people; nothing else is measured.')
    ] = None,
    kind: Annotated[RecordingKind, typer.Option(help='What the recordings contain.')] = RecordingKind.TALK,
    transcriber: Annotated[str, typer.Option(help='Transcriber spec; the configured one if not given.')] = '',
    as_json: Json = False,
) -> None:
    """Measures how well commands, ordinary talk and stop words are understood. Exit code 1 if a target is missed.

    With --wav-dir: counts the recordings after which the robot acts, asks or stops, each heard out of nothing, by an
    attentive robot, after a question, and one after another; see recordings.jsonl. After an interruption, it goes on
    with the same --out."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        if wav_dir is not None:
            heard = hear_recordings(
                wav_dir,
                transcriber,
                processes=processes,
                outcomes_file=out / 'recordings.jsonl',
                watched=lambda found, total: show.bar(found, 'recordings', total),
            ).as_json()
            told = ', '.join(f'{name} {count}' for name, count in heard.items())
            show.json(heard) if as_json else show.line(f'{kind}: {told}')
            return
        rows = run_eval(
            out,
            show,
            count=count,
            snrs_db=snr,
            voices=voices,
            seed=seed,
            kinds=tuple(kinds or Kind),
            processes=processes,
            transcriber=transcriber,
        )
        if as_json:
            show.json(rows)
        if any(row['kept'] is False for row in rows):
            raise typer.Exit(EXIT_FAILED)


def stop_latency(
    out: Annotated[Path, typer.Option(help='Folder for the figures.')] = Path('out/stop'),
    count: Annotated[int, typer.Option(min=1, help='Stops of each kind.')] = 100,
    busy: Annotated[bool, typer.Option(help='Keep all cores busy meanwhile.')] = True,
    only: Annotated[
        Optional[list[Way]], typer.Option(help='How the stop is given; may be repeated; by default in all ways.')
    ] = None,
    as_json: Json = False,
) -> None:
    """Measures the time from a stop, spoken or published, to the last arm's hold. Exit code 1 if it is too long."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        ways = tuple(only or Way)
        rows = run_stop_latency(out, show, count=count, busy=busy, ways=ways)
        if as_json:
            show.json(rows)
        (out / 'stop.json').write_text(json.dumps(rows, indent=2))
        if not all(row['kept'] for row in rows):
            raise typer.Exit(EXIT_FAILED)


def barge_in(
    out: Annotated[Path, typer.Option(help='Folder for the figures.')] = Path('out/barge-in'),
    count: Annotated[int, typer.Option(min=1, help='Number of people who begin to speak over the robot.')] = 100,
    seed: Annotated[int, typer.Option(min=0, help='Seed of who says what, and when.')] = 0,
    as_json: Json = False,
) -> None:
    """Measures how soon the robot hears somebody speak over it, and how often it takes its own voice for somebody."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        out.mkdir(parents=True, exist_ok=True)
        planned = onsets(count, seed)
        found = [silenced_after_ms(onset) for onset in show.bar(planned, 'people who begin to speak', len(planned))]
        own = talk(random.Random(seed), 2 * count)
        pairs = [f'{first}. {second}.' for first, second in zip(own[::2], own[1::2], strict=True)]
        rows: dict[str, Any] = {
            'all': summary(found),
            'over the first words of the robot': summary(_of(found, planned, learned=False)),
            'after the robot has spoken before': summary(_of(found, planned, learned=True)),
            'hears itself': {
                'said': len(pairs),
                'times': sum(
                    hears_itself(said, number)
                    for number, said in enumerate(show.bar(pairs, 'sentences of the robot', len(pairs)))
                ),
            },
        }
        if as_json:
            show.json(rows)
        for name, row in rows.items():
            show.line(f'{name}: {row}')
        (out / 'barge_in.json').write_text(json.dumps(rows, indent=2), encoding='utf-8')


def _of(found: Sequence[float | None], planned: Sequence[Onset], *, learned: bool) -> list[float | None]:
    return [time for time, onset in zip(found, planned, strict=True) if onset.learned == learned]
