/** Known load generators against the bare server, where they are installed: do we see what they see? */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Bench } from './bench.ts'

/** A line for each tool that is there; none speaks for the product, which wants a client certificate. */
export async function crossCheck(bench: Bench, port: number): Promise<string[]> {
  const seconds = String(Math.max(1, Math.round(bench.options.seconds)))
  const url = `https://127.0.0.1:${port}/`
  const tools = [
    {
      tool: 'wrk',
      args: ['-t1', '-c32', `-d${seconds}s`, url],
      rate: /Requests\/sec:\s+([\d.]+)/,
      shape: 'https, 32 connections',
    },
    {
      tool: 'h2load',
      args: ['-t1', '-c8', '-m16', '-D', seconds, url],
      rate: /, ([\d.]+) req\/s/,
      shape: 'h2, 8 x 16 streams',
    },
  ]
  const lines: string[] = []
  for (const { tool, args, rate, shape } of tools) {
    const path = find(tool)
    if (path === null) continue
    const child = bench.workspace.command([path, ...args])
    let text = ''
    child.stdout?.on('data', (piece: Buffer) => (text += piece.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    lines.push(
      `cross-check: ${tool} sees the bare server at ${rate.exec(text)?.[1] ?? 'no'} requests/s (${shape})`,
    )
  }
  return lines
}

function find(tool: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, tool)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      continue
    }
  }
  return null
}
