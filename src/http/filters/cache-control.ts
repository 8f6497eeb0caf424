import type { Filter } from '../context.ts'

/** Forbids caches to store responses. */
export const cacheControl: Filter = {
  name: 'cacheControl',
  run(context) {
    context.headers.push('cache-control', 'no-cache, private')
  },
}
