"""Participants' ratings on disk: CSV with a line for each statement, or YAML with means and variances."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import load_yaml
from lucca_lab.study.statistics import Comparison, Group, compare, compare_summaries

COLUMNS = ('participant', 'group', 'metric', 'rating')
GROUPS = ('A', 'B')
"""The two groups. B is the one with memory, as in the tables of the study."""

PUBLISHED_FILE = Path(__file__).with_name('published.yaml')


@dataclass(frozen=True, slots=True)
class Rating:
    """One participant's rating of one statement."""

    participant: str
    group: str
    metric: str
    rating: float


def load_ratings(file: Path) -> list[Rating]:
    """Reads the ratings of a CSV file with the columns COLUMNS. Other columns are ignored.

    Raises:
        ConfigError: the file is not valid; the message names it, the line and the reason.
    """
    try:
        with file.open(encoding='utf-8', newline='') as text:
            rows = csv.DictReader(text)
            missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
            if missing:
                raise ConfigError(
                    f'has no column {", ".join(missing)}; it needs {", ".join(COLUMNS)}', file=str(file), line=1
                )
            return [_rating(row, file, rows.line_num) for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f'ratings cannot be read: {error}', file=str(file)) from error


def _rating(row: Mapping[str, str | None], file: Path, line: int) -> Rating:
    values = {name: (row[name] or '').strip() for name in COLUMNS}
    if values['group'] not in GROUPS:
        raise ConfigError(f'group must be A or B, got {values["group"]!r}', file=str(file), line=line)
    try:
        rating = float(values['rating'])
    except ValueError as error:
        raise ConfigError(f'rating must be a number, got {values["rating"]!r}', file=str(file), line=line) from error
    if not 1 <= rating <= 5:
        raise ConfigError(f'rating must be within 1 and 5, got {rating:g}', file=str(file), line=line)
    if not values['participant'] or not values['metric']:
        raise ConfigError('participant and metric must not be empty', file=str(file), line=line)
    return Rating(values['participant'], values['group'], values['metric'], rating)


def comparisons(ratings: Iterable[Rating]) -> list[Comparison]:
    """Compares the groups in each metric. A participant counts once for each metric, with the mean of their ratings.

    Raises:
        ConfigError: a metric has fewer than 2 participants in a group, somebody is in both groups, or there are no
            ratings.
    """
    by_metric: dict[str, dict[str, dict[str, list[float]]]] = {}
    groups: dict[str, str] = {}
    for item in ratings:
        if groups.setdefault(item.participant, item.group) != item.group:
            raise ConfigError(f'participant {item.participant!r} is in both groups')
        people = by_metric.setdefault(item.metric, {name: {} for name in GROUPS})
        people[item.group].setdefault(item.participant, []).append(item.rating)
    found = []
    for metric, people in by_metric.items():
        a, b = ([sum(rated) / len(rated) for rated in people[name].values()] for name in GROUPS)
        try:
            found.append(compare(metric, a, b))
        except ValueError as error:
            raise ConfigError(f'{metric}: {error}') from error
    if not found:
        raise ConfigError('there are no ratings')
    return found


def load_summary(file: Path) -> list[Comparison]:
    """Reads metrics of which only means, variances and n are known: `metric: {A: {mean, variance, n}, B: {…}}`.

    Raises:
        ConfigError: the file is not valid; the message names it and the reason.
    """
    document = load_yaml(file)
    found = []
    for metric, groups in document.items():
        try:
            a, b = (_group(groups[name]) for name in GROUPS)
        except (KeyError, TypeError, ValueError) as error:
            reason = f'{metric} needs A and B with mean, variance and n: {type(error).__name__}: {error}'
            raise ConfigError(reason, file=str(file), line=document.line_of(metric)) from error
        found.append(compare_summaries(str(metric), a, b))
    if not found:
        raise ConfigError('names no metric', file=str(file))
    return found


def _group(value: Mapping[str, Any]) -> Group:
    return Group(int(value['n']), float(value['mean']), float(value['variance']))


@dataclass(frozen=True, slots=True)
class Published:
    """The study's tables V and VI. `comparisons` follow from table V, with `per_group` people in each group."""

    per_group: int
    comparisons: tuple[Comparison, ...]
    p_values: Mapping[str, float]


def load_published() -> Published:
    """Reads the study's own figures."""
    document = load_yaml(PUBLISHED_FILE)
    n = int(document['per_group'])
    rows = document['table_v'].items()
    found = [compare_summaries(name, *(_group({**groups[side], 'n': n}) for side in GROUPS)) for name, groups in rows]
    return Published(n, tuple(found), dict(document['table_vi']))
