import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    // On other releases of Node.js: vitest.smoke.config.ts.
    exclude: [...configDefaults.exclude, 'test/smoke/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'threads',
    maxWorkers: 3,
  },
})
