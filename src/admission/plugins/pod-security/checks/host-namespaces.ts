import type { Check } from '../check.ts'

const FIELDS = ['hostNetwork', 'hostPID', 'hostIPC'] as const

/** Pods do not share the namespaces of their node. */
export const hostNamespaces: Check = {
  id: 'hostNamespaces',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find({ spec }) {
        const shared = FIELDS.filter((field) => spec[field])
        if (shared.length === 0) return null
        return {
          reason: 'host namespaces',
          detail: shared.map((field) => `${field}=true`).join(', '),
        }
      },
    },
  ],
}
