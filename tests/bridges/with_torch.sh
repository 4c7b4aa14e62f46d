#!/usr/bin/env bash
# Runs a script with a Python that has PyTorch ($TAPESCOPE_TORCH_PYTHON, else python3): with_torch.sh SCRIPT ARGUMENT...
# PYTHON among the arguments stands for it. Ends with 77 where there is none, which ctest counts as skipped.
set -u
python=${TAPESCOPE_TORCH_PYTHON:-python3}
if ! "$python" -c 'import torch' 2> /dev/null; then
  echo "skipped: $python has no PyTorch; name one that has it in TAPESCOPE_TORCH_PYTHON"
  exit 77
fi
exec "$python" -B "${@/#PYTHON/$python}"
