// Joins the built files into a few, since every file costs time at the start. A part of the build.
//
// What is imported as a package is a few modules. The programs are a few scripts, which the build keeps V8's code of;
// nothing that they run is loaded from the modules.
//
// Names of shapes are published names, and joining renames one of two classes of the same name, so each shape is told
// its name here. The program is loaded both ways at the end, and must declare the same.
import { build } from 'esbuild'
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { joinClient, joinProgram } from './join-program.mjs'
import { writeBuild } from './write-build.mjs'
import { runtimeCheck } from './runtime-check.mjs'

const root = join(import.meta.dirname, '..')
const { name, dependencies, peerDependencies, engines } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

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

const namesIn = (resources) => {
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
  for (const { storage, versions = {} } of resources) {
    walk(storage.shape)
    for (const { shape } of Object.values(versions)) walk(shape.shape)
  }
  return [...seen].sort().join('\n')
}

const PROGRAM = join('src', 'program.js')
const CLIENT = join('src', 'client-program.js')

const KINDS = join('src', 'kinds', 'index.js')
const kindsOf = async (folder) => (await import(pathToFileURL(join(folder, KINDS)))).resources

/** Joins the files of `dist`, by way of the folder `joined`, which lies beside it. */
export async function bundle({ dist, joined }) {
  const before = namesIn(await kindsOf(dist))
  const check = (resources) => {
    if (namesIn(resources) !== before)
      throw new Error('joining changed the published name of a shape')
  }
  const common = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    // Paths in what is written do not depend on where it was.
    absWorkingDir: dist,
    external: Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => [
      name,
      `${name}/*`,
    ]),
  }
  await joinModules(common, { dist, joined })
  await joinProgram(common, { dist, to: join(joined, 'src'), namedShapes })
  await joinClient(common, { dist, to: join(joined, 'src'), namedShapes })
  await joinStarters(common, { dist, joined })
  await joinSmall(common, { dist, joined })
  for (const folder of ['.', 'client', 'testing'])
    writeFileSync(join(joined, 'src', folder, 'index.cjs'), REQUIRED)
  check(await kindsOf(joined))
  replaceFiles({ dist, joined })
  const { openScript } = await import(pathToFileURL(loaderOf(dist)))
  check((await openScript(join(dist, PROGRAM)).run().kinds()).resources)
}

const loaderOf = (dist) => join(dist, 'src', 'code-cache', 'start-cached.js')

const namedShapes = (change = (source) => source) => ({
  name: 'named-shapes',
  setup: (plugin) =>
    plugin.onLoad({ filter: /[\\/]dist[^\\/]*[\\/]src[\\/].*\.js$/ }, ({ path }) => ({
      contents: change(named(readFileSync(path, 'utf8'))),
    })),
})

/** What is imported as a package, and what is run by itself. */
function joinModules(common, { dist, joined }) {
  return build({
    ...common,
    entryPoints: [
      join(dist, 'src', 'index.js'),
      join(dist, 'src', 'client', 'index.js'),
      join(dist, 'src', 'testing', 'index.js'),
      join(dist, KINDS),
      loaderOf(dist),
      join(dist, 'src', 'code-cache', 'write-cache.js'),
    ],
    outdir: joined,
    outbase: dist,
    splitting: true,
    chunkNames: 'src/[name]-[hash]',
    format: 'esm',
    plugins: [namedShapes()],
  })
}

/**
 * What `require` gives for `orch`, `orch/client` and `orch/testing`: the same modules, loaded by Node itself. Test runners that load files into a sandbox of
 * their own have a `require` that cannot load modules, and classes that are not those of Node's own parts; the context
 * that Node's `vm` calls this one is the one outside.
 */
const REQUIRED = `'use strict'
const { runInThisContext } = require('node:vm')
const { createRequire } = runInThisContext('process').getBuiltinModule('node:module')
module.exports = createRequire(__filename)('./index.js')
`

/** What is called to run the script as one program or another. */
async function joinStarters(common, { dist, joined }) {
  const bins = readdirSync(join(dist, 'bin')).filter((name) => name.endsWith('.js'))
  const program = {
    name: 'program',
    setup(plugin) {
      plugin.onResolve({ filter: /^\.\.\/src\// }, ({ path }) => ({
        path: path.startsWith('../src/ctl/') ? CLIENT : PROGRAM,
        namespace: 'program',
      }))
      plugin.onLoad({ filter: /^/, namespace: 'program' }, ({ path }) => ({
        contents: `
          import { join } from 'node:path'
          import { openScript } from ${JSON.stringify(loaderOf(dist))}
          module.exports = openScript(join(__dirname, '..', ${JSON.stringify(path)})).run()
        `,
        resolveDir: dist,
      }))
    },
  }
  await build({
    ...common,
    entryPoints: bins.map((name) => join(dist, 'bin', name)),
    outdir: join(joined, 'bin'),
    format: 'cjs',
    // Older runtimes must be able to read it as far as where they are told that they are too old.
    target: 'node12',
    supported: { 'dynamic-import': true },
    banner: { js: runtimeCheck({ name, engines: engines.node }) },
    plugins: [program],
  })
  writeFileSync(join(joined, 'bin', 'package.json'), '{ "type": "commonjs" }\n')
}

/** A program of its own: what test environments start for each suite is ready before the server would be read. */
async function joinSmall(common, { dist, joined }) {
  await build({
    ...common,
    entryPoints: [join(dist, 'src', 'envtest', 'etcd-program.js')],
    outfile: join(joined, 'bin', 'envtest-etcd.js'),
    format: 'cjs',
    target: 'node12',
    minifyWhitespace: true,
    lineLimit: 120,
    banner: { js: runtimeCheck({ name, engines: engines.node }) },
  })
}

/** Puts the joined files in the place of those that they are made of. */
function replaceFiles({ dist, joined }) {
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
  writeBuild(root, join(dist, 'src'))
  for (const name of readdirSync(join(dist, 'bin')))
    if (name.endsWith('.js')) chmodSync(join(dist, 'bin', name), 0o755)
}
