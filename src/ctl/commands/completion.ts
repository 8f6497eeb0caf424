/** completion: scripts for shells, which ask the program itself what comes next. */
import type { Command } from '../base/command.ts'
import { Fault } from '../base/faults.ts'
import type { FlagSpec } from '../base/flags.ts'
import { globalFlags } from '../base/global-flags.ts'
import type { Context } from '../base/context.ts'
import { readAll } from '../api/find-objects.ts'
import { findResource, inOrder } from '../api/resources.ts'
import { mergedConfig } from '../config/choose.ts'

const SHELLS: Readonly<Record<string, (program: string) => string>> = {
  bash: (p) => `# bash completion for ${p}
__${p}_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace
  return 0
}
complete -o default -F __${p}_complete ${p}
`,
  zsh: (p) => `#compdef ${p}
# zsh completion for ${p}
_${p}() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} > 0 )) && [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _${p} ${p}
`,
  fish: (p) => `# fish completion for ${p}
function __${p}_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c ${p} -f -a '(__${p}_complete)'
`,
  powershell: (p) => `# powershell completion for ${p}
Register-ArgumentCompleter -Native -CommandName '${p}' -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '""' }
  & '${p}' __complete @words 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`,
}

export const completion: Command = {
  use: 'SHELL',
  text: 'Shows the completion script for a shell: bash, zsh, fish or powershell.',
  examples: [['In this shell', 'completion bash > ~/.completion && source ~/.completion']],
  run(c) {
    const [shell = ''] = c.args
    if (shell === '') return Promise.reject(c.misuse('Shell not specified.'))
    if (c.args.length > 1)
      return Promise.reject(c.misuse('Too many arguments. Expected only the shell type.'))
    if (!Object.hasOwn(SHELLS, shell))
      return Promise.reject(c.misuse(`Unsupported shell type ${JSON.stringify(shell)}.`))
    c.out(SHELLS[shell]!(c.program))
    return Promise.resolve()
  },
}

/** Shows what may come next, one a line; the last argument is what has been typed of it. */
export const complete: Command = {
  use: 'WORDS',
  text: 'For completion scripts: shows what may come next.',
  async run(c) {
    const words = [...c.args]
    const typed = words.pop() ?? ''
    const found = await candidates(c, words, typed === '""' ? '' : typed)
    c.out(found.map((one) => `${one}\n`).join(''))
  },
}

async function candidates(c: Context, words: readonly string[], typed: string): Promise<string[]> {
  const commands = await c.commands()
  const plain = words.filter((word) => !word.startsWith('-'))
  let path = ''
  let used = 0
  for (const word of plain) {
    const next = path === '' ? word : `${path} ${word}`
    if (!Object.hasOwn(commands, next)) break
    path = next
    used++
  }
  const starting = (all: readonly string[]) =>
    [...new Set(all)].filter((one) => one.startsWith(typed)).sort()
  const last = words.at(-1) ?? ''
  try {
    if (last === '-n' || last === '--namespace') return starting(await namesOf(c, 'namespaces'))
    if (last === '--context')
      return starting([...(await mergedConfig(c.flags, c.io)).contexts.keys()])
    if (typed.startsWith('-')) return starting(await flagsOf(c, path))
    const prefix = path === '' ? '' : `${path} `
    const children = Object.keys(commands)
      .filter(
        (one) =>
          one.startsWith(prefix) &&
          one !== path &&
          !one.slice(prefix.length).includes(' ') &&
          !one.startsWith('__'),
      )
      .map((one) => one.slice(prefix.length))
    const rest = plain.slice(used)
    if (children.length > 0 && rest.length === 0 && (path === '' || !commands[path]?.load))
      return starting(children)
    return starting([
      ...(rest.length === 0 ? children : []),
      ...(await argumentsOf(c, path, rest, typed)),
    ])
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}

async function flagsOf(c: Context, path: string): Promise<string[]> {
  const own = (await (await c.commands())[path]?.load?.())?.flags ?? {}
  const all: Readonly<Record<string, FlagSpec>> = { ...globalFlags, ...own }
  return Object.entries(all)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([name]) => `--${name}`)
}

const POD_COMMANDS = ['logs', 'exec', 'attach', 'port-forward']
const NODE_COMMANDS = ['cordon', 'uncordon', 'drain']

async function argumentsOf(
  c: Context,
  path: string,
  rest: readonly string[],
  typed: string,
): Promise<string[]> {
  if (path === 'config use-context' || path === 'config delete-context')
    return [...(await mergedConfig(c.flags, c.io)).contexts.keys()]
  if (path === 'completion') return Object.keys(SHELLS)
  if (POD_COMMANDS.includes(path)) return rest.length === 0 ? namesOf(c, 'pods') : []
  if (NODE_COMMANDS.includes(path)) return namesOf(c, 'nodes')
  if (path.startsWith('config') || path === '') return []
  const [type] = rest
  if (type !== undefined && !type.includes('/')) return namesOf(c, type)
  const slash = typed.indexOf('/')
  if (slash !== -1) {
    const word = typed.slice(0, slash)
    return (await namesOf(c, word)).map((name) => `${word}/${name}`)
  }
  const served = await (await c.discovery()).served()
  return inOrder(served).map(({ name }) => name)
}

async function namesOf(c: Context, word: string): Promise<string[]> {
  const of = await findResource(await c.discovery(), word)
  const namespace = of.namespaced ? (await c.namespace()).name : ''
  return (await readAll(c, { of, namespace, name: '' })).map(({ metadata }) => metadata.name ?? '')
}
