/** Documents of the group versions that other servers serve. */
import type { CompressedDocument } from './compressed-document.ts'

/** What is known of them now. */
export interface RemoteDocuments {
  /** Rises with every change. */
  readonly generation: number
  /** Parts of documents in version 2, one for each group version, in the order in which they are merged. */
  readonly v2: readonly RemotePart[]
  /** Documents in version 3, by paths such as `apis/apps/v1`. */
  readonly v3: ReadonlyMap<string, RemoteV3>
}

/** What a document of version 2 says of one group version. */
export interface RemotePart {
  /** Such as `apis/apps/v1`. */
  readonly path: string
  /** A document with the paths of the group version and the definitions that they refer to. */
  readonly json: Buffer
}

/** A document of version 3. */
export interface RemoteV3 {
  readonly hash: string
  /** The document; null: the other server gives it. */
  readonly kept: CompressedDocument | null
}
