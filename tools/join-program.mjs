// Joins the programs into a few scripts: one with what a server runs until it is ready, and one for each later use, so
// that a start reads no code that it does not run. The scripts import each other's modules by `require` of
// `SCRIPT#MODULE`, which src/code-cache/start-cached.ts resolves. A module is evaluated when it is first imported.
import { build } from 'esbuild'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * The scripts of the server's programs and the modules that they begin at. A module that several reach is in the first
 * of them; what no one reaches statically is in the last. A list that is not up to date costs time at the start, and
 * nothing else.
 */
const PROGRAM = {
  'program.js': [
    'server/start-server.js',
    'kinds/index.js',
    'engine/lmdb/engine.js',
    // A first start.
    'server/bootstrap/authorities.js',
    'pki/issue.js',
  ],
  // What begins when the server is ready.
  'program-controllers.js': [
    'server/run-controllers.js',
    'server/certificate-signing.js',
    'server/bootstrap/policy.js',
    'authz/bootstrap-policy/policy.js',
    'server/bootstrap/proxy-identity.js',
    'aggregation/auto-registration.js',
    'aggregation/availability-controller.js',
    'aggregation/remote-transport.js',
    'client/certificate-pair.js',
  ],
  'program-later.js': [],
}
const PROGRAM_ENTRY = `
  export { apiserverMain, controllerManagerMain, main } from './src/cli/main.js'
  export { packageVersion } from './src/base/package-version.js'
  export const kinds = () => import('./src/kinds/index.js')
  export const server = () => import('./src/server/start-server.js')
`

/** The command-line client is short-lived: what most commands run is a small script of its own. */
const CLIENT = {
  'client-program.js': ['ctl/commands/get.js'],
  'client-program-later.js': [],
}
const CLIENT_ENTRY = `export { ctlProgram } from './src/ctl/program.js'`

// A script that is no module can import nothing: what runs it gives it what imports packages.
const importingByCall = (source) => source.replaceAll(/\bimport\((?=['"][^.])/g, '__import(')

// Most commands of the client need no declarations of kinds, which are most of the code: they are those of the package,
// which are loaded as a module on first use.
const readingKinds = (source) =>
  importingByCall(
    source.replaceAll(
      /\bimport\(['"][./]+\/kinds\/index\.js['"]\)/g,
      `__import(new URL('./kinds/index.js', __url).href)`,
    ),
  )

/** Writes the scripts of the server's programs of `dist` into the folder `to`. */
export const joinProgram = (common, { dist, to, namedShapes }) =>
  joinScripts(common, {
    ...{ dist, to, entry: PROGRAM_ENTRY, listed: PROGRAM },
    plugin: namedShapes(importingByCall),
  })

/** Writes the scripts of the command-line client. */
export const joinClient = (common, { dist, to, namedShapes }) =>
  joinScripts(common, {
    ...{ dist, to, entry: CLIENT_ENTRY, listed: CLIENT },
    plugin: namedShapes(readingKinds),
  })

async function joinScripts(common, { dist, to, entry, listed, plugin }) {
  const parts = join(dist, 'parts')
  mkdirSync(parts)
  try {
    const { outputs } = await splitModules(common, { dist, parts, entry, plugin })
    const scripts = divided(outputs, listed)
    const scriptOf = new Map(
      Object.entries(scripts).flatMap(([script, files]) => files.map((file) => [file, script])),
    )
    const namesOf = new Map(
      Object.entries(outputs).map(([path, { exports }]) => [basename(path), exports]),
    )
    for (const [script, files] of Object.entries(scripts))
      await joinScript(common, { script, files, parts, to, scriptOf, namesOf })
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
}

/** Name of the entry of the scripts that are being joined. */
const ENTRY = 'programs.js'

/** The modules of the programs, in files of those that are imported together. */
async function splitModules(common, { dist, parts, entry: contents, plugin }) {
  const entry = join(dist, ENTRY)
  writeFileSync(entry, contents)
  try {
    const { metafile } = await build({
      ...common,
      entryPoints: [entry],
      outdir: parts,
      splitting: true,
      format: 'esm',
      metafile: true,
      define: { 'import.meta.url': '__url', 'import.meta.dirname': '__dirname' },
      plugins: [plugin],
    })
    return metafile
  } finally {
    rmSync(entry)
  }
}

/** The names of the files of each script. */
function divided(outputs, listed) {
  const files = Object.keys(outputs)
  const beginning = (module) => files.find((file) => outputs[file].entryPoint?.endsWith(module))
  const taken = new Set()
  const reached = (file) => {
    if (taken.has(file)) return []
    taken.add(file)
    const imported = outputs[file].imports.filter(({ kind }) => kind === 'import-statement')
    return [file, ...imported.flatMap(({ path }) => (outputs[path] ? reached(path) : []))]
  }
  const scripts = Object.entries(listed).map(([script, modules], i) => {
    const from = [...(i === 0 ? [ENTRY] : []), ...modules.map((module) => join('src', module))]
    for (const module of from)
      if (!beginning(module)) throw new Error(`${module} is imported nowhere by \`import()\``)
    return [script, from.flatMap((module) => reached(beginning(module)))]
  })
  scripts.at(-1)[1].push(...files.filter((file) => !taken.has(file)))
  return Object.fromEntries(scripts.map(([script, of]) => [script, of.map((one) => basename(one))]))
}

/**
 * What a script takes of a module of another: its values, once. As an external module, it would be read by a getter each
 * time that one of them is used, which made the binary form of a list three times as dear, and copied by each `import()`.
 * No module exports what changes (`npm run lint`).
 */
const valuesOf = (of, names) => `export const { ${names.join(', ')} } = require('${of}')`

/** Joins files into one script, which exports each of them by its name. */
function joinScript(common, { script, files, parts, to, scriptOf, namesOf }) {
  const getters = files.map((file) => `${JSON.stringify(file)}: () => require('./${file}')`)
  const namespace = 'elsewhere'
  const elsewhere = {
    name: namespace,
    setup(plugin) {
      plugin.onResolve({ filter: /^\.\// }, ({ path }) => {
        const file = path.slice(2)
        const other = scriptOf.get(file)
        return other === script ? null : { path: `${other}#${file}`, namespace }
      })
      plugin.onResolve({ filter: /#/, namespace }, ({ path }) => ({ path, external: true }))
      plugin.onLoad({ filter: /^/, namespace }, ({ path }) => ({
        contents: valuesOf(path, namesOf.get(path.slice(path.indexOf('#') + 1))),
      }))
    },
  }
  return build({
    ...common,
    absWorkingDir: parts,
    stdin: {
      contents: `
        ${files.includes(ENTRY) ? `export * from './${ENTRY}'` : ''}
        export const parts = {${getters.join(',\n')}}
      `,
      resolveDir: parts,
    },
    outfile: join(to, script),
    format: 'cjs',
    supported: { 'dynamic-import': false },
    // Less to read at each start. Lines stay short enough for a stack to say where it was.
    minifyWhitespace: true,
    lineLimit: 120,
    banner: {
      js: `(function (exports, require, module, __filename, __dirname, __url, __import) {\n'use strict';`,
    },
    footer: { js: '})' },
    plugins: [elsewhere],
  })
}
