/** cp: copies files from and to containers, by the program tar there and here. */
import { spawn } from 'node:child_process'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { containerOf, findPod } from '../api/find-pod.ts'
import { findResource, resourcePath } from '../api/resources.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { removeLinks } from '../base/plain-tree.ts'
import { runSession } from '../stream/session.ts'

interface Place {
  /** Empty on this machine. */
  readonly pod: string
  readonly namespace: string
  readonly path: string
}

export const cp: Command = {
  use: '<file-spec-src> <file-spec-dest>',
  text: "Copies files and folders from and to containers. The container's image must contain the program tar.",
  examples: [
    ['To a pod', 'cp /tmp/foo default/web-1:/tmp/bar'],
    ['From a pod', 'cp web-1:/tmp/foo /tmp/bar'],
  ],
  flags: {
    container: {
      type: 'text',
      short: 'c',
      help: 'Container name. If omitted, use the default container annotation or the first container.',
    },
    'no-preserve': {
      type: 'bool',
      help: "The copied file/directory's ownership and permissions will not be preserved in the container",
    },
    retries: { type: 'int', default: '0', help: 'Accepted for compatibility.', isHidden: true },
  },
  async run(c) {
    if (c.args.length !== 2) throw new Fault('error: source and destination are required')
    const [from, to] = c.args.map(placeOf) as [Place, Place]
    if (from.pod !== '' && to.pod !== '')
      throw new Fault('error: one of src or dest must be a local file specification')
    if (from.pod === '' && to.pod === '')
      throw new Fault('error: one of src or dest must be a remote file specification')
    if (from.path === '' || to.path === '') throw new Fault('error: filepath can not be empty')
    await (from.pod === '' ? upload(c, from, to) : download(c, from, to))
  },
}

function placeOf(text: string): Place {
  const colon = text.indexOf(':')
  // A path of this machine may hold a colon, after a slash.
  if (colon < 1 || /^[./]/.test(text)) return { pod: '', namespace: '', path: text }
  const head = text.slice(0, colon)
  const [namespace = '', pod = ''] = head.includes('/') ? head.split('/') : ['', head]
  return { pod, namespace, path: text.slice(colon + 1) }
}

async function remote(
  c: Context,
  { pod: name, namespace: given }: Place,
  options: {
    readonly command: readonly string[]
    readonly input: AsyncIterable<Uint8Array> | null
    readonly out: (data: Uint8Array) => void
  },
): Promise<void> {
  const of = await findResource(await c.discovery(), 'pods')
  const namespace = given === '' ? (await c.namespace()).name : given
  const pod =
    given === ''
      ? await findPod(c, name)
      : ((await (await c.api()).json({ path: resourcePath(of, namespace, name) })) as Awaited<
          ReturnType<typeof findPod>
        >)
  const params = new URLSearchParams()
  for (const word of options.command) params.append('command', word)
  params.append('container', await containerOf(c, pod))
  if (options.input) params.append('stdin', 'true')
  params.append('stdout', 'true')
  params.append('stderr', 'true')
  await runSession(await c.api(), {
    path: `${resourcePath(of, namespace, name)}/exec?${params.toString()}`,
    input: options.input,
    out: options.out,
    err: (data) => c.err(Buffer.from(data).toString('utf8')),
    terminal: null,
  })
}

async function upload(c: Context, from: Place, to: Place): Promise<void> {
  const path = resolve(c.io.cwd, from.path)
  if (!existsSync(path)) throw new Fault(`error: ${from.path} doesn't exist in local filesystem`)
  const target = to.path.endsWith('/') ? join(to.path, basename(path)) : to.path
  // Names in the archive are those of the target.
  const rename = `s,^${escaped(basename(path))},${basename(target).replaceAll(/[,\\&]/g, '\\$&')},`
  const folder = mkdtempSync(join(tmpdir(), 'copy-'))
  try {
    const archive = join(folder, 'archive.tar')
    await ran('tar', ['cf', archive, '-C', dirname(path), '--transform', rename, basename(path)])
    // Not every agent can tell the container that the input has ended: the container is told its size.
    const extract = [
      'tar',
      ...(c.flags.is('no-preserve') ? ['--no-same-permissions', '--no-same-owner'] : []),
      '-xmf',
      '-',
      '-C',
      dirname(target),
    ]
    const script = 'head -c "$0" | "$@"'
    await remote(c, to, {
      command: ['sh', '-c', script, String(statSync(archive).size), ...extract],
      input: createReadStream(archive),
      out: (data) => c.io.out(data),
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a program of this machine. Rejects with a fault when it fails; it says why by itself. */
function ran(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((done, fail) => {
    child.once('error', () => fail(new Fault(`error: the program ${program} is needed to copy`)))
    child.once('close', (code) =>
      code === 0 ? done() : fail(new Fault(`error: ${program} exited with code ${code}`)),
    )
  })
}

const escaped = (text: string) => text.replaceAll(/[.*[\]^$\\,]/g, '\\$&')

async function download(c: Context, from: Place, to: Place): Promise<void> {
  const target = resolve(c.io.cwd, to.path)
  const isFolder = existsSync(target) && statSync(target).isDirectory()
  const parent = isFolder ? target : dirname(target)
  mkdirSync(parent, { recursive: true })
  // Extracted beside the target first: what the pod sends must not reach other places.
  const folder = mkdtempSync(join(parent, '.copy-'))
  try {
    const data = new PassThrough()
    const tar = spawn('tar', ['xf', '-', '-C', folder, '--no-same-owner'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    data.pipe(tar.stdin)
    tar.stdin.on('error', () => {})
    const ended = new Promise<number>((done, fail) => {
      tar.once('error', fail)
      tar.once('close', (code) => done(code ?? 1))
    })
    try {
      await remote(c, from, {
        command: ['tar', 'cf', '-', '-C', dirname(from.path), basename(from.path)],
        input: null,
        out: (chunk) => void data.write(chunk),
      })
    } catch (error) {
      tar.kill()
      await ended.catch(() => {})
      throw error
    }
    data.end()
    if ((await ended) !== 0) throw new Fault('error: what the pod sent is no archive')
    // Later copies into the same place would follow them.
    for (const { path, target: to } of removeLinks(folder))
      c.io.err(
        `warning: skipping symlink: ${JSON.stringify(basename(path))} -> ${JSON.stringify(to)}\n`,
      )
    const [name] = readdirSync(folder)
    if (name === undefined) throw new Fault(`error: ${from.path} no such file or directory`)
    renameSync(join(folder, name), isFolder ? join(target, name) : target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
