/** What a run knows of the objects that it made. */
import { parseJson } from '../../src/codec/json-text.ts'
import type { FuzzAnswer } from './answer.ts'
import { treeOf, type Tree } from './tree.ts'

const MOST = 400

/** An object's path, and that of the operation that reads it. */
export interface LivePlace {
  readonly path: string
  readonly template: string
}

/** Objects by their path, as they were answered last, and tokens of lists that go on. */
export class Live {
  readonly #objects = new Map<string, { readonly tree: Tree; readonly place: LivePlace }>()
  readonly tokens: string[] = []

  at(path: string): Tree | undefined {
    return this.#objects.get(path)?.tree
  }

  get places(): LivePlace[] {
    return [...this.#objects.values()].map(({ place }) => place)
  }

  /** Takes what an answer tells. The path and its template are those of an object or of the collection that it was put into. */
  learn(asked: LivePlace, answer: FuzzAnswer): void {
    if (answer.status >= 300 || !answer.isWhole) return
    if (answer.headers['content-type'] !== 'application/json') return
    let value: {
      kind?: string
      metadata?: { name?: string; continue?: string; resourceVersion?: string; uid?: string }
    }
    try {
      value = parseJson(answer.body) as typeof value
    } catch {
      return
    }
    const token = value.metadata?.continue
    if (typeof token === 'string' && token !== '') {
      this.tokens.push(token)
      if (this.tokens.length > 20) this.tokens.shift()
    }
    if (typeof value.metadata?.uid !== 'string') return
    const isItem = asked.template.endsWith('/{name}')
    const name = encodeURIComponent(value.metadata.name ?? '')
    const place = isItem
      ? asked
      : { path: `${asked.path}/${name}`, template: `${asked.template}/{name}` }
    if (!isItem && answer.status !== 201) return
    const { path } = place
    if (this.#objects.size >= MOST) this.#objects.delete(this.#objects.keys().next().value!)
    this.#objects.delete(path)
    this.#objects.set(path, { tree: treeOf(value), place })
  }

  forget(path: string): void {
    this.#objects.delete(path)
  }
}
