"""What README and docs/ name exists: commands with their options, files, links. Quick commands are run."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import typer.main
import yaml

ROOT = Path(__file__).resolve().parent.parent
NOT_RUN = '# not run by the tests'
SHELLS = ('bash', 'sh', 'console')
PAGES = sorted(
    [
        *ROOT.glob('*.md'),
        *(ROOT / 'docs').rglob('*.md'),
    ]
)
# The changelog tells of files and commands that were.
LIVE_PAGES = [page for page in PAGES if page.name != 'CHANGELOG.md']
# What decides in the past tense may name what a later decision has taken away.
CURRENT_PAGES = [page for page in LIVE_PAGES if page.parent.name != 'adr' or page.name == 'README.md']
SET_UP = ('export ', 'cd ', 'source ', 'mkdir ', 'cp ', 'echo ')
FOLDERS = r'docs|config|launch|scripts|requirements|test|lucca_\w+|\w+_node|laboratory|\.ci|\.github|resource'


@dataclass(frozen=True)
class Command:
    """One command of a fenced block, without its comment; `marked` when the page says that no test runs it."""

    page: Path
    line: int
    text: str
    marked: bool

    def __str__(self) -> str:
        return f'{self.page.relative_to(ROOT)}:{self.line}: {self.text}'


def _commands(page: Path) -> list[Command]:
    """The commands of a page's shell blocks: continued lines joined, `here` documents left out."""
    found: list[Command] = []
    lines = page.read_text(encoding='utf-8').splitlines()
    inside, marked, begun, here = False, False, '', ''
    for number, line in enumerate(lines, 1):
        if not inside:
            if re.fullmatch(rf'\s*```({"|".join(SHELLS)})\s*', line):
                inside, marked, begun = True, False, ''
            continue
        if line.strip() == '```':
            inside = False
            continue
        if here:
            here = '' if line.strip() == here else here
            continue
        if line.strip() == NOT_RUN:
            marked = True
            continue
        text, _, comment = (begun + line.strip()).partition(' #') if not line.strip().startswith('#') else ('', '', '')
        if text.endswith('\\'):
            begun = text[:-1]
            continue
        begun = ''
        if match := re.search(r"<<\s*'?(\w+)'?", text):
            here = match.group(1)
        if text.strip():
            found.append(Command(page, number, text.strip(), marked or NOT_RUN[2:] in comment))
    return found


COMMANDS = [command for page in LIVE_PAGES for command in _commands(page)]
INLINE = [
    (page, match.group(1))
    for page in LIVE_PAGES
    for match in re.finditer(r'`((?:\.venv/bin/)?(?:lucca|make|ros2) [^`]+)`', page.read_text(encoding='utf-8'))
]


@cache
def _tree():
    from lucca_cli.main import app

    return typer.main.get_command(app)


def _context(command, parent=None):
    # Newer versions of typer bring a click of their own, so the class is not imported from click.
    return command.context_class(command, info_name=command.name or 'lucca', parent=parent)


@cache
def _child(path: tuple[str, ...]):
    """The command at a path of words below `lucca`, with its context."""
    if not path:
        return _tree(), _context(_tree())
    group, context = _child(path[:-1])
    listed = group.get_command(context, path[-1])
    command = listed.load() if hasattr(listed, 'load') else listed
    return command, _context(command, context)


def _words(text: str) -> list[str]:
    """The words of a command up to a pipe, a redirection or the next command; variables set before it are left out."""
    words = shlex.split(text, comments=True)
    while words and re.fullmatch(r'[A-Z_]+=.*', words[0]):
        words = words[1:]
    end = next(
        (at for at, word in enumerate(words) if word in ('|', '||', '&&', '&', ';') or re.match(r'\d?[<>]', word)), None
    )
    return words[:end]


def _wrong_with_lucca(words: list[str]) -> str:
    """What is wrong with the words after `lucca`; '' for nothing. An option must exist where it stands."""
    path: tuple[str, ...] = ()
    command, context = _child(path)
    while hasattr(command, 'list_commands') and words and not words[0].startswith('-'):
        if words[0] not in command.list_commands(context):
            if any(item.param_type_name == 'argument' for item in command.params):
                break
            return f'there is no command {words[0]!r}'
        path, words = (*path, words[0]), words[1:]
        command, context = _child(path)
    options = {name: option for option in command.params for name in (*option.opts, *option.secondary_opts)}
    at = 0
    while at < len(words):
        name, _, joined = words[at].partition('=')
        at += 1
        if not name.startswith('--') or name == '--help':
            continue
        option = options.get(name)
        if option is None:
            return f'{context.command_path} has no option {name}'
        if not option.is_flag and not joined:
            if at >= len(words):
                return f'{name} lacks its value'
            at += 1
    return ''


def _targets() -> set[str]:
    return set(re.findall(r'^([a-z]+):', (ROOT / 'Makefile').read_text(encoding='utf-8'), re.MULTILINE))


def _wrong_with_make(words: list[str]) -> str:
    missing = [word for word in words if '=' not in word and word not in _targets()]
    return f'there is no target {missing[0]}' if missing else ''


def _launch_arguments(file: str) -> set[str]:
    text = (ROOT / 'launch' / file).read_text(encoding='utf-8')
    # Every launch file takes the common arguments and those of its own; NICOL's controllers are declared in a loop.
    for shared in (ROOT / 'lucca_ros').rglob('launching.py'):
        text += shared.read_text(encoding='utf-8')
    names = set(re.findall(r"DeclareLaunchArgument\(\s*'(\w+)'", text))
    return names | set(re.findall(r"^ {4}'(\w+_controller)',$", text, re.MULTILINE))


def _wrong_with_ros2(words: list[str]) -> str:
    if words[:2] == ['launch', 'lucca']:
        if not (ROOT / 'launch' / words[2]).is_file():
            return f'there is no launch file {words[2]}'
        given = [word.partition(':=')[0] for word in words[3:]]
        unknown = [name for name in given if name not in _launch_arguments(words[2])]
        return f'{words[2]} has no argument {unknown[0]}' if unknown else ''
    if words[:2] == ['run', 'lucca']:
        return '' if words[2] in (ROOT / 'setup.py').read_text(encoding='utf-8') else f'no executable {words[2]}'
    for word in words:
        match = re.fullmatch(r'lucca_interfaces/(msg|srv|action)/(\w+)', word)
        if match and not (ROOT / 'lucca_interfaces' / match[1] / f'{match[2]}.{match[1]}').is_file():
            return f'there is no {word}'
    return ''


CHECKS = {'lucca': _wrong_with_lucca, 'make': _wrong_with_make, 'ros2': _wrong_with_ros2}


def _wrong(text: str) -> str | None:
    """What is wrong with a command that can be checked by its words; None if it is of another kind."""
    words = _words(text)
    check = CHECKS.get(Path(words[0]).name) if words else None
    return None if check is None else check(words[1:])


def test_there_are_commands_to_check():
    assert len(COMMANDS) > 60
    assert {command.page.name for command in COMMANDS} >= {'README.md', 'getting_started.md', 'experiments.md'}


@pytest.mark.parametrize('command', COMMANDS, ids=str)
def test_every_command_in_a_block_is_checked_or_run_or_marked(command):
    wrong = _wrong(command.text)
    if wrong is not None:
        assert not wrong, str(command)
    elif not command.marked and command.text not in RUN:
        assert command.text.startswith(SET_UP), f'{command}: no test runs it; mark it with "{NOT_RUN}"'


def test_every_command_in_a_sentence_exists():
    wrong = {}
    for page, text in INLINE:
        # An ellipsis or a word in capitals stands for what the reader puts there.
        words = text.replace('…', 'x').replace('`', '')
        try:
            reason = _wrong(words)
        except ValueError:
            continue
        # A sentence may name an option without its value, and a place where a command stands.
        if reason and not reason.endswith('lacks its value') and 'COMMAND' not in words:
            wrong[f'{page.relative_to(ROOT)}: {text}'] = reason
    assert not wrong


def test_a_renamed_option_command_target_or_argument_would_be_noticed():
    assert _wrong('lucca run sorting --seeds 3') == 'lucca run has no option --seeds'
    assert _wrong('lucca memory grap') == "there is no command 'grap'"
    assert _wrong('lucca run sorting --seed') == '--seed lacks its value'
    assert _wrong('make demos') == 'there is no target demos'
    assert _wrong('ros2 launch lucca sim.launch.py scenes:=sorting') == 'sim.launch.py has no argument scenes'
    assert _wrong('ros2 service call /memory/teach lucca_interfaces/srv/Teach "{}"') == (
        'there is no lucca_interfaces/srv/Teach'
    )
    assert _wrong('lucca run sorting --seed 3') == ''
    assert _wrong('rm -rf x') is None


CHAT = 'lucca chat --person Ana --data ~/lucca-ana'
"""Run first: its data folder is that of the others."""
RUN = ('make help', 'lucca attack --list', 'lucca memory people', 'lucca memory graph', 'lucca backup lucca.tar.gz')
"""Commands of the pages that are run as they stand."""


@pytest.fixture(scope='module')
def home(tmp_path_factory) -> Path:
    """A home in which Ana has talked with the robot."""
    home = tmp_path_factory.mktemp('home')
    assert any(command.text == CHAT for command in COMMANDS), f'no page has {CHAT}'
    talked = _run(CHAT, home, home, said='My cat is called Tom.\n/quit\n')
    assert talked.returncode == 0, talked.stdout + talked.stderr
    return home


def _run(text: str, folder: Path, home: Path, said: str = '') -> subprocess.CompletedProcess[str]:
    path = f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}'
    environment = {**os.environ, 'PATH': path, 'HOME': str(home), 'LUCCA_DATA_DIR': str(home / 'lucca-ana')}
    return subprocess.run(
        ['bash', '-c', text],
        cwd=folder,
        env=environment,
        input=said,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.mark.parametrize('text', RUN)
def test_quick_commands_run_as_they_stand(text, home):
    assert any(command.text == text for command in COMMANDS), f'no page has {text}'
    done = _run(text, ROOT if text.startswith('make') else home, home)
    assert done.returncode == 0, done.stdout + done.stderr
    if text == 'lucca memory people':
        assert 'Ana' in done.stdout


def _paths(page: Path) -> set[str]:
    """What a page names as files or folders of this repository, in code or in links."""
    text = page.read_text(encoding='utf-8')
    # A new file is one that the reader makes.
    quoted = re.findall(r'`([^`\s]+)`', re.sub(r'new file `[^`]+`', '', text))
    return {item for item in quoted if re.match(rf'(?:{FOLDERS})/', item)}


@pytest.mark.parametrize('page', CURRENT_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page):
    missing = []
    for name in _paths(page):
        path = re.sub(r'\{[^}]*\}|<[^>]*>|NAME', '*', name.partition(':')[0]).rstrip('/')
        if not any(ROOT.glob(path)):
            missing.append(name)
    assert not missing


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page):
    text = re.sub(r'```.*?```', '', page.read_text(encoding='utf-8'), flags=re.DOTALL)
    targets = [target.partition('#') for target in re.findall(r'\]\(([^)\s]+)\)', text) if '://' not in target]
    assert not [file for file, _, _ in targets if file and not (page.parent / file).exists()]
    for file, _, anchor in targets:
        if anchor:
            assert anchor in _anchors(page.parent / file if file else page), f'{file}#{anchor}'


@cache
def _anchors(page: Path) -> set[str]:
    heads = re.findall(r'^#+ (.+)$', page.read_text(encoding='utf-8'), re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', head.lower().replace('`', '')).replace(' ', '-') for head in heads}


def test_every_page_is_in_the_index():
    index = (ROOT / 'docs' / 'README.md').read_text(encoding='utf-8')
    decisions = (ROOT / 'docs' / 'adr' / 'README.md').read_text(encoding='utf-8')
    pages = [page.relative_to(ROOT / 'docs') for page in (ROOT / 'docs').rglob('*.md')]
    assert not [
        page for page in pages if page.parts[0] != 'adr' and page.name != 'README.md' and f'({page})' not in index
    ]
    assert not [
        page
        for page in pages
        if page.parts[0] == 'adr' and page.name != 'README.md' and f'({page.name})' not in decisions
    ]


def test_every_decision_has_a_status():
    without = [
        page.name
        for page in (ROOT / 'docs' / 'adr').glob('0*.md')
        if not re.search(
            r'^\*\*Status:\*\* (Accepted|Superseded by \[)', page.read_text(encoding='utf-8'), re.MULTILINE
        )
    ]
    assert not without


def test_readme_fits_one_sitting():
    assert len((ROOT / 'README.md').read_text(encoding='utf-8').splitlines()) < 220


def _all_commands(path: tuple[str, ...] = ()) -> list[str]:
    command, context = _child(path)
    found = [' '.join(('lucca', *path))]
    for name in command.list_commands(context) if hasattr(command, 'list_commands') else ():
        found += _all_commands((*path, name))
    return found


def test_the_command_page_lists_every_command():
    text = (ROOT / 'docs' / 'command_line.md').read_text(encoding='utf-8')
    commands = _all_commands()[1:]
    assert len(commands) > 40
    assert not [name for name in commands if f'`{name}' not in text]


def test_the_glossary_is_short():
    text = (ROOT / 'docs' / 'architecture.md').read_text(encoding='utf-8')
    words = re.findall(r'^\| \*\*(.+?)\*\* \|', text, re.MULTILINE)
    assert 20 <= len(words) <= 40
    assert len(words) == len(set(words))


def test_every_module_that_a_page_names_exists():
    pattern = r'`((?:lucca_\w+|\w+_node)(?:\.[a-z]\w*)+)(?::\w+)?`'
    named = {
        (page.name, name)
        for page in CURRENT_PAGES
        for name in re.findall(pattern, page.read_text(encoding='utf-8'))
        if not name.endswith(('.yaml', '.py', '.md'))
    }
    roots = (ROOT, ROOT / 'laboratory')
    paths = {name: Path(*name.split('.')) for _, name in named}
    missing = {
        (page, name)
        for page, name in named
        if not any((root / paths[name]).with_suffix('.py').is_file() or (root / paths[name]).is_dir() for root in roots)
    }
    assert not missing


def test_a_commit_is_checked_by_what_make_check_runs():
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    recipe = re.search(r'^check:.*\n((?:\t.*\n)+)', makefile, re.MULTILINE)
    assert recipe
    hooks = yaml.safe_load((ROOT / '.pre-commit-config.yaml').read_text(encoding='utf-8'))['repos'][0]['hooks']
    entries = [hook['entry'].split() for hook in hooks]
    for line in recipe.group(1).replace('$(BIN)', '.venv/bin').splitlines():
        words = [word for word in line.split() if word not in ('.', '--check') or 'scripts/' in line]
        assert any(entry[: len(words)] == words for entry in entries), line


def test_forges_run_what_ci_runs():
    steps = yaml.safe_load((ROOT / '.github' / 'workflows' / 'ci.yml').read_text(encoding='utf-8'))['jobs']['test'][
        'steps'
    ]
    assert [step['run'] for step in steps if 'run' in step] == ['.ci/run']
    assert os.access(ROOT / '.ci' / 'run', os.X_OK)
