"""The entry point of worker processes: runs one trial of any suite from its specification."""

import json
from typing import Any

from lucca_core.errors import LuccaError
from lucca_lab.tasks import suites
from lucca_lab.tasks.spec import TrialSpec
from lucca_lab.tasks.trial import run_trial


def run_one(spec: TrialSpec) -> str:
    """Runs a trial and returns its line of `results.jsonl`, without line end.

    Raises:
        LuccaError: the trial cannot be run at all; the message begins with its name.
    """
    try:
        # Non-ASCII characters are escaped: a model's text may hold half a surrogate pair, which no file can hold.
        return json.dumps(_run(spec), sort_keys=True)
    except LuccaError as error:
        raise type(error)(f'trial {spec.trial_id}: {error}') from error


def _run(spec: TrialSpec) -> dict[str, Any]:
    if spec.suite == suites.SWITCHING:
        from lucca_lab.tasks.switching import run_switching

        return run_switching(spec)
    if spec.suite == suites.SCALE:
        from lucca_lab.tasks.scale import run_scale

        return run_scale(spec)
    if spec.suite == suites.PEOPLE:
        from lucca_lab.tasks.people import run_people

        return run_people(spec)
    return run_trial(spec)
