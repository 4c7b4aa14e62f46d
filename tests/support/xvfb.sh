#!/usr/bin/env bash
# Runs a command on a separate screen: xvfb.sh WIDTHxHEIGHT COMMAND [ARGUMENT]... Returns the command's status.
set -u
size=${1-}
if [[ ! $size =~ ^[0-9]+x[0-9]+$ ]] || (($# < 2)); then
  echo "usage: xvfb.sh WIDTHxHEIGHT COMMAND [ARGUMENT]..." >&2
  exit 2
fi
shift
for tool in Xvfb xdotool; do
  command -v "$tool" >/dev/null || { echo "xvfb.sh: $tool is missing: install the package ${tool,,}; ./test does." >&2; exit 3; }
done

# Xvfb picks a free display itself and writes its number, when it is ready, to the pipe: no guess, no wait.
# Without -noreset it would forget its state whenever the last window closes.
exec {number}<> <(:)
Xvfb -displayfd "$number" -screen 0 "${size}x24" -nolisten tcp -noreset +extension GLX 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null' EXIT
if ! read -r -t 20 display <&"$number"; then
  echo "xvfb.sh: Xvfb did not start within 20 seconds." >&2
  exit 3
fi

# The software rasterizer draws the same on every machine.
export DISPLAY=:$display LIBGL_ALWAYS_SOFTWARE=1
unset WAYLAND_DISPLAY
"$@" {number}<&- &
command=$!
# A test that runs out of time gets a signal: the command must not outlive it.
trap 'kill -TERM "$command" 2>/dev/null' TERM INT HUP
wait "$command"
status=$?
# A signal ends the wait before the command has ended.
while kill -0 "$command" 2>/dev/null; do
  wait "$command"
  status=$?
done
exit "$status"
