/** What touches the runtime, for other releases of Node.js: npm run test:runtime */
import { defineConfig } from 'vitest/config'
import { common } from './vitest.config.ts'

const TOUCHING = [
  'src/{server,code-cache}/**/*.test.ts',
  'src/{authn,base,client,http,http2,outgoing,pki,engine,cache}/**/*.test.ts',
  'test/{access,http2,store}/**/*.test.ts',
  'test/clients/{access,kubectl,server-side-apply}.test.ts',
  'test/conformance/{cut-bodies,heads,large-bodies,loopback,protocol,proxy,watch-forms}.test.ts',
  'test/{built,programs}.test.ts',
]

export default defineConfig({
  test: { ...common, include: TOUCHING },
})
