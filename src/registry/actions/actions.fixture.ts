/** Posts to actions and to kinds that are not stored, without HTTP; for tests. */
import { StatusError } from '../../meta/errors.ts'
import { contextOnce, type Api, type Call } from '../context.ts'
import { create } from '../create.ts'
import { deleteOne } from '../delete.ts'
import { actions, virtuals } from './index.ts'

export interface Path {
  readonly group?: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

/** A client that may do everything. */
export function client(api: Api) {
  const warnings: string[] = []
  const callOf = (path: Path, body: object): Call => {
    const { group = '', resource, subresource = '', namespace = '', name = '' } = path
    const served = api.catalogue.find(group, 'v1', resource)!
    const user = { name: 'alice', uid: '', groups: [], extra: {} }
    return {
      served,
      subresource,
      namespace,
      name,
      query: new Map(),
      user,
      userAgent: 'test',
      body: async () => ({ bytes: Buffer.from(JSON.stringify(body)), mediaType: '' }),
      context: contextOnce(api, user, served),
      warn: (text) => void warnings.push(text),
      signal: () => new AbortController().signal,
    }
  }
  return {
    warnings,
    /** Creates an object and returns its uid. */
    async make(path: Path, object: object): Promise<string> {
      const made = await create(api, callOf(path, object))
      if (made.is !== 'object') throw new Error(`not made: ${path.resource}`)
      return JSON.parse(made.version.json().toString()).metadata.uid as string
    },
    remove: (path: Path) => deleteOne(api, callOf(path, {})),
    /** Posts; returns the response with its code, or the Status of the refusal. */
    async post(path: Path, body: object): Promise<unknown> {
      const call = callOf(path, body)
      const sub = call.served.subresources.get(call.subresource)
      try {
        const result =
          sub?.serves === 'action'
            ? await actions[sub.run]!(api, call, sub)
            : await virtuals[call.served.virtual!]!.create!(api, call)
        if (result.is !== 'made') throw new Error(`unexpected answer: ${result.is}`)
        return { code: result.status, ...JSON.parse(result.object.json().toString()) }
      } catch (error) {
        if (error instanceof StatusError) return error.toStatus()
        throw error
      }
    },
  }
}
