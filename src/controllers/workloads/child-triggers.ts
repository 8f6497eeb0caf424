/** Which owners have work when one of their objects changes. */
import type { Entry } from '../../client/entry.ts'
import type { Informer, InformerHandler } from '../../client/informer.ts'
import { keyOf, type OwnerReference } from '../../client/transport.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { matchesLabels, type LabelSelector } from '../../meta/selectors.ts'
import { controllerOf, isEnding, namesKind, type OwnerKind, type WithMeta } from './owner.ts'

/** What happened to an object of an owner. */
export type ChildChange = 'created' | 'changed' | 'deleted'

/** The owners of objects, by their keys. */
interface ChildTriggers<T extends WithMeta> {
  /** The known owner that a controller reference in this namespace names, of the same kind and uid; null: there is none. */
  ownerOf(reference: OwnerReference, namespace: string): string | null
  /** The owners that select an object without a controller. */
  selecting(child: T): readonly string[]
  /** An owner has work. `old`: the object before the change, if it is known. */
  changed(owner: string, child: T, what: ChildChange, old: T | null): void
  /** Whether an object that begins to be deleted counts as deleted. */
  readonly endingIsEnd?: boolean
}

/** Notifies the owners of the objects of an informer. */
function childHandler<T extends WithMeta>(triggers: ChildTriggers<T>): InformerHandler<T> {
  const ownerOf = (child: T): string | null => {
    const reference = controllerOf(child)
    return reference ? triggers.ownerOf(reference, child.metadata.namespace ?? '') : null
  }
  const ended = (child: T) => {
    const owner = ownerOf(child)
    if (owner !== null) triggers.changed(owner, child, 'deleted', null)
  }
  return {
    add({ object: child }: Entry<T>) {
      // After a restart of the controller it may be ending already.
      if (triggers.endingIsEnd && isEnding(child)) return ended(child)
      const owner = ownerOf(child)
      if (owner !== null) return triggers.changed(owner, child, 'created', null)
      if (controllerOf(child)) return
      for (const one of triggers.selecting(child)) triggers.changed(one, child, 'changed', null)
    },
    update({ object: child }: Entry<T>, before: Entry<T> | null) {
      const old = before?.object ?? null
      if (old?.metadata.resourceVersion === child.metadata.resourceVersion) return
      if (triggers.endingIsEnd && isEnding(child)) {
        ended(child)
        // Labels may have changed in the same event.
        if (old && !sameValue(old.metadata.labels, child.metadata.labels)) ended(old)
        return
      }
      const hasMoved = old !== null && controllerOf(old)?.uid !== controllerOf(child)?.uid
      const oldOwner = hasMoved ? ownerOf(old) : null
      if (oldOwner !== null) triggers.changed(oldOwner, child, 'changed', old)
      const owner = ownerOf(child)
      if (owner !== null) return triggers.changed(owner, child, 'changed', old)
      if (controllerOf(child)) return
      if (old && !hasMoved && sameValue(old.metadata.labels, child.metadata.labels)) return
      for (const one of triggers.selecting(child)) triggers.changed(one, child, 'changed', old)
    },
    delete({ object: child }: Entry<T>) {
      ended(child)
    },
  }
}

/** Owners of one kind, and what changes of their objects mean for them. */
export interface OwnersOf<O extends WithMeta, T extends WithMeta> extends Pick<
  ChildTriggers<T>,
  'changed' | 'endingIsEnd'
> {
  readonly kind: OwnerKind
  readonly owners: Pick<Informer<O>, 'lister'>
  /** Which objects an owner selects; one that selects everything selects nothing here. */
  readonly selectorOf: (owner: O) => LabelSelector
  /** Whether an owner may have an object that it selects. */
  readonly accepts?: (owner: O, child: T) => boolean
}

/** Notifies owners of one kind, that are known by an informer, of the objects of another. */
export function ownedHandler<O extends WithMeta, T extends WithMeta>(
  of: OwnersOf<O, T>,
): InformerHandler<T> {
  const { kind, owners, selectorOf, accepts = () => true, changed, endingIsEnd = false } = of
  return childHandler<T>({
    changed,
    endingIsEnd,
    ownerOf(reference, namespace) {
      if (!namesKind(reference, kind)) return null
      const owner = owners.lister.get(namespace, reference.name)
      return owner?.metadata.uid === reference.uid ? keyOf(namespace, reference.name) : null
    },
    selecting(child) {
      const { namespace = '', labels } = child.metadata
      return owners.lister.list(namespace).flatMap((owner) => {
        const selector = selectorOf(owner)
        const selects = selector.requirements.length > 0 && matchesLabels(selector, labels)
        if (!selects || !accepts(owner, child)) return []
        return keyOf(namespace, owner.metadata.name ?? '')
      })
    },
  })
}
