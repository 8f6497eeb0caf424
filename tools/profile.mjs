// Tells where the time of a CPU profile went:
//
//   node tools/profile.mjs FILE.cpuprofile... [--top 25] [--of name,name]
//
// First the functions and lines in which the time was spent themselves, then the shares of functions with all that they
// called; with --of only those, and functions with the same name count together. Idle time counts nowhere. Time in
// native code belongs to the function that called it. `npm run bench -- --profile DIR` makes such files, and so does
// `node --cpu-prof`.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: { top: { type: 'string', default: '25' }, of: { type: 'string' } },
  allowPositionals: true,
})
if (positionals.length === 0) {
  process.stderr.write(
    'usage: node tools/profile.mjs FILE.cpuprofile... [--top 25] [--of name,name]\n',
  )
  process.exit(2)
}
const top = Number(values.top)
const chosen = values.of?.split(',')

for (const file of positionals) {
  const { total, self, inclusive } = sharesOf(JSON.parse(readFileSync(file, 'utf8')))
  const print = (entries) => {
    for (const [name, micros] of entries) {
      process.stdout.write(`${((micros / total) * 100).toFixed(1).padStart(5)}%  ${name}\n`)
    }
  }
  process.stdout.write(`${file}: ${(total / 1000).toFixed(0)} ms\nself\n`)
  print(sorted(self).slice(0, top))
  process.stdout.write('with all they called\n')
  print(
    chosen
      ? chosen.map((name) => [name, inclusive.get(name) ?? 0])
      : sorted(inclusive).slice(0, top),
  )
}

function sorted(shares) {
  return [...shares].sort(([, a], [, b]) => b - a)
}

/** Microseconds by place and by name of function. */
function sharesOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  )
  const self = new Map()
  const inclusive = new Map()
  let total = 0
  for (const [i, id] of samples.entries()) {
    const { callFrame } = byId.get(id)
    if (callFrame.functionName === '(idle)') continue
    const micros = timeDeltas[i]
    total += micros
    add(self, placeOf(callFrame), micros)
    const names = new Set()
    for (let at = id; at !== undefined; at = parents.get(at)) {
      const { functionName } = byId.get(at).callFrame
      if (functionName !== '' && functionName !== '(root)') names.add(functionName)
    }
    for (const name of names) add(inclusive, name, micros)
  }
  return { total, self, inclusive }
}

function placeOf({ functionName, url, lineNumber }) {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name} ${url.split('/').pop()}:${lineNumber + 1}`
}

function add(shares, key, micros) {
  shares.set(key, (shares.get(key) ?? 0) + micros)
}
