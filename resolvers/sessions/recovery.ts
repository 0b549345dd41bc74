import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { principals } from '../../db/schema/identity.ts';
import { recoveryCodes } from '../../db/schema/sign-in-flows.ts';
import { insertSelect, pick, setOf, statement, typed } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { peopleThrottles, recoveryCodesIssued } from '../../kernel/limits/limits.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { notifyPosturesOf } from '../members/shared/recovery-posture.ts';
import { notifyPerson } from './notify-person.ts';
import { activateInvites, emailsOf, lockPerson } from './people.ts';
import { inSession } from './session-scope.ts';
import {
  controlPlaneTokenShape,
  controlPlaneTokenToWire,
  type MintedSession,
  mintSession,
  sessionBegun,
} from './shared/sessions.ts';
import { countOfNetwork } from './tries.ts';

// 32 letters and digits that are not taken for each other: five bits each.
const alphabet = '23456789abcdefghijkmnpqrstuvwxyz';
const codeCharacters = 20;

const newCode = (): string => {
  const text = [...randomBytes(codeCharacters)].map((byte) => alphabet[byte % 32]).join('');
  return text.match(/.{5}/g)!.join('-');
};

/** A code as it was typed: in any letter case, with any separators. */
const hashOf = (code: string) => sha256Hex(`recovery:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`);

interface Issued {
  readonly principalId: string;
  readonly codes: readonly string[];
}

/** `POST /agent/v1/control-plane/recovery/issue`. Contract 01, section 5.14. */
export const issueRecoveryCodes = mutation({
  name: 'recovery.issue',
  summary: 'Issue codes that sign a person in who has lost its passkeys; earlier ones are good no more.',
  credentialBound: true,
  access: inSession('control_plane'),
  stepUp: 'recovery.issue',
  input: z.object({}),
  async handler(work): Promise<Issued> {
    const principalId = work.session.principal.id;
    await lockPerson(work, principalId);
    const codes = Array.from({ length: recoveryCodesIssued }, newCode);
    await work.rows(forgetStatement.with({ principalId }));
    await work.rows(issueStatement.with({ principalId, hashes: codes.map(hashOf) }));
    await notifyPerson(work, principalId, 'Recovery codes were made; earlier ones are good no more.');
    await notifyPosturesOf(work, principalId);
    return { principalId, codes };
  },
  audit: ({ principalId, codes }) => ({
    action: 'recovery_codes.issued',
    object: { kind: 'principal', id: principalId },
    details: { count: codes.length },
  }),
  wire: z.object({
    status: z.literal('ok'),
    recovery_codes: z.array(z.string()).meta({ secret: true }),
    note: z.string(),
  }),
  toWire: ({ codes }) => ({
    status: 'ok' as const,
    recovery_codes: [...codes],
    note: 'Each is good once, and they are not shown again. Keep them where your passkeys are not.',
  }),
});

/** `POST /agent/v1/control-plane/recovery/consume`. */
export const consumeRecoveryCode = mutation({
  name: 'recovery.consume',
  summary: 'Begin a person’s session by a recovery code, which is good once.',
  credentialBound: true,
  access: anyone(),
  input: z.object({
    code: z.string().min(1).max(64).meta({ secret: true }).describe('The code; letter case and hyphens do not matter.'),
  }),
  prepare: (ctx) => countOfNetwork(ctx, peopleThrottles.codeOfNetwork, 'recovery'),
  async handler(work, { code }): Promise<MintedSession> {
    const [used] = await work.rows(useStatement.with({ codeHash: hashOf(code) }));
    if (used === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'code_invalid' } });
    const { principalId } = used;
    await activateInvites(work, principalId);
    await notifyPerson(work, principalId, 'Somebody signed in as you with a recovery code.');
    // The last one that is used up leaves nothing to come back by.
    await notifyPosturesOf(work, principalId);
    const email = (await emailsOf(work, principalId))[0] ?? null;
    return mintSession(work, {
      kind: 'control_plane',
      principalId,
      email,
      provenance: 'recovery_code',
      proven: 'recovery_code',
      provenBy: [],
    });
  },
  audit: sessionBegun,
  wire: z.object({ ...controlPlaneTokenShape, must_enroll_passkey: z.literal(true), note: z.string() }),
  toWire: (session) => ({
    ...controlPlaneTokenToWire(session),
    must_enroll_passkey: true as const,
    note: 'Enrol a passkey now: for 15 minutes this session may do so without another one.',
  }),
});

const forgetStatement = statement(
  'recovery.forget',
  { params: pick(recoveryCodes, 'principalId') },
  ({ principalId }) => sql`delete from ${recoveryCodes} where ${recoveryCodes.principalId} = ${principalId}`,
);

const issueStatement = statement(
  'recovery.issue',
  { params: { ...pick(recoveryCodes, 'principalId'), hashes: typed<readonly string[]>('text[]') } },
  ({ principalId, hashes }) =>
    insertSelect(
      recoveryCodes,
      { codeHash: sql`issued.hash`, principalId },
      sql`from unnest(${hashes}::text[]) as issued (hash)`,
    ),
);

const useStatement = statement(
  'recovery.use',
  { params: pick(recoveryCodes, 'codeHash'), row: pick(recoveryCodes, 'principalId') },
  ({ codeHash }, row) => sql`update ${recoveryCodes} ${setOf(recoveryCodes, { usedAt: sql`clock_timestamp()` })}
    from ${principals} where ${recoveryCodes.codeHash} = ${codeHash} and ${recoveryCodes.usedAt} is null
      and ${principals.id} = ${recoveryCodes.principalId} and ${principals.disabledAt} is null
    returning ${row}`,
);
