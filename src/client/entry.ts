import type { MemberNames } from './member-names.ts'
import { keyOf, type ApiObject } from './transport.ts'

/** One object in an informer: its key, and the object itself, which is decoded on first access. */
export interface Entry<T> {
  /** Empty for cluster scope. */
  readonly namespace: string
  readonly name: string
  /** `namespace/name`, or the name at the cluster scope. */
  readonly key: string
  readonly uid: string
  /** The object; not to be changed. */
  readonly object: T
  /**
   * The object; objects and lists under the names may be empty in it, which is cheaper where they are large. Not to be
   * changed.
   */
  without(...names: readonly string[]): T
  /** Whether the metadata may have a member of one of these names. False is certain; the check is cheap. */
  mayHave(names: MemberNames): boolean
  /** Whether it may have a member of these names outside of its metadata. False is certain; the check is cheap. */
  mayHaveOutside(names: MemberNames): boolean
  /** Whether its JSON may contain this text. False is certain; the check is cheap. */
  mayContain(text: string): boolean
}

/** An object that was read. */
export class ReadEntry<T> implements Entry<T> {
  readonly object: T
  readonly namespace: string
  readonly name: string

  constructor(object: T) {
    this.object = object
    const { namespace = '', name = '' } = (object as ApiObject).metadata ?? {}
    this.namespace = namespace
    this.name = name
  }

  get key(): string {
    return keyOf(this.namespace, this.name)
  }

  get uid(): string {
    return (this.object as ApiObject).metadata?.uid ?? ''
  }

  without(): T {
    return this.object
  }

  mayHave(names: MemberNames): boolean {
    return names.isOf((this.object as ApiObject).metadata ?? {})
  }

  mayHaveOutside(): boolean {
    // The object is there: it is cheaper to look.
    return true
  }

  mayContain(): boolean {
    return true
  }
}
