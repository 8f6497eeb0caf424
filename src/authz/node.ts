/** Gives nodes access to the objects that the pods on them need, and no others. Never denies. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import {
  NO_OPINION,
  type Attributes,
  type Authorizer,
  type Decision,
  type Subject,
} from './authorizer.ts'
import { nodeRules } from './bootstrap-policy/node-rules.ts'
import { ruleOfLine } from './bootstrap-policy/notation.ts'
import type { Needed, NodeGraph } from './node-graph.ts'
import { prepareRules, ruleQuery } from './rules.ts'

const NODE_PREFIX = 'system:node:'
const NODE_GROUP = 'system:nodes'
const READ = ['get', 'list', 'watch']
const OWN_OBJECT_VERBS = ['get', 'create', 'update', 'patch', 'delete']

const ALLOW: Decision = Object.freeze({ verdict: 'allow', reason: '' })
const refused = (reason: string): Decision => ({ verdict: 'no opinion', reason })

/** The name of the node that a user is, which may be empty; null for other users. */
export const nodeNameOf = ({ name, groups }: Pick<Subject, 'name' | 'groups'>): string | null =>
  name.startsWith(NODE_PREFIX) && groups.includes(NODE_GROUP)
    ? name.slice(NODE_PREFIX.length)
    : null

/** Decides by a graph of what nodes need. */
export function nodeAuthorizer(graph: NodeGraph, v: Vocabulary): Authorizer {
  const storage = v.resolve('storage{api}')
  const coordination = v.resolve('coordination{api}')
  const leaseNamespace = v.resolve('{system}-node-lease')
  const fixed = prepareRules(nodeRules.map((line) => ruleOfLine(line, v)))

  const decide = (node: string, a: Attributes): Decision => {
    if (a.isResource) {
      switch (a.group) {
        case '':
          switch (a.resource) {
            case 'secrets':
              return readNeeded(graph, node, a, 'secret')
            case 'configmaps':
              return readNeeded(graph, node, a, 'configMap')
            case 'persistentvolumeclaims':
              return decideClaim(graph, node, a)
            case 'persistentvolumes':
              return getOne(node, a, () => graph.needsVolume(node, a.name))
            case 'serviceaccounts':
              return decideToken(graph, node, a)
          }
          break
        case storage:
          if (a.resource === 'volumeattachments')
            return getOne(node, a, () => graph.isAttached(node, a.name))
          if (a.resource === 'csinodes') return decideOwnCsiNode(node, a)
          break
        case coordination:
          if (a.resource === 'leases') return decideOwnLease(node, a, leaseNamespace)
      }
    }
    return fixed.allows(ruleQuery(a)) ? ALLOW : NO_OPINION
  }
  return {
    name: 'Node',
    authorize(user, a) {
      const node = nodeNameOf(user)
      if (node === null) return NO_OPINION
      if (node === '') return refused(`unknown node for user ${JSON.stringify(user.name)}`)
      return decide(node, a)
    },
    rulesFor(user) {
      const isNode = nodeNameOf(user) !== null
      return {
        resourceRules: [],
        nonResourceRules: [],
        incomplete: isNode,
        error: isNode ? 'node authorizer does not support user rule resolution' : '',
      }
    },
  }
}

/** Allows objects that have a path to the node. */
function related(node: string, a: Attributes, isNeeded: () => boolean): Decision {
  if (a.name === '') return refused('No Object name found')
  if (isNeeded()) return ALLOW
  return refused(`no relationship found between node '${node}' and this object`)
}

function readNeeded(graph: NodeGraph, node: string, a: Attributes, what: Needed): Decision {
  if (!READ.includes(a.verb)) return refused('can only read resources of this type')
  if (a.subresource !== '') return refused('cannot read subresource')
  if (a.namespace === '') return refused('can only read namespaced object of this type')
  return related(node, a, () => graph.needs(node, what, a.namespace, a.name))
}

function getOne(node: string, a: Attributes, isNeeded: () => boolean): Decision {
  if (a.verb !== 'get') return refused('can only get individual resources of this type')
  if (a.subresource !== '') return refused('cannot get subresource')
  return related(node, a, isNeeded)
}

function decideClaim(graph: NodeGraph, node: string, a: Attributes): Decision {
  const isNeeded = () => graph.needs(node, 'claim', a.namespace, a.name)
  if (a.subresource !== 'status') return getOne(node, a, isNeeded)
  if (a.verb !== 'update' && a.verb !== 'patch')
    return refused('can only get/update/patch this type')
  return related(node, a, isNeeded)
}

function decideToken(graph: NodeGraph, node: string, a: Attributes): Decision {
  if (a.verb !== 'create' || a.name === '')
    return refused('can only create tokens for individual service accounts')
  if (a.subresource !== 'token')
    return refused('can only create token subresource of serviceaccount')
  return related(node, a, () => graph.needs(node, 'serviceAccount', a.namespace, a.name))
}

function decideOwnLease(node: string, a: Attributes, namespace: string): Decision {
  if (!OWN_OBJECT_VERBS.includes(a.verb))
    return refused('can only get, create, update, patch, or delete a node lease')
  if (a.namespace !== namespace)
    return refused(`can only access leases in the ${JSON.stringify(namespace)} system namespace`)
  // A create request has no name; admission looks at the object.
  if (a.verb !== 'create' && a.name !== node)
    return refused('can only access node lease with the same name as the requesting node')
  return ALLOW
}

function decideOwnCsiNode(node: string, a: Attributes): Decision {
  if (!OWN_OBJECT_VERBS.includes(a.verb))
    return refused('can only get, create, update, patch, or delete a CSINode')
  if (a.subresource !== '') return refused('cannot authorize CSINode subresources')
  if (a.verb !== 'create' && a.name !== node)
    return refused('can only access CSINode with the same name as the requesting node')
  return ALLOW
}
