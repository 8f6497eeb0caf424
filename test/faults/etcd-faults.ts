/** What is done to the etcd cluster behind servers, and to their connections with it. */
import type { EtcdCluster, Member } from './etcd-cluster.ts'
import { ready, recovered, served, type Fault, type Scene } from './scene.ts'
import type { Cut } from './tcp-proxy.ts'
import { until, wait } from './waiting.ts'

/** The leader dies: the others choose a new one and go on, and it finds its way back. */
export const leaderKilled = oneMember('etcd leader killed', 'leader', async (member, scene) => {
  await member.kill()
  await served(scene)
})

/** A member that follows dies: the others go on without it. */
export const followerKilled = oneMember(
  'etcd follower killed',
  'follower',
  async (member, scene) => {
    await member.kill()
    await served(scene)
  },
)

/** The leader stands still, with its connections open, and does not know afterwards that time has passed. */
export const leaderPaused = oneMember('etcd leader paused', 'leader', async (member, scene) => {
  member.pause()
  await served(scene)
})

/** A member stands still. */
export const memberPaused = oneMember('etcd member paused', 'any', async (member, scene) => {
  member.pause()
  await wait(500 + scene.random.below(3000))
  await served(scene)
})

/** A member refuses the connections of all servers. */
export const memberCut = oneMember('etcd member cut off', 'any', async (member, scene) => {
  for (const link of member.links) link.cut('refused')
  await served(scene)
})

/** Nothing comes from a member, and nothing gets to it, and nobody is told. */
export const memberSilent = oneMember('etcd member silent', 'any', async (member, scene) => {
  for (const link of member.links) link.cut('silent')
  await wait(500 + scene.random.below(3000))
  await served(scene)
})

/** One server has no connection with any member, while others may have. */
export const serverCut: Fault = {
  name: 'server cut off from etcd',
  run: (scene) =>
    mended(scene, async (cluster) => {
      const server = scene.random.below(scene.subject.servers.length)
      const how: Cut = scene.random.pick(['refused', 'silent'])
      for (const { links } of cluster.members) links[server]!.cut(how)
      await wait(500 + scene.random.below(4000))
    }),
}

/** Two of three members die at once: nothing can be written until one is back. */
export const quorumKilled: Fault = {
  name: 'etcd quorum killed',
  run: (scene) =>
    mended(scene, async (cluster) => {
      const spared = scene.random.pick(cluster.members)
      const lost = cluster.members.filter((member) => member !== spared)
      await Promise.all(lost.map((member) => member.kill()))
      await wait(500 + scene.random.below(2000))
    }),
}

/** All members stand still: servers say that they cannot serve, and serve again without a restart. */
export const allPaused: Fault = {
  name: 'all of etcd paused',
  run: (scene) =>
    mended(scene, async (cluster) => {
      for (const member of cluster.members) member.pause()
      await refused(scene)
    }),
}

/** All members refuse connections: servers say that they cannot serve, and serve again without a restart. */
export const allCut: Fault = {
  name: 'all of etcd cut off',
  run: (scene) =>
    mended(scene, async (cluster) => {
      for (const { links } of cluster.members) for (const link of links) link.cut('refused')
      await refused(scene)
    }),
}

/** Every server says that it is not ready, and clients are told that they cannot be served. */
async function refused({ load: { tally }, subject }: Scene): Promise<void> {
  const { writesRefused } = tally
  for (const server of subject.servers) await ready(server, false)
  await until('write refused without etcd', () => tally.writesRefused > writesRefused)
}

function oneMember(
  name: string,
  which: 'leader' | 'follower' | 'any',
  harm: (member: Member, scene: Scene) => Promise<void>,
): Fault {
  return {
    name,
    run: (scene) =>
      mended(scene, async (cluster) => {
        const leader = await cluster.leader()
        const followers = cluster.members.filter((member) => member !== leader)
        const choice = { leader: [leader], follower: followers, any: cluster.members }
        await harm(scene.random.pick(choice[which]), scene)
      }),
  }
}

async function mended(scene: Scene, harm: (cluster: EtcdCluster) => Promise<void>): Promise<void> {
  const { cluster } = scene
  if (!cluster) throw new Error('there is no etcd to do this to')
  try {
    await harm(cluster)
  } finally {
    cluster.mend()
  }
  await recovered(scene)
}
