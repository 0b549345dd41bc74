import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { Service } from '../helpers/service.ts';
import { roomsOf } from '../rooms/room.ts';

/** What a claim is made with, and for whom. */
export interface ClaimBody {
  readonly mode?: string;
  readonly [name: string]: unknown;
}

/** Rooms of new organizations each, and the calls about claims in them. */
export function claimRoomsOf(service: Service) {
  const newRoom = roomsOf(service);
  const call = documentedCalls(service);
  return async (key = 'standup') => {
    const room = await newRoom(key);
    const { wallet, path, orgId } = room;
    return {
      ...room,
      /** A presence of that name, by its session key. */
      join: async (name: string, actor: Actor = wallet): Promise<string> =>
        (await room.post('/presences', { requested_name: name, session_key: name }, actor)).body.presence_id,
      claim: (resource: string, more: ClaimBody = {}, actor: Actor = wallet) =>
        room.post('/claims', { resource, mode: 'exclusive', ...more }, actor),
      remove: (rest: string, actor: Actor = wallet) => call(actor, 'DELETE', path + rest),
      claims: async (search = ''): Promise<Record<string, string>[]> =>
        (await room.get(`/claims${search}`)).body.claims,
      /** Lets a claim's time run out. */
      runOut: (claimId: string) =>
        service.control.sql(
          `update room_claims set expires_at = now() - interval '1 second' where org_id = $1 and id = $2`,
          [orgId, claimId],
        ),
    };
  };
}
