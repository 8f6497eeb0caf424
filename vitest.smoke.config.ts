/** The built program on several releases of Node.js: npm run test:smoke */
import { defineConfig } from 'vitest/config'
import { common } from './vitest.config.ts'

export default defineConfig({
  test: { ...common, include: ['test/smoke/**/*.test.ts'], exclude: [] },
})
