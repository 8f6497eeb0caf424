/** Objects of requests as admission plugins see them: live, and as JSON of any version of their kind. */
import type { MutableObject } from '../admission/attributes.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { JsonObject } from '../codec/codec.ts'
import { badRequest } from '../meta/errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { shownDocument, toStored } from './conversion.ts'
import { decodeServed } from './objects.ts'

/** Converts an object between the versions of its kind. */
export interface ObjectForms {
  /** The object as JSON in a version of its kind; `undefined`: the version of the live object. */
  toJson(live: Typed, groupVersion: string | undefined): Promise<JsonObject>
  /** The live object of a JSON document. */
  fromJson(document: JsonObject): Promise<Typed>
}

/** An object, or what decodes it when somebody looks at it. */
export type MaybeDecoded = Typed | (() => Typed)

/** An object that may be taken back. */
export class LiveObject implements MutableObject {
  #live: MaybeDecoded
  readonly #of: { readonly forms: ObjectForms }

  constructor(live: MaybeDecoded, of: { readonly forms: ObjectForms }) {
    this.#live = live
    this.#of = of
  }

  get live(): Typed {
    if (typeof this.#live === 'function') this.#live = this.#live()
    return this.#live
  }

  toJson(groupVersion?: string): Promise<JsonObject> {
    return this.#of.forms.toJson(this.live, groupVersion)
  }

  async replace(document: JsonObject): Promise<void> {
    this.#live = await this.#of.forms.fromJson(document)
  }
}

/** Forms of stored objects: every version of their kind, including versions that are not served. */
export function storedForms(served: ResourceEntry, context: () => HookContext): ObjectForms {
  const { storage } = served
  const inVersion = (groupVersion: unknown): ResourceEntry => {
    const found = served.versions.find((version) => version.groupVersion === groupVersion)
    if (!found) throw noSuchVersion(served.kind, groupVersion)
    return found
  }
  return {
    toJson: async (live, groupVersion = storage.groupVersion) =>
      shownDocument(inVersion(groupVersion), live, context()),
    async fromJson(document) {
      const version = inVersion(document['apiVersion'])
      checkKind(version.kind, document)
      const c = context()
      return toStored(version, decodeServed(version, document, c).object, c)
    },
  }
}

/** Forms of bodies of sub-resources: their own version only. */
export function bodyForms(kind: ResourceEntry, context: () => HookContext): ObjectForms {
  const check = (groupVersion: unknown) => {
    if (groupVersion !== kind.groupVersion) throw noSuchVersion(kind.kind, groupVersion)
  }
  return {
    async toJson(live, groupVersion = kind.groupVersion) {
      check(groupVersion)
      const typed = { ...copyJson(live), kind: kind.kind, apiVersion: kind.groupVersion }
      return kind.codec.plain(typed)
    },
    async fromJson(document) {
      check(document['apiVersion'])
      checkKind(kind.kind, document)
      return decodeServed(kind, document, context()).object
    },
  }
}

/** Forms of objects without a declaration, such as connect options: plain values, which cannot be read back. */
export const plainForms: ObjectForms = {
  async toJson(live) {
    const { metadata: _, ...members } = live
    return copyJson(members) as JsonObject
  },
  fromJson: () => Promise.reject(new Error('the options of a connection cannot be replaced')),
}

const noSuchVersion = (kind: string, groupVersion: unknown) =>
  new Error(`${kind} has no version ${JSON.stringify(groupVersion)}`)

function checkKind(kind: string, document: JsonObject): void {
  if (document['kind'] === kind) return
  throw badRequest(`expected a ${kind}, found ${JSON.stringify(document['kind'])}`)
}
