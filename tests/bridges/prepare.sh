#!/usr/bin/env bash
# Puts the real frameworks into virtual environments for the tests that ask them: TensorFlow 2.21 into build/tensorflow, PyTorch 2.13
# into build/torch and, with TAPESCOPE_LONG, other releases into build/tensorflow-VERSION and build/torch-VERSION. Where one cannot be
# installed (no network, no Python that it has a package for), its tests are skipped.
set -u -o pipefail
build=$(cd "$(dirname "$0")/../.." && pwd)/build

# prepare NAME PACKAGE VERSION FOLDER [PACKAGE...]: by the first Python that the version has a package for.
prepare() {
  local name=$1 package=$2 version=$3 place=$4 python
  [[ ! -e $place/ready-$version ]] || return 0
  echo "test: $name $version is installed into build/${place##*/}, for the tests that need it" >&2
  for python in python3 python3.11 python3.12; do
    rm -rf "$place"
    if "$python" -m venv "$place" 2> /dev/null &&
      "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$package==$version" "${@:5}"; then
      touch "$place/ready-$version"
      return 0
    fi
  done
  rm -rf "$place"
  echo "test: $name $version could not be installed; its tests are skipped (TAPESCOPE_${package^^}_PYTHON names a Python that has $name)" >&2
}

[[ -n ${TAPESCOPE_TENSORFLOW_PYTHON-} ]] || prepare TensorFlow tensorflow 2.21.0 "$build/tensorflow"
[[ -n ${TAPESCOPE_TORCH_PYTHON-} ]] || prepare PyTorch torch 2.13.0 "$build/torch" numpy
if [[ -n ${TAPESCOPE_LONG-} ]]; then
  for version in 2.18.1 2.15.1; do
    prepare TensorFlow tensorflow "$version" "$build/tensorflow-$version"
  done
  for version in 2.14.1 2.12.1; do
    prepare PyTorch torch "$version" "$build/torch-$version" numpy
  done
fi
exit 0
