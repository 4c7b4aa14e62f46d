#!/usr/bin/env bash
# Puts TensorFlow into build/tensorflow, a virtual environment, for the tests that ask the real framework. Where that cannot be
# (no network, a Python that TensorFlow has no package for) this says so, and they are skipped.
set -u -o pipefail
[[ -z ${TAPESCOPE_TENSORFLOW_PYTHON-} ]] || exit 0
version=2.21.0
place=$(cd "$(dirname "$0")/../.." && pwd)/build/tensorflow
[[ ! -e $place/ready-$version ]] || exit 0
echo "test: TensorFlow $version is installed into build/tensorflow, for the tests that need it" >&2
rm -rf "$place"
if python3 -m venv "$place" && "$place/bin/python" -m pip install --quiet --disable-pip-version-check "tensorflow==$version"; then
  touch "$place/ready-$version"
else
  echo "test: TensorFlow could not be installed; what needs it is skipped (TAPESCOPE_TENSORFLOW_PYTHON names a Python that has it)" >&2
fi
