/** Scripts for shells, which ask the program itself what comes next; see `candidates.ts` for its answers. */

/**
 * Words are put together again first: bash splits what was typed at characters such as `=` and `:`, and takes only what
 * follows them.
 */
const bash = (p: string): string => `# bash completion for ${p}
__${p}_complete() {
  local program=\${COMP_WORDS[0]} left=\${COMP_LINE:0:COMP_POINT} kind=none word typed before i
  local -a words=()
  program=\${program/#\\~/$HOME}
  [[ -x $program && $program == */* ]] || program=${p}
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $i -eq $COMP_CWORD && $left != *"$word"* ]] && word=\${left##*[[:space:]]}
    if [[ $i -gt 0 && -n $left && $left != [[:space:]]* ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    left=\${left#"\${left%%[![:space:]]*}"}
    left=\${left#"$word"}
  done
  typed=\${words[\${#words[@]}-1]}
  before=\${typed%"\${typed##*["\${COMP_WORDBREAKS//[^:=]/}"]}"}
  [[ $COMP_WORDBREAKS == *[:=]* ]] || before=
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ $word == :* ]]; then kind=\${word#:}; else
      word=\${word%%$'\\t'*}
      COMPREPLY+=("\${word#"$before"}")
    fi
  done < <("$program" __complete "\${words[@]:1}" 2>/dev/null)
  [[ $kind == files ]] || compopt +o default 2>/dev/null
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[/=] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F __${p}_complete ${p}
`

/** Loads the system of completion where the user has not. In a file on \`fpath\` it is the function itself. */
const zsh = (p: string): string => `#compdef ${p}
# zsh completion for ${p}
_${p}() {
  local program=\${words[1]} line kind=none
  local -a plain open
  whence -- "$program" >/dev/null || program=${p}
  for line in "\${(@f)$("$program" __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :*) kind=\${line#:} ;;
      *[/=]) open+=("\${line//:/\\\\:}") ;;
      *) plain+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  if [[ $kind == files ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    _files
  fi
  (( \${#plain} )) && _describe -V '${p}' plain
  (( \${#open} )) && _describe -V '${p}' open -S ''
  return 0
}
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
compdef _${p} ${p}
if [[ "\${funcstack[1]}" == _${p} ]]; then _${p} "$@"; fi
`

const fish = (p: string): string => `# fish completion for ${p}
function __${p}_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l program $words[1]
  type -q $program; or set program ${p}
  for line in ($program __complete $words[2..-1] "$typed" 2>/dev/null)
    switch $line
      case ':files'
        if string match -qr '^--[^=]+=' -- "$typed"
          set -l flag (string replace -r '=.*' '=' -- "$typed")
          __fish_complete_path (string replace -r '^[^=]+=' '' -- "$typed") | string replace -r '^' $flag
        else
          __fish_complete_path "$typed"
        end
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c ${p} -e
complete -c ${p} -k -f -a '(__${p}_complete)'
`

const powershell = (p: string): string => `# powershell completion for ${p}
Register-ArgumentCompleter -Native -CommandName '${p}' -ScriptBlock {
  param($word, $ast, $position)
  $before = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $typed = if ($word -eq '') { '""' } else { $word }
  & '${p}' __complete @before $typed 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
    $text, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $text }
    [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
  }
}
`

/** The script of each shell, for a program of a name. */
export const scripts: Readonly<Record<string, (program: string) => string>> = {
  bash,
  zsh,
  fish,
  powershell,
}
