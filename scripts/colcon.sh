#!/usr/bin/env bash
# Runs colcon build for both packages, and colcon test, on the wheels in .venv. Only the build and the way to the tests are
# specific to colcon, so colcon test runs just the quick tests of packaging and launch; `make test` runs all tests.
# The interfaces that scripts/setup.sh compiled in .venv/colcon are used, with the same flags. build/, install/ and log/ are
# left to people who have ROS 2 from apt.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/.venv
export AMENT_PREFIX_PATH=$venv CMAKE_PREFIX_PATH=$venv PATH=$venv/bin:$PATH
base=${COLCON_BASE:-$venv/colcon}
places=(--build-base "$base/build" --install-base "$base/install")
export COLCON_LOG_PATH=$base/log
colcon build "${places[@]}" --event-handlers console_cohesion- --cmake-args -DPython3_EXECUTABLE="$venv/bin/python" -DBUILD_TESTING=OFF
colcon test "${places[@]}" --packages-select lucca --event-handlers console_direct+ --return-code-on-test-failure \
    --pytest-args test/test_package.py test/launch \
    -m "not ros and not physics and not slow" -q
colcon test-result --test-result-base "$base/build" --all
tests=$(colcon test-result --test-result-base "$base/build" | grep -oE '[0-9]+ tests' | grep -oE '[0-9]+' || echo 0)
[ "$tests" -gt 100 ] || { echo "colcon test ran only $tests tests" >&2; exit 1; }
