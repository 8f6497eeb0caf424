/** convert: brings manifests of removed versions to those that replace them. */
import type { ApiObject } from '../../client/transport.ts'
import { readDocuments } from '../api/builder.ts'
import { requireFiles, fileFlags } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import { Fault } from '../base/faults.ts'
import { commonVocabulary, vocabularies } from '../../vocabulary/index.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { converted } from '../convert/convert.ts'
import { formatOf, outputFlags, printerOf } from '../print/output.ts'

export const convert: Command = {
  use: '-f FILENAME [--output-version=group/version]',
  text: 'Converts manifests to other versions, without a server: those of versions that were removed to the ones that replace them.',
  examples: [
    ['To the newest version', 'convert -f ingress.yaml'],
    ['To a version', 'convert -f deployment.yaml --output-version apps/v1'],
  ],
  flags: {
    ...outputFlags,
    ...fileFlags,
    output: { ...outputFlags.output, default: 'yaml' },
    local: {
      type: 'bool',
      default: 'true',
      help: 'Accepted for compatibility: nothing is asked of a server.',
      isHidden: true,
    },
    'output-version': {
      type: 'text',
      help: "Output the formatted object with the given group version (for ex: 'apps/v1').",
    },
  },
  async run(c) {
    requireFiles(c)
    const target = c.flags.text('output-version')
    const objects = (await readDocuments(c)).flatMap(({ value, source }) => unpacked(value, source))
    const all = objects.map((object) => converted(object, target, wordsOf(object, target)))
    if (all.length === 0) throw new Fault('error: no objects passed to convert')
    const print = await printerOf(c, formatOf(c, false))
    const list = { apiVersion: 'v1', kind: 'List', items: all, metadata: {} }
    c.out(await print(all.length === 1 ? all[0]! : (list as unknown as ApiObject)))
  },
}

function unpacked(value: unknown, source: string): ApiObject[] {
  const object = value as ApiObject & { items?: unknown }
  if (typeof object?.kind !== 'string' || typeof object.apiVersion !== 'string') {
    throw new Fault(`error: unable to decode "${source}": Object 'Kind' or 'apiVersion' is missing`)
  }
  return Array.isArray(object.items) && object.kind.endsWith('List')
    ? object.items.flatMap((item) => unpacked(item, source))
    : [object]
}

/** The words of a manifest; those that most manifests have where it shows none. */
function wordsOf({ apiVersion = '' }: ApiObject, target: string): Vocabulary {
  const own = Object.values(vocabularies).find((v) =>
    `${apiVersion} ${target}`.includes(`${v.words.api}/`),
  )
  return own ?? vocabularies[commonVocabulary]
}
