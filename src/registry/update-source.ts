/** What an update is made from: the present object, and the body or the patch that changes it. */
import type { NowOrLater } from '../admission/now-or-later.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { PartSubresource } from '../catalogue/resource.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { CallAttributes } from './admission.ts'
import type { HotObject } from './hot-objects.ts'

/** The object that an update changes, in the storage version. */
export interface Present {
  readonly live: StoredObject
  readonly old: Typed
  /** The stored object as a JSON value, which must not be changed. */
  document(): unknown
  /** The present object where it is known from its last write; the new one may share parts with it. */
  readonly hot: HotObject | null
  /** Lets other writers of the object go first. */
  readonly release: () => void
}

/** Source of the new object of an update: a body, a patch. */
export interface Source {
  /** Makes the new object in the storage version from the present one, which must not be changed. */
  next(present: Present): NowOrLater<Typed>
  /** The new object already contains its managedFields. */
  readonly tracked?: boolean
  /** The new object shares parts with the present one. */
  readonly sharesParts?: boolean
  /** What admission sees of an object, where that is another kind: the body of the sub-resource. */
  readonly view?: (object: Typed) => Typed
  /** The attributes of `next`, where it runs admission itself. */
  readonly attributes?: () => CallAttributes
  /** Admission may have made something else of the new object. */
  readonly replaced?: (sent: Typed, by: Typed) => void
  /** Makes the object when it does not exist and the kind allows create on update; null: 404. */
  fresh: (() => NowOrLater<Typed>) | null
  /** Whether the object that is to be stored is known to be another than the present one; absent: it is to be found out. */
  readonly differs?: (next: Typed, old: Typed) => boolean
  /** The key of the object, where it is at hand: a text of its own has to be hashed, and compared, at each look-up. */
  readonly key?: string
  /** What this write changes, the next one is likely to change again: it is not noted that its parts passed rules. */
  readonly isRepeated?: true
  /** uid that the object must have; undefined: no precondition. */
  readonly uid?: string | undefined
  /** Admission already ran for the request that causes this update. */
  readonly isAdmitted?: true
  /** The status-like sub-resource to write, where the call does not name it. */
  readonly part?: PartSubresource<Typed>
  /** As in a call. */
  readonly versionless?: boolean
  /** Attempts while others write the object; without: until it succeeds or the client disconnects. */
  readonly attempts?: number
}
