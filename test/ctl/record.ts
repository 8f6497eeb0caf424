/** Records what a stock kubectl 1.25 shows for the rows: npx tsx test/ctl/record.ts */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../src/index.ts'
import { Kubectl } from '../clients/kubectl.ts'
import { FILES, normal, ROWS, split } from './rows.fixture.ts'

const server = await startServer({ vocabulary: 'kubernetes' })
await server.settled()
const kubectl = await Kubectl.for(server.kubeconfig)
const folder = mkdtempSync(join(tmpdir(), 'record-'))
try {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(kubectl.home, name), text)
  const lines: string[] = []
  for (const row of ROWS) {
    const { args, env } = split(row, kubectl.home)
    const { code, stdout, stderr } = await kubectl.run(args, '', env)
    const shown = [stdout, stderr].map((text) => normal(text, kubectl.home))
    lines.push(JSON.stringify([row, code, ...shown]))
    await server.settled()
  }
  writeFileSync(join(import.meta.dirname, 'recorded.json'), `[\n${lines.join(',\n')}\n]\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
  await kubectl.close()
  await server.close()
}
