import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { CallOptions, Service } from '../helpers/service.ts';

/** Rooms of a new organization each, and the calls on them. */
export function roomsOf(service: Service) {
  const call = documentedCalls(service);
  return async (key = 'standup') => {
    const { wallet, orgId, principalId } = await service.owner();
    const path = `/orgs/v1/${orgId}/rooms/${key}`;
    return {
      wallet,
      orgId,
      principalId,
      path,
      get: (rest = '', actor: Actor = wallet) => call(actor, 'GET', path + rest),
      post: (rest: string, body: unknown, actor: Actor = wallet, options: CallOptions = {}) =>
        call(actor, 'POST', path + rest, { body, ...options }),
      /** Another member of the organization. */
      async member(role = 'viewer') {
        const session = await service.actors.session({ passkeyAgeSeconds: 1 });
        await service.actors.member(orgId, session.principalId, role);
        return session;
      },
      expire: (presenceId: string) =>
        service.control.sql(
          `update room_presences set expires_at = now() - interval '1 second' where org_id = $1 and id = $2`,
          [orgId, presenceId],
        ),
      count: async (table: 'rooms' | 'room_messages' | 'room_presences') => {
        const rows = await service.control.sql<{ n: number }>(
          `select count(*)::int as n from ${table} where org_id = $1`,
          [orgId],
        );
        return rows[0]!.n;
      },
    };
  };
}
