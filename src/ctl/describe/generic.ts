/** Any object: its members with readable names, in the order of their declaration or of the alphabet. */
import { formatJson } from '../../codec/json-text.ts'
import type { Holds, Shape } from '../../notation/shape.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { shapeOf } from '../api/declarations.ts'
import { apiVersionOf } from '../api/resources.ts'
import type { Page } from './page.ts'
import type { Scene } from './scene.ts'

/** Members of metadata that stand above, or that nobody reads. */
const ABOVE = ['name', 'namespace', 'labels', 'annotations', 'managedFields']

export async function generic(page: Page, scene: Scene): Promise<void> {
  const { object, of, v } = scene
  page.add(0, 'Name:', scene.name).add(0, 'Namespace:', scene.namespace)
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, 'API Version:', apiVersionOf(of)).add(0, 'Kind:', of.kind)
  const { apiVersion: _a, kind: _k, metadata, ...members } = object.raw as Record<string, unknown>
  const kept = Object.entries(metadata as object).filter(([name]) => !ABOVE.includes(name))
  const shape = await shapeOf(apiVersionOf(of), of.kind, v)
  const writer = new Members(page, v)
  writer.add(null, { metadata: Object.fromEntries(kept) }, 0)
  writer.add(shape ? { is: 'object', to: () => shape } : null, members, 0)
}

class Members {
  readonly #page: Page
  readonly #v: Vocabulary

  constructor(page: Page, v: Vocabulary) {
    this.#page = page
    this.#v = v
  }

  add(holds: Holds | null, map: Readonly<Record<string, unknown>>, depth: number): void {
    const declared = holds?.is === 'object' ? this.#fields(holds.to()) : null
    const order = declared ? [...declared.keys()] : []
    const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
    const names = Object.keys(map).sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
    for (const name of names) {
      const inner = declared ? (declared.get(name) ?? null) : holds?.is === 'map' ? holds.of : null
      this.#value(inner, `${titleOf(name)}:`, map[name], depth)
    }
  }

  #value(holds: Holds | null, title: string, value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null) {
      this.#page.add(depth, title, shown(value))
      return
    }
    this.#page.add(depth, title)
    if (!Array.isArray(value)) return this.add(holds, value as Record<string, unknown>, depth + 1)
    for (const item of value) {
      const isMap = typeof item === 'object' && item !== null && !Array.isArray(item)
      if (isMap)
        this.add(holds?.is === 'list' ? holds.of : null, item as Record<string, unknown>, depth + 1)
      else this.#page.add(depth + 1, shown(item))
    }
  }

  #fields(shape: Shape): Map<string, Holds> {
    const fields = new Map<string, Holds>()
    for (const [name, facts] of shape.fields) {
      if (facts.inline && facts.holds.is === 'object') {
        for (const [inner, holds] of this.#fields(facts.holds.to())) fields.set(inner, holds)
      } else fields.set(this.#v.resolve(name), facts.holds)
    }
    return fields
  }
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(shown).join(' ')}]`
  return typeof value === 'object' ? formatJson(value) : String(value as string)
}

const ACRONYMS = ['API', 'URL', 'UID', 'OSB', 'GUID']

/** `clusterIP` is shown as `Cluster IP`; names that are no words stay as they are. */
function titleOf(name: string): string {
  if (/[^\p{L}-]/u.test(name)) return name
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) =>
      ACRONYMS.includes(word.toUpperCase())
        ? word.toUpperCase()
        : word.replace(/^./, (char) => char.toUpperCase()),
    )
    .join(' ')
}
