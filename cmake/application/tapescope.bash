# Completion for bash of tapescope's commands, options, their values and samples: all of it is what --help and list name.
_tapescope() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} tapescope=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
  local help takes words=
  if ((COMP_CWORD == 1)); then
    words="--help --version $("$tapescope" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p')"
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  help=$("$tapescope" "$command" --help 2>/dev/null)
  # "--theme TEXT:{dark,light,contrast}" and "--open FILE ..." say what follows them.
  takes=$(grep -E -- "^ +([^ ]+,)?$before[, ]" <<<"$help" | head -n 1)
  if [[ $before == --attach ]]; then
    words=$("$tapescope" list --live 2>/dev/null | grep -oE '^ *[0-9]+')
  elif [[ $before == -* && $takes == *{*}* ]]; then
    words=${takes#*\{} words=${words%%\}*} words=${words//,/ }
  elif [[ $before == -* && $takes =~ \ (FILE|OUT)\  || $before == --data ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  elif [[ $word == -* ]]; then
    words=$(grep -oE -- '--?[a-z][a-z-]*' <<<"$help")
  else
    # Lines that begin without a blank are names.
    words=$("$tapescope" list 2>/dev/null | grep -oE '^[a-z][a-z-]*')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _tapescope tapescope
