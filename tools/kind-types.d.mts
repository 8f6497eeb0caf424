/** The text of the file of types, for declared resources in their order. */
export function kindTypes(resources: readonly object[]): string
