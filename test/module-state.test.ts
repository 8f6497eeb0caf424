/**
 * Servers in one process share nothing: what changes belongs to an object of one server. What stands in a module for all
 * of them is listed here, with what makes it no state of theirs (docs/decisions/0041-what-modules-keep.md).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '..', 'src')

/** What a module may keep. */
type Why =
  /** Results of a pure function by what it was given: bounded, or held weakly by what cannot change. */
  | 'memo'
  /** Loaded or worked out when it is needed first, and then the same for ever. */
  | 'once'
  /** Memory to be written over: nobody reads what another has left in it. */
  | 'memory'
  /** Random bytes that nobody has had. */
  | 'random'
  /** A mark on an object that one request makes. */
  | 'mark'

const ALLOWED: Readonly<Record<string, Why>> = {
  'kinds/apiextensions/schema-expressions.ts made': 'memo',
  'kinds/apiextensions/linear-pattern.ts engine': 'once',
  'kinds/apiextensions/linear-pattern.ts kept': 'memo',
  'kinds/batch/job.ts labelsOfTemplates': 'mark',
  'kinds/core/pod/columns.ts summaries': 'memo',
  'schema/check.ts checks': 'memo',
  'schema/protobuf.ts plans': 'memo',
  'schema/json-view.ts names': 'memo',
  'schema/json-view.ts classes': 'memo',
  'schema/json-writer.ts writers': 'memo',
  'schema/yaml.ts loading': 'once',
  'schema/yaml.ts writing': 'once',
  'schema/yaml.ts rules': 'once',
  'schema/codec.ts codecs': 'memo',
  'schema/topology.ts known': 'memo',
  'vocabulary/wire-names.ts made': 'memo',
  'http2/field-encoder.ts names': 'memo',
  'http2/field-encoder.ts statuses': 'memo',
  'http2/send-buffer.ts spare': 'memory',
  'http2/send-buffer.ts current': 'memory',
  'http2/huffman.ts scratch': 'memory',
  'authn/request-union.ts completed': 'memo',
  'authn/token-cache.ts texts': 'memo',
  'http/answer.ts spare': 'memory',
  'http/media-types.ts plainChoices': 'memo',
  'http/form.ts madeOffers': 'memo',
  'http/http2-exchange.ts dateSecond': 'memo',
  'http/http2-exchange.ts date': 'memo',
  'http/exchange.ts framed': 'memo',
  'cel/function-library.ts base': 'once',
  'cel/pattern.ts engine': 'once',
  'cel/pattern.ts last': 'memo',
  'cel/same-value.ts merges': 'memo',
  'cel/engine.ts engine': 'once',
  'cel/engine.ts duration': 'once',
  'api/scale.ts shown': 'memo',
  'api/ownership.ts lastManager': 'memo',
  'api/ownership.ts blanks': 'memo',
  'api/ownership.ts known': 'memo',
  'loopback/served-resources.ts made': 'memo',
  'version.ts version': 'once',
  'version.ts build': 'once',
  'store/cache/record.ts spare': 'memory',
  'store/cache/version.ts recent': 'memo',
  'base/time.ts lastSecond': 'memo',
  'base/time.ts lastText': 'memo',
  'base/ids.ts batch': 'random',
  'base/ids.ts next': 'random',
  'base/file-lock.ts binding': 'once',
  'base/quantity.ts known': 'memo',
  'patch/managed-fields.ts written': 'memo',
  'patch/strategic-merge-schema.ts tables': 'memo',
  'patch/fields-v1.ts known': 'memo',
  'patch/field-path.ts fields': 'memo',
  'patch/typed-items.ts read': 'memo',
}

// Names that cannot change are constants, whatever they hold.
const VARIABLE = /^(?:export )?let (\w+)/
const EMPTY_TABLE =
  /^(?:export )?const (\w+)(?:: ([^=]+))? = new (?:Weak)?(?:Map|Set|Ref)(?:<.*>)?\(\)/
const EMPTY_LIST = /^(?:export )?const (\w+)(?:: ([^=]+))? = (?:\[\]|\{\})$/
const HOLDER = /^(?:export )?const (\w+) = new (?:LRUCache|Bag|Emitter|EventEmitter)\b/

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
