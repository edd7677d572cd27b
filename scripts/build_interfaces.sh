#!/usr/bin/env bash
# Builds lucca_interfaces into a virtual environment with the ROS 2 wheels, unless the same interfaces are already there.
# Usage: scripts/build_interfaces.sh VENV
# scripts/setup.sh calls it. For any other environment, first run:
# pip install -r requirements/ros.txt -r requirements/build.txt
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { echo "usage: scripts/build_interfaces.sh VENV" >&2; exit 2; }
say() { printf '\033[1mlucca interfaces:\033[0m %s\n' "$*"; }
fail() { printf 'lucca interfaces: %s\n' "$*" >&2; exit 1; }
venv=$(realpath "$1")
[ -x "$venv/bin/python" ] || fail "$1 is no virtual environment"
[ -d "$venv/share/rosidl_default_generators" ] && [ -x "$venv/bin/cmake" ] && [ -x "$venv/bin/ninja" ] ||
    fail "$1 cannot build messages; first: $1/bin/pip install -r requirements/ros.txt -r requirements/build.txt"
unset _ROS_WHEELS_BOOTSTRAP_COMPLETE LD_LIBRARY_PATH PYTHONPATH

interfaces=$(cat lucca_interfaces/CMakeLists.txt lucca_interfaces/*/*.{msg,srv,action} 2>/dev/null | sha256sum | cut -c1-16)
[ "$(cat "$venv/.interfaces" 2>/dev/null)" != "$interfaces" ] || exit 0

# The wheels' CMake files have paths of the machine on which they were built.
include=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
numpy=$("$venv/bin/python" -c 'import numpy; print(numpy.get_include())')
{ grep -rlZ 'opt/python/' "$venv/share" --include='*.cmake' || true; } | xargs -0 -r sed -i -E \
    "s#/opt/python/cp[0-9]+-cp[0-9]+/lib/python[0-9.]+/site-packages/numpy/_core/include#$numpy#g; s#/opt/python/cp[0-9]+-cp[0-9]+/include/python[0-9.]+#$include#g"

say "building lucca_interfaces (40 s on two free cores)"
# This is also the build folder of scripts/colcon.sh, which therefore does not generate and compile the interfaces again; CI
# compiles them only with these flags. build/ is not used: it is for colcon builds with another Python and ROS 2 than in this
# cache. Each library is compiled as one file, because reading the headers again for every generated file takes most of the time.
build=$venv/colcon/build/lucca_interfaces
rm -rf "$build"
mkdir -p "$build"
export AMENT_PREFIX_PATH=$venv PATH=$venv/bin:$PATH
cmake -S lucca_interfaces -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$venv" -DCMAKE_INSTALL_PREFIX="$venv" \
    -DPython3_EXECUTABLE="$venv/bin/python" -DBUILD_TESTING=OFF \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 >"$build/configure.log" 2>&1 ||
    { tail -n 20 "$build/configure.log" >&2; fail "CMake could not configure lucca_interfaces (above)"; }
# Generators find sitecustomize.py there.
export PYTHONPATH=$PWD/scripts/idl_parsed_once LUCCA_IDL_TREES=$build/idl_trees
mkdir "$LUCCA_IDL_TREES"
# Into a file: the compiler has thousands of lines of notes on generated code.
cmake --build "$build" >"$build/build.log" 2>&1 ||
    { tail -n 40 "$build/build.log" >&2; fail "lucca_interfaces did not compile (above; all of it is in $build/build.log)"; }
cmake --install "$build" >/dev/null
# These are copies, whereas colcon needs links.
rm -rf "$build/ament_cmake_python"
echo "$interfaces" >"$venv/.interfaces"
