// Writes `build.json` beside the built files: what `/version` says of the build. Run by bundle.mjs.
//
// Without a repository of its own, as in an unpacked archive, the digits are of the version, as in a run from sources. With
// SOURCE_DATE_EPOCH (seconds since the epoch) two builds of the same sources are the same.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What git answers, without its last line end; null when it cannot. */
function git(root, ...args) {
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    timeout: 30_000,
  })
  return status === 0 ? stdout.trimEnd() : null
}

/** Commit and state of the tree at `root`. */
function treeOf(root) {
  const top = git(root, 'rev-parse', '--show-toplevel')
  const commit = git(root, 'rev-parse', 'HEAD')
  // Sources may lie inside a repository that they are no part of.
  if (top === null || commit === null || realpathSync(top) !== realpathSync(root)) {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const gitCommit = createHash('sha1').update(version).digest('hex')
    return { gitCommit, gitTreeState: 'archive' }
  }
  const gitTreeState = git(root, 'status', '--porcelain') === '' ? 'clean' : 'dirty'
  return { gitCommit: commit, gitTreeState }
}

/** Describes the sources at `root` in a file in `folder`. */
export function writeBuild(root, folder) {
  const { SOURCE_DATE_EPOCH } = process.env
  const now = SOURCE_DATE_EPOCH === undefined ? Date.now() : Number(SOURCE_DATE_EPOCH) * 1000
  const buildDate = `${new Date(now).toISOString().slice(0, 19)}Z`
  const build = { ...treeOf(root), buildDate }
  writeFileSync(join(folder, 'build.json'), `${JSON.stringify(build)}\n`)
}
