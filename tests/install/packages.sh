#!/usr/bin/env bash
# Builds what a release consists of and uses it as a user does: packages.sh PART TAPESCOPE
#   bookworm, trixie   Debian's packages, used in a clean root each by the first hours of the manual, word by word
#   archive            that for other distributions, which bookworm makes, in a root of both without our packages
#   python             sdist, and the wheel by Debian 12's tools, which records in clean roots of both and in the Pythons that pyenv has here
# Ends with 77 where no root can be made. Objects are kept in build/roots/ccache, so that a second run takes minutes.
set -euo pipefail
release=$(cd "$(dirname "$0")/../.." && pwd)/cmake/release/packages.sh
((EUID == 0)) || { echo "skipped: only root can make a root of Debian"; exit 77; }
command -v debootstrap >/dev/null || { echo "skipped: debootstrap is missing"; exit 77; }

# One wheel serves each Python from 3.11 on: here those that Debian 12 and 13 lack.
try_wheel() {
  local python=$1 folder=$2 out=$3
  "$python" -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --no-index "$out"/tapescope-*.whl
  printf 'import tapescope\ntapescope.step()\ntapescope.scalar("loss", 0.25)\n' >"$folder/program.py"
  "$folder/bin/python" -m tapescope --record "$folder/run.tape" "$folder/program.py"
}

python() {
  local release=$1 tapescope=$2 root=${1%/cmake/*} folder out python tape
  folder=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$folder'" EXIT
  bash "$release" python
  out=$root/build/release-$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/bridges/python/tapescope/version.py")
  for suite in bookworm trixie; do
    bash "$release" wheel "$suite"
    cp "$out/wheel-$suite.tape" "$folder/"
  done
  for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[1-9].*/bin/python3; do
    [[ -x $python ]] || continue
    "$python" --version
    try_wheel "$python" "$folder/venv" "$out"
    mv "$folder/venv/run.tape" "$folder/wheel-$(basename "${python%/bin/python3}").tape"
    rm -rf "$folder/venv"
  done
  for tape in "$folder"/*.tape; do
    "$tapescope" doctor "$tape"
    [[ $("$tapescope" report "$tape" --json -) == *0.25* ]] || { echo "$tape: the loss is not in it" >&2; exit 1; }
  done
}

case $1 in
  python) python "$release" "$2" ;;
  archive) for suite in bookworm trixie; do bash "$release" archive "$suite"; done ;;
  *)
    bash "$release" build "$1"
    bash "$release" try "$1"
    ;;
esac
