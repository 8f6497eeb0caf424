/**
 * Servers in one process share nothing: what changes belongs to an object of one server. What stands in a module for all
 * of them is listed here, with what makes it no state of theirs (docs/decisions/0041-module-state.md).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '..', 'src')

/** What a module may keep. */
type Why =
  /** Results of a pure function by what it was given, bounded. */
  | 'memo'
  /** Loaded or worked out when it is needed first, and then the same for ever. */
  | 'once'
  /** Memory to be written over: nobody reads what another has left in it. */
  | 'memory'
  /** Of the process, which has one of it however many servers run. */
  | 'process'

const ALLOWED: Readonly<Record<string, Why>> = {
  'structural/linear-pattern.ts engine': 'once',
  'structural/linear-pattern.ts kept': 'memo',
  'codec/generated-code.ts allowed': 'once',
  'codec/protobuf-envelope.ts out': 'memory',
  'engine/etcd/messages.ts out': 'memory',
  'codec/json-outline.ts room': 'memory',
  'codec/json-outline.ts patterns': 'memo',
  'codec/json-view.ts names': 'memo',
  'codec/yaml.ts loading': 'once',
  'codec/yaml.ts writing': 'once',
  'codec/yaml.ts rules': 'once',
  'http2/field-encoder.ts names': 'memo',
  'http2/field-encoder.ts statuses': 'memo',
  'http2/send-buffer.ts spare': 'memory',
  'http2/send-buffer.ts current': 'memory',
  'http2/huffman.ts scratch': 'memory',
  'http/long-body.ts spare': 'memory',
  'http/media-types.ts contentTypes': 'memo',
  'http/media-types.ts accepts': 'memo',
  'http/date-text.ts dateSecond': 'memo',
  'http/date-text.ts date': 'memo',
  'http/http1-chunks.ts framed': 'memo',
  'cel/pattern.ts engine': 'once',
  'cel/pattern.ts last': 'memo',
  'cel/same-value.ts looked': 'memory',
  'cel/time-functions.ts zones': 'memo',
  'registry/ownership.ts lastManager': 'memo',
  'base/package-version.ts version': 'once',
  'base/package-version.ts build': 'once',
  'engine/record.ts block': 'memory',
  'engine/record.ts spare': 'memory',
  'cache/stored-object.ts recent': 'memo',
  'base/time.ts lastSecond': 'memo',
  'base/time.ts lastText': 'memo',
  'base/file-lock.ts binding': 'once',
  'base/ids.ts letters': 'process',
  'server/local-address.ts local': 'once',
  'registry/connect/target.ts loopback': 'once',
  'registry/connect/target.ts local': 'once',
  'structural/value-rules.ts lists': 'memo',
  'base/quantity.ts known': 'memo',
  'base/quantity.ts parsed': 'memo',
  'patch/fields-v1.ts known': 'memo',
  'patch/field-path.ts fields': 'memo',
  'patch/typed-items.ts nodes': 'memo',
  'patch/typed-items.ts nodeCount': 'memo',
  'patch/typed-items.ts met': 'memory',
  'patch/quick-difference.ts left': 'memory',
  'kinds/core/pod/image-reference.ts known': 'memo',
  'base/tick-shape.ts kept': 'process',
  'profiling/profiler.ts isBusy': 'process',
}

// What a WeakMap or WeakSet has goes with the object that it is about, which is one server's or nobody's.
const VARIABLE = /^(?:export )?let (\w+)/
const EMPTY_TABLE = /^(?:export )?const (\w+)(?:: ([^=]+))? = new (?:Map|Set)(?:<.*>)?\(\)/
const EMPTY_LIST = /^(?:export )?const (\w+)(?:: ([^=]+))? = (?:\[\]|\{\})$/
const HOLDER =
  /^(?:export )?const (\w+)(?:: ([^=]+))? = new (?!(?:Map|Set|WeakMap|WeakSet|RegExp|TextDecoder|TextEncoder)\b)[A-Z]\w*/

function kept(line: string): string | null {
  const found =
    VARIABLE.exec(line) ?? EMPTY_TABLE.exec(line) ?? EMPTY_LIST.exec(line) ?? HOLDER.exec(line)
  if (!found) return null
  const [, name = '', type = ''] = found
  return /^(?:readonly|Readonly)/.test(type) || name === name.toUpperCase() ? null : name
}

test('modules keep nothing of a server', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file),
  )
  const found = files.flatMap((file) =>
    readFileSync(join(SRC, file), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const name = kept(line)
        return name === null ? [] : [`${file} ${name}`]
      }),
  )
  expect(found.filter((one) => !Object.hasOwn(ALLOWED, one))).toEqual([])
  expect(Object.keys(ALLOWED).filter((one) => !found.includes(one))).toEqual([])
})
