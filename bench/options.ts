import { parseArgs } from 'node:util'

/** Engines under the server. */
export const stores = ['lmdb', 'etcd'] as const
export type Store = (typeof stores)[number]

export interface BenchOptions {
  /** Command that starts the product; flags are added. null: only the bare limits are measured. */
  readonly server: readonly string[] | null
  readonly only: readonly string[] | null
  /** Engines that were asked for; null: each that the machine has. */
  readonly stores: readonly Store[] | null
  readonly seconds: number
  readonly rounds: number
  readonly json: boolean
  /** Where data directories are made. */
  readonly dir: string
  /** Where CPU profiles of the server go; null: none are made. */
  readonly profile: string | null
  readonly listItems: number
  /** Numbers of watchers, each asked for. */
  readonly watchers: readonly number[]
  /** Numbers of objects, rising. */
  readonly growth: readonly number[]
  /** Numbers of pods that selections are compared among: few and many. */
  readonly selected: readonly [number, number]
  /** Role bindings of others. */
  readonly bindings: number
  /** Custom resource definitions that nobody uses. */
  readonly definitions: number
}

/** The text of --help. */
export const help = `Usage: npm run bench -- [flags]

Measures the built server (npm run build) beside the limits of the machine, in alternating rounds.

  --only a,b       questions to ask: get, identity, audit, list, binary, selectors,
                   mixed, fairness, create, patch, apply, lease, delete, custom,
                   etcd-create, plugins, webhooks, watch, start, command,
                   growth, processes (default all)
  --store name     engine under the server: lmdb, etcd or both (default both,
                   if the machine has an etcd; the limits alone: lmdb)
  --seconds n      length of a round (default 2)
  --rounds n       rounds, at least 1 (default 3)
  --watchers a,b   numbers of watchers (default 1000,5000)
  --objects a,b    numbers of objects of growth, rising (default 1000,10000,100000)
  --selected a,b   numbers of pods of selectors (default 2000,200000)
  --quick          one short round of small numbers, to see that it runs
  --server cmd     command that starts the server (default: node dist/bin/orch.js server)
  --bare-only      only the limits, without the server
  --dir path       where data directories are made (default: the system's temporary folder)
  --profile path   folder for CPU profiles of the server, one for each round;
                   tools/profile.mjs reads them
  --json           one JSON document instead of the table
  --help           this text
`

/** Reads the command line; null when help was asked for. Throws on what it does not know. */
export function parseOptions(
  args: readonly string[],
  defaults: { server: readonly string[]; dir: string },
): BenchOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      store: { type: 'string' },
      watchers: { type: 'string' },
      objects: { type: 'string' },
      selected: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      server: { type: 'string' },
      'bare-only': { type: 'boolean', default: false },
      dir: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return null
  return {
    server: values['bare-only'] ? null : (values.server?.trim().split(/\s+/) ?? defaults.server),
    only: values.only?.split(',').map((name) => name.trim()) ?? null,
    stores:
      values.store === undefined ? (values['bare-only'] ? ['lmdb'] : null) : storesOf(values.store),
    seconds: positive('seconds', values.seconds ?? (values.quick ? '0.3' : '2'), 60),
    rounds: Math.ceil(positive('rounds', values.rounds ?? (values.quick ? '1' : '3'), 20)),
    json: values.json,
    dir: values.dir ?? defaults.dir,
    profile: values.profile ?? null,
    listItems: values.quick ? 1_000 : 10_000,
    watchers: numbersOf('watchers', values.watchers) ?? (values.quick ? [100] : [1_000, 5_000]),
    growth:
      numbersOf('objects', values.objects) ??
      (values.quick ? [200, 1_000] : [1_000, 10_000, 100_000]),
    selected: twoOf(
      numbersOf('selected', values.selected) ?? (values.quick ? [200, 1_000] : [2_000, 200_000]),
    ),
    bindings: values.quick ? 500 : 5_000,
    definitions: values.quick ? 50 : 1_000,
  }
}

function storesOf(text: string): readonly Store[] {
  const chosen = text === 'both' ? stores : stores.filter((store) => store === text)
  if (chosen.length === 0) throw new Error('--store takes lmdb, etcd or both')
  return chosen
}

/** Whole numbers, rising; null: none are given. */
function numbersOf(name: string, text: string | undefined): readonly number[] | null {
  if (text === undefined) return null
  const numbers = text.split(',').map((number) => Math.round(positive(name, number, 1_000_000)))
  if (numbers.some((number, i) => number <= (numbers[i - 1] ?? LEAST)))
    throw new Error(`--${name} takes rising numbers above ${LEAST}`)
  return numbers
}

function twoOf([few, many, ...more]: readonly number[]): [number, number] {
  if (few === undefined || many === undefined || more.length > 0)
    throw new Error('--selected takes two numbers')
  return [few, many]
}

// Of objects, some are in a namespace of their own; watchers share connections.
const LEAST = 99

function positive(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!(value > 0 && value <= most))
    throw new Error(`--${name} takes a number above 0, up to ${most}`)
  return value
}
