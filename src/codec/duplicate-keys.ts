/** Findings in the text of a patch that its parsed value does not show: duplicate keys and number literals. */
import { duplicateField } from './json-scanner.ts'
import { parseJsonStrictly } from './json-text.ts'
import type { WrittenNumbers } from './written-numbers.ts'

/** A parsed patch, and the findings in its text. */
export interface PatchText {
  readonly value: unknown
  /** Texts for warnings, or for a refusal where the request is strict; unique, at most 100. */
  readonly findings: readonly string[]
}

const MAX_FINDINGS = 100
const MEMBERS: readonly string[] = ['op', 'path', 'from', 'value']
/** A path within the value of an operation, which is passed through unchanged. */
const IN_VALUE = /^\[\d+\]\.value[.[]/

/** Parses a merge patch or a strategic merge patch; `written` collects its number literals. Throws JsonError. */
export function readMergePatch(bytes: Uint8Array, written?: WrittenNumbers): PatchText {
  const findings: string[] = []
  const onDuplicate = (path: string) => void findings.push(duplicateField(path))
  return { value: parseJsonStrictly(bytes, { onDuplicate, written }), findings }
}

/** Parses a JSON patch, whose operations are objects too; `written` collects its number literals. Throws JsonError. */
export function readJsonPatch(bytes: Uint8Array, written?: WrittenNumbers): PatchText {
  const findings = new Set<string>()
  const find = (what: string) => {
    if (findings.size < MAX_FINDINGS) findings.add(`json patch ${what}`)
  }
  const onDuplicate = (path: string) => {
    if (!IN_VALUE.test(path)) find(duplicateField(path))
  }
  const value = parseJsonStrictly(bytes, { onDuplicate, written })
  const operations: readonly unknown[] = Array.isArray(value) ? value : []
  for (const [i, operation] of operations.entries()) {
    if (findings.size >= MAX_FINDINGS) break
    if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) continue
    for (const name of Object.keys(operation)) {
      if (!MEMBERS.includes(name)) find(`unknown field ${JSON.stringify(`[${i}].${name}`)}`)
    }
  }
  return { value, findings: [...findings] }
}
