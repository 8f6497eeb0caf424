import { configDefaults, defineConfig } from 'vitest/config'

/** Looks at what is loaded into its thread, and so needs one of its own. */
const ALONE = ['src/engine/lmdb/library.test.ts']

/** What all suites have in common. */
export const common = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: 'threads',
  maxWorkers: 3,
} as const

/** Suites beside the code, which share what is loaded in a thread, and suites of the whole, which do not. */
export const projects = ({ beside, whole }: Record<'beside' | 'whole', readonly string[]>) => [
  {
    extends: true as const,
    test: {
      name: 'beside',
      include: [...beside],
      exclude: [...configDefaults.exclude, ...ALONE],
      // To load the sources anew for each of some 470 files takes longer than their tests.
      isolate: false,
    },
  },
  {
    extends: true as const,
    test: {
      name: 'whole',
      include: [...ALONE, ...whole],
      // Those have configurations of their own.
      exclude: [...configDefaults.exclude, 'test/smoke/**', 'test/examples.test.ts'],
    },
  },
]

export default defineConfig({
  test: {
    ...common,
    projects: projects({
      beside: ['src/**/*.test.ts'],
      whole: ['test/**/*.test.ts', 'bench/**/*.test.ts'],
    }),
  },
})
