/** The examples as people run them, from a packed package: npm run test:examples */
import { defineConfig } from 'vitest/config'
import suite from './vitest.config.ts'

export default defineConfig({
  test: { ...suite.test, include: ['test/examples.test.ts'], exclude: [] },
})
