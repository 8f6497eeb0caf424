/** Memory and descriptors of one server, load after load. */
import { Client } from '../client.ts'
import { checkHistory } from '../faults/check.ts'
import { History } from '../faults/history.ts'
import { Load } from '../faults/load.ts'
import { until, wait } from '../faults/waiting.ts'
import { startSubject, type StartedSubject } from '../fuzz/subject.ts'
import { goesOn, type Part } from './part.ts'

/** Loads after which a server is warm. */
const WARM = 3
const LOAD_MS = 8_000
/** How long the server keeps history; what was deleted before is gone from memory. */
const HISTORY_MS = 5_000
const MOST_GROWTH = 32 << 20
/** Connections that clients have just closed may still be there. */
const MOST_DESCRIPTORS = 8

/** Load after load with pauses between, and what is left each time. */
export const memory: Part = {
  name: 'memory',
  shows: 'memory and descriptors are flat at the end',
  unit: 'loads',
  full: 500,
  async run(options) {
    const subject = await startSubject({ vocabulary: 'orch', store: 'lmdb' })
    const violations: string[] = []
    const seen: Left[] = []
    let operations = 0
    try {
      for (let done = 0; done < WARM || goesOn(options, done); done++) {
        const found = await oneLoad(subject, options.seed * 1_000 + done, `m${done}-`)
        operations += found.operations
        violations.push(...found.wrong.map((what) => `load ${done}: ${what}`))
        seen.push(await left(subject, seen[WARM - 1] ?? null))
        const { bytes, descriptors } = seen.at(-1)!
        options.say(`${done + 1} loads; ${mb(bytes)} MB, ${descriptors ?? '?'} descriptors`)
        if (subject.death !== null) violations.push(subject.death)
        if (violations.length > 0) break
      }
    } finally {
      await subject.close()
    }
    const [warm, end] = [seen[WARM - 1], seen.at(-1)]
    if (warm && end) violations.push(...growth(warm, end))
    return {
      rounds: seen.length,
      figures: {
        operations,
        'memory when warm, MB': mb(warm?.bytes ?? 0),
        'memory at the end, MB': mb(end?.bytes ?? 0),
        'descriptors when warm': warm?.descriptors ?? 'unknown',
        'descriptors at the end': end?.descriptors ?? 'unknown',
      },
      violations,
      skipped: null,
    }
  },
}

/** What is there while nothing is asked. */
interface Left {
  readonly bytes: number
  readonly descriptors: number | null
}

const mb = (bytes: number): number => Math.round(bytes / 2 ** 20)

function growth(warm: Left, end: Left): readonly string[] {
  const violations: string[] = []
  if (end.bytes > warm.bytes + MOST_GROWTH)
    violations.push(`memory grew from ${mb(warm.bytes)} to ${mb(end.bytes)} MB`)
  if ((end.descriptors ?? 0) > (warm.descriptors ?? Infinity) + MOST_DESCRIPTORS)
    violations.push(`descriptors grew from ${warm.descriptors} to ${end.descriptors}`)
  return violations
}

/** What is left after a load: the least of some looks, until it is no more than when the server was warm. */
async function left(subject: StartedSubject, warm: Left | null): Promise<Left> {
  let least: Left = { bytes: Infinity, descriptors: Infinity }
  for (let looks = 0; looks < 8; looks++) {
    await wait(HISTORY_MS / 4)
    const { heapUsed, external } = await subject.memory()
    const descriptors = subject.descriptors()
    least = {
      bytes: Math.min(least.bytes, heapUsed + external),
      descriptors:
        descriptors === null ? null : Math.min(least.descriptors ?? Infinity, descriptors),
    }
    if (warm !== null && growth(warm, least).length === 0) break
  }
  return least
}

async function oneLoad(
  subject: StartedSubject,
  seed: number,
  prefix: string,
): Promise<{ readonly operations: number; readonly wrong: readonly string[] }> {
  const now = () => performance.now()
  const history = new History(now)
  const { where, kubeconfig } = subject
  const server = { url: `https://127.0.0.1:${where.port}`, ca: where.ca, kubeconfig }
  const load = new Load({
    ...{ seed, prefix, history, now },
    ...{ keys: 6, writers: 12, watchers: 5, endsWhole: true, excused: [429] },
    connect: () => new Client(server),
  })
  await load.start()
  try {
    const end = performance.now() + LOAD_MS
    await until('end of the load', () => performance.now() >= end)
    await load.end()
  } finally {
    load.abort()
  }
  await removeAll(server, prefix)
  const { wrong, counts } = checkHistory(history, load, { historyMs: HISTORY_MS })
  return { operations: counts.operations, wrong: [...load.tally.surprises, ...wrong] }
}

/** Takes away the objects of a load. */
async function removeAll(
  server: ConstructorParameters<typeof Client>[0],
  prefix: string,
): Promise<void> {
  const client = new Client(server)
  try {
    const path = '/api/v1/namespaces/default/configmaps'
    const { body } = await client.get(path)
    for (const { metadata } of body.items as readonly { metadata: { name: string } }[])
      if (metadata.name.startsWith(prefix)) await client.delete(`${path}/${metadata.name}`)
  } finally {
    client.close()
  }
}
