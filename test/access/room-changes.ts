import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Rooms that are archived and unarchived. Each change has a room of its own, since it undoes the other. */
export function roomChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const setArchived = (key: string, archived: boolean) =>
    service.control.sql(
      `insert into rooms (org_id, key, archived_at) values ($1, $2, case when $3 then now() end)
       on conflict (org_id, key) do update set archived_at = excluded.archived_at`,
      [home().orgId, key, archived],
    );
  const change = (name: 'archive' | 'unarchive', key: string) => ({
    operation: `rooms.${name}`,
    action: `room.${name}d`,
    kind: 'room',
    objectId: ({ room_key }: Record<string, string>) => room_key!,
    written: 'select xmin::text from rooms where key = $1',
    prepare: () => setArchived(key, name === 'unarchive'),
    send: send('POST', () => `/orgs/v1/${home().orgId}/rooms/${key}/${name}`),
  });
  return { adminOnly: [], changes: [change('archive', 'open'), change('unarchive', 'shelved')] };
}
