/** logs, exec, attach. */
import { containerOf, findPod } from '../api/find-pod.ts'
import { noneFound, readAll } from '../api/find-objects.ts'
import type { PodObject } from '../api/kind-types.ts'
import { findResource, resourcePath } from '../api/resources.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { durationOf } from '../base/flags.ts'
import { ExitCode, runSession } from '../stream/session.ts'

export const logs: Command = {
  use: '[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER] [options]',
  text: 'Shows the logs of containers.',
  examples: [
    ['A pod', 'logs web-1'],
    ['The last lines, and what follows', 'logs -f --tail=20 deployment/web'],
  ],
  flags: {
    'all-containers': { type: 'bool', help: "Get all containers' logs in the pod(s)." },
    container: { type: 'text', short: 'c', help: 'Print the logs of this container' },
    follow: { type: 'bool', short: 'f', help: 'Specify if the logs should be streamed.' },
    'ignore-errors': {
      type: 'bool',
      help: 'If watching / following pod logs, allow for any errors that occur to be non-fatal',
    },
    'insecure-skip-tls-verify-backend': {
      type: 'bool',
      help: 'Skip verifying the identity of the node agent that logs are requested from.',
    },
    'limit-bytes': {
      type: 'int',
      default: '0',
      help: 'Maximum bytes of logs to return. Defaults to no limit.',
    },
    'max-log-requests': {
      type: 'int',
      default: '5',
      help: 'Maximum number of concurrent logs to follow when using by a selector.',
    },
    prefix: {
      type: 'bool',
      help: 'Prefix each log line with the log source (pod name and container name)',
    },
    previous: {
      type: 'bool',
      short: 'p',
      help: 'If true, print the logs for the previous instance of the container in a pod if it exists.',
    },
    selector: { type: 'text', short: 'l', help: 'Selector (label query) to filter on.' },
    since: {
      type: 'text',
      help: 'Only return logs newer than a relative duration like 5s, 2m, or 3h.',
    },
    'since-time': { type: 'text', help: 'Only return logs after a specific date (RFC3339).' },
    tail: {
      type: 'int',
      default: '-1',
      help: 'Lines of recent log file to display. Defaults to -1 with no selector, showing all log lines otherwise 10, if a selector is provided.',
    },
    timestamps: { type: 'bool', help: 'Include timestamps on each line in the log output' },
  },
  async run(c) {
    if (c.flags.text('since') !== '' && c.flags.text('since-time') !== '')
      throw new Fault('error: at most one of `sinceTime` or `sinceSeconds` may be specified')
    if (c.flags.int('tail') < -1)
      throw new Fault('error: --tail must be greater than or equal to -1')
    const pods = await podsFor(c)
    if (c.args.length > 1 && c.flags.text('container') !== '')
      throw new Fault('error: only one of -c or an inline [CONTAINER] arg is allowed')
    const sources: { pod: PodObject; container: string }[] = []
    for (const pod of pods) {
      const { containers = [], initContainers = [] } = pod.spec ?? {}
      if (c.flags.is('all-containers')) {
        for (const { name = '' } of [...initContainers, ...containers])
          sources.push({ pod, container: name })
      } else sources.push({ pod, container: c.args[1] ?? (await containerOf(c, pod)) })
    }
    const most = c.flags.int('max-log-requests')
    if (c.flags.is('follow') && sources.length > most) {
      throw new Fault(
        `error: you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${most}, use --max-log-requests to increase the limit`,
      )
    }
    if (!c.flags.is('follow')) for (const one of sources) await showLog(c, one)
    else await Promise.all(sources.map((one) => showLog(c, one)))
  },
}

async function podsFor(c: Context): Promise<PodObject[]> {
  const selector = c.flags.text('selector')
  const [word] = c.args
  if (selector !== '') {
    if (word !== undefined) throw c.misuse('only a selector (-l) or a POD name is allowed')
    const of = await findResource(await c.discovery(), 'pods')
    const where = { of, namespace: (await c.namespace()).name, name: '' }
    const pods = await readAll(c, where, { labelSelector: selector })
    if (pods.length === 0) c.err(noneFound(where))
    return pods as unknown as PodObject[]
  }
  if (word === undefined || c.args.length > 2) {
    throw new Fault(
      `error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee '${c.command} -h' for help and examples`,
    )
  }
  return [await findPod(c, word)]
}

async function showLog(
  c: Context,
  { pod, container }: { pod: PodObject; container: string },
): Promise<void> {
  const text = (name: string) => c.flags.text(name)
  const flag = (name: string) => (c.flags.is(name) ? 'true' : undefined)
  const tail = c.flags.int('tail') >= 0 ? text('tail') : text('selector') === '' ? undefined : '10'
  const of = await findResource(await c.discovery(), 'pods')
  const { name = '', namespace = '' } = pod.metadata ?? {}
  const api = await c.api()
  const { body } = await api.send({
    path: `${resourcePath(of, namespace, name)}/log`,
    accept: 'application/json, */*',
    query: {
      container: container || undefined,
      follow: flag('follow'),
      previous: flag('previous'),
      timestamps: flag('timestamps'),
      insecureSkipTLSVerifyBackend: flag('insecure-skip-tls-verify-backend'),
      limitBytes: c.flags.int('limit-bytes') > 0 ? text('limit-bytes') : undefined,
      sinceSeconds:
        text('since') === '' ? undefined : String(Math.ceil(durationOf(text('since')) / 1000)),
      sinceTime: text('since-time') || undefined,
      tailLines: tail,
    },
    ...(c.flags.is('follow') ? { signal: c.io.interrupted } : {}),
  })
  const prefix = c.flags.is('prefix') ? `[pod/${name}/${container}] ` : ''
  let isLineStart = true
  for await (const chunk of body) {
    if (prefix === '') c.io.out(chunk as Uint8Array)
    else {
      const lines = (chunk as Buffer).toString('utf8').split(/(?<=\n)/)
      for (const line of lines) {
        c.out((isLineStart ? prefix : '') + line)
        isLineStart = line.endsWith('\n')
      }
    }
  }
}

const sessionFlags = {
  container: {
    type: 'text',
    short: 'c',
    help: 'Container name. If omitted, use the default container annotation or the first container.',
  },
  'pod-running-timeout': {
    type: 'duration',
    default: '1m0s',
    help: 'Accepted for compatibility.',
    isHidden: true,
  },
  quiet: { type: 'bool', short: 'q', help: 'Only print output from the remote session' },
  stdin: { type: 'bool', short: 'i', help: 'Pass stdin to the container' },
  tty: { type: 'bool', short: 't', help: 'Stdin is a TTY' },
} as const

async function session(
  c: Context,
  { pod, container }: { readonly pod: PodObject; readonly container: string },
  action: string,
  command: readonly string[],
): Promise<void> {
  const of = await findResource(await c.discovery(), 'pods')
  const { name = '', namespace = '' } = pod.metadata ?? {}
  const hasInput = c.flags.is('stdin')
  const wantsTty = c.flags.is('tty')
  const isTty = wantsTty && c.io.isTerminal
  if (wantsTty && !c.io.isTerminal && hasInput)
    c.err('Unable to use a TTY - input is not a terminal or the right kind of file\n')
  const params = new URLSearchParams()
  for (const word of command) params.append('command', word)
  if (container !== '') params.append('container', container)
  if (hasInput) params.append('stdin', 'true')
  params.append('stdout', 'true')
  if (!isTty) params.append('stderr', 'true')
  if (isTty) params.append('tty', 'true')
  const api = await c.api()
  if (isTty) c.io.input.setRawMode?.(true)
  try {
    await runSession(api, {
      path: `${resourcePath(of, namespace, name)}/${action}?${params.toString()}`,
      input: hasInput ? (c.io.input as AsyncIterable<Uint8Array>) : null,
      out: (data) => c.io.out(data),
      err: (data) => c.err(Buffer.from(data).toString('utf8')),
      terminal: isTty ? c.io.output : null,
      onUnendedInput: () => {
        if (isTty || c.flags.is('quiet')) return
        c.err(
          'Warning: the node agent cannot be told that the input has ended: a command that waits for its end goes on until it is interrupted\n',
        )
      },
    })
  } catch (error) {
    if (error instanceof ExitCode) c.err(`command terminated with exit code ${error.exitCode}\n`)
    throw error
  } finally {
    if (isTty) c.io.input.setRawMode?.(false)
  }
}

export const exec: Command = {
  use: '(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]',
  text: 'Runs a command in a container.',
  examples: [
    ['One command', 'exec web-1 -- date'],
    ['A shell', 'exec -it web-1 -- sh'],
  ],
  flags: {
    ...sessionFlags,
    filename: { type: 'list', short: 'f', help: 'to use to exec into the resource' },
  },
  async run(c) {
    const [word = ''] = c.args
    const command = c.dash < 0 ? c.args.slice(1) : c.args.slice(c.dash)
    if (word === '' || c.dash === 0)
      throw new Fault('error: pod, type/name or --filename must be specified')
    if (command.length === 0)
      throw new Fault('error: you must specify at least one command for the container')
    if (c.dash < 0)
      c.err(
        `${c.command} [POD] [COMMAND] is DEPRECATED and will be removed in a future version. Use ${c.command} [POD] -- [COMMAND] instead.\n`,
      )
    const pod = await findPod(c, word)
    const phase = pod.status?.phase
    if (phase === 'Succeeded' || phase === 'Failed')
      throw new Fault(
        `error: cannot exec into a container in a completed pod; current phase is ${phase}`,
      )
    await session(c, { pod, container: await containerOf(c, pod) }, 'exec', command)
  },
}

export const attach: Command = {
  use: '(POD | TYPE/NAME) -c CONTAINER',
  text: 'Attaches to the process that runs in a container.',
  flags: sessionFlags,
  async run(c) {
    const [word = ''] = c.args
    if (c.args.length !== 1) throw new Fault('error: at least 1 argument is required for attach')
    const pod = await findPod(c, word)
    const container = await containerOf(c, pod)
    if (!c.flags.is('quiet')) c.err("If you don't see a command prompt, try pressing enter.\n")
    await session(c, { pod, container }, 'attach', [])
  },
}
