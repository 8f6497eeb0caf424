import type { Filter } from '../context.ts'

/** No answer may be kept by anyone between. */
export const cacheControl: Filter = {
  name: 'cacheControl',
  run(context) {
    context.headers.push('cache-control', 'no-cache, private')
  },
}
