import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { allOf, pick, type RowOf, statement } from '../../db/sql.ts';
import { onProjectOf } from '../../kernel/access/on-project-of.ts';
import type { Action } from '../../kernel/access/permissions.ts';

export const bindingColumns = allOf(ciBindings, ['delegateId', 'orgId']);

export type CiBinding = RowOf<typeof bindingColumns>;

export const bindingId = z.string().min(1).max(64).describe('The binding, `bnd_…`.');

/** A binding as it is answered. Contract 03, section 9.1. */
export const CiBindingWire = z
  .object({
    id: z.string(),
    project_id: z.string(),
    provider: z.literal('github-actions'),
    issuer: z.string(),
    subject_match: z.string(),
    allowed_actions: z.array(z.literal('deploy')),
    allowed_events: z.array(z.string()),
    route_scopes: z.array(z.string()),
    asset_key_scopes: z.array(z.string()),
    github_repository_id: z.string().nullable(),
    created_by: z.string().nullable(),
    nonce: z.string(),
    created_sig: z
      .object({ payload: z.string(), raw: z.string(), signer: z.string(), verified_at: z.iso.datetime() })
      .nullable(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
    use_count: z.int(),
  })
  .meta({ id: 'CiBinding' });

const iso = (at: Date | null) => at?.toISOString() ?? null;

export const bindingToWire = (one: CiBinding): z.output<typeof CiBindingWire> => ({
  id: one.id,
  project_id: one.projectId,
  provider: 'github-actions',
  issuer: one.issuer,
  subject_match: one.subjectMatch,
  allowed_actions: ['deploy'],
  allowed_events: [...one.allowedEvents],
  route_scopes: [...one.routeScopes],
  asset_key_scopes: [...one.assetKeyScopes],
  github_repository_id: one.githubRepositoryId,
  created_by: one.createdBy,
  nonce: one.nonce,
  created_sig: one.createdSig,
  created_at: one.createdAt.toISOString(),
  expires_at: iso(one.expiresAt),
  revoked_at: iso(one.revokedAt),
  last_used_at: iso(one.lastUsedAt),
  use_count: Number(one.useCount),
});

const absent = (id: string) => new ServiceError('CI_BINDING_NOT_FOUND', { details: { binding_id: id } });

const projectStatement = statement(
  'ci.project-of-binding',
  { params: pick(ciBindings, 'id'), row: pick(ciBindings, 'projectId') },
  ({ id }, row) => sql`select ${row} from ${ciBindings} where ${ciBindings.id} = ${id}`,
);

/** An action on the project of a binding, which is named by its own id. */
export const onBinding = (action: Action) =>
  onProjectOf(
    action,
    { find: (id) => projectStatement.with({ id }), absent },
    ({ binding }: { readonly binding: string }) => binding,
  );

/** @throws CI_BINDING_NOT_FOUND where it was deleted meanwhile */
export function found(rows: readonly CiBinding[], id: string): CiBinding {
  const [one] = rows;
  if (one === undefined) throw absent(id);
  return one;
}

export const findBindingStatement = statement(
  'ci.find-binding',
  { params: pick(ciBindings, 'projectId', 'id'), row: bindingColumns },
  ({ projectId, id }, row) => sql`select ${row} from ${ciBindings}
    where ${ciBindings.projectId} = ${projectId} and ${ciBindings.id} = ${id}`,
);
