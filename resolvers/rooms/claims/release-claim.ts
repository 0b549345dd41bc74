import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { checked } from '../../../db/checked.ts';
import { sql } from '../../../db/drizzle.ts';
import { type Claim, roomClaims } from '../../../db/schema/claims.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import { onRoom } from '../../../kernel/access/access.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { roomActions } from '../shared/actions.ts';
import { principalOf, prolong } from '../shared/presence.ts';
import { roomAddress } from '../shared/room-input.ts';
import { claimColumns, isInForce } from './claim-columns.ts';
import { claimChanged } from './claim-feed.ts';

export interface Release {
  readonly claim: Claim;
  /** It was over before: released, or run out. */
  readonly already: boolean;
}

/** `DELETE /orgs/v1/:org_id/rooms/:room_key/claims/:claim_id`. Contract 02, section 2.7. */
export const releaseClaim = mutation({
  name: 'claims.release',
  tool: 'release_room_claim',
  command: 'claims release',
  effects: ['destructive', 'idempotent'],
  summary: 'Release a claim of the caller; one that is over already stays as it is.',
  access: onRoom(roomActions['room:write']),
  input: z.object({ ...roomAddress, claim: z.string().max(64).describe('Claim to release, `clm_…`.') }),
  async handler(work, { claim: id }): Promise<Release> {
    const find = claimStatement.with({ orgId: work.org.id, roomKey: work.room.key, id });
    const [known] = await work.rows(find);
    if (known === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { claim_id: id } });
    if (known.principalId !== (await principalOf(work)))
      throw new ServiceError('FORBIDDEN', { message: 'That claim is somebody else’s.' });
    // The holder first, as in all that changes both. One that has expired is not brought back, but may tidy up.
    await prolong(work, known.presenceId);
    const [released] = await work.rows(releaseStatement.with({ orgId: work.org.id, id }));
    if (released === undefined) return { claim: (await work.rows(find))[0]!, already: true };
    work.append(claimChanged(released));
    return { claim: released, already: false };
  },
  audit: ({ claim, already }) =>
    already ? undefined : { action: 'claim.released', object: { kind: 'claim', id: claim.id } },
  wire: z.object({
    claim_id: z.string(),
    released_at: z.iso.datetime().nullable(),
    already_released: z.boolean(),
  }),
  toWire: ({ claim, already }) => ({
    claim_id: claim.id,
    released_at: claim.releasedAt?.toISOString() ?? null,
    already_released: already,
  }),
});

const claimStatement = statement(
  'claims.get',
  { params: pick(roomClaims, 'orgId', 'roomKey', 'id'), row: claimColumns },
  ({ orgId, roomKey, id }, row) => sql`select ${row} from ${roomClaims} where ${roomClaims.orgId} = ${orgId}
    and ${roomClaims.id} = ${id} and ${checked(sql`${roomClaims.roomKey} = ${roomKey}`)}`,
);

const releaseStatement = statement(
  'claims.release',
  { params: pick(roomClaims, 'orgId', 'id'), row: claimColumns },
  ({ orgId, id }, row) => sql`update ${roomClaims} ${setOf(roomClaims, { releasedAt: sql`now()` })}
    where ${roomClaims.orgId} = ${orgId} and ${roomClaims.id} = ${id} and ${isInForce()} returning ${row}`,
);
