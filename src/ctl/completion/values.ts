/** What completion offers for arguments and for values of flags. */
import { readAll } from '../api/find-objects.ts'
import { findResource, inOrder } from '../api/resources.ts'
import type { Context } from '../base/context.ts'
import type { FlagSpec } from '../base/flags.ts'
import { mergedConfig } from '../config/choose.ts'
import { scripts } from './scripts.ts'

/** Words to choose from, or that the shell is to offer files. */
export type Offer = readonly string[] | 'files'

/** Gives the words for one argument; those before it are known. */
type Choice = (c: Context, before: readonly string[], typed: string) => Promise<Offer> | Offer

const WORKLOADS = ['deployments', 'replicasets', 'replicationcontrollers', 'statefulsets']
const ROLLED = ['daemonsets', 'deployments', 'statefulsets']
const WITH_TEMPLATES = ['pods', 'cronjobs', 'daemonsets', 'jobs', ...WORKLOADS]
const VERBS =
  'get list watch create update patch delete deletecollection impersonate bind escalate approve sign use'

const contexts: Choice = async (c) => [...(await mergedConfig(c.flags, c.io)).contexts.keys()]
const clusters: Choice = async (c) => [...(await mergedConfig(c.flags, c.io)).clusters.keys()]
const users: Choice = async (c) => [...(await mergedConfig(c.flags, c.io)).users.keys()]

/** One word alone, such as a context, and nothing after it. */
const once =
  (choice: Choice): Choice =>
  (c, before, typed) =>
    before.length === 0 ? choice(c, before, typed) : []

const namesOf = async (c: Context, word: string): Promise<string[]> => {
  const of = await findResource(await c.discovery(), word)
  const namespace = of.namespaced && !isForAll(c) ? (await c.namespace()).name : ''
  return (await readAll(c, { of, namespace, name: '' })).map(({ metadata }) => metadata.name ?? '')
}

const isForAll = (c: Context) => c.flags.has('all-namespaces') && c.flags.is('all-namespaces')

const named =
  (type: string): Choice =>
  (c) =>
    namesOf(c, type)

/** Types, or those of a few; several are separated by commas. */
async function types(c: Context, typed: string, few: readonly string[] | null): Promise<string[]> {
  const served = few ?? [
    ...new Set(
      inOrder(await (await c.discovery()).served())
        .filter(({ verbs }) => verbs.includes('list'))
        .map(({ name }) => name),
    ),
  ]
  const before = typed.slice(0, typed.lastIndexOf(',') + 1)
  return served.map((name) => before + name)
}

/** `TYPE NAME…` or `TYPE/NAME…`. */
const objects =
  (few: readonly string[] | null = null): Choice =>
  async (c, before, typed) => {
    const slash = typed.indexOf('/')
    if (slash !== -1) {
      const word = typed.slice(0, slash)
      return (await namesOf(c, word)).map((name) => `${word}/${name}`)
    }
    const [type] = before
    if (type === undefined || type.includes('/')) return types(c, typed, few)
    return type.includes(',') ? [] : namesOf(c, type)
  }

/** A pod, or a type and a name that lead to one. */
const pods: Choice = async (c, before, typed) =>
  before.length > 0 ? [] : typed.includes('/') ? objects()(c, [], typed) : namesOf(c, 'pods')

async function containers(c: Context, [pod = '']: readonly string[]): Promise<string[]> {
  const [, name = pod] = /^pods?\/(.*)$/.exec(pod) ?? []
  const of = await findResource(await c.discovery(), 'pods')
  const namespace = (await c.namespace()).name
  const query = { fieldSelector: `metadata.name=${name}` }
  type Spec = Readonly<Record<string, readonly { name: string }[] | undefined>>
  const [found] = await readAll(c, { of, namespace, name: '' }, query)
  const { containers = [], initContainers = [] } = (found?.spec ?? {}) as Spec
  return [...containers, ...initContainers].map((one) => one.name)
}

const all = objects()
const files: Choice = () => 'files'
const nothing: Choice = () => []

/** By the words of a command; the longest that fits counts. */
const ARGUMENTS: Readonly<Record<string, Choice>> = {
  ...Object.fromEntries(
    ['get', 'describe', 'delete', 'edit', 'label', 'annotate', 'patch', 'wait'].map((one) => [
      one,
      all,
    ]),
  ),
  'apply view-last-applied': all,
  'apply edit-last-applied': all,
  attach: pods,
  'auth can-i': (c, before, typed) =>
    before.length === 0 ? VERBS.split(' ') : objects()(c, before.slice(1), typed),
  autoscale: objects(WORKLOADS),
  certificate: named('certificatesigningrequests'),
  completion: once(() => Object.keys(scripts)),
  config: nothing,
  'config delete-cluster': once(clusters),
  'config delete-context': once(contexts),
  'config delete-user': once(users),
  'config get-contexts': contexts,
  'config rename-context': once(contexts),
  'config set-cluster': once(clusters),
  'config set-context': once(contexts),
  'config set-credentials': once(users),
  'config use-context': once(contexts),
  cordon: named('nodes'),
  cp: files,
  'create token': once(named('serviceaccounts')),
  drain: named('nodes'),
  exec: pods,
  explain: once((c, _, typed) => types(c, typed, null)),
  expose: objects(['pods', 'services', 'deployments', 'replicasets', 'replicationcontrollers']),
  logs: (c, before, typed) =>
    before.length === 1 ? containers(c, before) : pods(c, before, typed),
  'port-forward': pods,
  rollout: objects(ROLLED),
  'rollout pause': objects(['deployments']),
  'rollout resume': objects(['deployments']),
  scale: objects(WORKLOADS),
  set: objects(WITH_TEMPLATES),
  'set selector': objects(['services']),
  'set subject': objects(['clusterrolebindings', 'rolebindings']),
  taint: objects(['nodes']),
  uncordon: named('nodes'),
}

/** The next argument of a command. Words that are there already are not offered again. */
export async function argumentsOf(
  c: Context,
  path: string,
  before: readonly string[],
  typed: string,
): Promise<Offer> {
  const words = path.split(' ')
  for (let n = words.length; n > 0; n--) {
    const key = words.slice(0, n).join(' ')
    if (!Object.hasOwn(ARGUMENTS, key)) continue
    const offer = await ARGUMENTS[key]!(c, before, typed)
    return offer === 'files' ? offer : offer.filter((one) => !before.includes(one))
  }
  return []
}

const FILES =
  /^(filename|kubeconfig|cache-dir|certificate-authority|client-(certificate|key)|from-(file|env-file)|cert|key|patch-file|patch|output-directory|www|kustomize)$/

const VALUES: Readonly<Record<string, Choice>> = {
  cascade: () => ['background', 'foreground', 'orphan'],
  cluster: clusters,
  clusterrole: named('clusterroles'),
  container: (c) => containers(c, c.args),
  context: contexts,
  'dry-run': () => ['client', 'none', 'server'],
  namespace: named('namespaces'),
  role: named('roles'),
  subresource: () => ['scale', 'status'],
  user: users,
  validate: () => ['ignore', 'strict', 'warn'],
  verb: () => VERBS.split(' '),
}

/** The value of a flag. */
export async function valuesOf(
  c: Context,
  [name, spec]: readonly [string, FlagSpec],
  typed: string,
): Promise<Offer> {
  // Where a help lists words in brackets, they are what there is.
  const [, listed] = /\bone of:? [([]([^)\]]*)[)\]]/i.exec(spec.help) ?? []
  const needsMore = /^(jsonpath|jsonpath-as-json|jsonpath-file|custom-columns|custom-columns-file)$/
  if (listed !== undefined)
    return listed
      .split(/[,\s]+/)
      .map((word) => (name === 'output' && needsMore.test(word) ? `${word}=` : word))
  if (Object.hasOwn(VALUES, name)) return VALUES[name]!(c, c.args, typed)
  return FILES.test(name) ? 'files' : []
}
