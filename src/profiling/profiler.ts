/** Profiles of the running process, taken by the inspector of the runtime. */
import type { HeapProfiler, Profiler as Cpu, Runtime } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import type { Frame, Profile, Sample } from './profile.ts'

/** Another profile is being taken. */
export class ProfilerBusy extends Error {}

/** Interval of the samples of the CPU, microseconds: 100 per second, as the tools of the ecosystem expect. */
const CPU_INTERVAL_US = 10_000
/** One allocation in so many bytes is sampled. */
const HEAP_INTERVAL_BYTES = 64 << 10

const NANOSECONDS = { type: 'cpu', unit: 'nanoseconds' }
const BYTES = { type: 'space', unit: 'bytes' }

/** How a profile is taken. */
export interface Taking {
  readonly seconds: number
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal
}

let isBusy = false

/** Takes one profile at a time: a process has one inspector. Throws ProfilerBusy. */
async function alone<T>(take: (session: Session) => Promise<T>): Promise<T> {
  if (isBusy) throw new ProfilerBusy()
  isBusy = true
  const session = new Session()
  try {
    session.connect()
    return await take(session)
  } finally {
    session.disconnect()
    isBusy = false
  }
}

/** Where the CPU time of the next seconds goes. Throws ProfilerBusy. */
export const cpuProfile = (taking: Taking): Promise<Profile> =>
  alone(async (session) => {
    const at = Date.now()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: CPU_INTERVAL_US })
    await session.post('Profiler.start')
    await elapsed(taking)
    const { profile } = await session.post('Profiler.stop')
    return {
      types: [{ type: 'samples', unit: 'count' }, NANOSECONDS],
      samples: cpuSamples(profile),
      period: { of: NANOSECONDS, value: CPU_INTERVAL_US * 1000 },
      at,
      durationMs: (profile.endTime - profile.startTime) / 1000,
    }
  })

/**
 * Allocations of the next seconds: those that are still in use at their end, or all. Throws ProfilerBusy.
 */
export const heapProfile = (taking: Taking, { all }: { readonly all: boolean }): Promise<Profile> =>
  alone(async (session) => {
    const at = Date.now()
    await session.post('HeapProfiler.enable')
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: HEAP_INTERVAL_BYTES,
      includeObjectsCollectedByMajorGC: all,
      includeObjectsCollectedByMinorGC: all,
    } as HeapProfiler.StartSamplingParameterType)
    await elapsed(taking)
    const { profile } = await session.post('HeapProfiler.stopSampling')
    const kind = all ? 'alloc' : 'inuse'
    return {
      types: [
        { type: `${kind}_objects`, unit: 'count' },
        { type: `${kind}_space`, unit: 'bytes' },
      ],
      samples: heapSamples(profile as unknown as HeapTree),
      period: { of: BYTES, value: HEAP_INTERVAL_BYTES },
      at,
      durationMs: Date.now() - at,
    }
  })

/** What keeps the event loop of the process waiting, by its type. */
export function activeResources(): ReadonlyMap<string, number> {
  const types = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) types.set(type, (types.get(type) ?? 0) + 1)
  return types
}

/** The same as a profile. */
export function resourceProfile(): Profile {
  const of = { type: 'resource', unit: 'count' }
  const samples = [...activeResources()].map(([name, count]) => ({
    stack: [{ name, file: '', line: 0 }],
    values: [count],
  }))
  return { types: [of], samples, period: { of, value: 1 }, at: Date.now(), durationMs: 0 }
}

/** Resolves after the seconds, or when nobody waits any more. */
function elapsed({ seconds, signal }: Taking): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

const frameOf = ({ functionName, url, lineNumber }: Runtime.CallFrame): Frame => ({
  name: functionName || '(anonymous)',
  file: url,
  line: lineNumber + 1,
})

function* cpuSamples({ nodes, samples = [], timeDeltas = [] }: Cpu.Profile): Generator<Sample> {
  const parents = new Map<number, number>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id)
  const totals = new Map<number, { count: number; us: number }>()
  samples.forEach((id, i) => {
    const total = totals.get(id) ?? { count: 0, us: 0 }
    totals.set(id, total)
    total.count++
    total.us += Math.max(0, timeDeltas[i] ?? 0)
  })
  for (const [leaf, { count, us }] of totals) {
    const stack: Frame[] = []
    for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
      const { callFrame } = byId.get(id)!
      if (callFrame.functionName !== '(root)') stack.push(frameOf(callFrame))
    }
    // The process did nothing.
    if (stack[0]?.name === '(idle)') continue
    yield { stack, values: [count, us * 1000] }
  }
}

/** A node, with what the types of the runtime lack. */
type HeapNode = HeapProfiler.SamplingHeapProfileNode & {
  readonly id: number
  readonly children: readonly HeapNode[]
}

/** A profile, with the same. */
interface HeapTree {
  readonly head: HeapNode
  readonly samples: readonly { readonly nodeId: number; readonly size: number }[]
}

function* heapSamples({ head, samples }: HeapTree): Generator<Sample> {
  const counts = new Map<number, number>()
  for (const { nodeId, size } of samples)
    counts.set(nodeId, (counts.get(nodeId) ?? 0) + (size > 0 ? 1 : 0))
  const waiting: { node: HeapNode; stack: readonly Frame[] }[] = [{ node: head, stack: [] }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, stack } = next
    const isRoot = node.callFrame.functionName === '(root)'
    const here = isRoot ? stack : [frameOf(node.callFrame), ...stack]
    if (node.selfSize > 0 && here.length > 0)
      yield { stack: here, values: [counts.get(node.id) ?? 1, node.selfSize] }
    for (const child of node.children) waiting.push({ node: child, stack: here })
  }
}
