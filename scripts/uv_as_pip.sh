# To be sourced: makes uv read the settings of pip, and defines with_uv, which installs into the environment "$venv".
# uv needs seconds where pip needs minutes, since it resolves and unpacks in parallel.
mirror=${PIP_INDEX_URL:-$("$venv/bin/python" -m pip config get global.index-url 2>/dev/null || true)}
[ -z "$mirror" ] || export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$mirror}
[ -z "${PIP_CERT:-}" ] || export SSL_CERT_FILE=${SSL_CERT_FILE:-$PIP_CERT}
[ -z "${PIP_NO_CACHE_DIR:-}" ] || export UV_NO_CACHE=${UV_NO_CACHE:-1}
[ -z "${PIP_FIND_LINKS:-}" ] || export UV_FIND_LINKS=${UV_FIND_LINKS:-$PIP_FIND_LINKS}
with_uv() { "$venv/bin/uv" pip install --native-tls --python "$venv/bin/python" "$@"; }
