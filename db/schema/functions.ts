import { createdAt, id, moment } from '../columns.ts';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid } from '../drizzle.ts';

/** A version of a package, as it was chosen. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Digest of its archive, as the registry said it, for example `sha512-…`. */
  readonly integrity: string;
  /** Where its archive is; null: where a registry has it by name and version. */
  readonly tarball: string | null;
  /** The packages that it imports, each by the name that it uses: keys of the lock. */
  readonly deps: Readonly<Record<string, string>>;
  /** Whether nothing needs it: what asks for it goes on without it. */
  readonly optional: boolean;
}

/** The packages of a function, each by `name@version`. The same lock leads to the same code. */
export interface Lock {
  /** Keys of the packages that the function itself named. */
  readonly root: Readonly<Record<string, string>>;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Functions of projects as they are run, by what they were made of. The bytes are content of the project. */
export const functionBuilds = pgTable(
  'function_builds',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** SHA-256 of the code, its deps and the runtime. */
    fingerprint: text('fingerprint').notNull(),
    codeHash: text('code_hash').notNull(),
    runtimeVersion: text('runtime_version').notNull(),
    /** Installed versions of its direct deps, by name. */
    depsResolved: jsonb('deps_resolved').$type<Readonly<Record<string, string>>>().notNull(),
    /** All packages that are in it; null: it was built without a record of them. */
    lock: jsonb('lock').$type<Lock>(),
    bundleSha256: text('bundle_sha256').notNull(),
    /** In bytes. */
    bundleSize: integer('bundle_size').notNull(),
    mapSha256: text('map_sha256').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.projectId, t.fingerprint] })],
);

/** The build that a function of a release runs. */
export const releaseFunctions = pgTable(
  'release_functions',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    releaseId: id('release_id').notNull(),
    name: text('name').notNull(),
    fingerprint: text('fingerprint').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.releaseId, t.name] }),
    // Since when a function is there, and as it is.
    index('release_functions_age_idx').on(t.orgId, t.projectId, t.name, t.createdAt),
  ],
);

/** Lines that functions printed, in the order in which they were kept. */
export const functionLogs = pgTable(
  'function_logs',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** Dense within the project: its lines are a feed. */
    position: bigint('position', { mode: 'bigint' }).notNull(),
    function: text('function').notNull(),
    releaseId: id('release_id').notNull(),
    /** `req_…`, `fnrun_…` or `fnatt_…`; null for what was printed outside of a call. */
    requestId: text('request_id'),
    stream: text('stream').$type<'stdout' | 'stderr'>().notNull(),
    message: text('message').notNull(),
    /** When it was printed. */
    at: moment('at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.position] }),
    index('function_logs_function_idx').on(t.orgId, t.projectId, t.function, t.at, t.position),
    index('function_logs_at_idx').on(t.at),
  ],
);
