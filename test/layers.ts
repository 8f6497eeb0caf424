/**
 * Which room of src/ may import which. A room may always import itself. The only files directly under src/ are public
 * entry points, which may import all; tests import freely.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/** What a kind is declared with. */
const DECLARING = ['codec', 'meta', 'notation']
/** The same, and what is made of declarations. */
const ENTRIES = ['catalogue', ...DECLARING, 'base', 'vocabulary']

export const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  http2: ['base'],
  // HTTP requests to other servers.
  outgoing: ['base'],
  'code-cache': ['base'],
  flags: ['base'],
  vocabulary: ['base'],
  // Profiles of the process.
  profiling: [],
  // Counts and measurements, for whoever asks.
  metrics: ['base', 'vocabulary'],
  notation: ['base', 'vocabulary'],
  meta: ['notation', 'base', 'vocabulary'],
  codec: ['meta', 'notation', 'base', 'vocabulary'],
  catalogue: [...DECLARING, 'base', 'vocabulary'],
  cel: ['base'],
  // Schemas that come at run time, as the definitions of custom resources hold them.
  structural: ['cel', ...DECLARING, 'base', 'vocabulary'],
  kinds: ['structural', ...ENTRIES],
  // Webhooks convert.
  extend: ['cel', 'client', 'kinds', 'structural', ...ENTRIES],
  patch: ENTRIES,
  openapi: ['kinds', ...ENTRIES],
  // etcd is spoken to in HTTP/2.
  engine: ['http2', 'base'],
  cache: ['engine', 'base'],
  pki: ['base', 'vocabulary'],
  // Proxies for connections to other servers.
  egress: ['engine', 'http2', 'metrics', 'outgoing', 'meta', 'notation', 'base', 'vocabulary'],
  // What objects take from resource quotas.
  quota: ['kinds', ...ENTRIES],
  // Webhooks are called, and answer with patches.
  admission: ['authz', 'client', 'kinds', 'metrics', 'patch', 'quota', ...ENTRIES],
  // Webhooks are called as any server is: by a client configuration.
  authn: ['client', 'outgoing', 'pki', 'kinds', ...ENTRIES],
  authz: ['client', 'kinds', ...ENTRIES],
  // Which request is executed next.
  flowcontrol: ['kinds', ...ENTRIES],
  registry: ['admission', 'authz', 'kinds', 'patch', 'cache', 'engine', ...ENTRIES],
  // The cache is there for the bytes that go on the wire as they are kept.
  http: [
    'metrics',
    'registry',
    'authn',
    'authz',
    'flowcontrol',
    'http2',
    'kinds',
    'openapi',
    'outgoing',
    'profiling',
    'cache',
    'engine',
    ...ENTRIES,
  ],
  // Requests as the pipeline reports them.
  audit: ['http', 'registry', 'client', ...ENTRIES],
  // Traces of requests, the same.
  tracing: ['http', ...ENTRIES],
  controllers: ['client', 'kinds', 'metrics', 'quota', ...ENTRIES],
  // Extension servers are proxied to, asked for their documents, and registered.
  aggregation: ['http', 'registry', 'authz', 'client', 'openapi', 'outgoing', 'kinds', ...ENTRIES],
  // Clients of the server that they run in.
  loopback: ['registry', 'authn', 'authz', 'client', 'http', 'cache', ...ENTRIES],
  client: ['kinds', 'metrics', 'outgoing', ...ENTRIES],
  // The composition root of the server.
  server: [
    ...[
      'admission',
      'audit',
      'aggregation',
      'authn',
      'authz',
      'cache',
      'client',
      'controllers',
      'egress',
      'engine',
      'extend',
      'flowcontrol',
      'http',
    ],
    ...[
      'flags',
      'kinds',
      'loopback',
      'metrics',
      'openapi',
      'patch',
      'pki',
      'registry',
      'tracing',
      ...ENTRIES,
    ],
  ],
  // Servers for tests of others: a server, and what is done with it.
  testing: [
    ...['cache', 'client', 'engine', 'http', 'loopback', 'pki', 'registry', 'server', ...ENTRIES],
  ],
  // That of the program that runs controllers apart.
  'controller-manager': [
    ...['authn', 'authz', 'client', 'controllers', 'http', 'kinds', 'metrics', 'pki', ...ENTRIES],
  ],
  // A program that knows servers by their API alone.
  ctl: ['client', 'kinds', 'outgoing', 'patch', ...ENTRIES],
  // Stand-ins for the programs of test environments; one of them is a program of its own.
  envtest: ['flags', 'base', 'vocabulary'],
  // The top of all. Copies of the store are made without a server.
  cli: [
    'client',
    'controller-manager',
    'engine',
    'envtest',
    'flags',
    'server',
    'testing',
    ...ENTRIES,
  ],
}

/** Rooms that know kinds by the entries of the catalogue alone, whatever these are made of. */
const KNOW_ENTRIES = ['admission', 'registry', 'controllers', 'http', 'openapi']

/** What derives something of a kind from its shape, with what it is called with. */
const DERIVING =
  /(?<!function |\.)\b(codecOf|membersWriter|protobufOf|protobufOfShape|topologyOf|viewJson|checkDeclared)\(([^,)]*)/g

/** Types that are named in the code and are nobody's kind, such as options; and what writes all of those. */
const isOwnType = (file: string, argument: string) =>
  /^\s*[A-Z]\w*\.shape$/.test(argument) || (file === 'http/protobuf.ts' && argument === 'shape')

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g

export interface Walk {
  readonly files: number
  readonly imports: number
  readonly faults: readonly string[]
}

/** Reads the import statements below `src` and reports what breaks the rules, cycles included. */
export function walk(src: string): Walk {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((f) =>
    f.endsWith('.ts'),
  )
  const graph = new Map<string, string[]>()
  const faults: string[] = []
  let imports = 0
  for (const file of files) {
    const text = readFileSync(join(src, file), 'utf8')
    const runtime = text.replace(/^import type [^;]*?from '[^']+'/gm, '')
    const all = targetsOf(text, src, file)
    graph.set(file, targetsOf(runtime, src, file))
    imports += all.length
    const room = file.includes('/') ? file.slice(0, file.indexOf('/')) : ''
    if (room === '' || file.endsWith('.test.ts')) continue
    if (KNOW_ENTRIES.includes(room)) faults.push(...derivations(file, text))
    const may = rooms[room]
    if (!may) {
      faults.push(`${file}: the room ${room} has no rule`)
      continue
    }
    for (const target of all) {
      const other = target.includes('/') ? target.slice(0, target.indexOf('/')) : ''
      if (other !== room && !may.includes(other)) {
        faults.push(`${file} imports ${target}: ${room} may import ${may.join(', ') || 'nothing'}`)
      }
    }
  }
  return { files: files.length, imports, faults: [...faults, ...cycles(graph)] }
}

/** Places that derive something of a kind which its entry has. */
export function derivations(file: string, text: string): string[] {
  return [...text.matchAll(DERIVING)].flatMap(([, name = '', argument = '']) =>
    isOwnType(file, argument) || (file.startsWith('openapi/') && name === 'protobufOf')
      ? []
      : [`${file} calls ${name}(${argument}: the catalogue's entry has that`],
  )
}

function targetsOf(text: string, src: string, file: string): string[] {
  return [...text.matchAll(IMPORT)].map((m) =>
    relative(src, normalize(join(src, dirname(file), m[1]!))),
  )
}

function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' > ')}`)
      return
    }
    state.set(file, 'open')
    for (const target of graph.get(file) ?? []) visit(target, [...path, file])
    state.set(file, 'done')
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}
