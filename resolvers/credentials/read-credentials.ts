import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projectCredentials } from '../../db/schema/project-credentials.ts';
import { pick, statement } from '../../db/sql.ts';
import { ownerOf } from '../../kernel/access/access.ts';
import { projectId, yesOrNo } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { onItsProject } from './credential-input.ts';
import { type CredentialRecord, CredentialWire, credentialColumns, credentialToWire } from './credential-wire.ts';
import { credentialActions } from './shared/actions.ts';

/** How many revoked credentials a list shows beside those that are not. */
const revokedMax = 1_000;

/** `GET /projects/v1/:id/credentials`. Contract 01, section 5.10. */
export const listCredentials = query({
  name: 'credentials.list',
  tool: 'list_project_credentials',
  command: 'credentials list',
  path: 'GET /projects/v1/:project_id/credentials',
  summary: 'Credentials of a project, newest first, never with their secrets.',
  access: onItsProject(credentialActions['project:credentials:read']),
  input: z.object({
    project: projectId,
    include_revoked: yesOrNo.default(false).describe('Whether those are shown, too, that were revoked of late.'),
  }),
  async handler(ctx, { include_revoked }): Promise<readonly CredentialRecord[]> {
    const place = ownerOf(ctx);
    const [standing, revoked] = await Promise.all([
      ctx.services.db.rows(listStatement.with(place)),
      include_revoked ? ctx.services.db.rows(revokedStatement.with(place)) : [],
    ]);
    return [...standing, ...revoked];
  },
  wire: z.object({ credentials: z.array(CredentialWire) }),
  toWire: (listed) => ({ credentials: listed.map(credentialToWire) }),
});

/** By which keys a project is reached. */
export interface CredentialStatus {
  readonly projectId: string;
  /** `rotatable` once some credential holds beside the project's own keys. */
  readonly state: 'legacy' | 'rotatable';
  /** Those that are not revoked. */
  readonly credentials: readonly CredentialRecord[];
  /** How many of them have not expired. */
  readonly held: number;
}

/** `GET /projects/v1/:id/credential-status`. Contract 01, section 5.10. */
export const getCredentialStatus = query({
  name: 'credentials.status',
  tool: 'project_credential_status',
  command: 'credentials status',
  path: 'GET /projects/v1/:project_id/credential-status',
  summary: 'Whether a project is reached by its own two keys alone, or has credentials that can be rotated.',
  access: onItsProject(credentialActions['project:credentials:status']),
  input: z.object({ project: projectId }),
  async handler(ctx): Promise<CredentialStatus> {
    const credentials = await ctx.services.db.rows(listStatement.with(ownerOf(ctx)));
    const now = ctx.services.now();
    const held = credentials.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).length;
    return { projectId: ctx.project.id, state: held > 0 ? 'rotatable' : 'legacy', credentials, held };
  },
  wire: z
    .object({
      project_id: z.string(),
      state: z.enum(['legacy', 'rotatable']),
      legacy_key: z.literal('active').describe('The anon and the service key of the project: they stay good.'),
      rotatable_credentials: z.int().describe('How many credentials hold.'),
      credentials: z.array(CredentialWire),
      retirement: z
        .object({ gated_on: z.array(z.string()), deadline: z.null() })
        .describe('What has to be before the own keys of the project could end; no date is set.'),
    })
    .meta({ id: 'ProjectCredentialStatus' }),
  toWire: ({ projectId: id, state, credentials, held }) => ({
    project_id: id,
    state,
    legacy_key: 'active' as const,
    rotatable_credentials: held,
    credentials: credentials.map(credentialToWire),
    retirement: { gated_on: gatedOn(state), deadline: null },
  }),
});

/** What keeps the own keys of a project: functions are run with them, and clients may have no others. */
export const gatedOn = (state: CredentialStatus['state']): string[] => [
  ...(state === 'legacy' ? ['rotatable_credential'] : []),
  'function_keys',
];

const ofProject = pick(projectCredentials, 'orgId', 'projectId');

const listStatement = statement(
  'credentials.list',
  { params: ofProject, row: credentialColumns },
  ({ orgId, projectId }, row) => sql`select ${row} from ${projectCredentials}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}
      and ${projectCredentials.revokedAt} is null
    order by ${projectCredentials.createdAt} desc, ${projectCredentials.id} desc`,
);

const revokedStatement = statement(
  'credentials.list-revoked',
  { params: ofProject, row: credentialColumns },
  ({ orgId, projectId }, row) => sql`select ${row} from ${projectCredentials}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}
      and ${projectCredentials.revokedAt} is not null
    order by ${projectCredentials.createdAt} desc, ${projectCredentials.id} desc limit ${sql.raw(String(revokedMax))}`,
);
