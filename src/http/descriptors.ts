import { readFileSync } from 'node:fs'

/** Connections that a process may have at once: what its limit of open files leaves. Infinity where that is not known. */
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
  // For the store, connections to others, and files that are read again.
  const own = Math.min(1_024, Math.max(64, Math.floor(limit / 8)))
  return Math.max(16, limit - own)
}

const processLimits = () => readFileSync('/proc/self/limits', 'utf8')
