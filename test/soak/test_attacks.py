"""Each attack at its full count. SOAK_ATTACKS chooses another count; figures go to out/soak/."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lucca_lab.attack.campaign import run_campaign
from lucca_lab.attack.registry import PARTS, find_part

pytestmark = [pytest.mark.ros, pytest.mark.slow]

OUT = Path('out/soak')


@pytest.mark.parametrize('name', PARTS)
def test_the_promise_holds(
    name: str, tmp_path: Path, soak_size: Callable[[str, int], int], capsys: pytest.CaptureFixture[str]
) -> None:
    part = find_part(name)
    report = run_campaign(part, tmp_path, count=soak_size('ATTACKS', part.count), seed=0)
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f'attack_{name}.json').write_text(json.dumps(report.as_json(), indent=2), encoding='utf-8')
    with capsys.disabled():
        sys.stdout.write(
            f'{name} ' + json.dumps({'tried': report.tried, 'broke': report.broke, **report.counts}) + '\n'
        )
    assert report.broke == 0, report.told
