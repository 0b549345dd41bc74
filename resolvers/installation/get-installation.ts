import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { computed, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import type { FunctionsStanding } from '../functions/shared/functions-standing.ts';
import type { NodeFacts } from './services.ts';

/** The installation as the node sees it that answers. */
export interface Installation extends NodeFacts {
  /** Version of Node.js. */
  readonly nodeVersion: string;
  readonly postgresVersion: string;
  /** Size of the control database on disk. */
  readonly databaseBytes: number;
  /** Migrations of the control database so far. */
  readonly migrations: number;
  /** When the newest of them was made. */
  readonly migratedTo: Date;
  readonly leases: boolean;
  readonly mail: 'smtp' | 'outbox';
  readonly payments: 'self' | 'facilitator' | 'unavailable';
  /** How functions run on the node that answers. */
  readonly functions: FunctionsStanding['functions'];
  /** Why they are not isolated; null where they are. */
  readonly functionsReason: string | null;
}

/** `GET /admin/v1/installation`: nothing in it is secret, yet it helps an attacker, so it is the platform admin's. */
export const getInstallation = query({
  name: 'installation.get',
  tool: 'admin_get_installation',
  command: 'admin installation',
  summary: 'The version, the mode and the database of this installation.',
  path: 'GET /admin/v1/installation',
  access: platformAdmin(),
  input: z.object({}),
  async handler({ services }): Promise<Installation> {
    const [[row], { functions, reason }] = await Promise.all([
      services.db.rows(factsStatement.with({})),
      standingOf(services.functions),
    ]);
    return {
      ...services.node,
      nodeVersion: process.version,
      postgresVersion: row!.postgres,
      databaseBytes: Number(row!.bytes),
      migrations: Number(row!.migrations),
      migratedTo: new Date(Number(row!.migratedTo)),
      leases: services.settings.leases,
      mail: services.settings.sendsMail ? 'smtp' : 'outbox',
      payments: services.paymentProcessor.mode,
      functions,
      functionsReason: reason,
    };
  },
  wire: z
    .object({
      version: z.string(),
      node_version: z.string(),
      postgres_version: z.string(),
      node_id: z.string(),
      started_at: z.iso.datetime(),
      production: z.boolean(),
      leases: z.boolean(),
      mail: z.enum(['smtp', 'outbox']),
      payments: z.enum(['self', 'facilitator', 'unavailable']),
      functions: z
        .enum(['isolated', 'trusted', 'unavailable'])
        .describe('`trusted`: they run without isolation, as the operator allows; `unavailable`: none run.'),
      functions_reason: z.string().nullable().describe('Why they are not isolated; null where they are.'),
      signals: z.enum(['nats', 'local']),
      database: z.enum(['embedded', 'external']),
      data_folder: z.string(),
      database_bytes: z.number().int(),
      migrations: z.number().int(),
      migrated_to: z.iso.datetime(),
    })
    .meta({ id: 'Installation' }),
  toWire: (found) => ({
    version: found.version,
    node_version: found.nodeVersion,
    postgres_version: found.postgresVersion,
    node_id: found.nodeId,
    started_at: found.startedAt.toISOString(),
    production: found.production,
    leases: found.leases,
    mail: found.mail,
    payments: found.payments,
    functions: found.functions,
    functions_reason: found.functionsReason,
    signals: found.signals,
    database: found.database,
    data_folder: found.dataFolder,
    database_bytes: found.databaseBytes,
    migrations: found.migrations,
    migrated_to: found.migratedTo.toISOString(),
  }),
});

/** A node that cannot even try is one that runs none. */
const standingOf = (functions: Services['functions']): Promise<FunctionsStanding> =>
  functions.standing().catch((error: unknown) => ({ functions: 'unavailable', reason: causeOf(error) }));

const causeOf = (error: unknown): string =>
  String(error instanceof Error && error.cause !== undefined ? error.cause : error);

// The table of migrations is the library's own, so no table here declares it.
const factsStatement = statement(
  'installation.facts',
  {
    row: {
      postgres: computed<string>('text', sql`current_setting('server_version')`),
      bytes: computed<bigint>('bigint', sql`pg_database_size(current_database())`),
      migrations: computed<bigint>('bigint', sql`count(*)`),
      migratedTo: computed<bigint>('bigint', sql`max(created_at)`),
    },
  },
  (_, row) => sql`select ${row} from drizzle.__drizzle_migrations`,
);
