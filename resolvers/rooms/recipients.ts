import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Recipient, roomPresences } from '../../db/schema/rooms.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import type { RoomScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { isLive } from './presence-columns.ts';

/** Whom a message is for, by name, as its sender says. */
export interface Named {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly ack_required: boolean;
}

/**
 * Names to live presences, without regard to letter case: of the names of a room no two differ in that alone, so the one
 * of the very spelling is found where there is one.
 *
 * @throws UNKNOWN_RECIPIENT with all names that no live presence has
 */
export async function resolveRecipients(work: Work & RoomScope, named: Named): Promise<Recipient[]> {
  const asked = (['to', 'cc'] as const).flatMap((kind) => [...new Set(named[kind])].map((name) => ({ kind, name })));
  if (asked.length === 0) return [];
  const names = asked.map(({ name }) => name);
  const rows = await work.rows(namedStatement.with({ orgId: work.org.id, roomKey: work.room.key, names }));
  const byPlace = new Map(rows.map((row) => [row.n, row]));
  const found = asked.map((one, index) => ({ ...one, presence: byPlace.get(index + 1) }));
  const unknown = found.filter(({ presence }) => presence === undefined);
  if (unknown.length > 0) {
    // All of them at once; the field is that of the first one.
    const unresolved = [...new Set(unknown.map(({ name }) => name))];
    throw new ServiceError('UNKNOWN_RECIPIENT', { details: { unresolved, field: unknown[0]!.kind } });
  }
  const resolved = found.map(({ kind, presence }) => ({
    presenceId: presence!.id,
    name: presence!.name,
    kind,
    ackRequired: kind === 'to' && named.ack_required,
    ackedAt: null,
  }));
  // A recipient named twice is asked once, in the stronger way.
  return resolved.filter(({ presenceId: id }, index) => resolved.findIndex((one) => one.presenceId === id) === index);
}

// Folded by the database, as the unique index of names does it.
const namedStatement = statement(
  'presences.named',
  {
    params: { ...pick(roomPresences, 'orgId', 'roomKey'), names: typed<readonly string[]>('text[]') },
    row: {
      /** The place among the names that are asked for, from 1. */
      n: computed<number>('integer', sql`w.n::int`),
      ...pick(roomPresences, 'id', 'name'),
    },
  },
  ({ orgId, roomKey, names }, row) => sql`select ${row} from unnest(${names}::text[]) with ordinality as w (name, n)
    join ${roomPresences} on ${roomPresences.orgId} = ${orgId}
      and (lower(${roomPresences.name}) collate "C") = lower(w.name) and ${roomPresences.roomKey} = ${roomKey}
      and ${isLive()}`,
);
