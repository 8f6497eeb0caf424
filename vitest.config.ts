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

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: {
          name: 'beside',
          include: ['src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          // To load the sources anew for each of some 470 files takes longer than their tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: [...ALONE, 'test/**/*.test.ts', 'bench/**/*.test.ts'],
          // Those have configurations of their own.
          exclude: [...configDefaults.exclude, 'test/smoke/**', 'test/examples.test.ts'],
        },
      },
    ],
  },
})
