/** Values that a published schema allows, and some that it nearly allows. */
import type { Dice } from './dice.ts'
import type { Schema, Schemas } from './operations.ts'
import { Literal, Members, type Tree } from './tree.ts'
import { hostileNumber, hostileText, hostileValue } from './values.ts'

const DEEPEST = 9

/** What members of a name usually hold, so that more of what is made gets past the first check. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  protocol: ['TCP', 'UDP', 'SCTP'],
  policy: ['None', 'Retain', 'Delete'],
  operator: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Equal'],
  effect: ['NoSchedule', 'NoExecute', 'PreferNoSchedule'],
  type: [
    'ClusterIP',
    'NodePort',
    'ExternalName',
    'RollingUpdate',
    'Recreate',
    'Opaque',
    'Resource',
  ],
  restartPolicy: ['Always', 'Never', 'OnFailure'],
  schedule: ['* * * * *', '@daily'],
  status: ['True', 'False', 'Unknown'],
  namespace: ['fz-a', ''],
  path: ['/', '/a', 'a'],
  host: ['example.com', '*.example.com'],
  cidr: ['10.0.0.0/8', 'fd00::/8'],
  ip: ['192.0.2.1', 'fd00::1'],
  image: ['registry.example/image:1'],
  verbs: ['get', '*'],
  operation: ['Apply', 'Update'],
  finalizers: ['example.com/f', 'foregroundDeletion', 'orphan'],
  propagationPolicy: ['Orphan', 'Background', 'Foreground'],
  dryRun: ['All'],
}
const NAMES = [
  'a',
  'b',
  'name-1',
  'example.com/a',
  'v1',
  '1Gi',
  '5',
  '100m',
  'http',
  'a.example.com',
]
const TIMES = ['2022-01-02T03:04:05Z', '2022-01-02T03:04:05.678901Z', '9999-12-31T23:59:59Z']

export class SchemaValues {
  readonly #schemas: Schemas
  readonly #random: Dice
  /** How often a value is another than the schema allows. */
  readonly #hostility: number

  constructor(schemas: Schemas, random: Dice, hostility: number) {
    this.#schemas = schemas
    this.#random = random
    this.#hostility = hostility
  }

  /** A value of a schema. `name` is that of the member which it is for. */
  of(schema: Schema, name = '', depth = 0): Tree {
    const random = this.#random
    if (random.chance(this.#hostility)) return hostileValue(random)
    const found = this.#whole(schema)
    if (found.enum !== undefined && found.enum.length > 0) return String(random.pick(found.enum))
    switch (found.type) {
      case 'object':
        return this.#object(found, depth)
      case 'array': {
        if (depth > DEEPEST) return []
        const count = random.weighted([
          [2, 0],
          [5, 1],
          [2, 2],
          [1, 4],
        ])
        return Array.from({ length: count }, () => this.of(found.items ?? {}, name, depth + 1))
      }
      case 'boolean':
        return random.chance(0.5)
      case 'integer':
        return random.chance(0.8)
          ? random.pick([0, 1, 2, 80, 1000, 100_000])
          : hostileNumber(random)
      case 'number':
        return new Literal(random.pick(['0', '1', '0.5', '1e3']))
      case 'string':
        return this.#text(found, name)
      default:
        return found.properties ? this.#object(found, depth) : hostileValue(random)
    }
  }

  /** The schema of a place inside a value; undefined when none is known. */
  at(schema: Schema, path: readonly (string | number)[]): Schema | undefined {
    let here: Schema | undefined = schema
    for (const step of path) {
      if (!here) return undefined
      const found = this.#whole(here)
      if (typeof step === 'number') here = found.items
      else
        here =
          found.properties?.[step] ??
          (typeof found.additionalProperties === 'object' ? found.additionalProperties : undefined)
    }
    return here
  }

  #whole(schema: Schema, steps = 0): Schema {
    const inner = schema.$ref === undefined ? schema.allOf?.[0] : this.#schemas(schema.$ref)
    return inner && steps < 5 ? this.#whole(inner, steps + 1) : schema
  }

  #object(schema: Schema, depth: number): Tree {
    const random = this.#random
    const out = new Members()
    if (depth > DEEPEST) return out
    const required = new Set(schema.required)
    // The deeper, the fewer: most things would never end otherwise.
    const share = depth === 0 ? 0.7 : 0.45 / depth
    for (const [name, inner] of Object.entries(schema.properties ?? {}))
      if (required.has(name) || random.chance(share))
        out.list.push([name, this.of(inner, name, depth + 1)])
    if (schema.additionalProperties !== undefined) {
      const inner =
        typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
      for (let i = random.below(3); i > 0; i--) {
        const key = random.chance(0.9) ? random.pick(NAMES) : hostileText(random)
        out.list.push([key, this.of(inner, '', depth + 1)])
      }
    }
    return out
  }

  #text(schema: Schema, name: string): Tree {
    const random = this.#random
    if (schema.format === 'date-time') return random.pick(TIMES)
    if (schema.format === 'byte') return random.bytes(random.below(9)).toString('base64')
    if (schema.format === 'int-or-string')
      return random.pick<Tree>([80, 'http', '50%', 0, -1, hostileText(random)])
    const usual = BY_NAME[name]
    if (usual && random.chance(0.8)) return random.pick(usual)
    return random.chance(0.7) ? random.pick(NAMES) : hostileText(random)
  }
}
