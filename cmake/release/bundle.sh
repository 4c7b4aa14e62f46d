#!/usr/bin/env bash
# Puts the shared libraries of bin/tapescope beside it, but for those that belong to the system: bundle.sh FOLDER
# In the folder the program then finds them by its place; the Python package of the component `python` becomes python/tapescope.
set -euo pipefail
folder=$1
mkdir -p "$folder/lib"
# C and C++ libraries, the graphics driver's entry and X11, which a driver must share.
system='ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|resolv|util|GL|GLX|GLdispatch|OpenGL|EGL|X11|xcb|Xext|Xrandr|Xinerama|Xcursor|Xi|Xfixes|Xrender|Xau|Xdmcp)[.-]'
ldd "$folder/bin/tapescope" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -vE "/($system)" | while read -r library; do
  cp -L "$library" "$folder/lib/"
done
patchelf --set-rpath '$ORIGIN/../lib' "$folder/bin/tapescope"
for library in "$folder"/lib/*; do patchelf --set-rpath '$ORIGIN' "$library"; done
if [[ -d $folder/tapescope ]]; then
  mkdir "$folder/python"
  mv "$folder/tapescope" "$folder/python/"
  # The package starts the application beside it.
  rm -rf "$folder/python/tapescope/bin"
fi
