import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to claims, and leaving a room, which ends some. */
export function claimChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const room = (rest: string) => () => `/orgs/v1/${home().orgId}/rooms/desk${rest}`;
  let presenceId = '';
  let claimId = '';
  const here = { session_key: 'desk' };
  const claim = { resource: 'deploy', mode: 'shared', ...here };
  return {
    adminOnly: [],
    async prepare() {
      const made = await send('POST', room('/claims'), () => claim)(home().wallet);
      claimId = made.body.claim_id!;
      const joined = await send('POST', room('/presences'))(home().wallet);
      presenceId = joined.body.presence_id!;
    },
    changes: [
      {
        operation: 'claims.create',
        action: 'claim.created',
        kind: 'claim',
        send: send('POST', room('/claims'), () => claim),
        objectId: ({ claim_id }) => claim_id!,
        written: 'select xmin::text from room_claims where id = $1',
      },
      {
        operation: 'claims.release',
        action: 'claim.released',
        kind: 'claim',
        send: (actor) => send('DELETE', room(`/claims/${claimId}`))(actor),
        objectId: ({ claim_id }) => claim_id!,
        written: 'select xmin::text from room_claims where id = $1',
        restore: () => service.control.sql('update room_claims set released_at = null where id = $1', [claimId]),
      },
      {
        operation: 'rooms.leave',
        action: 'presence.left',
        kind: 'presence',
        send: (actor) => send('DELETE', room(`/presences/${presenceId}`))(actor),
        objectId: ({ presence_id }) => presence_id!,
        written: 'select xmin::text from room_presences where id = $1',
        restore: () => service.control.sql('update room_presences set left_at = null where id = $1', [presenceId]),
      },
    ],
  };
}
