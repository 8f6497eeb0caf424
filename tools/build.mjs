/** Bundles the executables and the package's entry into dist/: one file loads faster than two hundred. */
import { readFileSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
await rm('dist', { recursive: true, force: true })
await build({
  entryPoints: ['bin/orch.ts', 'bin/orch-apiserver.ts', 'bin/orch-controller-manager.ts', 'src/index.ts'],
  outdir: 'dist',
  outbase: '.',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // What a start does not need stays in files of its own.
  splitting: true,
  // Published type names are those of the classes.
  keepNames: true,
  sourcemap: true,
  packages: 'external',
  define: { 'process.env.npm_package_version': JSON.stringify(version) },
  banner: { js: '' },
  logLevel: 'warning',
})
for (const name of ['orch', 'orch-apiserver', 'orch-controller-manager']) {
  const path = `dist/bin/${name}.js`
  const { writeFile } = await import('node:fs/promises')
  await writeFile(path, `#!/usr/bin/env node\n${readFileSync(path, 'utf8')}`)
  await chmod(path, 0o755)
}
