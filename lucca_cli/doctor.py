"""`lucca doctor`: is each part well, and if not, what to do."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from coordinator_node.config import CoordinatorConfig
from lucca_cli.client import StackClient
from lucca_cli.show import Show
from lucca_core.errors import LuccaError, StackError
from lucca_core.paths import config_dir
from lucca_llm.spec import make_model
from lucca_memory.data_folder import DataFolder, check_folder
from lucca_memory.log_verifying import verify_logs
from lucca_memory.procedural import load_actions, load_tasks
from lucca_robot.profile import load_profile

MODEL_DEADLINE_S = 20.0
DEFAULT_MODEL = CoordinatorConfig().llm


@dataclass(frozen=True)
class Finding:
    """One part: what was found, and what to do about it where it is not well."""

    part: str
    well: bool
    found: str
    advice: str = ''


def examine(llm: str, worker_llm: str, data_dir: Path) -> list[Finding]:
    """Examines settings, discovery, models and memory, and the graph of the running stack if there is one."""
    findings = [_settings(), _robot(), _discovery(), _memory(data_dir), *_logs(data_dir)]
    coordinator_llm = llm or DEFAULT_MODEL
    findings += [_model('coordinator model', coordinator_llm), _model('worker model', worker_llm or coordinator_llm)]
    with StackClient() as client:
        is_up = client.is_up(3.0)
        if is_up:
            findings.append(Finding('stack', True, f'nodes: {", ".join(sorted(client.node_names()))}'))
        else:
            advice = 'start one: lucca up (simulation) or lucca up --no-sim (robot)'
            findings.append(Finding('stack', False, 'no coordinator answers', advice))
        # Camera and controllers are there before the stack on a robot, so they are looked at in any case.
        findings += [_camera(client), *(_controller(client, name) for name in _controllers())]
        if is_up:
            findings.append(_table(client))
    return findings


def present(findings: list[Finding], show: Show) -> None:
    """Prints the findings, one line each, with advice below those that are not well."""
    if show.as_json:
        show.json([asdict(finding) for finding in findings])
        return
    for finding in findings:
        mark, style = ('ok  ', 'green') if finding.well else ('BAD ', 'red')
        show.line(f'{mark} {finding.part:<22} {finding.found}', style)
        if finding.advice and not finding.well:
            show.line(f'       {finding.advice}')


def _guarded(part: str, advice: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(part, True, look())
    except LuccaError as error:
        return Finding(part, False, str(error), advice)


def _settings() -> Finding:
    def look() -> str:
        actions = load_actions(config_dir() / 'actions.yaml')
        tasks = load_tasks(config_dir() / 'tasks.yaml', actions)
        return f'{len(tasks)} tasks, {len(actions)} actions in {config_dir()}'

    return _guarded('settings', 'mend the line that is named', look)


def _robot() -> Finding:
    return _guarded('robot profile', 'mend config/robots', lambda: load_profile().name)


def _discovery() -> Finding:
    reach = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    return Finding('discovery', True, f'{reach}, domain {domain}')


def _memory(data_dir: Path) -> Finding:
    return _guarded('memory', 'free space, or name another folder: --data-dir', lambda: check_folder(data_dir))


def _logs(data_dir: Path) -> list[Finding]:
    if not (data_dir / 'format').exists():
        return []
    try:
        with DataFolder.open(data_dir, write=False) as folder:
            found = verify_logs(folder)
    except LuccaError as error:
        return [Finding('task logs', False, str(error))]
    bad = [Finding('task log', False, item.damage) for item in found if item.damage]
    return bad or [Finding('task logs', True, f'{len(found)}, all whole')]


def _model(part: str, spec: str) -> Finding:
    def look() -> str:
        model = make_model(spec)
        model.check(MODEL_DEADLINE_S)
        return f'{model.spec} answers'

    advice = 'is the server running, the name right, the key in the environment?'
    return _guarded(part, advice, look)


def _controllers() -> tuple[str, ...]:
    arms = load_profile().arms.values()
    return tuple(name for arm in arms for name in (arm.controller, arm.hand.controller))


def _camera(client: StackClient) -> Finding:
    missing = [
        topic
        for topic in ('camera/color/image_raw', 'camera/depth/image_raw', 'camera/color/camera_info')
        if client.endpoint(topic).publishers == 0
    ]
    if missing:
        return Finding('camera', False, f'nobody publishes {", ".join(missing)}', 'start the camera driver, or remap')
    return Finding('camera', True, 'colour, depth and camera info are published')


def _controller(client: StackClient, name: str) -> Finding:
    topic = f'{name}/joint_trajectory'
    if client.endpoint(topic).subscribers == 0:
        return Finding(name, False, f'nobody listens on {topic}', f'ros2 control switch_controllers --activate {name}')
    return Finding(name, True, f'listens on {topic}')


def _table(client: StackClient) -> Finding:
    try:
        snapshot = client.snapshot(timeout_s=5.0)
    except StackError as error:
        return Finding('perception', False, str(error), 'is the camera seen, are its extrinsics right?')
    seen = [item.name for item in snapshot.objects if item.visible]
    return Finding('perception', True, f'{len(seen)} objects seen: {", ".join(seen) or "none"}')
