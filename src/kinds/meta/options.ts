/** Options of calls as messages; they come as query parameters. How to delete has a file of its own. */
import { home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')

/** How to get an object. */
export class GetOptions extends shape(
  {
    /** State to read: none for the newest, `0` for any, else one at least as new. */
    resourceVersion: t.string(1),
  },
  { typed: true },
) {}

/** What to list or watch. */
export class ListOptions extends shape(
  {
    /** Labels that objects must have. */
    labelSelector: t.string(1),
    /** Values that fields of objects must have. */
    fieldSelector: t.string(2),
    /** Tells changes as they happen instead of the objects. */
    watch: t.bool(3),
    /** Lets a watch tell now and then how far it has come. */
    allowWatchBookmarks: t.bool(9),
    /** State to read, or to watch from. */
    resourceVersion: t.string(4),
    /** How the state is chosen: `Exact` or `NotOlderThan`. */
    resourceVersionMatch: t.string(10),
    /** Seconds after which the call ends, whatever happens. */
    timeoutSeconds: t.int64(5).explicit(),
    /** How many objects one answer holds at most; 0 for all. */
    limit: t.int64(7),
    /** Where the next part begins, as the part before told. */
    continue: t.string(8),
  },
  { typed: true },
) {}

/** How to create. */
export class CreateOptions extends shape(
  {
    /** `All`: do everything but store it. */
    dryRun: t.list(1, 'string'),
    /** Name under which the fields are owned. */
    fieldManager: t.string(3),
    /** What happens to unknown and repeated fields: `Ignore`, `Warn` or `Strict`. */
    fieldValidation: t.string(4),
  },
  { typed: true },
) {}

/** How to update. */
export class UpdateOptions extends shape(
  {
    /** `All`: do everything but store it. */
    dryRun: t.list(1, 'string'),
    /** Name under which the fields are owned. */
    fieldManager: t.string(2),
    /** What happens to unknown and repeated fields: `Ignore`, `Warn` or `Strict`. */
    fieldValidation: t.string(3),
  },
  { typed: true },
) {}

/** How to patch. */
export class PatchOptions extends shape(
  {
    /** `All`: do everything but store it. */
    dryRun: t.list(1, 'string'),
    /** Takes fields over that others own; for apply only. */
    force: t.bool(2).explicit(),
    /** Name under which the fields are owned; apply needs it. */
    fieldManager: t.string(3),
    /** What happens to unknown and repeated fields: `Ignore`, `Warn` or `Strict`. */
    fieldValidation: t.string(4),
  },
  { typed: true },
) {}
