/** For suites about other things than admission. */

/**
 * The default plugins that change what is created, or keep it from being deleted. Suites that compare whole objects, or
 * create and delete objects of every kind, start a server without them.
 */
export const CHANGING_PLUGINS: readonly string[] = [
  'DefaultTolerationSeconds',
  'Priority',
  'ServiceAccount',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
]
