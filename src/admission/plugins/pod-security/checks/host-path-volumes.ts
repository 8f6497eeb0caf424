import { plural, quoted, type Check } from '../check.ts'

/** Pods do not mount directories of their node. */
export const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find({ spec }) {
        const names = (spec.volumes ?? [])
          .filter(({ hostPath }) => hostPath !== undefined)
          .map(({ name }) => name)
        if (names.length === 0) return null
        return {
          reason: 'hostPath volumes',
          detail: `${plural('volume', names.length)} ${quoted(names)}`,
        }
      },
    },
  ],
}
