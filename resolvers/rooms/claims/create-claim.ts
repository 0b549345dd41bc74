import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { alias, sql } from '../../../db/drizzle.ts';
import { type Claim, roomClaims } from '../../../db/schema/claims.ts';
import { from, insertSelect, pick, statement, typed } from '../../../db/sql.ts';
import { isTooIntricate } from '../../../engines/globs/automaton.ts';
import { onRoom } from '../../../kernel/access/access.ts';
import { readAfterChange } from '../../../kernel/durability/read-after-change.ts';
import { properName } from '../../../kernel/input/fields.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { roomActions } from '../shared/actions.ts';
import { holdRoom, isArchived, roomArchived } from '../shared/archived.ts';
import { ensureRoom } from '../shared/ensure-room.ts';
import { type PresenceResult, resolveSpeaker } from '../shared/presence.ts';
import { presenceFields, presenceId, roomAddress, sessionKey } from '../shared/room-input.ts';
import { arrivalToWire, PresenceResultWire } from '../shared/wire.ts';
import { claimColumns, isInForce } from './claim-columns.ts';
import { claimChanged } from './claim-feed.ts';
import { ClaimWire, claimToWire } from './claim-wire.ts';
import { loadConflicts } from './conflicts.ts';
import { globOf, globPrefix, isGlob } from './globs.ts';

/** Most active claims of one presence. Contract 02, section 2.7. */
export const claimsMax = 32;

const noteMax = 1_000;
const ttlSeconds = { usual: 3_600, most: 86_400 };

export interface CreatedClaim {
  readonly claim: Claim;
  readonly holder: PresenceResult;
}

/** `POST /orgs/v1/:org_id/rooms/:room_key/claims`. Contract 02, section 2.7. */
export const createClaim = mutation({
  name: 'claims.create',
  tool: 'claim_room_resource',
  command: 'claims create',
  summary: 'Say “I am on this” of a resource; what others claim is told, and never stands in the way.',
  access: onRoom(roomActions['room:write']),
  input: z.object({
    ...roomAddress,
    resource: properName(512)
      .trim()
      .min(1)
      .refine((resource) => resource !== globPrefix, `${globPrefix} needs a path or a pattern; repo:. is everything`)
      .refine(
        (resource) => !(isGlob(resource) && isTooIntricate(globOf(resource))),
        'the pattern is too long, or has too many alternatives',
      )
      .describe('`repo:<glob>`, `function:<name>`, `table:<name>`, `deploy`, or any text.'),
    mode: z.enum(['exclusive', 'shared']).describe('`shared` gets on with others that are shared.'),
    ttl_seconds: z
      .int()
      .min(1)
      .max(ttlSeconds.most)
      .default(ttlSeconds.usual)
      .describe('Seconds until it runs out: 3600 unless told, at most 86400.'),
    note: z
      .string()
      .refine((note) => [...note].length <= noteMax, `at most ${noteMax.toLocaleString('en')} characters`)
      .optional()
      .describe('What for; for display.'),
    presence_id: presenceId,
    session_key: sessionKey,
    ...presenceFields,
  }),
  async handler(work, input): Promise<CreatedClaim> {
    await ensureRoom(work);
    const [, archived] = await Promise.all([holdRoom(work), isArchived(work)]);
    if (archived) throw roomArchived(work);
    // Finding the holder also locks its row, so that claims of one presence are counted one after the other.
    const holder = await resolveSpeaker(work, input);
    const inserted = insertStatement.with({
      orgId: work.org.id,
      id: work.services.newId('clm'),
      roomKey: work.room.key,
      presenceId: holder.presence.id,
      principalId: holder.presence.principalId,
      holder: holder.presence.name,
      resource: input.resource,
      mode: input.mode,
      note: input.note ?? null,
      seconds: input.ttl_seconds,
      most: claimsMax,
    });
    const [claim] = await work.rows(inserted);
    if (claim === undefined) {
      const details = { resource: 'active_claims', scope: 'presence', used: claimsMax, limit: claimsMax };
      throw new ServiceError('QUOTA_EXCEEDED', { message: 'The presence holds as many claims as it may.', details });
    }
    work.append(claimChanged(claim));
    return { claim, holder };
  },
  audit: ({ claim }) => ({ action: 'claim.created', object: { kind: 'claim', id: claim.id } }),
  wire: ClaimWire.extend({ conflicts: z.array(ClaimWire), presence: PresenceResultWire.optional() }),
  toWire: async ({ claim, holder }, ctx) => ({
    ...claimToWire(claim),
    conflicts: (await conflictsOf(ctx, claim)).map(claimToWire),
    ...(holder.how === 'registered' ? { presence: arrivalToWire(holder) } : {}),
  }),
});

/** Claims that conflict with a new one. */
const conflictsOf = async (ctx: Context, claim: Claim): Promise<readonly Claim[]> =>
  (
    await readAfterChange(
      () => loadConflicts(ctx, [claim]),
      ctx,
      `The claim ${claim.id} was made, but what stands against it could not be read.`,
      { claim_id: claim.id },
    )
  )[0]!;

const other = alias(roomClaims, 'other');

const insertStatement = statement(
  'claims.insert',
  {
    params: {
      ...pick(roomClaims, 'orgId', 'id', 'roomKey', 'presenceId', 'principalId', 'holder', 'resource', 'mode', 'note'),
      seconds: typed<number>('double precision'),
      most: typed<number>('bigint'),
    },
    row: claimColumns,
  },
  ({ seconds, most, ...given }, row) => {
    const values = { ...given, expiresAt: sql`now() + make_interval(secs => ${seconds})` };
    const hasRoom = sql`where (select count(*) from ${from(other)} where ${other.orgId} = ${given.orgId}
      and ${other.presenceId} = ${given.presenceId} and ${isInForce(other)}) < ${most}`;
    return sql`${insertSelect(roomClaims, values, hasRoom)} returning ${row}`;
  },
);
