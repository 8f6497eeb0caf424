/** Server-side apply: the server merges, and refuses what other managers own. */
import type { ApiObject } from '../../client/transport.ts'
import { StatusError } from '../../meta/errors.ts'
import type { FileObject } from '../api/builder.ts'
import { resourcePath } from '../api/resources.ts'
import { fromSource } from '../api/writing.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import type { Applied } from './apply-client.ts'

/** Applies one object. */
export async function applyServer(
  c: Context,
  { object, of, namespace, source }: FileObject,
  query: Readonly<Record<string, string>>,
): Promise<Applied> {
  const api = await c.api()
  try {
    const applied = await api.json<ApiObject>({
      method: 'PATCH',
      path: resourcePath(of, namespace, object.metadata.name),
      query: { ...query, force: String(c.flags.is('force-conflicts')) },
      body: object,
      type: 'application/apply-patch+yaml',
    })
    return { object: applied, what: 'serverside-applied' }
  } catch (error) {
    if (isConflict(error)) throw conflictFault(error)
    throw fromSource(error, 'applying', source)
  }
}

const isConflict = (error: unknown): error is StatusError =>
  error instanceof StatusError &&
  error.reason === 'Conflict' &&
  (error.details?.causes ?? []).some(({ reason }) => reason === 'FieldManagerConflict')

const ADVICE = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).`

const conflictFault = ({ message }: StatusError): Fault => new Fault(`error: ${message}\n${ADVICE}`)
