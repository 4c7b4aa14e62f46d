#!/usr/bin/env bash
# Runs a script with a Python that has PyTorch ($TAPESCOPE_TORCH_PYTHON, else that of prepare.sh, else python3):
# with_torch.sh [--version VERSION] SCRIPT ARGUMENT... PYTHON among the arguments stands for it. --version: with that of prepare.sh
# alone. Ends with 77 where there is none, which ctest counts as skipped.
set -u
build=$(cd "$(dirname "$0")/../.." && pwd)/build
if [[ $1 == --version ]]; then
  python=$build/torch-$2/bin/python
  shift 2
else
  python=${TAPESCOPE_TORCH_PYTHON:-$build/torch/bin/python}
  [[ -x $python ]] || python=python3
fi
if ! "$python" -c 'import torch' 2> /dev/null; then
  echo "skipped: $python has no PyTorch; name one that has it in TAPESCOPE_TORCH_PYTHON"
  exit 77
fi
exec "$python" -B "${@/#PYTHON/$python}"
