import { join } from 'node:path'
import { OWNER_FILE } from '../../base/folders.ts'
import { adminKubeconfig } from '../../client/kubeconfig.ts'
import type { Pki } from '../../pki/files.ts'
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
  /** Writes it anew, with the administrator's certificate of the set. */
  renew(pki: Pki): Promise<void>
}

/** Creates the kubeconfig of the administrator and writes it to the data directory. */
export const kubeconfig = ({ options: { dataDir, serving = {} }, v }: Settings) =>
  component({
    name: 'kubeconfig',
    needs: ['listener', 'pki'],
    async start({ listener, pki }) {
      const path = dataDir === undefined ? {} : { path: join(dataDir, 'admin.kubeconfig') }
      const part = { text: '', ...path, renew }
      async function renew({ ca, adminCert: cert, adminKey: key }: Pki): Promise<void> {
        part.text = adminKubeconfig({
          server: listener.url,
          ...(hasOwnFiles(serving) ? { serverName: LOOPBACK_NAME } : {}),
          ...{ ca, cert, key, vocabulary: v },
        })
        if (dataDir === undefined) return
        await writeFileAtomically(join(dataDir, 'admin.kubeconfig'), part.text, OWNER_FILE).catch(
          (error: unknown) => {
            throw dataDirFault(dataDir, error)
          },
        )
      }
      await renew(pki)
      return { part }
    },
  })
