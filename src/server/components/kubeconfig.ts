import { join } from 'node:path'
import { OWNER_FILE } from '../../base/folders.ts'
import { adminKubeconfig } from '../../client/kubeconfig.ts'
import { writeFileAtomically } from '../../pki/write-file.ts'
import { dataDirFault } from '../data-dir.ts'
import { hasOwnFiles, LOOPBACK_NAME } from '../serving-certificates.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Client configuration of the administrator. */
export interface Kubeconfig {
  readonly text: string
  /** Absent without a data directory. */
  readonly path?: string
}

/** Creates the kubeconfig of the administrator and writes it to the data directory. */
export const kubeconfig = ({ options: { dataDir, serving = {} }, v }: Settings) =>
  component({
    name: 'kubeconfig',
    needs: ['listener', 'pki'],
    async start({ listener, pki }) {
      const text = adminKubeconfig({
        server: listener.url,
        ...(hasOwnFiles(serving) ? { serverName: LOOPBACK_NAME } : {}),
        ca: pki.ca,
        cert: pki.adminCert,
        key: pki.adminKey,
        vocabulary: v,
      })
      if (dataDir === undefined) return { part: { text } }
      const path = join(dataDir, 'admin.kubeconfig')
      await writeFileAtomically(path, text, OWNER_FILE).catch((error: unknown) => {
        throw dataDirFault(dataDir, error)
      })
      return { part: { text, path } }
    },
  })
