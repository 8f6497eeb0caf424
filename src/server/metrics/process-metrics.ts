/** Metrics of the process and its runtime, taken when somebody asks. */
import { readdir, readFile } from 'node:fs/promises'
import { platform } from 'node:os'
import { PerformanceObserver, constants, performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import { versionInfo } from '../../base/version-info.ts'
import {
  buildInfo,
  nodeActive,
  nodeGc,
  nodeHeap,
  nodeHeapSpace,
  nodeLoopActive,
  nodeLoopUtilization,
  nodeVersion,
  processCpu,
  processMaxFds,
  processOpenFds,
  processResident,
  processStart,
  processVirtual,
  processVirtualMax,
} from '../../metrics/declared/process.ts'
import type { Registry } from '../../metrics/registry.ts'

/** Has the metrics of the process taken at each scrape. Returns what ends that. */
export function processMetrics(registry: Registry): () => void {
  constantMetrics(registry)
  let collections: PerformanceObserver | null = null
  let before = performance.eventLoopUtilization()
  registry.onScrape(async () => {
    collections ??= observeCollections(registry)
    const now = performance.eventLoopUtilization()
    registry
      .of(nodeLoopUtilization)
      .only.set(performance.eventLoopUtilization(now, before).utilization)
    registry.of(nodeLoopActive).only.reached(now.active / 1000)
    before = now
    takeUsage(registry)
    if (platform() === 'linux') await takeLinux(registry)
  })
  return () => collections?.disconnect()
}

function constantMetrics(registry: Registry): void {
  const { node } = process.versions
  const [major = '', minor = '', patch = ''] = node.split('.')
  registry
    .of(nodeVersion)
    .with({ version: `v${node}`, major, minor, patch })
    .set(1)
  const build = versionInfo()
  registry
    .of(buildInfo)
    .with({
      build_date: build.buildDate,
      compiler: build.compiler,
      git_commit: build.gitCommit,
      git_tree_state: build.gitTreeState,
      git_version: build.gitVersion,
      go_version: build.goVersion,
      major: build.major,
      minor: build.minor,
      platform: build.platform,
    })
    .set(1)
  registry.of(processStart).only.set(Math.round(performance.timeOrigin) / 1000)
}

function takeUsage(registry: Registry): void {
  const { user, system } = process.cpuUsage()
  registry.of(processCpu).only.reached((user + system) / 1e6)
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
  registry.of(processResident).only.set(rss)
  const sizes = {
    total: heapTotal,
    used: heapUsed,
    limit: getHeapStatistics().heap_size_limit,
    external,
    array_buffers: arrayBuffers,
  }
  for (const [kind, bytes] of Object.entries(sizes)) registry.of(nodeHeap).with({ kind }).set(bytes)
  for (const { space_name: name, space_used_size: bytes } of getHeapSpaceStatistics())
    registry
      .of(nodeHeapSpace)
      .with({ space: name.replace(/_space$/, '') })
      .set(bytes)
  const active = registry.of(nodeActive)
  active.clear()
  for (const type of process.getActiveResourcesInfo()) active.with({ type }).inc()
}

/** What only the kernel knows. */
async function takeLinux(registry: Registry): Promise<void> {
  const [files, status, limits] = await Promise.all([
    readdir('/proc/self/fd'),
    readFile('/proc/self/status', 'utf8'),
    readFile('/proc/self/limits', 'utf8'),
  ])
  registry.of(processOpenFds).only.set(files.length)
  const virtual = /^VmSize:\s+(\d+) kB/m.exec(status)?.[1] ?? '0'
  registry.of(processVirtual).only.set(Number(virtual) * 1024)
  registry.of(processMaxFds).only.set(limitIn(limits, 'Max open files'))
  registry.of(processVirtualMax).only.set(limitIn(limits, 'Max address space'))
}

function limitIn(limits: string, name: string): number {
  const soft = limits
    .split('\n')
    .find((line) => line.startsWith(name))
    ?.slice(name.length)
    .trim()
    .split(/\s+/)[0]
  return soft === undefined || soft === 'unlimited' ? -1 : Number(soft)
}

const GC_KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

/** From the first scrape on: nobody pays for it before. */
function observeCollections(registry: Registry): PerformanceObserver {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as { readonly detail?: { readonly kind?: number } }).detail ?? {}
      registry
        .of(nodeGc)
        .with({ kind: GC_KINDS.get(kind ?? 0) ?? 'other' })
        .observe(entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return observer
}
