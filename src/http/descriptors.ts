import { readFileSync } from 'node:fs'

/** Maximum number of connections of a process, from its limit of open files. Infinity where that is unknown. */
export function connectionsWithin(limits: () => string = processLimits): number {
  let text: string
  try {
    text = limits()
  } catch {
    return Infinity
  }
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1]
  if (soft === undefined) return Infinity
  const limit = Number(soft)
  // For the store, outgoing connections, and files that are reloaded.
  const own = Math.min(1_024, Math.max(64, Math.floor(limit / 8)))
  return Math.max(16, limit - own)
}

const processLimits = () => readFileSync('/proc/self/limits', 'utf8')
