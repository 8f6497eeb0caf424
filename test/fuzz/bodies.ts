/** Bodies for writes: of every media type, right and wrong. */
import { wrap } from '../../src/codec/protobuf-envelope.ts'
import type { Dice } from './dice.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { mutateTree, type ValueAt } from './mutate-tree.ts'
import type { Grammar, Operation } from './operations.ts'
import { patchOf, PATCH_TYPES } from './patches.ts'
import { SchemaValues } from './schema-values.ts'
import { copyOf, Members, textOf, treeOf, type Tree } from './tree.ts'
import { hostileText, hostileValue } from './values.ts'
import { mutateWire, writeWire } from './wire-tree.ts'
import { exampleOf, nameFor, type World } from './world.ts'
import { yamlOf } from './yaml-forms.ts'

/** A body and what it is said to be. */
export interface Body {
  readonly bytes: Buffer
  readonly type: string | null
  readonly how: string
}

/** What a body is made for. */
export interface Purpose {
  readonly operation: Operation
  readonly grammar: Grammar
  readonly name: string
  readonly namespace: string
  /** What is known to stand there. */
  readonly live: Tree | undefined
}

const TYPES = [
  'application/json',
  'application/yaml',
  'text/plain',
  'application/cbor',
  '',
  'x',
  'a/b; c',
  'multipart/form-data; boundary=x',
]

export class Bodies {
  readonly #world: World
  readonly #random: Dice

  constructor(world: World, random: Dice) {
    this.#world = world
    this.#random = random
  }

  /** A body for an operation; null for none. */
  for(purpose: Purpose): Body | null {
    const random = this.#random
    const { method } = purpose.operation
    if (random.chance(0.01)) return this.#nonsense()
    if (method === 'PATCH') return this.#mislabelled(this.#patch(purpose))
    if (method === 'POST' || method === 'PUT') return this.#mislabelled(this.#whole(purpose))
    if (method === 'DELETE' && random.chance(0.45)) return this.#mislabelled(this.#options())
    return null
  }

  #mislabelled(body: Body): Body {
    const random = this.#random
    if (!random.chance(0.03)) return body
    const type = random.pick([null, this.#world.media.protobuf, ...TYPES, ...PATCH_TYPES])
    return { ...body, type, how: `${body.how}, mislabelled` }
  }

  #nonsense(): Body {
    const random = this.#random
    const bytes = random.weighted<() => Buffer>([
      [1, () => Buffer.alloc(0)],
      [2, () => random.bytes(random.below(200))],
      [2, () => Buffer.concat([Buffer.from('k8s\0', 'latin1'), random.bytes(random.below(100))])],
      [1, () => Buffer.from(textOf(hostileValue(random)))],
      [1, () => Buffer.alloc(3_200_000, ' ')],
      [1, () => Buffer.from(`{"a":"${'x'.repeat(1_000_000)}"}`)],
      [1, () => Buffer.from(hostileText(random))],
    ])()
    return {
      bytes,
      type: random.pick([...TYPES, ...PATCH_TYPES, this.#world.media.protobuf]),
      how: 'nonsense',
    }
  }

  /** What is known of the places of an object of this operation. */
  #known({ operation, grammar }: Purpose): { readonly values: SchemaValues; readonly at: ValueAt } {
    const values = new SchemaValues(grammar.schemas, this.#random, 0.02)
    const body = operation.body
    return {
      values,
      at: (path) => {
        const schema = body && values.at(body, path)
        const last = path.at(-1)
        return schema
          ? values.of(schema, typeof last === 'string' ? last : '', path.length)
          : undefined
      },
    }
  }

  #template({ operation, name, namespace }: Purpose): Tree | null {
    const { type } = operation
    if (!type) return null
    const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`
    const manifest = this.#world.templates.get(`${apiVersion} ${type.kind}`)
    return manifest ? treeOf(exampleOf(manifest, name, namespace)) : null
  }

  #generated(purpose: Purpose): Tree {
    const { operation, name, namespace } = purpose
    const tree = this.#known(purpose).values.of(operation.body ?? {})
    if (!(tree instanceof Members) || this.#random.chance(0.05)) return tree
    const { type } = operation
    if (type && this.#random.chance(0.9)) {
      tree.set('kind', type.kind)
      tree.set('apiVersion', type.group === '' ? type.version : `${type.group}/${type.version}`)
      const metadata = tree.get('metadata')
      if (metadata instanceof Members) {
        metadata.set('name', nameFor(type, name))
        metadata.set('namespace', namespace)
        for (const set of ['resourceVersion', 'uid', 'managedFields', 'generateName'])
          if (this.#random.chance(0.9)) {
            const at = metadata.list.findIndex(([n]) => n === set)
            if (at >= 0) metadata.list.splice(at, 1)
          }
      } else tree.set('metadata', new Members([['name', nameFor(type, name)]]))
    }
    return tree
  }

  #whole(purpose: Purpose): Body {
    const random = this.#random
    const { live, operation } = purpose
    const template = this.#template(purpose)
    const isOfLive = operation.method === 'PUT' && live !== undefined && random.chance(0.8)
    let tree: Tree
    let how = 'the object that is there'
    if (isOfLive) tree = copyOf(live)
    else if (template !== null && random.chance(0.8)) [tree, how] = [template, 'an example']
    else [tree, how] = [this.#generated(purpose), 'made of the schema']
    const times = random.weighted([
      [5, 0],
      [5, 1],
      [2, 2],
      [1, 6],
    ])
    mutateTree(tree, random, { times, known: this.#known(purpose).at })
    return this.#formed(tree, template, `${how}, ${times} changes`)
  }

  #formed(tree: Tree, template: Tree | null, how: string): Body {
    const random = this.#random
    const { protobuf } = this.#world.media
    const bytesChange = (bytes: Buffer, likely: number): [Buffer, string] =>
      random.chance(likely) ? [mutateBytes(bytes, random), ', bytes changed'] : [bytes, '']
    switch (
      random.weighted([
        [11, 'json'],
        [4, 'yaml'],
        [5, 'protobuf'],
      ])
    ) {
      case 'yaml': {
        const [bytes, more] = bytesChange(Buffer.from(yamlOf(tree, random)), 0.12)
        return { bytes, type: 'application/yaml', how: `YAML: ${how}${more}` }
      }
      case 'protobuf': {
        const whole = this.#binary(tree) ?? (template && this.#binary(template))
        if (whole) {
          const wire = random.chance(0.6) ? mutateWire(whole, random) : null
          const [bytes, more] = bytesChange(wire ?? whole, 0.15)
          return {
            bytes,
            type: protobuf,
            how: `protobuf: ${how}${wire ? ', fields changed' : ''}${more}`,
          }
        }
      }
    }
    const [bytes, more] = bytesChange(Buffer.from(textOf(tree)), 0.1)
    return { bytes, type: 'application/json', how: `JSON: ${how}${more}` }
  }

  /** The binary form; null when the tree has none. */
  #binary(tree: Tree): Buffer | null {
    try {
      return this.#world.protobuf.write(JSON.parse(textOf(tree)) as object)
    } catch {
      return null
    }
  }

  #patch(purpose: Purpose): Body {
    const random = this.#random
    const type = random.pick(PATCH_TYPES)
    const template = this.#template(purpose)
    const base = purpose.live ?? template ?? this.#generated(purpose)
    const tree = patchOf(type, base, random, this.#known(purpose).at)
    const isYaml = type === 'application/apply-patch+yaml' && random.chance(0.5)
    const text = Buffer.from(isYaml ? yamlOf(tree, random) : textOf(tree))
    const isChanged = random.chance(0.08)
    return {
      bytes: isChanged ? mutateBytes(text, random) : text,
      type,
      how: `a patch${isChanged ? ', bytes changed' : ''}`,
    }
  }

  #options(): Body {
    const random = this.#random
    if (random.chance(0.2)) {
      const text = (value: string) => Buffer.from(value)
      const uid = writeWire([{ number: 1, type: 2, payload: text('x') }])
      const fields = [
        { number: 1, type: 0, payload: Buffer.from([random.below(2)]) },
        { number: 2, type: 2, payload: random.chance(0.5) ? uid : Buffer.alloc(0) },
        {
          number: 4,
          type: 2,
          payload: text(random.pick(['Orphan', 'Background', 'Foreground', 'x'])),
        },
      ].filter(() => random.chance(0.6))
      const whole = wrap({ apiVersion: 'v1', kind: 'DeleteOptions' }, writeWire(fields))
      const bytes = (random.chance(0.5) ? mutateWire(whole, random) : null) ?? whole
      return { bytes, type: this.#world.media.protobuf, how: 'options, protobuf' }
    }
    const all: [string, Tree][] = [
      ['gracePeriodSeconds', random.pick([0, 0, 1, -1])],
      ['propagationPolicy', random.pick(['Orphan', 'Background', 'Foreground'])],
      ['orphanDependents', random.chance(0.5)],
      [
        'preconditions',
        treeOf(random.pick([{}, { uid: 'x' }, { resourceVersion: '1' }, { resourceVersion: '0' }])),
      ],
      ['dryRun', random.pick<Tree>([['All'], [], ['x'], 'All'])],
    ]
    const tree = new Members([
      ['kind', 'DeleteOptions'],
      ['apiVersion', random.pick(['v1', this.#world.resolve('meta{api}/v1'), 'apps/v1'])],
      ...all.filter(() => random.chance(0.35)),
    ])
    mutateTree(tree, random, { times: random.below(3) })
    const isYaml = random.chance(0.25)
    return {
      bytes: Buffer.from(isYaml ? yamlOf(tree, random) : textOf(tree)),
      type: isYaml ? 'application/yaml' : 'application/json',
      how: 'options',
    }
  }
}
