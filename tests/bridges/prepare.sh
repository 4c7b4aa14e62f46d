#!/usr/bin/env bash
# Puts TensorFlow into a virtual environment for the tests that ask the real framework: 2.21 into build/tensorflow and, with TAPESCOPE_LONG, 2.18 and
# 2.15 into build/tensorflow-VERSION. Where one cannot be installed (no network, no Python that it has a package for), its tests are skipped.
set -u -o pipefail
build=$(cd "$(dirname "$0")/../.." && pwd)/build

# prepare VERSION FOLDER: by the first Python that the version has a package for.
prepare() {
  local version=$1 place=$2 python
  [[ ! -e $place/ready-$version ]] || return 0
  echo "test: TensorFlow $version is installed into build/${place##*/}, for the tests that need it" >&2
  for python in python3 python3.11 python3.12; do
    rm -rf "$place"
    if "$python" -m venv "$place" 2> /dev/null && "$place/bin/python" -m pip install --quiet --disable-pip-version-check "tensorflow==$version"; then
      touch "$place/ready-$version"
      return 0
    fi
  done
  rm -rf "$place"
  echo "test: TensorFlow $version could not be installed; its tests are skipped (TAPESCOPE_TENSORFLOW_PYTHON names a Python that has 2.21)" >&2
}

[[ -n ${TAPESCOPE_TENSORFLOW_PYTHON-} ]] || prepare 2.21.0 "$build/tensorflow"
if [[ -n ${TAPESCOPE_LONG-} ]]; then
  prepare 2.18.1 "$build/tensorflow-2.18.1"
  prepare 2.15.1 "$build/tensorflow-2.15.1"
fi
