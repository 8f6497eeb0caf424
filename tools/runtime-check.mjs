// What a program says when the runtime is too old for it. Joined into the programs by tools/bundle.mjs.

/** The ranges of `engines`: `^20.19.0` is a line from a release on, `>=22.12.0` everything from one on. */
function rangesOf(engines) {
  return engines.split('||').map((range) => {
    const [, kind, major, minor] = /^(\^|>=)(\d+)\.(\d+)\.0$/.exec(range.trim()) ?? []
    if (kind === undefined) throw new Error(`cannot read ${range} of engines`)
    return { isOpen: kind === '>=', major: Number(major), minor: Number(minor) }
  })
}

/**
 * Source that ends the process with a line unless the runtime is one of `engines`. It stands before all else and is written
 * so that old runtimes can read it.
 */
export function runtimeCheck({ name, engines }) {
  const ranges = rangesOf(engines)
  const isServed = ranges
    .map(({ isOpen, major, minor }) => {
      const inLine = `(v[0] === ${major} && v[1] >= ${minor})`
      return isOpen ? `v[0] > ${major} || ${inLine}` : inLine
    })
    .join(' || ')
  const wanted = ranges
    .map(
      ({ isOpen, major, minor }) =>
        `${major}.${minor} or newer${isOpen ? '' : ` of line ${major}`}`,
    )
    .toReversed()
    .join(', or ')
  const line = `${name} needs Node.js ${wanted}; this is `
  return `'use strict';
(function () {
  var v = process.versions.node.split('.').map(Number);
  if (${isServed}) return;
  require('fs').writeSync(2, ${JSON.stringify(line)} + process.versions.node + '\\n');
  process.exit(1);
})();`
}
