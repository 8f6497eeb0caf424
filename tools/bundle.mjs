// Joins the built files into a few, since every file costs time at the start. Run by `npm run build`, last.
//
// Names of shapes are published names, and joining renames one of two classes of the same name, so each shape is told
// its name here. The program is loaded both ways at the end, and must declare the same.
import { build } from 'esbuild'
import { chmodSync, copyFileSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const joined = join(root, 'dist-joined')
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const SHAPE = /^export class (\w+) extends \w+\(/gm
const END = ') {\n}'

/** Writes the name of each shape into its class. */
function named(source) {
  let out = ''
  let from = 0
  for (const match of source.matchAll(SHAPE)) {
    const end = source.indexOf(END, match.index)
    if (end === -1) throw new Error(`the class ${match[1]} has no end`)
    out += `${source.slice(from, end)}) {\n    static published = ${JSON.stringify(match[1])};\n}`
    from = end + END.length
  }
  return out + source.slice(from)
}

const names = async (file) => {
  const { resources } = await import(pathToFileURL(file))
  const seen = new Set()
  const walk = (shape) => {
    const key = `${shape.home} ${shape.name}`
    if (seen.has(key)) return
    seen.add(key)
    for (const { holds } of shape.fields.values()) into(holds)
  }
  const into = (holds) => {
    if (holds.is === 'object') walk(holds.to())
    else if (holds.is === 'list' || holds.is === 'map') into(holds.of)
  }
  for (const { hub, versions = {} } of resources) {
    walk(hub.shape)
    for (const { shape } of Object.values(versions)) walk(shape.shape)
  }
  return [...seen].sort().join('\n')
}

const KINDS = join('src', 'kinds', 'index.js')
const before = await names(join(dist, KINDS))

rmSync(joined, { recursive: true, force: true })
await build({
  entryPoints: [
    ...readdirSync(join(dist, 'bin'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => join(dist, 'bin', name)),
    join(dist, 'src', 'index.js'),
    join(dist, KINDS),
  ],
  outdir: joined,
  outbase: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'src/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
  plugins: [
    {
      name: 'named-shapes',
      setup: (plugin) =>
        plugin.onLoad({ filter: /dist[\\/]src[\\/].*\.js$/ }, ({ path }) => ({
          contents: named(readFileSync(path, 'utf8')),
        })),
    },
  ],
})

const after = await names(join(joined, KINDS))
if (before !== after) throw new Error('joining changed the published name of a shape')

for (const name of readdirSync(dist, { recursive: true }))
  if (name.endsWith('.js')) rmSync(join(dist, name))
for (const entry of readdirSync(joined, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const from = join(entry.parentPath ?? entry.path, entry.name)
  renameSync(from, join(dist, from.slice(joined.length)))
}
rmSync(joined, { recursive: true, force: true })
// Joined files lie one folder higher than those that read it.
copyFileSync(join(dist, 'src', 'openapi', 'docs.json'), join(dist, 'src', 'docs.json'))
rmSync(join(dist, 'src', 'openapi', 'docs.json'))
for (const name of readdirSync(join(dist, 'bin')))
  if (name.endsWith('.js')) chmodSync(join(dist, 'bin', name), 0o755)
