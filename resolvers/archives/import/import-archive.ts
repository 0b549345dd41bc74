import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { archiveImports } from '../../../db/schema/archives.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { computed, insertInto, pick, statement } from '../../../db/sql.ts';
import { type Diagnostic, diagnostic } from '../../../engines/archives/portable/diagnostics.ts';
import type { ArchiveVerification, ReadArchive } from '../../../engines/archives/portable/verify.ts';
import type { NoScope, OrgScope } from '../../../kernel/access/access.ts';
import { principalIdOf } from '../../../kernel/access/caller.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import { givenName, orgId, yesOrNo } from '../../../kernel/input/fields.ts';
import { jsonObject } from '../../../kernel/input/json-object.ts';
import { refuseOverStorage } from '../../../kernel/limits/storage.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { mutation, query } from '../../../kernel/run/operation.ts';
import { onNamedOrOwnOrg } from '../../orgs/shared/on-named-or-own-org.ts';
import { findOrCreateOwnOrg } from '../../orgs/shared/own-org.ts';
import { insertProject } from '../../projects/shared/insert-project.ts';
import { requireRoomForProject } from '../../projects/shared/room-for-project.ts';
import { giveSecrets } from '../../secrets/shared/give-secrets.ts';
import { archiveActions } from '../shared/actions.ts';
import { blocking, readImportable } from './check.ts';
import { type ArchiveImport, endOfImport, findImport, ImportWire, importId, importToWire } from './import-row.ts';
import { archivePlace, type LocatedArchive, locate } from './locate.ts';

const action = archiveActions['org:archives:import'];

interface OfOrg {
  readonly org_id?: string | undefined;
}

export const onImportingOrg = onNamedOrOwnOrg<OfOrg>(action);

/** Longest value of a secret, in bytes. Contract 03, section 11. */
const valueBytesMax = 4_096;
const secretKey = /^[A-Z_][A-Z0-9_]{0,127}$/;

/** What was found out before anything is begun. */
interface Prepared {
  readonly located: LocatedArchive;
  readonly org: Pick<Org, 'id'> | undefined;
  readonly found: readonly Diagnostic[];
}

/** `POST /archives/v1/import`. Contract 03, section 8.5. */
export const importArchive = mutation({
  name: 'archives.import',
  tool: 'import_project_archive',
  command: 'core projects import',
  duration: 'long',
  summary: 'Make a new project of an archive. An import never merges into a project, and what fails leaves nothing.',
  credentialBound: true,
  access: onImportingOrg,
  lifecycle: 'gated',
  writeApproval: { action: 'org.project.create', field: 'org_id', target: ({ org_id }) => org_id },
  input: z.object({
    org_id: orgId.optional().describe('Organization to make it in; the wallet’s own when absent.'),
    ...archivePlace,
    name: givenName(120).trim().min(1).default('imported-project').describe('Name of the project, for people.'),
    dry_run: yesOrNo.default(false).describe('Whether the archive is only looked at.'),
    require_runnable: yesOrNo
      .default(false)
      .describe('Whether it is refused while a secret that the project needs has no value.'),
    secret_values: jsonObject({ kib: 512, depth: 1 })
      .optional()
      .describe('Values of secrets, by key. They are stored encrypted.')
      .meta({ secret: true }),
  }),
  async prepare(ctx, input): Promise<Prepared> {
    secretsIn(input.secret_values);
    const org = ctx.org ?? (input.dry_run || input.archive_path === undefined ? undefined : await ownOrg(ctx));
    const located = await locate(ctx, org?.id, input, !input.dry_run);
    const found = lookInto(ctx.services, located.read, ctx.org ?? { tier: 'prototype' });
    const { verification } = located.read;
    if (ctx.org !== undefined && !input.dry_run && !blocking(found))
      await refuseOverStorage(ctx.services, ctx.org, verification.total_bytes, 'The project');
    return { located, org, found };
  },
  async handler(work, input, { located, found }): Promise<ArchiveImport> {
    const { verification } = located.read;
    const secrets = secretsIn(input.secret_values);
    const missing = verification.required_secrets.filter(({ name }) => !secrets.has(name));
    const diagnostics = [...found, ...secretFaults(missing, input.require_runnable)];
    const looked = (status: 'dry_run' | 'blocked'): ArchiveImport => ({
      id: null,
      orgId: null,
      status,
      archiveDigest: verification.archive_digest,
      projectId: null,
      projectName: input.name,
      releaseId: null,
      requiredSecrets: missing,
      diagnostics,
    });
    if (work.org !== undefined) await refuseName(work, work.org.id, input.name);
    if (blocking(diagnostics)) return looked('blocked');
    if (input.dry_run) return looked('dry_run');
    const caller = await work.caller();
    const scope: OrgScope =
      work.org === undefined
        ? await findOrCreateOwnOrg(work, principalIdOf(caller)!, action)
        : { org: work.org, authority: work.authority };
    const org = await requireRoomForProject(work, scope.org);
    // The row of the organization is locked: of two that come at once, one is refused.
    await refuseName(work, org.id, input.name);
    const { id: projectId } = await insertProject(work, scope, { name: input.name });
    await giveSecrets(work, org, projectId, secrets, principalIdOf(caller));
    const id = work.services.newId('arci');
    await work.rows(
      insertStatement.with({
        id,
        orgId: org.id,
        lane: org.id,
        projectId,
        operationId: work.services.newId('op'),
        projectName: input.name,
        archiveSha256: located.content!.sha256,
        archiveDigest: verification.archive_digest!,
        requiredSecrets: JSON.stringify(missing),
        diagnostics: JSON.stringify(diagnostics),
      }),
    );
    work.afterCommit(() => work.services.archiveImportWork.wake());
    return findImport(work.rows, org.id, id);
  },
  audit: ({ id, orgId: org, projectId, archiveDigest }) =>
    id === null || org === null || projectId === null
      ? undefined
      : {
          action: 'archive.imported',
          object: { kind: 'project', id: projectId },
          orgId: org,
          details: { import_id: id, archive_digest: archiveDigest },
        },
  wire: ImportWire,
  toWire: async (begun: ArchiveImport, ctx) => importToWire(await endOfImport(ctx, begun)),
});

/** `GET /archives/v1/imports/:import_id`: an addition, for whoever waits for an import. */
export const getImport = query({
  name: 'archives.getImport',
  tool: 'get_archive_import',
  command: 'core projects import-status',
  summary: 'How an import stands: a project that is made of an archive.',
  path: 'GET /archives/v1/imports/:import_id',
  access: onImportingOrg,
  input: z.object({
    org_id: orgId.optional().describe('Organization that it is made in; the wallet’s own when absent.'),
    import: importId,
  }),
  handler: ({ services, org }, { import: id }): Promise<ArchiveImport> => findImport(services.db.rows, org?.id, id),
  wire: ImportWire,
  toWire: importToWire,
});

/** The organization of a wallet, made where there is none: an archive of the operator's folder has to be held by somebody. */
async function ownOrg(ctx: Context & Partial<OrgScope | NoScope>): Promise<Org> {
  const principal = principalIdOf(await ctx.caller())!;
  return unitOfWork(ctx, async (work) => (await findOrCreateOwnOrg(work, principal, action)).org);
}

/** Everything that can be told of an archive before anything is made of it. */
export function lookInto(
  services: Pick<Context['services'], 'settings'>,
  read: ReadArchive,
  org: Pick<Org, 'tier'>,
): readonly Diagnostic[] {
  const { diagnostics, ok } = read.verification;
  if (!ok) return diagnostics;
  const { found } = readImportable(services, org, read);
  return [...diagnostics, ...found, ...stubsNote(read.verification)];
}

const stubsNote = ({ auth_subject_stub_count: count }: ArchiveVerification): Diagnostic[] =>
  count === 0
    ? []
    : [
        diagnostic(
          'AUTH_SUBJECT_STUBS_IMPORTED',
          'info',
          `${count} users arrive by their ids alone, and cannot sign in.`,
          { resource_type: 'auth' },
        ),
      ];

/** @throws VALIDATION_FAILED, RESERVED_SECRET_KEY */
function secretsIn(given: Readonly<Record<string, unknown>> = {}): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(given).map(([key, value]) => {
      if (!secretKey.test(key)) throw invalidField('secret_values', 'keys are capital letters, digits and _');
      if (key.startsWith('SVC_')) throw new ServiceError('RESERVED_SECRET_KEY', { details: { key } });
      if (typeof value !== 'string' || value === '' || Buffer.byteLength(value) > valueBytesMax)
        throw invalidField('secret_values', `each value is a text of at most ${valueBytesMax} bytes`);
      return [key, value];
    }),
  );
}

const secretFaults = (missing: ArchiveVerification['required_secrets'], require: boolean): Diagnostic[] =>
  missing
    .filter(({ required }) => required)
    .map(({ name }) =>
      diagnostic('SECRET_VALUES_REQUIRED', require ? 'blocking' : 'warning', `The project needs a value of ${name}.`, {
        resource_type: 'secret',
        resource_id: name,
        next_action: { type: 'set_secret', env_var: name },
      }),
    );

/** @throws PROJECT_ALREADY_EXISTS */
async function refuseName(
  work: Pick<Context, 'services'> & { readonly rows: Context['services']['db']['rows'] },
  org: string,
  name: string,
) {
  const [found] = await work.rows(namedStatement.with({ orgId: org, name }));
  if (found!.taken) throw new ServiceError('PROJECT_ALREADY_EXISTS', { details: { name } });
}

const namedStatement = statement(
  'archive-imports.named',
  {
    params: pick(projects, 'orgId', 'name'),
    row: { taken: computed<boolean>('boolean', sql`count(*) > 0`) },
  },
  ({ orgId: org, name }, row) => sql`select ${row} from ${projects} where ${projects.orgId} = ${org}
    and ${projects.name} = ${name} and ${projects.deletedAt} is null and ${projects.branch} is null`,
);

const insertStatement = statement(
  'archive-imports.insert',
  {
    params: {
      ...pick(archiveImports, 'id', 'orgId', 'lane', 'projectId', 'operationId', 'projectName'),
      ...pick(archiveImports, 'archiveSha256', 'archiveDigest', 'requiredSecrets', 'diagnostics'),
    },
  },
  (given) => insertInto(archiveImports, { ...given, status: sql`'running'`, dueAt: sql`now()` }),
);
