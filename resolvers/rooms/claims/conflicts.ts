import { setImmediate as breathe } from 'node:timers/promises';
import { checked } from '../../../db/checked.ts';
import type { Statement } from '../../../db/pool.ts';
import type { Claim } from '../../../db/schema/claims.ts';
import { ComparedGlobs } from '../../../engines/globs/compared-globs.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { isLive } from '../presence-columns.ts';
import { claimColumns, isStanding } from './claim-columns.ts';
import { globOf, globPrefix, isGlob } from './globs.ts';

/** Work done at a stretch, in pairs of states: a few milliseconds. Others on this node have their turn in between. */
const stretch = 50_000;

/**
 * What stands against each of some claims right now, newest first: standing claims of other live presences of the room
 * on the same thing, of which one at least is exclusive. Nothing stands against a claim that stands no more itself.
 *
 * Asked after a claim is committed, so that of two that are made at the same time the later commit sees the other.
 */
export async function loadConflicts({ services }: Context, claims: readonly Claim[]): Promise<Claim[][]> {
  const standing = await services.db.rows<Claim>(candidatesStatement, [
    claims.map(({ orgId }) => orgId),
    claims.map(({ roomKey }) => roomKey),
    claims.map(({ resource }) => (isGlob(resource) ? null : resource)),
  ]);
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

const candidatesStatement: Statement = {
  name: 'claims.candidates',
  pipelined: true,
  text: `select ${claimColumns('c')}
    from (select distinct * from unnest($1::uuid[], $2::text[], $3::text[])) w (org_id, room_key, resource)
    join room_claims c on c.org_id = w.org_id and c.room_key = w.room_key and ${isStanding('c')}
      and case when w.resource is null then starts_with(c.resource, '${globPrefix}') else c.resource = w.resource end
    join room_presences p on p.org_id = c.org_id and p.id = c.presence_id and ${checked(isLive('p'))}
    order by c.created_at desc, c.id desc`,
};
