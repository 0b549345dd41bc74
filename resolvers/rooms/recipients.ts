import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Recipient } from '../../db/schema/rooms.ts';
import type { RoomScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { isLive } from './presence-columns.ts';

/** Whom a message is for, by name, as its sender says. */
export interface Named {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly ack_required: boolean;
}

interface Found {
  /** Where it stands among the names asked for, from 1. */
  readonly n: number;
  readonly id: string;
  readonly name: string;
}

/**
 * Names to live presences, without regard to letter case: of the names of a room no two differ in that alone, so the one
 * of the very spelling is found where there is one.
 *
 * @throws UNKNOWN_RECIPIENT for all that nobody has who is live
 */
export async function resolveRecipients(work: Work & RoomScope, named: Named): Promise<Recipient[]> {
  const asked = (['to', 'cc'] as const).flatMap((kind) => [...new Set(named[kind])].map((name) => ({ kind, name })));
  if (asked.length === 0) return [];
  const names = asked.map(({ name }) => name);
  const rows = await work.rows<Found>(namedStatement, [work.org.id, work.room.key, names]);
  const byPlace = new Map(rows.map((row) => [row.n, row]));
  const found = asked.map((one, index) => ({ ...one, presence: byPlace.get(index + 1) }));
  const unknown = found.filter(({ presence }) => presence === undefined);
  if (unknown.length > 0) {
    // All of them at once; the field is where the first one stands.
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
  // Somebody named twice is asked once, in the stronger way.
  return resolved.filter(({ presenceId: id }, index) => resolved.findIndex((one) => one.presenceId === id) === index);
}

// Folded by the database, as the unique index of names does it.
const namedStatement: Statement = {
  name: 'presences.named',
  text: `select w.n::int as n, p.id, p.name from unnest($3::text[]) with ordinality as w (name, n)
    join room_presences p on p.org_id = $1 and (lower(p.name) collate "C") = lower(w.name) and p.room_key = $2
      and ${isLive('p')}`,
};
