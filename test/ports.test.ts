import { describe, expect, it } from 'vitest'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { freePort } from './ports.ts'

describe('ports for servers', () => {
  it('are not given twice to those who do not listen yet', async () => {
    const ports: number[] = []
    for (let i = 0; i < 100; i++) ports.push(await freePort())
    expect(new Set(ports).size).toBe(ports.length)
  })

  it('are those on which nobody listens', async () => {
    const taken = createServer().listen(await freePort(), '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    // More than there are: the one after the taken one comes round again.
    for (let i = 0; i < 260; i++) expect(await freePort()).not.toBe(port)
    taken.close()
  })
})
