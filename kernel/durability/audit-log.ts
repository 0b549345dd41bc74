import type { LastStatement, Queries, Statement } from '../../db/pool.ts';
import type { OperationActor } from '../../db/schema/projects.ts';
import type { Authority } from '../access/access.ts';
import { type Caller, isPrincipal } from '../access/caller.ts';
import type { Context } from '../run/context.ts';
import { type AuditEntry, orgOf } from '../run/operation.ts';

const insert: Statement = {
  name: 'audit.insert',
  text: `insert into audit_events (id, org_id, action, actor, object_kind, object_id, details, trace_id)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** The trail's row of a change, for its transaction, so that both are kept or neither. Contract 01, section 5.2. */
export function auditRow(ctx: Context, caller: Caller, scope: unknown, entry: AuditEntry): LastStatement {
  const values = [
    ctx.services.newId('aud'),
    entry.orgId ?? orgOf(scope)?.id ?? null,
    entry.action,
    JSON.stringify(actorOf(caller, scope, ctx.services.now())),
    entry.object.kind,
    entry.object.id,
    JSON.stringify(entry.details ?? {}),
    ctx.request.traceId,
  ];
  return { statement: insert, values };
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
  if (caller.kind === 'project_key') return { kind: 'system', reason_code: `project_${caller.role}` };
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
  await client.query({ ...insertMany, values: [JSON.stringify(rows)] });
}

const insertMany: Statement = {
  name: 'audit.insert-many',
  text: `insert into audit_events (id, org_id, action, actor, object_kind, object_id, details, trace_id)
    select id, org_id, action, actor, object_kind, object_id, details, trace_id from jsonb_to_recordset($1::jsonb)
      as r (id text, org_id uuid, action text, actor jsonb, object_kind text, object_id text, details jsonb, trace_id text)`,
};
