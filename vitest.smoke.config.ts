/** The built program on several releases of Node.js: npm run test:smoke */
import { defineConfig } from 'vitest/config'
import suite from './vitest.config.ts'

export default defineConfig({
  test: { ...suite.test, include: ['test/smoke/**/*.test.ts'], exclude: [] },
})
