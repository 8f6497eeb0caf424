import type { Change, Commit, Revision } from '../engine.ts'
import type { Position, ReachListener } from './position.ts'
import {
  transact,
  type Outcome,
  type OutcomeListener,
  type TransactionDependencies,
} from './transaction.ts'

/** What a commit needs, and its end. */
export interface CommitOptions {
  readonly means: TransactionDependencies
  readonly position: Position
  readonly resolve: (commit: Commit) => void
  readonly reject: (error: unknown) => void
  /** Called once at its end, before it resolves or rejects. */
  readonly over: () => void
}

/** Makes a transaction, and waits until what it did was handed to subscribers. */
export function commit(changes: readonly Change[], options: CommitOptions): void {
  const committing = new Committing(options)
  try {
    transact(changes, options.means, committing)
  } catch (error) {
    committing.failed(error)
  }
}

/** The callbacks of one commit: its transaction is done; then its change has arrived. */
class Committing implements OutcomeListener, ReachListener {
  readonly #options: CommitOptions
  #at: Revision = 0

  constructor(options: CommitOptions) {
    this.#options = options
  }

  done(outcome: Outcome): void {
    const { revision, changed } = outcome
    if (!changed) {
      this.#without(outcome).then(
        (commit) => this.#resolve(commit),
        (error: unknown) => this.failed(error),
      )
      return
    }
    this.#at = revision
    this.#options.position.expect(revision, this)
  }

  reached(): void {
    this.#resolve({ done: true, at: this.#at })
  }

  failed(error: unknown): void {
    this.#options.over()
    this.#options.reject(error)
  }

  #resolve(commit: Commit): void {
    this.#options.over()
    this.#options.resolve(commit)
  }

  /** A transaction that changed nothing. */
  async #without({ revision, failed }: Outcome): Promise<Commit> {
    const { position } = this.#options
    // A read after this must see the conflicting change.
    if (failed?.found) await position.reach(failed.found.changed)
    else await position.catchUp(revision)
    return failed ? { done: false, ...failed } : { done: true, at: position.notified }
  }
}
