import type { Typed } from '../meta/object-meta.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { ScaleSubresource } from '../catalogue/resource.ts'
import { actions, virtuals } from './actions/index.ts'
import type { Api, Call } from './context.ts'
import { create } from './create.ts'
import { deleteCollection, deleteOne } from './delete.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch, patchScale } from './patch.ts'
import type { Result } from './results.ts'
import { getScale } from './scale.ts'
import { putScale, update } from './update.ts'

/** Implementation of a verb. */
export type Run = (api: Api, call: Call) => Result | Promise<Result>

const verbs: Readonly<Record<string, Run>> = {
  get,
  list,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
}

type RunScale = (api: Api, call: Call, scale: ScaleSubresource<Typed>) => Promise<Result>

const scaleVerbs: Readonly<Record<string, RunScale>> = {
  get: getScale,
  update: putScale,
  patch: patchScale,
}

/** The implementation of a verb of a resource or sub-resource; null when there is none, or only an open connection. */
export function runOf(served: ResourceEntry, verb: string, subresourceName: string): Run | null {
  const subresource = served.subresources.get(subresourceName)
  switch (subresource?.serves) {
    case 'scale': {
      const run = scaleVerbs[verb]
      return run ? (api, call) => run(api, call, subresource) : null
    }
    case 'action': {
      const run = actions[subresource.run]
      return run ? (api, call) => run(api, call, subresource) : null
    }
    case 'connect':
    case 'part':
    case undefined: {
      const { virtual } = served
      if (virtual === null) return verbs[verb] ?? null
      const of = virtuals[virtual]
      return (verb === 'create' || verb === 'get' || verb === 'list') && of
        ? (of[verb] ?? null)
        : null
    }
  }
}
