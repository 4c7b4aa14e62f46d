# Completion of tapescope's commands, options and samples for bash.
_tapescope() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local commands="gui list run compare explain check report export bench"
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
    return
  fi
  case $before in
    --format) mapfile -t COMPREPLY < <(compgen -W "csv dot markdown npy perfetto png sqlite svg" -- "$word") && return ;;
    --panel) mapfile -t COMPREPLY < <(compgen -W "ops functions gradients memory steps alerts advice" -- "$word") && return ;;
    --theme) mapfile -t COMPREPLY < <(compgen -W "dark light contrast" -- "$word") && return ;;
    --attach) mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" list --live 2>/dev/null | grep -oE '^ *[0-9]+')" -- "$word") && return ;;
    --record | --with | --open | --json | --baseline | --script | --ui-map | --data | -o) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
  esac
  if [[ $word == -* ]]; then
    # What --help names is what there is.
    mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null | grep -oE -- '--?[a-z][a-z-]*')" -- "$word")
    return
  fi
  # Lines that begin without a blank are names.
  mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" list 2>/dev/null | grep -oE '^[a-z][a-z-]*')" -- "$word"; compgen -f -- "$word")
}
complete -o filenames -F _tapescope tapescope
