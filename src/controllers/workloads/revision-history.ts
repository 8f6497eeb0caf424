/** The stored revisions of one owner. */
import type { Client } from '../../client/client.ts'
import { scanJson } from '../../codec/json-scanner.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { ControllerRevision } from '../../kinds/apps/controller-revision.ts'
import { StatusError } from '../../meta/errors.ts'
import type { LabelSelector } from '../../meta/selectors.ts'
import { CONTROLLER_REVISIONS } from '../addresses.ts'
import { claimChildren } from './claim-children.ts'
import { controllerReference, type OwnerKind, type WithMeta } from './owner.ts'
import { byRevision, storedData } from './revisions.ts'

/** Whose revisions these are. */
export interface HistoryParts {
  readonly client: Client
  readonly kind: OwnerKind
  readonly owner: WithMeta
  readonly selector: LabelSelector
  /** The owner as the server has it now. */
  readonly freshOwner: () => Promise<WithMeta | null>
}

/** A revision to be created. */
export interface NewRevision {
  readonly name: string
  /** JSON. */
  readonly data: string
  readonly revision: number
  readonly labels: Readonly<Record<string, string>>
}

/** Reads and writes the revisions of an owner. */
export class RevisionHistory {
  readonly #parts: HistoryParts

  constructor(parts: HistoryParts) {
    this.#parts = parts
  }

  /** Claims the possible revisions, and returns those of the owner, the oldest first. */
  async claim(possible: readonly ControllerRevision[]): Promise<ControllerRevision[]> {
    const { kind, owner, selector, freshOwner } = this.#parts
    const of = this.#of()
    const claimed = await claimChildren(possible, { of, kind, owner, selector, freshOwner })
    return claimed.sort(byRevision)
  }

  /** Creates a revision; null: the name is taken by another one. One with the same data is used as it is. */
  async create({ name, data, revision, labels }: NewRevision): Promise<ControllerRevision | null> {
    const { kind, owner } = this.#parts
    const annotations = { ...owner.metadata.annotations }
    const ownerReferences = [controllerReference(kind, owner)]
    try {
      return await this.#of().create({
        metadata: { name, labels, annotations, ownerReferences },
        data: scanJson(data),
        revision,
      } as unknown as ControllerRevision)
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error
      const known = await this.#of().find(name)
      return known && storedData(known) === data ? known : null
    }
  }

  /** Gives a revision another number, or other labels. */
  update(
    revision: ControllerRevision,
    { number = Number(revision.revision), labels = revision.metadata.labels } = {},
  ): Promise<ControllerRevision> {
    const metadata = { ...revision.metadata, ...(labels ? { labels } : {}) }
    return this.#of().update({ ...revision, metadata, revision: number } as ControllerRevision)
  }

  async delete({ metadata: { name = '' } }: ControllerRevision): Promise<void> {
    try {
      await this.#of().delete(name)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Deletes the oldest of some revisions beyond a limit; those in use are kept. */
  async deleteOldest(
    revisions: readonly ControllerRevision[],
    limit: number,
    isInUse: (revision: ControllerRevision) => boolean,
  ): Promise<void> {
    let surplus = revisions.length - limit
    for (const revision of [...revisions].sort(byRevision)) {
      if (surplus <= 0) return
      if (isInUse(revision)) continue
      await this.delete(revision)
      surplus--
    }
  }

  #of() {
    const { client, owner } = this.#parts
    return client
      .resource<ControllerRevision>(CONTROLLER_REVISIONS)
      .in(owner.metadata.namespace ?? '')
  }
}
