/** certificate approve, deny. */
import type { ApiObject } from '../../client/transport.ts'
import { findObjects, manyFlags, readOne } from '../api/find-objects.ts'
import { findResource, resourcePath } from '../api/resources.ts'
import { Done, forEach } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import { Fault } from '../base/faults.ts'
import { outputFlags } from '../print/output.ts'

interface Condition {
  type?: string
  status?: string
  reason?: string
  message?: string
  lastUpdateTime?: string
}

const deciding = (type: 'Approved' | 'Denied', word: string): Command => ({
  use: '(-f FILENAME | NAME)',
  text: `Marks certificate signing requests as ${word}.`,
  flags: {
    ...outputFlags,
    ...manyFlags,
    force: { type: 'bool', help: 'Update the CSR even if it is already decided.' },
  },
  async run(c) {
    const done = await Done.of(c, 'none')
    const of = await findResource(await c.discovery(), 'certificatesigningrequests')
    const hasFiles = c.flags.list('filename').length > 0
    const found = hasFiles
      ? await findObjects(c)
      : await Promise.all(
          c.args.map(async (word) => {
            const name = word.slice(word.indexOf('/') + 1)
            return {
              of,
              namespace: '',
              name,
              object: await readOne(c, { of, namespace: '', name }),
            }
          }),
        )
    if (found.length === 0)
      throw new Fault('error: one or more CSRs must be specified as <name> or -f <filename>')
    await forEach(found, async ({ name, object }) => {
      const { conditions = [] } = (object.status ?? {}) as { conditions?: Condition[] }
      if (conditions.some((one) => one.type === type) && !c.flags.is('force'))
        return done.say(object, word)
      const other = conditions.find((one) => one.type === 'Approved' || one.type === 'Denied')
      if (other && other.type !== type)
        throw new Fault(
          `error: certificate signing request ${JSON.stringify(name)} is already ${other.type}`,
        )
      const now = new Date(c.io.now()).toISOString().replace(/\.\d+Z$/, 'Z')
      const reason = type === 'Approved' ? 'Approve' : 'Deny'
      const message = `This CSR was ${word} by ${c.program} certificate ${word === 'denied' ? 'deny' : 'approve'}.`
      const added = {
        type,
        status: 'True',
        reason: c.program.replace(/^./, (char) => char.toUpperCase()) + reason,
        message,
        lastUpdateTime: now,
      }
      const others = conditions.filter((one) => one.type !== type)
      const api = await c.api()
      const body = {
        ...object,
        status: { ...(object.status as object | undefined), conditions: [...others, added] },
      }
      const path = `${resourcePath(of, '', name)}/approval`
      await done.say(await api.json<ApiObject>({ method: 'PUT', path, body }), word)
    })
  },
})

export const approve = deciding('Approved', 'approved')
export const deny = deciding('Denied', 'denied')
