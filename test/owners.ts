// oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of every shape
type Json = any

/** An object without the entries of those who own its fields, for tests that are about something else. */
export function unowned(object: Json): Json {
  if (object?.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
