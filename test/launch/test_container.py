"""The container file can be built from what is here: sources, packages and every key that rosdep is asked for."""

import re
import shlex
import subprocess
import xml.etree.ElementTree as ET
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CONTAINER = ROOT / 'lucca_bringup' / 'container'
CHECKOUT = 'src/lucca'
PACKAGES = {'': 'lucca', 'lucca_interfaces': 'lucca_interfaces', 'lucca_bringup': 'lucca_bringup'}
"""Folder and name of each package that the container builds."""


@pytest.fixture(scope='module')
def steps():
    """Instructions of the container file, in order, each with its arguments."""
    text = (CONTAINER / 'Containerfile').read_text(encoding='utf-8')
    lines = '\n'.join(line for line in text.splitlines() if not line.startswith('#')).replace('\\\n', ' ')
    return [tuple(line.split(maxsplit=1)) for line in lines.splitlines() if line.strip()]


@pytest.fixture(scope='module')
def left_out():
    """Whether COPY leaves out a path of the checkout, read as docker and podman read .dockerignore."""
    patterns = [line for line in (ROOT / '.dockerignore').read_text(encoding='utf-8').splitlines() if line]
    patterns = [line for line in patterns if not line.startswith('#')]
    assert patterns
    assert not [line for line in patterns if line.startswith(('!', '/')) or '**' in line.removeprefix('**/')]

    def is_left_out(path):
        parts = PurePosixPath(path).parts
        for pattern in patterns:
            if pattern.startswith('**/'):
                if any(fnmatch(part, pattern.removeprefix('**/')) for part in parts):
                    return True
            elif fnmatch(parts[0], pattern):
                return True
        return False

    return is_left_out


def following(words, option):
    """The words between an option and the next one."""
    rest = words[words.index(option) + 1 :]
    return rest[: next((number for number, word in enumerate(rest) if word.startswith(('-', '&'))), len(rest))]


def commands(steps, name):
    """The words of each RUN that has a command of this name."""
    return [shlex.split(given) for kind, given in steps if kind == 'RUN' and re.search(rf'\b{name}\b', given)]


def dependencies(*folders):
    """Every dependency in the package.xml of these folders, with its tag."""
    return [
        (element.tag, element.text)
        for folder in folders
        for element in ET.parse(ROOT / folder / 'package.xml').getroot()  # noqa: S314 - ours
        if element.tag.endswith('depend')
    ]


def test_what_it_copies_is_there_and_not_left_out(steps, left_out):
    copied = [shlex.split(given)[-2] for kind, given in steps if kind == 'COPY']
    assert '.' in copied
    for source in copied:
        assert (ROOT / source).exists()
        assert source == '.' or not left_out(source)


def test_what_it_names_in_the_checkout_is_there(steps):
    named = {path for _, given in steps for path in re.findall(rf'{CHECKOUT}(?:/[\w./]+)?', given)}
    assert len(named) > len(PACKAGES)
    for path in named:
        assert (ROOT / Path(path).relative_to(CHECKOUT)).exists(), path


def test_git_and_docker_leave_out_the_same(left_out):
    """What is built or set up in the checkout holds gigabytes, and paths of this machine."""
    tracked = subprocess.run(
        ['git', 'ls-files', '-z'], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split('\0')
    assert not [path for path in tracked if path and left_out(path)]
    ignored = [line for line in (ROOT / '.gitignore').read_text(encoding='utf-8').splitlines() if line]
    for pattern in (*ignored, '.git'):
        assert left_out(pattern.rstrip('/').replace('*', 'x')), pattern


def test_keys_are_resolved_for_the_packages_that_are_built(steps):
    (rosdep,) = commands(steps, 'rosdep')
    (colcon,) = commands(steps, 'colcon build')
    folders = {f'{CHECKOUT}/{folder}'.rstrip('/') for folder in PACKAGES}
    assert set(following(rosdep, '--from-paths')) == set(following(colcon, '--base-paths')) == folders


def test_rosdep_is_asked_for_all_that_the_packages_need_but_for_tests(steps):
    (rosdep,) = commands(steps, 'rosdep')
    kinds = {rosdep[number + 1] for number, word in enumerate(rosdep) if word == '--dependency-types'}
    asked = {f'{kind}_depend' for kind in kinds} | {'depend'}
    used = {tag for tag, _ in dependencies(*PACKAGES)}
    assert used - asked <= {'test_depend'}


def test_what_pip_installs_beside_the_file_is_what_other_ways_install(steps):
    (pip,) = commands(steps, 'pip install')
    named = [word for word in pip if re.match(r'[\w-]+[<>=]', word)]
    elsewhere = (ROOT / 'setup.py').read_text() + (ROOT / 'scripts' / 'setup.sh').read_text()
    assert len(named) > 1
    assert all(word in elsewhere for word in named)


def test_the_command_and_the_launch_use_the_same_environment():
    sourced = {
        script.name: [line for line in script.read_text().splitlines() if line.startswith('source ')]
        for script in CONTAINER.glob('*.sh')
    }
    assert sourced['lucca.sh'] == sourced['entrypoint.sh'] != []


def test_every_key_is_one_that_rosdep_knows():
    """Against what rosdistro's public tables say, as of the commit that the file names."""
    known = yaml.safe_load((Path(__file__).parent / 'rosdep_keys.yaml').read_text(encoding='utf-8'))
    keys = {key for _, key in dependencies(*PACKAGES, 'lucca_gazebo')} - set(PACKAGES.values())
    assert keys == {*known['ros'], *known['apt']}
