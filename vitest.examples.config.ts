/** The examples as people run them, from a packed package: npm run test:examples */
import { defineConfig } from 'vitest/config'
import { common } from './vitest.config.ts'

export default defineConfig({
  test: { ...common, include: ['test/examples.test.ts'], exclude: [] },
})
