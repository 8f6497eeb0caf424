/** Options of calls as messages; they come as query parameters. How to delete has a file of its own. */
import { home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')

/** Options for reading a single object. */
export class GetOptions extends shape(
  {
    /**
     * Minimum resource version of the result. Empty returns the most recent state; `0` accepts any state, such as a
     * cached one.
     */
    resourceVersion: t.string(1),
  },
  { typed: true },
) {}

/** Options for listing or watching a collection. */
export class ListOptions extends shape(
  {
    /** Label selector that restricts the returned objects. Defaults to all objects. */
    labelSelector: t.string(1),
    /** Field selector that restricts the returned objects, such as `metadata.name=example`. Defaults to all objects. */
    fieldSelector: t.string(2),
    /** If true, streams changes as watch events instead of returning a list. */
    watch: t.bool(3),
    /**
     * If true, the watch may send `BOOKMARK` events that carry only a newer resource version. Ignored without `watch`.
     */
    allowWatchBookmarks: t.bool(9),
    /** Resource version to list at or to start the watch from. How a list uses it depends on `resourceVersionMatch`. */
    resourceVersion: t.string(4),
    /**
     * How a list applies `resourceVersion`: `Exact` or `NotOlderThan`. Only valid for lists with a resource version.
     */
    resourceVersionMatch: t.string(10),
    /** Seconds after which the server ends the list or watch, regardless of activity. */
    timeoutSeconds: t.int64(5).explicit(),
    /**
     * Maximum number of objects in one response; the `continue` token of the list leads to the rest. Defaults to 0, no
     * limit.
     */
    limit: t.int64(7),
    /**
     * Token from the previous chunk of a list, to get the next one. The other parameters must stay the same. Fails with
     * 410 once the token has expired.
     */
    continue: t.string(8),
  },
  { typed: true },
) {}

/** Options for creating an object. */
export class CreateOptions extends shape(
  {
    /** `All` processes the request through all stages without persisting it. No other value is allowed. */
    dryRun: t.list(1, 'string'),
    /**
     * Field manager that owns the fields set by the request, at most 128 bytes. Defaults to the client name in the user
     * agent.
     */
    fieldManager: t.string(3),
    /**
     * Handling of unknown and duplicate fields: `Ignore` drops them, `Warn` also returns warnings, `Strict` rejects the
     * request. Defaults to `Warn`.
     */
    fieldValidation: t.string(4),
  },
  { typed: true },
) {}

/** Options for replacing an object. */
export class UpdateOptions extends shape(
  {
    /** `All` processes the request through all stages without persisting it. No other value is allowed. */
    dryRun: t.list(1, 'string'),
    /**
     * Field manager that owns the fields set by the request, at most 128 bytes. Defaults to the client name in the user
     * agent.
     */
    fieldManager: t.string(2),
    /**
     * Handling of unknown and duplicate fields: `Ignore` drops them, `Warn` also returns warnings, `Strict` rejects the
     * request. Defaults to `Warn`.
     */
    fieldValidation: t.string(3),
  },
  { typed: true },
) {}

/** Options for patching an object. */
export class PatchOptions extends shape(
  {
    /** `All` processes the request through all stages without persisting it. No other value is allowed. */
    dryRun: t.list(1, 'string'),
    /**
     * If true, an apply takes over fields that other managers own instead of failing with a conflict. Only valid for
     * apply patches.
     */
    force: t.bool(2).explicit(),
    /**
     * Field manager that owns the fields set by the request, at most 128 bytes. Required for apply patches; otherwise
     * defaults to the client name in the user agent.
     */
    fieldManager: t.string(3),
    /**
     * Handling of unknown and duplicate fields: `Ignore` drops them, `Warn` also returns warnings, `Strict` rejects the
     * request. Defaults to `Warn`.
     */
    fieldValidation: t.string(4),
  },
  { typed: true },
) {}
