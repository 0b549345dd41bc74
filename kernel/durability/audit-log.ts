import { sql } from '../../db/drizzle.ts';
import type { LastStatement, Queries } from '../../db/pool.ts';
import { auditEvents } from '../../db/schema/orgs.ts';
import type { OperationActor } from '../../db/schema/projects.ts';
import { insertInto, namesOf, pick, statement, typed } from '../../db/sql.ts';
import type { Authority } from '../access/access.ts';
import { type Caller, isPrincipal } from '../access/caller.ts';
import type { Context } from '../run/context.ts';
import { type AuditEntry, orgOf } from '../run/operation.ts';

const insertStatement = statement(
  'audit.insert',
  {
    params: pick(auditEvents, 'id', 'orgId', 'action', 'actor', 'objectKind', 'objectId', 'details', 'traceId'),
  },
  (given) => insertInto(auditEvents, given),
);

/** The trail's row of a change, for its transaction, so that both are kept or neither. Contract 01, section 5.2. */
export function auditRow(ctx: Context, caller: Caller, scope: unknown, entry: AuditEntry): LastStatement {
  return insertStatement.with({
    id: ctx.services.newId('aud'),
    orgId: entry.orgId ?? orgOf(scope)?.id ?? null,
    action: entry.action,
    actor: JSON.stringify(actorOf(caller, scope, ctx.services.now())),
    objectKind: entry.object.kind,
    objectId: entry.object.id,
    details: JSON.stringify(entry.details ?? {}),
    traceId: ctx.request.traceId,
  });
}

/** Writes the trail's row at once, where it is not what is asked last. */
export async function writeAudit(client: Queries, ...of: Parameters<typeof auditRow>): Promise<void> {
  const { statement, values } = auditRow(...of);
  await client.query({ ...statement, values: values as unknown[] });
}

/** A public snapshot of who acted and by what right, as it was then. Contract 01, section 5.2 (`OperationActor`). */
export function actorOf(caller: Caller, scope: unknown, capturedAt: Date): OperationActor {
  const principal = isPrincipal(caller)
    ? {
        principal_id: caller.principal.id,
        principal_type: caller.principal.type,
        display_name_at_capture: caller.principal.displayName,
        linked_identities_at_capture: [],
      }
    : null;
  const authenticator =
    isPrincipal(caller) && caller.authenticator !== null
      ? {
          authenticator_id: caller.authenticator.id,
          kind: caller.authenticator.kind,
          public_subject: caller.authenticator.publicSubject,
        }
      : null;
  return {
    schema_version: 1,
    principal,
    authenticator,
    authority: authorityOf(caller, scope),
    captured_at: capturedAt.toISOString(),
  };
}

function authorityOf(caller: Caller, scope: unknown): OperationActor['authority'] {
  const { org, authority } = scope as { org?: { id: string }; authority?: Authority };
  if (authority?.kind === 'system') return { kind: 'system', reason_code: authority.reason };
  if (caller.kind === 'delegate') {
    return {
      kind: 'delegate',
      delegate_id: caller.delegateId,
      organization_id: caller.orgId,
      scope: caller.scope.capabilities,
    };
  }
  if (caller.kind === 'admin') return { kind: 'system', reason_code: 'platform_admin' };
  if (caller.kind === 'project_key') {
    const { role, credentialId } = caller;
    const by = credentialId === undefined ? {} : { credential_id: credentialId };
    return { kind: 'system', reason_code: `project_${role}`, ...by };
  }
  if (authority?.kind === 'membership') {
    return {
      kind: 'organization_membership',
      organization_id: org?.id,
      membership_id: authority.membershipId,
      role: authority.role,
    };
  }
  if (authority?.kind === 'grant')
    return { kind: 'project_grant', organization_id: org?.id, scope: authority.capabilities };
  return { kind: 'self' };
}

/** Trail rows of what the installation did by itself, in one statement. @param reason for example `lease_ended` */
export async function writeSystemAudit(
  client: Queries,
  { services, request }: Pick<Context, 'services' | 'request'>,
  reason: string,
  entries: readonly (AuditEntry & { readonly orgId: string })[],
): Promise<void> {
  const actor = {
    schema_version: 1,
    principal: null,
    authenticator: null,
    authority: { kind: 'system', reason_code: reason },
    captured_at: services.now().toISOString(),
  };
  const rows = entries.map(({ orgId, action, object, details = {} }) => ({
    id: services.newId('aud'),
    org_id: orgId,
    action,
    actor,
    object_kind: object.kind,
    object_id: object.id,
    details,
    trace_id: request.traceId,
  }));
  const { statement, values } = insertManyStatement.with({ rows: JSON.stringify(rows) });
  await client.query({ ...statement, values: values as unknown[] });
}

const written = (({ id, orgId, action, actor, objectKind, objectId, details, traceId }) =>
  namesOf(id, orgId, action, actor, objectKind, objectId, details, traceId))(auditEvents);

const insertManyStatement = statement(
  'audit.insert-many',
  { params: { rows: typed<string>('jsonb') } },
  ({ rows }) => sql`insert into ${auditEvents} (${written})
    select ${written} from jsonb_populate_recordset(null::${auditEvents}, ${rows}::jsonb)`,
);
