import { MemberNames } from '../client/member-names.ts'
import { MIGRATED_MEMBERS } from './attach-detach/migrated-volumes.ts'

/**
 * Members of the volumes that controllers have to do with: those that come by a claim, and some that are attached. All ask
 * new pods for these first, so that most pods are searched once.
 */
export const VOLUME_MEMBERS = new MemberNames([
  'persistentVolumeClaim',
  'ephemeral',
  ...MIGRATED_MEMBERS,
])
