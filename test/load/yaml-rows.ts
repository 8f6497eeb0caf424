/** Rows whose bodies are YAML. */
import { MAPS } from './requests.ts'
import type { Row } from './row.ts'

const yaml = (name: string, body: () => string, status = 201): Row => ({
  name: `YAML ${name}`,
  ask: { method: 'POST', path: MAPS, type: 'application/yaml', body },
  status,
  after: [{ method: 'DELETE', path: `${MAPS}/big` }],
})
const HEAD = 'metadata:\n  name: big\n'
export const yamls: Row[] = [
  yaml(
    'many keys',
    () => `${HEAD}data:\n${Array.from({ length: 80_000 }, (_, i) => `  k${i}: ""\n`).join('')}`,
  ),
  yaml(
    'quoted texts',
    () =>
      `${HEAD}data:\n${Array.from({ length: 36_000 }, (_, i) => `  "k${i}": "\\x41\\u0042\\n"\n`).join('')}`,
  ),
  yaml('a long text', () => `${HEAD}data:\n  a: |\n${`    ${'x'.repeat(70)}\n`.repeat(12_000)}`),
  yaml('a folded text', () => `${HEAD}data:\n  a: >\n${'    x\n\n'.repeat(140_000)}`, 0),
  yaml(
    'a plain text over many lines',
    () => `${HEAD}data:\n  a: x\n${'    x\n'.repeat(170_000)}`,
    0,
  ),
  yaml('comments', () => `${HEAD}${'#\n'.repeat(500_000)}`),
  yaml(
    'aliases',
    () =>
      `${HEAD}data:\n  a: &a x\n${Array.from({ length: 70_000 }, (_, i) => `  k${i}: *a\n`).join('')}`,
  ),
  yaml(
    'aliases of what is large',
    () => `x: &a [${'1,'.repeat(90_000)}1]\ny: [*a,*a,*a]\n${HEAD}`,
    413,
  ),
  yaml(
    'aliases of what is a quarter',
    () => `x: &a [${'1,'.repeat(23_000)}1]\ny: [*a,*a,*a]\n${HEAD}`,
    0,
  ),
  yaml(
    'aliases of aliases',
    () =>
      `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [*a${i === 0 ? '' : i - 1},*a${i === 0 ? '' : i - 1}]\n`).join('')}${HEAD}`,
    413,
  ),
  yaml(
    'many anchors',
    () =>
      `${HEAD}data:\n${Array.from({ length: 19_000 }, (_, i) => `  k${i}: &n${i} x\n`).join('')}`,
  ),
  yaml(
    'merged maps',
    () =>
      `x: &a {${Array.from({ length: 30_000 }, (_, i) => `k${i}: ""`).join(', ')}}\n${HEAD}data:\n  <<: [${Array(90).fill('*a').join(', ')}]\n`,
    0,
  ),
  yaml('merge keys', () => `x: &a {b: ""}\n${HEAD}data:\n${'  <<: *a\n'.repeat(100_000)}`, 0),
  yaml('nested lists', () => `${HEAD}data: ${'['.repeat(1_000_000)}`, 413),
  yaml('nested blocks', () => `${HEAD}data: ${'- '.repeat(9_000)}x\n`, 400),
  yaml(
    'many levels by indentation',
    () =>
      `${HEAD}data:\n${Array.from({ length: 2_400 }, (_, i) => `${' '.repeat(i + 1)}k:\n`).join('')}`,
    0,
  ),
  yaml('repeated keys', () => `${HEAD}data:\n${'  a: ""\n'.repeat(130_000)}`, 0),
  yaml('an endless quote', () => `${HEAD}data:\n  a: "${'\\'.repeat(1_000_000)}`, 400),
  yaml('question marks', () => `${HEAD}${'? '.repeat(500_000)}`, 400),
  yaml('documents', () => '---\n'.repeat(260_000), 0),
  yaml(
    'tags',
    () =>
      `${HEAD}data:\n${Array.from({ length: 19_000 }, (_, i) => `  k${i}: !!str "x"\n`).join('')}`,
  ),
  yaml(
    'a definition of three megabytes',
    () => {
      const words = 'The label query over volumes to consider for binding, which is long.'
      let text = `${HEAD}x:\n`
      for (let i = 0; text.length < 3_000_000; i++)
        text += `    p${i}:\n      description: ${words}\n        ${words}\n      items:\n        type: string\n      type: array\n`
      return text
    },
    201,
  ),
  yaml('a long key', () => `${HEAD}data:\n  ${'k'.repeat(1_000_000)}: x\n`, 422),
]
