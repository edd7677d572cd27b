"""The build of llama.cpp from the source distribution of llama-cpp-python, for the processor of this machine."""

import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

from lucca_cli.model_packages import Progress, download, pip, put_in_place, run
from lucca_core.errors import InstallError
from lucca_core.processor import processor_options
from lucca_core.trained_models import LLAMA_CPP, llama_cpp_dir

BUILD_BYTES = 700_000_000
"""Disk space for source and build; 5 MB of it are kept."""
_DECLARATIONS = ('llama_cpp.py', '_ctypes_extensions.py')
_CMAKE = ('cmake>=3.21,<5', 'ninja>=1.11,<2')
_OFF = (
    *('GGML_NATIVE', 'GGML_OPENMP', 'LLAMA_BUILD_COMMON', 'LLAMA_BUILD_TESTS', 'LLAMA_BUILD_EXAMPLES'),
    *('LLAMA_BUILD_TOOLS', 'LLAMA_BUILD_SERVER', 'LLAMA_BUILD_APP', 'LLAMA_CURL'),
)
_STEP = re.compile(r'^\[(\d+)/(\d+)\]')


def has_llama_cpp() -> bool:
    """Whether llama.cpp has been compiled for this processor."""
    return (llama_cpp_dir() / 'llama_cpp').is_dir()


def build_llama_cpp(folder: Path, progress: Progress) -> None:
    """Downloads the source, compiles it in a workplace, and puts the result in place.

    Raises:
        InstallError: the registry lacks something, there is no compiler, or the build failed; then nothing has changed.
    """
    if not any(map(shutil.which, ('c++', 'g++', 'clang++'))):
        raise InstallError('llama.cpp has to be compiled, and there is no C++ compiler: sudo apt-get install g++')
    progress(f'downloading the source of llama.cpp ({LLAMA_CPP.name} {LLAMA_CPP.version})')
    archive = download(LLAMA_CPP, folder, binary=False)
    with tarfile.open(archive) as packed:
        packed.extractall(folder / 'source', filter='data')
    (source,) = (folder / 'source').iterdir()
    env = _with_cmake(folder)
    progress('compiling llama.cpp, about 3 minutes of processor time')
    cmake = shutil.which('cmake', path=env['PATH']) or 'cmake'
    build = folder / 'build'
    run([cmake, *_configuration(source, build)], 'llama.cpp could not be configured', env=env)
    jobs = str(len(os.sched_getaffinity(0)))

    def step(line: str) -> None:
        if match := _STEP.match(line):
            progress(f'compiling llama.cpp, {match[1]} of {match[2]} files')

    run(
        [cmake, '--build', build, '--target', 'llama', '-j', jobs],
        'llama.cpp could not be compiled',
        env=env,
        on_line=step,
    )
    made = _collected(source, build, folder)
    run(
        [sys.executable, '-c', 'import llama_cpp.llama_cpp'],
        'the compiled llama.cpp cannot be loaded',
        env={**env, 'PYTHONPATH': str(made)},
    )
    put_in_place(made, llama_cpp_dir())


def _configuration(source: Path, build: Path) -> list[str]:
    """The arguments of cmake: a release for this processor, and only the library of llama.cpp."""
    chosen = {**processor_options(), **dict.fromkeys(_OFF, False)}
    return [
        *('-S', str(source / 'vendor' / 'llama.cpp'), '-B', str(build), '-G', 'Ninja'),
        *('-DCMAKE_BUILD_TYPE=Release', '-DBUILD_SHARED_LIBS=ON'),
        # The libraries find each other wherever the folder is.
        *('-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON', '-DCMAKE_INSTALL_RPATH=$ORIGIN'),
        *(f'-D{name}={"ON" if on else "OFF"}' for name, on in chosen.items()),
    ]


def _with_cmake(folder: Path) -> dict[str, str]:
    """The environment with cmake and ninja: the machine's, or else from the registry for this build only."""
    env = dict(os.environ)
    if all(map(shutil.which, ('cmake', 'ninja'))):
        return env
    tools = folder / 'tools'
    run(
        pip('install', '--no-cache-dir', '--target', str(tools), *_CMAKE),
        'cmake could not be downloaded from the registry',
    )
    return {**env, 'PATH': f'{tools / "bin"}{os.pathsep}{env.get("PATH", "")}', 'PYTHONPATH': str(tools)}


def _collected(source: Path, build: Path, folder: Path) -> Path:
    """The files to keep: the libraries, and the declarations of their functions without the rest of the package."""
    made = folder / 'llama.cpp'
    package = made / 'llama_cpp'
    (package / 'lib').mkdir(parents=True)
    for library in (build / 'bin').glob('*.so*'):
        shutil.copy2(library, package / 'lib', follow_symlinks=False)
    for name in _DECLARATIONS:
        shutil.copy2(source / 'llama_cpp' / name, package)
    return made
