/** What touches the runtime, for other releases of Node.js: npm run test:runtime */
import { defineConfig } from 'vitest/config'
import { common, projects } from './vitest.config.ts'

const beside = [
  'src/{server,code-cache}/**/*.test.ts',
  'src/{authn,base,client,http,http2,outgoing,pki,engine,cache}/**/*.test.ts',
]
const whole = [
  'test/{access,http2,store}/**/*.test.ts',
  'test/clients/{access,kubectl,server-side-apply}.test.ts',
  'test/conformance/{controllers,cut-bodies,heads,large-bodies,loopback,protocol,proxy,watch-forms}.test.ts',
  'test/{built,programs}.test.ts',
]

export default defineConfig({ test: { ...common, projects: projects({ beside, whole }) } })
