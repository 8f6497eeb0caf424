// Packages that each start needs, joined into the script of the programs, so that their code is kept as well.
//
// The copy is used only where the very version that it was made of is installed; else what is installed is.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the script needs besides; comes first in it. */
export const PRELUDE = `
const __require = require;
const __manifestOf = (name) => {
  // What resolves names would load the half of the runtime that packages with a map of exports need.
  for (const folder of require.resolve.paths(name)) {
    const manifest = require('node:path').join(folder, name, 'package.json');
    if (require('node:fs').existsSync(manifest)) return manifest;
  }
  return null;
};
const __urlOf = (name) => require('node:url').pathToFileURL(__manifestOf(name) ?? require.resolve(name)).href;
const __isInstalled = (name, version) => {
  const manifest = __manifestOf(name);
  return manifest !== null && JSON.parse(require('node:fs').readFileSync(manifest, 'utf8')).version === version;
};`

const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The folder of the package that a file is of. */
const packageOf = (file) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0]

/** Joins packages, by what is imported of them. */
export const joinedPackages = (names) => ({
  name: 'joined-packages',
  setup(plugin) {
    plugin.onResolve({ filter: /^[\w-]/ }, ({ path, namespace }) =>
      names.includes(path) && namespace === 'file' ? { path, namespace: 'joined' } : undefined,
    )
    plugin.onLoad({ filter: /^/, namespace: 'joined' }, ({ path: file }) => {
      const entry = fileURLToPath(import.meta.resolve(file))
      const { name, version } = manifest(packageOf(entry))
      const [asked, ...installed] = [file, name, version].map((text) => JSON.stringify(text))
      return {
        contents: `
          module.exports = __isInstalled(${installed})
            ? require(${JSON.stringify(entry)})
            : __require(${asked})
        `,
        resolveDir: dirname(entry),
      }
    })
    // The native part of the store is found beside the package, wherever the copy is.
    plugin.onLoad({ filter: /[\\/]node_modules[\\/]lmdb[\\/][\w-]+\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', '__urlOf("lmdb")'),
    }))
    // Asked by running a program only where reading one says nothing.
    const children = { filter: /[\\/]node_modules[\\/]detect-libc[\\/].*\.js$/ }
    plugin.onLoad(children, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('childProcess.', "require('child_process').")
        .replace("const childProcess = require('child_process');", ''),
    }))
    // Values are bytes: the encoder of others, half of what loading the store takes, is never made.
    plugin.onResolve({ filter: /^msgpackr$/ }, ({ path }) => ({ path, namespace: 'absent' }))
    plugin.onLoad({ filter: /^/, namespace: 'absent' }, ({ path }) => ({
      contents: `
        export class Encoder {
          constructor() {
            throw new Error('${path} is not part of this program')
          }
        }
      `,
    }))
  },
})

/** The licences of all packages that files are of. */
export function licencesOf(files) {
  const folders = new Set(files.map(packageOf).filter((folder) => folder !== undefined))
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = manifest(folder)
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
      return `${name} ${version}, licence ${license}\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
