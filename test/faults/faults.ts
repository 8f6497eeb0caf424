/** What is done to servers themselves while clients work with them. */
import { kill, recovered, settle, type Fault } from './scene.ts'
import { wait } from './waiting.ts'

/** A server dies at once, in the middle of whatever it does. */
export const killed: Fault = {
  name: 'server killed',
  run: async (scene) => {
    const server = scene.random.pick(scene.subject.servers)
    await kill(scene, server)
    await server.start()
    await recovered(scene)
  },
}

/** It dies again while it starts. */
export const killedTwice: Fault = {
  name: 'server killed while it starts',
  run: async (scene) => {
    const server = scene.random.pick(scene.subject.servers)
    await kill(scene, server)
    const starting = server.start().catch(() => {})
    await wait(50 + scene.random.below(1500))
    await kill(scene, server)
    await starting
    await server.start()
    await recovered(scene)
  },
}

/** All servers die at once. */
export const allKilled: Fault = {
  name: 'all servers killed',
  run: async (scene) => {
    const { servers } = scene.subject
    await Promise.all(servers.map((server) => kill(scene, server)))
    await Promise.all(servers.map((server) => server.start()))
    await recovered(scene)
  },
}

/** It is asked to end, and ends in order. */
export const stopped: Fault = {
  name: 'server stopped',
  run: async (scene) => {
    const server = scene.random.pick(scene.subject.servers)
    const code = await server.stop()
    settle(scene)
    if (code !== 0) throw new Error(`it ended with ${code}: ${server.errors}`)
    await server.start()
    await recovered(scene)
  },
}

/** It stands still for a while, and goes on. */
export const paused: Fault = {
  name: 'server paused',
  run: async (scene) => {
    const server = scene.random.pick(scene.subject.servers)
    server.signal('SIGSTOP')
    await wait(200 + scene.random.below(2000))
    server.signal('SIGCONT')
    await recovered(scene)
  },
}
