/** The version of the object in a stored record. */

const GENERATION_BYTES = 4

/**
 * The tag of objects in a version, which every record carries: the generation of the schema that they were made with (4
 * bytes, little-endian; 0 for built-in kinds, whose schema changes with the program), the length of the version's name
 * (1 byte) and the name.
 */
export function storageTag(version: string, generation = 0): Buffer {
  const name = Buffer.from(version)
  const tag = Buffer.alloc(GENERATION_BYTES + 1 + name.length)
  tag.writeUInt32LE(generation)
  tag[GENERATION_BYTES] = name.length
  name.copy(tag, GENERATION_BYTES + 1)
  return tag
}

/** Bytes of the tag that begins at `at`. */
export const tagBytes = (record: Uint8Array, at: number): number =>
  GENERATION_BYTES + 1 + (record[at + GENERATION_BYTES] ?? 0)

/** Contents of a tag. */
export function readStorageTag(tag: Uint8Array): {
  readonly version: string
  readonly generation: number
} {
  const bytes = Buffer.from(tag.buffer, tag.byteOffset, tag.byteLength)
  return {
    version: bytes.toString('utf8', GENERATION_BYTES + 1),
    generation: bytes.readUInt32LE(0),
  }
}
