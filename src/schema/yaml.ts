/** YAML bodies and answers. The library is loaded on first use only: most requests are JSON. */

/** A body that is not YAML as objects are written in. */
export class YamlError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'YamlError'
  }
}

// Enough for any manifest; a bomb of nested aliases needs more.
const MAX_ALIASES = 100
const DECIMAL = /^[-+]?(0|[1-9][0-9_]*)$/

type Library = typeof import('js-yaml')

let loaded: Promise<{ library: Library; schema: InstanceType<Library['Schema']> }> | null = null

function load() {
  return (loaded ??= import('js-yaml').then((library) => {
    // Integers that a number cannot hold come as bigint; everything else as the field's tools read it.
    const exactInt = library.defineScalarTag<number | bigint>('tag:yaml.org,2002:int', {
      implicit: true,
      implicitFirstChars: library.intYaml11Tag.implicitFirstChars,
      resolve: (source, isExplicit, tagName) => {
        const number = library.intYaml11Tag.resolve(source, isExplicit, tagName)
        if (typeof number !== 'number' || Number.isSafeInteger(number) || !DECIMAL.test(source)) return number
        return BigInt(source.replaceAll('_', ''))
      },
      identify: (data) => typeof data === 'bigint' || library.intYaml11Tag.identify?.(data) === true,
      represent: (data) => String(data),
    })
    const schema = library.CORE_SCHEMA.withTags(
      library.mergeTag,
      library.boolYaml11Tag,
      library.nullYaml11Tag,
      library.floatYaml11Tag,
      exactInt,
    )
    return { library, schema }
  }))
}

/** Reads one YAML document as a JSON value; repeated keys are refused. Throws YamlError. */
export async function parseYaml(text: string): Promise<unknown> {
  const { library, schema } = await load()
  if (text.trim() === '') return null
  try {
    return library.load(text, { schema, maxAliases: MAX_ALIASES } as Parameters<Library['load']>[1])
  } catch (error) {
    throw new YamlError(`error converting YAML to JSON: yaml: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
  }
}

/** Writes a JSON value as YAML, keys in order of their names, as the field's tools do. */
export async function toYaml(value: unknown): Promise<string> {
  const { library } = await load()
  return library.dump(value, { sortKeys: true, noRefs: true, lineWidth: -1 } as Parameters<Library['dump']>[1])
}
