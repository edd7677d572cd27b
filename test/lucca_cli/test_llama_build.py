"""llama.cpp is compiled and put in place whole, or not at all: tried with scripts in place of cmake."""

import io
import os
import stat
import tarfile

import pytest

from lucca_cli import llama_build
from lucca_cli.llama_build import build_llama_cpp, has_llama_cpp
from lucca_cli.model_packages import workplace
from lucca_core.errors import InstallError
from lucca_core.trained_models import MODELS_VARIABLE, llama_cpp_dir, models_dir

COMPILES = """#!/bin/sh
echo "$@" >> "$CALLS"
while [ $# -gt 0 ]; do case $1 in -B|--build) build=$2;; esac; shift; done
mkdir -p "$build/bin" && echo library > "$build/bin/libllama.so" && echo '[1/2] Building' && echo '[2/2] Linking'
"""
FAILS = '#!/bin/sh\necho "error: a bolt is missing"\nexit 2\n'


@pytest.fixture
def cmake(tmp_path, monkeypatch):
    """Sets what cmake does; returns the file with its calls."""
    programs, calls = tmp_path / 'bin', tmp_path / 'calls'
    programs.mkdir()
    monkeypatch.setenv('CALLS', str(calls))
    monkeypatch.setenv('PATH', f'{programs}{os.pathsep}{os.environ["PATH"]}')
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path / 'models'))
    source = tmp_path / 'source.tar.gz'
    write_source(source)
    monkeypatch.setattr(llama_build, 'download', lambda package, folder, binary: source)

    def do(script):
        for name in ('cmake', 'ninja', 'g++'):
            (programs / name).write_text(script)
            (programs / name).chmod(stat.S_IRWXU)
        return calls

    return do


def write_source(file, declarations='x = 1\n'):
    with tarfile.open(file, 'w:gz') as archive:
        for name in ('llama_cpp/llama_cpp.py', 'llama_cpp/_ctypes_extensions.py', 'vendor/llama.cpp/CMakeLists.txt'):
            entry = tarfile.TarInfo(f'llama_cpp_python-0.3.36/{name}')
            entry.size = len(declarations)
            archive.addfile(entry, io.BytesIO(declarations.encode()))


def build():
    told = []
    with workplace(0) as folder:
        build_llama_cpp(folder, told.append)
    return told


def there():
    return [path for path in models_dir().rglob('*') if path.name != '.lock']


def test_what_was_compiled_is_put_in_place_with_its_declarations(cmake):
    calls = cmake(COMPILES)
    told = build()
    assert has_llama_cpp()
    package = llama_cpp_dir() / 'llama_cpp'
    assert (package / 'lib' / 'libllama.so').read_text() == 'library\n'
    assert {path.name for path in package.glob('*.py')} == {'llama_cpp.py', '_ctypes_extensions.py'}
    assert 'compiling llama.cpp, 2 of 2 files' in told
    configured, built = calls.read_text().splitlines()
    assert '-DGGML_NATIVE=OFF' in configured
    assert '--target llama' in built


def test_a_build_that_fails_says_why_and_leaves_nothing(cmake):
    cmake(FAILS)
    with pytest.raises(InstallError, match=r'llama\.cpp could not be configured: error: a bolt is missing'):
        build()
    assert there() == []


def test_a_build_that_is_stopped_leaves_nothing(cmake):
    cmake(COMPILES)

    def stop(text):
        if 'of 2' in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), workplace(0) as folder:
        build_llama_cpp(folder, stop)
    assert there() == []


def test_what_does_not_load_is_not_put_in_place(cmake, tmp_path):
    cmake(COMPILES)
    write_source(tmp_path / 'source.tar.gz', 'raise OSError("error: wrong library")\n')
    with pytest.raises(InstallError, match=r'the compiled llama.cpp cannot be loaded.*wrong library'):
        build()
    assert not has_llama_cpp()


def test_without_a_compiler_it_says_what_to_install(cmake, monkeypatch):
    monkeypatch.setattr(llama_build.shutil, 'which', lambda name, **_: None)
    with pytest.raises(InstallError, match=r'no C\+\+ compiler: sudo apt-get install g\+\+'):
        build()
