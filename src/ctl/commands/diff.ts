/** diff: shows what an apply would change. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiObject } from '../../client/transport.ts'
import { toYaml } from '../../codec/yaml.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import { StatusError } from '../../meta/errors.ts'
import { readObjects, type FileObject } from '../api/builder.ts'
import { labelMatcher } from '../api/labels.ts'
import { resourcePath } from '../api/resources.ts'
import { fileFlags, managerFlag, requireFiles } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault, SilentExit } from '../base/faults.ts'

export const diff: Command = {
  use: '-f FILENAME',
  text: 'Shows the differences between live objects and those of files, as an apply would leave them. Exit code 0: no differences; 1: there are some; more than 1: a failure. The variable of the environment that names another program for it ends with _EXTERNAL_DIFF.',
  examples: [['What a file would change', 'diff -f pod.json']],
  flags: {
    ...fileFlags,
    ...managerFlag,
    'force-conflicts': {
      type: 'bool',
      help: 'If true, server-side apply will force the changes against conflicts.',
    },
    prune: {
      type: 'bool',
      help: 'Accepted for compatibility: objects that would be pruned are not shown.',
      isHidden: true,
    },
    selector: { type: 'text', short: 'l', help: 'Selector (label query) to filter on.' },
    'server-side': {
      type: 'bool',
      help: 'If true, apply runs in the server instead of the client.',
    },
    'show-managed-fields': { type: 'bool', help: 'If true, include managed fields in the diff.' },
  },
  async run(c) {
    try {
      requireFiles(c)
      const different = await compare(c)
      if (different) throw new SilentExit(1)
    } catch (error) {
      if (error instanceof SilentExit) throw error
      const { failureText } = await import('../base/failure-text.ts')
      throw new Fault(failureText(error, c.command).text, 2)
    }
  },
}

async function compare(c: Context): Promise<boolean> {
  const matches = labelMatcher(c.flags.text('selector'))
  const items = (await readObjects(c)).filter(({ object }) => matches(object.metadata.labels ?? {}))
  const folder = mkdtempSync(join(tmpdir(), 'diff-'))
  const [live, merged] = ['LIVE', 'MERGED'].map((name) => join(folder, name))
  try {
    mkdirSync(live!)
    mkdirSync(merged!)
    for (const item of items) {
      const { group, version } = item.of
      const name = [
        group.replaceAll('.', '-'),
        version,
        item.of.kind,
        item.namespace,
        item.object.metadata.name,
      ]
        .filter((part) => part !== '')
        .join('.')
      const [before, after] = await states(c, item)
      writeFileSync(join(live!, name), before === null ? '' : await toYaml(shown(c, before)))
      writeFileSync(join(merged!, name), await toYaml(shown(c, after)))
    }
    return await runDiff(c, live!, merged!)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The live object and what an apply would make of it. */
async function states(c: Context, item: FileObject): Promise<[ApiObject | null, ApiObject]> {
  const api = await c.api()
  let live: ApiObject | null = null
  try {
    live = await api.json<ApiObject>({
      path: resourcePath(item.of, item.namespace, item.object.metadata.name),
    })
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error
  }
  const words = await c.words()
  const manager = c.flags.text('field-manager')
  if (c.flags.is('server-side')) {
    const { applyServer } = await import('../apply/apply-server.ts')
    const query = { fieldManager: manager || words.words.cli, dryRun: 'All' }
    return [live, (await applyServer(c, item, query)).object]
  }
  const { applyClient } = await import('../apply/apply-client.ts')
  const query = { fieldManager: manager || `${words.words.cli}-client-side-apply`, dryRun: 'All' }
  return [
    live,
    (await applyClient(c, item, { dryRun: 'server', query, keepsAnnotation: true })).object,
  ]
}

function shown(c: Context, object: ApiObject): ApiObject {
  const hidden = object.kind === 'Secret' ? masked(object) : object
  if (c.flags.is('show-managed-fields')) return hidden
  const { managedFields: _, ...metadata } = hidden.metadata ?? {}
  return { ...hidden, metadata }
}

/** Secrets show which of their values differ, not the values. */
function masked(object: ApiObject): ApiObject {
  const { data = {} } = object as { data?: Record<string, string> }
  const stars = Object.fromEntries(
    Object.keys(data).map((key) => [key, `*** (${data[key]!.length} characters)`]),
  )
  return { ...object, data: stars } as ApiObject
}

function runDiff(c: Context, live: string, merged: string): Promise<boolean> {
  const own = Object.values(vocabularies)
    .map((v) => c.io.env[`${v.words.brand.toUpperCase()}_EXTERNAL_DIFF`] ?? '')
    .find((text) => text !== '')
  const [program = 'diff', ...args] = own === undefined ? ['diff', '-u', '-N'] : own.split(/\s+/)
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, live, merged], {
      env: { ...c.io.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (data: Buffer) => c.io.out(data))
    child.stderr.on('data', (data: Buffer) => c.err(data.toString()))
    child.once('error', (error) =>
      reject(new Fault(`error: failed to run "${program}": ${error.message}`, 2)),
    )
    child.once('close', (code) => {
      if (code === 0 || code === 1) resolve(code === 1)
      else reject(new Fault(`error: ${program} ended with ${code}`, code ?? 2))
    })
  })
}
