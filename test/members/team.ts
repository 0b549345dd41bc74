import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { CallOptions, Service } from '../helpers/service.ts';

/** An organization of its own for each test, and the calls that change its members. */
export function teamsOf(service: Service) {
  const call = documentedCalls(service);
  return async () => {
    const { wallet, orgId, principalId } = await service.owner();
    const path = `/orgs/v1/${orgId}`;
    /** A wallet that has shown itself, as a member or as none. */
    const join = async (role?: string, status = 'active') => {
      const other = service.actors.wallet();
      const me = await service.call<{ principal: { id: string } }>(other, 'GET', '/agent/v1/whoami');
      const { id } = me.body.principal;
      if (role !== undefined) await service.actors.member(orgId, id, role, status);
      return { wallet: other, principalId: id };
    };
    return {
      wallet,
      orgId,
      principalId,
      join,
      get: (rest: string, actor: Actor = wallet) => call(actor, 'GET', path + rest),
      add: (body: object, actor: Actor = wallet, options: CallOptions = {}) =>
        call(actor, 'POST', `${path}/members`, { body, ...options }),
      setRole: (principal: string, role: unknown, actor: Actor = wallet, options: CallOptions = {}) =>
        call(actor, 'PATCH', `${path}/members/${principal}`, { body: { role }, ...options }),
      remove: (principal: string, actor: Actor = wallet, options: CallOptions = {}) =>
        call(actor, 'DELETE', `${path}/members/${principal}`, options),
      revokeKey: (principal: string, body: object = {}, actor: Actor = wallet, options: CallOptions = {}) =>
        call(actor, 'DELETE', `${path}/members/${principal}/encryption-key`, { body, ...options }),
      invite: (body: object, actor: Actor = wallet, options: CallOptions = {}) =>
        call(actor, 'POST', `${path}/invites`, { body, ...options }),
      uninvite: (principal: string, actor: Actor = wallet, options: CallOptions = {}) =>
        call(actor, 'DELETE', `${path}/invites/${principal}`, options),
      /** Every membership there ever was, as role and status by principal. */
      async memberships(): Promise<Record<string, string>> {
        const rows = await service.control.sql<{ principal_id: string; held: string }>(
          `select principal_id, role || ' ' || status as held from memberships where org_id = $1`,
          [orgId],
        );
        return Object.fromEntries(rows.map(({ principal_id, held }) => [principal_id, held]));
      },
      /** What the trail says, oldest first. */
      audited: (like = '%') =>
        service.control.sql<{ action: string; object_id: string; details: Record<string, unknown> }>(
          `select action, object_id, details from audit_events
           where org_id = $1 and action like $2 and action <> 'org.created' order by seq`,
          [orgId, like],
        ),
    };
  };
}

export type Team = Awaited<ReturnType<ReturnType<typeof teamsOf>>>;
