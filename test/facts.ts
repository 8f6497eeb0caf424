/**
 * Tables about the release that declarations are compared with, in `test/facts/`: names, wire numbers, presence, merge
 * topology and defaults of every field; names, verbs, columns and selectors of every resource; the roles of the start. They
 * were taken from a running server and its published documents, and hold no texts of either. Words that carry the brand
 * are templates. `tools/write-facts.mjs` writes them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DIR = join(import.meta.dirname, 'facts')

/** Names of the files about one group version each. */
export const groupVersionFiles: readonly string[] = readdirSync(DIR).filter((name) =>
  /^[a-z]+\.v\d\w*\.json$/.test(name),
)

/** Names of all files. */
export const factFiles: readonly string[] = readdirSync(DIR)

/** The text of a file. */
export const factText = (file: string): string => readFileSync(join(DIR, file), 'utf8')

/** What a file holds. */
export const factsOf = <T>(file: string): T => JSON.parse(factText(file)) as T
