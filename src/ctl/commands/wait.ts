/** wait: waits for a condition of objects, a value, or their end. */
import {
  findObjects,
  manyFlags,
  readAll,
  selectorQuery,
  type LiveObject,
} from '../api/find-objects.ts'
import { findSelected, type Selected } from '../api/selection.ts'
import { TimedOut, until } from '../api/until.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { NOTHING_NAMED } from '../api/selection.ts'
import { Fault, throwAll } from '../base/faults.ts'
import { JsonPath, relaxedPath, valueText } from '../print/json-path.ts'
import { Done } from '../api/writing.ts'
import { outputFlags } from '../print/output.ts'

/** Without a limit, waits last a week. */
const WEEK_MS = 7 * 24 * 60 * 60 * 1000

export const wait: Command = {
  use: '([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=delete|--for condition=available|--for=jsonpath={...}=value]',
  text: 'Waits for a condition of objects, for a value, or until they are gone.',
  examples: [
    ['A condition', 'wait --for=condition=Ready pod/web'],
    ['A value', "wait --for=jsonpath='{.status.phase}'=Running pod/web"],
    ['The end, for a minute at most', 'wait --for=delete pod/web --timeout=60s'],
  ],
  flags: {
    ...outputFlags,
    ...manyFlags,
    for: {
      type: 'text',
      help: 'The condition to wait on: [delete|condition=condition-name[=condition-value]|jsonpath={JSONPath expression}=JSONPath Condition].',
    },
    local: { type: 'bool', help: 'Accepted for compatibility.', isHidden: true },
    timeout: {
      type: 'duration',
      default: '30s',
      help: "The length of time to wait before giving up. Zero means check once and don't wait, negative means wait for a week.",
    },
  },
  async run(c) {
    const how = c.flags.text('for')
    const isDone = how.toLowerCase() === 'delete' ? null : testOf(how)
    if (c.args.length === 0 && c.flags.list('filename').length === 0) throw new Fault(NOTHING_NAMED)
    const given = c.flags.duration('timeout')
    const timeoutMs = given < 0 ? WEEK_MS : Math.max(given, 1)
    const done = await Done.of(c)
    const errors: unknown[] = []
    const targets = isDone ? await findObjects(c) : await present(c)
    if (targets.length === 0 && isDone) throw new Fault('error: no matching resources found')
    const seen = new Set<Selected>()
    await Promise.all(
      targets.map(async (what) => {
        try {
          await until(c, what, {
            timeoutMs,
            isDone: (object) => {
              if (object !== null) seen.add(what)
              return isDone === null ? isGone(object, what) : object !== null && isDone(object)
            },
          })
          const object = {
            apiVersion: apiVersion(what),
            kind: what.of.kind,
            metadata: { name: what.name },
          }
          if (isDone === null && !('object' in what) && !seen.has(what)) return
          if (c.flags.text('output') !== '' && 'object' in what)
            await done.say(what.object as LiveObject, 'condition met')
          else await done.say(object, 'condition met')
        } catch (error) {
          errors.push(
            error instanceof TimedOut
              ? new Fault(
                  `error: timed out waiting for the condition on ${what.of.name}/${what.name}`,
                )
              : error,
          )
        }
      }),
    )
    throwAll(errors)
  },
}

const apiVersion = ({ of }: Selected): string =>
  of.group === '' ? of.version : `${of.group}/${of.version}`

const isGone = (
  object: LiveObject | null,
  what: Selected & { readonly object?: LiveObject },
): boolean =>
  object === null || (what.object !== undefined && object.metadata.uid !== what.object.metadata.uid)

/** Objects that are to go; those that are not there are done. */
async function present(c: Context): Promise<(Selected & { readonly object?: LiveObject })[]> {
  const found: (Selected & { readonly object?: LiveObject })[] = []
  for (const one of await findSelected(c)) {
    if (one.name !== '') {
      found.push(one)
      continue
    }
    for (const object of await readAll(c, one, selectorQuery(c))) {
      const { name = '', namespace = '' } = object.metadata
      found.push({ of: one.of, namespace, name, object })
    }
  }
  return found
}

interface Condition {
  readonly type?: string
  readonly status?: string
  readonly observedGeneration?: number
}

function testOf(how: string): (object: LiveObject) => boolean {
  if (how.startsWith('condition=')) {
    const [type = '', status = 'true'] = how.slice('condition='.length).split('=')
    return (object) => hasCondition(object, type, status)
  }
  if (how.startsWith('jsonpath=')) return pathTest(how.slice('jsonpath='.length))
  throw new Fault(`error: unrecognized condition: "${how}"`)
}

function hasCondition(object: LiveObject, type: string, status: string): boolean {
  const { conditions = [], observedGeneration } = (object.status ?? {}) as {
    conditions?: Condition[]
    observedGeneration?: number
  }
  const found = conditions.find((one) => one.type?.toLowerCase() === type.toLowerCase())
  const generation = object.metadata.generation ?? 0
  const seen = found?.observedGeneration ?? observedGeneration ?? 0
  if (!found || (seen > 0 && seen < generation)) return false
  return found.status?.toLowerCase() === status.toLowerCase()
}

function pathTest(text: string): (object: LiveObject) => boolean {
  const match = /^(\{.*\}|[^=]+)=(.*)$/s.exec(text.replace(/^'(.*)'(=.*)$/s, '$1$2'))
  if (!match || match[2] === '') {
    throw new Fault(
      `error: jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3`,
    )
  }
  const path = new JsonPath(relaxedPath(match[1]!))
  const wanted = match[2]!.replace(/^(['"])(.*)\1$/s, '$2')
  return (object) => {
    const found = path.values(object)[0] ?? []
    if (found.length > 1)
      throw new Fault('error: given jsonpath expression matches more than one value')
    return found.length === 1 && valueText(found[0]) === wanted
  }
}
