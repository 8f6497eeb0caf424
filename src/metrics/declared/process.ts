import { counter, gauge, histogram } from '../declaration.ts'

export const processCpu = counter('process_cpu_seconds_total', {
  help: 'CPU time of the process, in seconds.',
})

export const processMaxFds = gauge('process_max_fds', { help: 'Most open file descriptors.' })

export const processOpenFds = gauge('process_open_fds', { help: 'Open file descriptors.' })

export const processResident = gauge('process_resident_memory_bytes', {
  help: 'Resident memory, in bytes.',
})

export const processStart = gauge('process_start_time_seconds', {
  help: 'Start of the process, in seconds since the epoch.',
})

export const processVirtual = gauge('process_virtual_memory_bytes', {
  help: 'Virtual memory, in bytes.',
})

export const processVirtualMax = gauge('process_virtual_memory_max_bytes', {
  help: 'Most virtual memory, in bytes; -1: unlimited.',
})

export const nodeVersion = gauge('nodejs_version_info', {
  labels: ['major', 'minor', 'patch', 'version'],
  help: 'Version of the runtime; always 1.',
})

export const nodeHeap = gauge('nodejs_heap_size_bytes', {
  labels: ['kind'],
  help: 'Heap of the runtime: total, used, limit, external, array_buffers, in bytes.',
})

export const nodeHeapSpace = gauge('nodejs_heap_space_size_used_bytes', {
  labels: ['space'],
  help: 'Used memory of the spaces of the heap, in bytes.',
})

export const nodeActive = gauge('nodejs_active_resources', {
  labels: ['type'],
  help: 'Resources that keep the event loop busy, by type.',
})

export const nodeLoopUtilization = gauge('nodejs_eventloop_utilization', {
  help: 'Part of the time since the last scrape in which the event loop was busy, 0 to 1.',
})

export const nodeLoopActive = counter('nodejs_eventloop_active_seconds_total', {
  help: 'Time in which the event loop was busy, in seconds.',
})

export const nodeGc = histogram('nodejs_gc_duration_seconds', [0.001, 0.01, 0.1, 1, 2, 5], {
  labels: ['kind'],
  help: 'Time of garbage collections, from the first scrape on, in seconds.',
})

export const buildInfo = gauge('{brand}_build_info', {
  labels: [
    ...(['build_date', 'compiler', 'git_commit', 'git_tree_state', 'git_version'] as const),
    ...(['go_version', 'major', 'minor', 'platform'] as const),
  ],
  help: 'Build of the program, as in /version; always 1.',
})
