/** What the machine tells about processes. */
import { readFileSync, writeFileSync } from 'node:fs'

// A constant of the interface of /proc on Linux, whatever the kernel's own rate.
const TICKS_PER_SECOND = 100

/** CPU time that a process and its threads have used, user and system, seconds; steps of 10 ms. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The second field is the command in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** CPU time of the processes that this one has started and that have ended, seconds; steps of 10 ms. */
export function ownChildrenCpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

/** CPU time of this process, seconds. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Memory of a process, bytes: resident, the part of it that is mapped files, and the peak. */
export function memoryOf(pid: number): { resident: number; files: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  return {
    resident: field('VmRSS'),
    files: field('RssFile') + field('RssShmem'),
    peak: field('VmHWM'),
  }
}

/** How many files, sockets included, a process started from here may have open; Node takes the hard limit. */
export function openFilesLimit(): number {
  const limit = /^Max open files\s+\S+\s+(\S+)/m.exec(
    readFileSync('/proc/self/limits', 'latin1'),
  )?.[1]
  return limit === undefined || limit === 'unlimited' ? Infinity : Number(limit)
}

/** Lets the peak of a process's memory start anew from what is resident now. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
