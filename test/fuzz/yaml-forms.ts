/** YAML that means what a tree means, and YAML that means trouble. */
import { dump } from 'js-yaml'
import type { Dice } from './dice.ts'
import { textOf, type Tree } from './tree.ts'

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
  .split('')
  .map((name, i) => {
    const before = 'abcdefghi'[i]!
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join()}]\n`
  })
  .join('')}`

const ADDED: readonly string[] = [
  BOMB,
  'x: &x {y: *x}\n',
  'x: *nowhere\n',
  '<<: {a: b}\n',
  '<<: [{a: b}, 1]\n',
  'x: !!binary "not base64"\n',
  'x: !!binary AAAA\n',
  'x: !!set {a, b}\n',
  'x: !!omap [a: 1]\n',
  'x: !!timestamp 2022-02-30\n',
  'x: !!js/function "function(){}"\n',
  'x: !!python/object:os.system {}\n',
  'x: !local y\n',
  '? [a, b]\n: c\n',
  '? {a: b}\n: c\n',
  '? |\n  long\n: c\n',
  'x: 2022-01-01\n',
  'x: 1:30:00\n',
  'x: 0o17\n',
  'x: 0b11\n',
  'x: 1_000\n',
  'x: .inf\n',
  'x: .NaN\n',
  'x: ~\n',
  'x: NO\n',
  '1: x\n',
  'true: x\n',
  'null: x\n',
  '__proto__: {a: b}\n',
  'x: "\\ud800"\n',
  'x: "\\x00"\n',
  'x: |+9\n a\n',
  'x: >-\n  a\n\n  b\n',
  '\tx: y\n',
  'x: y\nx: z\n',
  '---\na: b\n',
  '...\n',
  '...\n---\nkind: X\n',
]

const FRONTS: readonly string[] = [
  '%YAML 1.1\n---\n',
  '%YAML 9.9\n---\n',
  '%TAG ! tag:x,2000:\n---\n',
  '--- |\n',
  '--- !!map\n',
  '# x\n',
  '\ufeff',
  '---\n---\n',
  '!!str ',
  '&a ',
]

/** A tree as YAML, in one of the ways it can be written. */
export function yamlOf(tree: Tree, random: Dice): string {
  const json = textOf(tree)
  if (random.chance(0.2)) return json
  let text: string
  try {
    text = dump(JSON.parse(json), {
      noRefs: random.chance(0.5),
      lineWidth: random.pick([-1, 20, 80]),
    })
  } catch {
    return json
  }
  if (random.chance(0.25)) text += random.pick(ADDED)
  if (random.chance(0.08)) text = random.pick(FRONTS) + text
  return text
}
