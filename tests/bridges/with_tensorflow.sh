#!/usr/bin/env bash
# Runs a script with a Python that has TensorFlow ($TAPESCOPE_TENSORFLOW_PYTHON, else that of prepare.sh, else python3), or one
# version of it, which prepare.sh installed: with_tensorflow.sh [--version VERSION] SCRIPT ARGUMENT... Ends with 77 where there is
# none, which ctest counts as skipped.
set -u
build=$(cd "$(dirname "$0")/../.." && pwd)/build
python=${TAPESCOPE_TENSORFLOW_PYTHON:-$build/tensorflow/bin/python}
[[ -x $python ]] || python=python3
if [[ $1 == --version ]]; then
  python=$build/tensorflow-$2/bin/python
  shift 2
fi
export TF_CPP_MIN_LOG_LEVEL=3
if ! "$python" -c 'import tensorflow' 2> /dev/null; then
  echo "skipped: $python has no TensorFlow; name one that has it in TAPESCOPE_TENSORFLOW_PYTHON"
  exit 77
fi
exec "$python" -B "$@"
