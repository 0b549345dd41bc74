import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { archiveImports } from '../../../db/schema/archives.ts';
import { allOf, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { Diagnostic } from '../../../engines/archives/portable/diagnostics.ts';
import type { RequiredSecret } from '../../../engines/archives/portable/verify.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { lookUntil } from '../../../kernel/run/look-until.ts';

export const importColumns = allOf(archiveImports, ['lane', 'dueAt', 'lease', 'attempts']);

type ImportRow = RowOf<typeof importColumns>;

/** What an import came to. Nothing of it is kept where nothing was begun. */
export interface ArchiveImport {
  /** Null for what only was looked at. */
  readonly id: string | null;
  readonly orgId: string | null;
  readonly status: 'dry_run' | 'running' | 'imported' | 'blocked' | 'failed';
  readonly archiveDigest: string | null;
  readonly projectId: string | null;
  readonly projectName: string;
  readonly releaseId: string | null;
  readonly requiredSecrets: readonly RequiredSecret[];
  readonly diagnostics: readonly Diagnostic[];
}

export const importOf = (row: ImportRow): ArchiveImport => ({
  id: row.id,
  orgId: row.orgId,
  status: row.status,
  archiveDigest: row.archiveDigest,
  // What was made of a failed one is gone.
  projectId: row.status === 'failed' ? null : row.projectId,
  projectName: row.projectName,
  releaseId: row.releaseId,
  requiredSecrets: row.requiredSecrets as unknown as readonly RequiredSecret[],
  diagnostics: row.diagnostics as unknown as readonly Diagnostic[],
});

export const importId = z.string().min(1).max(64).describe('The import, `arci_…`.');

export const DiagnosticWire = z
  .looseObject({
    code: z.string(),
    severity: z.enum(['info', 'warning', 'blocking']),
    message: z.string(),
    path: z.string().optional(),
    next_action: z.looseObject({ type: z.string() }),
  })
  .meta({ id: 'ArchiveDiagnostic' });

export const requiredSecretWire = z
  .object({
    name: z.string(),
    required: z.boolean(),
    targets: z.array(z.string()).optional(),
    description: z.string().optional(),
  })
  .meta({ id: 'ArchiveRequiredSecret' });

/** An import as it is answered. Contract 03, section 8.5. */
export const ImportWire = z
  .object({
    schema_version: z.literal('svc.project_archive.import_result.v1'),
    import_id: z.string().nullable(),
    status: z.enum(['dry_run', 'running', 'imported', 'blocked', 'failed']),
    archive_digest: z.string().nullable(),
    project_id: z.string().nullable(),
    project_name: z.string(),
    release_id: z.string().nullable(),
    required_secrets: z
      .array(requiredSecretWire)
      .describe('Secrets that the project needs, and was not given values of.'),
    diagnostics: z.array(DiagnosticWire),
    next_action: z.looseObject({ type: z.string() }).nullable(),
  })
  .meta({ id: 'ArchiveImport' });

export const importToWire = (one: ArchiveImport): z.output<typeof ImportWire> => ({
  schema_version: 'svc.project_archive.import_result.v1',
  import_id: one.id,
  status: one.status,
  archive_digest: one.archiveDigest,
  project_id: one.projectId,
  project_name: one.projectName,
  release_id: one.releaseId,
  required_secrets: one.requiredSecrets.map(({ targets, ...secret }) => ({
    ...secret,
    ...(targets === undefined ? {} : { targets: [...targets] }),
  })),
  diagnostics: one.diagnostics.map((found) => ({ ...found, next_action: { ...found.next_action } })),
  next_action: importActionOf(one),
});

/** What may be done now. */
export function importActionOf({ id, status, projectId, requiredSecrets, diagnostics }: ArchiveImport) {
  if (status === 'running') return { type: 'poll', method: 'GET', path: `/archives/v1/imports/${id}` };
  const [secret] = requiredSecrets;
  if (status === 'imported')
    return secret === undefined
      ? null
      : {
          type: 'set_secret',
          method: 'POST',
          path: `/projects/v1/admin/${projectId}/secrets`,
          env_var: secret.name,
          why: `The project needs the secret ${secret.name}.`,
        };
  if (status === 'dry_run') return { type: 'import', why: 'Send the same request without dry_run.' };
  return { ...(diagnostics.find(({ severity }) => severity === 'blocking')?.next_action ?? { type: 'none' }) };
}

/** @throws ARCHIVE_IMPORT_NOT_FOUND */
export async function findImport(rows: Rows, orgId: string | undefined, id: string): Promise<ArchiveImport> {
  const [found] = orgId === undefined ? [] : await rows(findStatement.with({ orgId, id }));
  if (found === undefined) throw new ServiceError('ARCHIVE_IMPORT_NOT_FOUND', { details: { import_id: id } });
  return importOf(found);
}

/** The import once it is over, or as it stands after a while: it goes on by itself. */
export async function endOfImport({ services, signal }: Context, begun: ArchiveImport): Promise<ArchiveImport> {
  const { id, orgId } = begun;
  if (id === null || orgId === null) return begun;
  return lookUntil(
    { signal },
    async () => {
      const [found] = await services.db.rows(findStatement.with({ orgId, id }));
      return found === undefined ? begun : importOf(found);
    },
    ({ status }) => status !== 'running',
  );
}

const findStatement = statement(
  'archive-imports.find',
  { params: pick(archiveImports, 'orgId', 'id'), row: importColumns },
  ({ orgId, id }, row) => sql`select ${row} from ${archiveImports}
    where ${archiveImports.orgId} = ${orgId} and ${archiveImports.id} = ${id}`,
);
