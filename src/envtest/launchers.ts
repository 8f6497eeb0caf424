/** Shell scripts that begin the drop-in programs, named like their originals. */
import { dropIn, product } from '../vocabulary/index.ts'
import { INTERPRETER, INTERPRETER_IS_THERE, PLAN_FILE, PLAN_WORD, WAITER } from './waiter.ts'

/** A program as words of a command line; the last words are files that must be there. */
export interface Launched {
  readonly runtime: readonly string[]
  readonly program: string
  readonly args: readonly string[]
  /** Variables that it runs with where the environment has no others. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * What makes the server small: a heap of the C library that gives back what the start needed. V8's own flags do so as well, but
 * code that was kept without them is not taken then, and the start takes longer.
 */
export const smallHeap = {
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
} as const

/** The programs; the client is absent when this build has none. */
export interface Programs {
  readonly apiserver: Launched
  readonly etcd: Launched
  readonly client: Launched
}

const REMADE = `run "${product.command} envtest-assets" again`

/** A word as a shell must get it. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

const commandOf = ({ runtime, program, args }: Launched): string =>
  [...runtime, program, ...args].map(quoted).join(' ')

const head = ['#!/bin/sh', `# Made by: ${product.command} envtest-assets`]

function launcher(name: string, launched: Launched): string {
  const file = quoted(launched.program)
  return [
    ...head,
    `[ -f ${file} ] || { echo ${quoted(`${name}: ${launched.program} is gone; ${REMADE}`)} >&2; exit 1; }`,
    ...Object.entries(launched.env ?? {}).map(
      ([variable, value]) => `export ${variable}="\${${variable}:-${value}}"`,
    ),
    `exec ${commandOf(launched)} "$@"`,
    '',
  ].join('\n')
}

/**
 * The stand-in for etcd makes its plan, and a smaller program waits where the machine has its interpreter: Node.js takes five
 * times as much memory for that. The plan comes by a file of its own, so that output is output.
 */
function etcdLauncher(launched: Launched): string {
  const plan = dropIn.planVariable
  const command = commandOf({ ...launched, args: [...launched.args, PLAN_WORD] })
  const script = launcher(dropIn.etcd, launched).split('\n')
  const whole = script.splice(-2, 1)
  return [
    ...script.slice(0, -1),
    `if ${INTERPRETER_IS_THERE}; then`,
    '  exec 4>&1',
    `  ${plan}=$(${command} "$@" ${PLAN_FILE}>&1 >&4 4>&-) || exit`,
    '  exec 4>&-',
    `  [ -n "\$${plan}" ] || exit 0`,
    `  export ${plan}`,
    `  exec ${INTERPRETER} -x "$0"`,
    'fi',
    ...whole,
    WAITER,
  ].join('\n')
}

/**
 * The client that a variable names, else one on the path, else our own. Other launchers on the path are passed over: each
 * adds its directory to a list before it runs another program.
 */
function clientLauncher(own: Launched): string {
  const { client, clientVariable, launchedVariable } = dropIn
  const nothing = `${client}: there is no ${client} on the PATH, and this build of ${product.title} has no ${dropIn.ownClient}; install one, or name it in ${clientVariable}`
  return `${head.join('\n')}
self=$(cd "$(dirname "$0")" && pwd -P)
${launchedVariable}="$self:\${${launchedVariable}:-}"
export ${launchedVariable}
if [ -n "\${${clientVariable}:-}" ]; then
  exec "\$${clientVariable}" "$@"
fi
before=$IFS
IFS=:
for dir in $PATH; do
  [ -n "$dir" ] && [ -f "$dir/${client}" ] && [ -x "$dir/${client}" ] || continue
  real=$(cd "$dir" && pwd -P)
  case ":\$${launchedVariable}" in *":$real:"*) continue ;; esac
  IFS=$before
  exec "$dir/${client}" "$@"
done
IFS=$before
if [ -f ${quoted(own.program)} ]; then
  exec ${commandOf(own)} "$@"
fi
echo ${quoted(nothing)} >&2
exit 1
`
}

/** Names and contents of the files. */
export function launchers({
  apiserver,
  etcd,
  client,
}: Programs): readonly (readonly [string, string])[] {
  return [
    [dropIn.apiserver, launcher(dropIn.apiserver, apiserver)],
    [dropIn.etcd, etcdLauncher(etcd)],
    [dropIn.client, clientLauncher(client)],
  ]
}
