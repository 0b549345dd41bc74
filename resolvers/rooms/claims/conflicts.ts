import { setImmediate as breathe } from 'node:timers/promises';
import { checked } from '../../../db/checked.ts';
import { sql } from '../../../db/drizzle.ts';
import { type Claim, roomClaims } from '../../../db/schema/claims.ts';
import { roomPresences } from '../../../db/schema/rooms.ts';
import { statement, typed } from '../../../db/sql.ts';
import { ComparedGlobs } from '../../../engines/globs/compared-globs.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { isLive } from '../presence-columns.ts';
import { claimColumns, isInForce } from './claim-columns.ts';
import { globOf, globPrefix, isGlob } from './globs.ts';

/** Work done at a stretch, in pairs of states: a few milliseconds. Others on this node have their turn in between. */
const stretch = 50_000;

/**
 * The conflicts of each of some claims, newest first: active claims of other live presences of the room
 * on the same thing, of which one at least is exclusive. A claim that is not active itself has no conflicts.
 *
 * Asked after a claim is committed, so that of two that are made at the same time the later commit sees the other.
 */
export async function loadConflicts({ services }: Context, claims: readonly Claim[]): Promise<Claim[][]> {
  const asked = {
    orgIds: claims.map(({ orgId }) => orgId),
    roomKeys: claims.map(({ roomKey }) => roomKey),
    resources: claims.map(({ resource }) => (isGlob(resource) ? null : resource)),
  };
  const standing = await services.db.rows(candidatesStatement.with(asked));
  const ids = new Set(standing.map(({ id }) => id));
  const resources = new Resources();
  const found: Claim[][] = [];
  for (const claim of claims) {
    const against: Claim[] = [];
    for (const other of ids.has(claim.id) ? standing : []) {
      if (mayConflict(claim, other) && (await resources.meet(claim.resource, other.resource))) against.push(other);
    }
    found.push(against);
  }
  return found;
}

const mayConflict = (claim: Claim, other: Claim): boolean =>
  claim.orgId === other.orgId &&
  claim.roomKey === other.roomKey &&
  claim.presenceId !== other.presenceId &&
  (claim.mode === 'exclusive' || other.mode === 'exclusive');

/** Compares resources, and lets others have their turn. */
class Resources {
  readonly #globs = new ComparedGlobs();
  #pausedAt = 0;

  /** Whether two name the same thing: never across namespaces, and globs when some path matches both. */
  async meet(left: string, right: string): Promise<boolean> {
    if (!isGlob(left) || !isGlob(right)) return left === right;
    const overlaps = this.#globs.overlap(globOf(left), globOf(right));
    if (this.#globs.steps - this.#pausedAt > stretch) {
      this.#pausedAt = this.#globs.steps;
      await breathe();
    }
    return overlaps;
  }
}

const candidatesStatement = statement(
  'claims.candidates',
  {
    params: {
      orgIds: typed<readonly string[]>('uuid[]'),
      roomKeys: typed<readonly string[]>('text[]'),
      resources: typed<readonly (string | null)[]>('text[]'),
    },
    row: claimColumns,
    pipelined: true,
  },
  ({ orgIds, roomKeys, resources }, row) => sql`select ${row}
    from (select distinct * from unnest(${orgIds}::uuid[], ${roomKeys}::text[], ${resources}::text[]))
      w (org_id, room_key, resource)
    join ${roomClaims} on ${roomClaims.orgId} = w.org_id and ${roomClaims.roomKey} = w.room_key and ${isInForce()}
      and case when w.resource is null then starts_with(${roomClaims.resource}, ${sql.raw(`'${globPrefix}'`)})
        else ${roomClaims.resource} = w.resource end
    join ${roomPresences} on ${roomPresences.orgId} = ${roomClaims.orgId}
      and ${roomPresences.id} = ${roomClaims.presenceId} and ${checked(isLive())}
    order by ${roomClaims.createdAt} desc, ${roomClaims.id} desc`,
);
