import { readFlagFileSync } from '../base/flag-file.ts'
import { plainReason } from '../base/plain-reason.ts'
import { FlagError, parseFlags, type Flag, type Flags, type Values } from '../flags/flags.ts'
import { fileValues } from '../flags/file-values.ts'

type WithConfig = Flags & { readonly config: Flag<string> }

/**
 * The values of a program's flags: of the command line, else of the file that `--config` names. At once without a file:
 * a program that receives a signal to end must already listen for it. Throws FlagError.
 */
export function flagValues<F extends WithConfig>(
  flags: F,
  args: readonly string[],
): Values<F> | Promise<Values<F>> {
  const values = parseFlags(flags, args)
  // Its type is that of the flag, which the compiler does not see through the mapping.
  const path = values.config as string
  return path === '' ? values : withFile(flags, args, path)
}

async function withFile<F extends WithConfig>(
  flags: F,
  args: readonly string[],
  path: string,
): Promise<Values<F>> {
  try {
    return parseFlags(flags, args, fileValues(flags, await documentOf(path)))
  } catch (cause) {
    const reason = plainReason(cause)
    if (cause instanceof FlagError) throw new FlagError(`--config: ${path}: ${reason}`, { cause })
    throw new FlagError(reason, { cause })
  }
}

const NOT_YAML = /^error converting YAML to JSON: /

async function documentOf(path: string): Promise<unknown> {
  const text = readFlagFileSync('config', path).toString()
  const { parseYamlDocuments } = await import('../codec/yaml.ts')
  try {
    const documents = await parseYamlDocuments(text)
    if (documents.length > 1) throw new FlagError('holds more than one document')
    return documents[0] ?? null
  } catch (cause) {
    throw new FlagError(plainReason(cause).replace(NOT_YAML, ''), { cause })
  }
}
