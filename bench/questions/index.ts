import type { Question } from '../bench.ts'
import { apply } from './apply.ts'
import { audit } from './audit.ts'
import { binary } from './binary.ts'
import { command } from './command.ts'
import { create } from './create.ts'
import { custom } from './custom.ts'
import { deletion } from './delete.ts'
import { etcdCreate } from './etcd-create.ts'
import { fairness } from './fairness.ts'
import { get } from './get.ts'
import { growth } from './growth.ts'
import { identity } from './identity.ts'
import { lease } from './lease.ts'
import { list } from './list.ts'
import { mixed } from './mixed.ts'
import { patch } from './patch.ts'
import { plugins } from './plugins.ts'
import { processes } from './processes.ts'
import { selectors } from './selectors.ts'
import { start } from './start.ts'
import { watch } from './watch.ts'
import { webhooks } from './webhooks.ts'

/** In the order they are asked. */
export const questions: readonly Question[] = [
  get,
  identity,
  audit,
  list,
  binary,
  selectors,
  mixed,
  fairness,
  create,
  patch,
  apply,
  lease,
  deletion,
  custom,
  etcdCreate,
  plugins,
  webhooks,
  watch,
  start,
  command,
  growth,
  processes,
]
