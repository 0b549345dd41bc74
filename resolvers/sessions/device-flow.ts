import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { principals, sessions } from '../../db/schema/identity.ts';
import { deviceFlows } from '../../db/schema/sign-in-flows.ts';
import { computed, insertInto, nameOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { oneLine } from '../../kernel/input/fields.ts';
import { devicePollSeconds, peopleThrottles, signInMinutes } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { emailsOf } from './people.ts';
import { inSession } from './session-scope.ts';
import {
  type MintedSession,
  mintSession,
  OperatorTokenWire,
  operatorTokenToWire,
  sessionBegun,
} from './shared/sessions.ts';
import { countOfNetwork, countTry } from './tries.ts';

/** The page that a person types the code into. */
export const devicePagePath = '/agent/v1/operator/device';

// Neither vowels, which make words, nor letters and digits that look alike.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const digits = '23456789';
const pickFrom = (from: string, count: number) =>
  Array.from({ length: count }, () => from[randomInt(from.length)]).join('');

/** As people type it: in any letter case, with or without the hyphen. */
const normalCode = (code: string) =>
  code
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^(.{4})(.{4})$/, '$1-$2');

interface Begun {
  readonly deviceCode: string;
  readonly userCode: string;
}

/** `POST /agent/v1/operator/session/device`. RFC 8628, contract 01, section 5.13. */
export const beginDevice = mutation({
  name: 'operator.beginDevice',
  summary: 'Begin a sign-in on a device without a browser: a person approves it elsewhere by a short code.',
  credentialBound: true,
  access: anyone(),
  input: z.object({
    client_name: oneLine(64).optional().describe('What the person is told that asks.'),
    client_id: z.string().max(128).optional().describe('Accepted from clients that follow the RFC to the letter.'),
    scope: z.string().max(256).optional().describe('Accepted from clients that follow the RFC to the letter.'),
  }),
  prepare: (ctx) => countOfNetwork(ctx, peopleThrottles.flowOfNetwork, 'device'),
  async handler(work, { client_name }): Promise<Begun> {
    const deviceCode = randomBytes(32).toString('base64url');
    for (let attempt = 1; ; attempt++) {
      const userCode = `${pickFrom(letters, 4)}-${pickFrom(digits, 4)}`;
      const flow = {
        deviceHash: sha256Hex(deviceCode),
        userCode,
        clientName: client_name ?? null,
        intervalSeconds: devicePollSeconds.usual,
        minutes: signInMinutes.device,
      };
      const [begun] = await work.rows(beginStatement.with(flow));
      if (begun !== undefined) return { deviceCode, userCode };
      // One in a thousand million, unless something is wrong.
      if (attempt === 5) throw new Error('No user code was free.');
    }
  },
  audit: () => undefined,
  wire: z.object({
    device_code: z.string().meta({ secret: true }),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.int(),
    interval: z.int(),
  }),
  toWire: ({ deviceCode, userCode }, { services, request }) => {
    const page = `${services.settings.publicBaseUrl ?? request.baseUrl}${devicePagePath}`;
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: signInMinutes.device * 60,
      interval: devicePollSeconds.usual,
    };
  },
});

type PollState = 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token' | 'approved';

/** One of the four states that are data: the bare word of the RFC stands in `error`. */
const notYet = (state: PollState, interval?: number) =>
  new ServiceError('DEVICE_PENDING', {
    label: state,
    details: { state, ...(interval === undefined ? {} : { interval }) },
    ...(state === 'authorization_pending' || state === 'slow_down'
      ? { nextActions: [{ type: 'poll', method: 'POST', path: '/agent/v1/operator/session/device/token' }] }
      : {}),
  });

/** Notes a poll outside the transaction of its answer, which is a refusal most of the time. */
async function poll({ services }: Context, deviceCode: string): Promise<void> {
  const hash = sha256Hex(deviceCode);
  const [found] = await services.db.rows(pollStatement.with({ deviceHash: hash, more: devicePollSeconds.more }));
  if (found === undefined) throw notYet('expired_token');
  if (found.state !== 'approved') throw notYet(found.state, found.intervalSeconds);
}

/** `POST /agent/v1/operator/session/device/token`: the bearer once, the states of waiting as data. */
export const deviceToken = mutation({
  name: 'operator.deviceToken',
  summary: 'Fetch the reading session that a person approved for a device; until then the answer says how it stands.',
  credentialBound: true,
  access: anyone(),
  input: z.object({
    device_code: z.string().min(1).max(256).meta({ secret: true }).describe('What the device was given.'),
    grant_type: z.string().max(128).optional().describe('Accepted from clients that follow the RFC to the letter.'),
    client_id: z.string().max(128).optional().describe('Accepted from clients that follow the RFC to the letter.'),
  }),
  prepare: (ctx, { device_code }) => poll(ctx, device_code),
  async handler(work, { device_code }): Promise<MintedSession> {
    const [approved] = await work.rows(redeemStatement.with({ deviceHash: sha256Hex(device_code) }));
    if (approved === undefined) throw notYet('expired_token');
    const { amrTimes: proven, ...whose } = approved;
    return mintSession(work, { kind: 'operator', provenance: 'device', proven, ...whose });
  },
  audit: sessionBegun,
  wire: OperatorTokenWire,
  toWire: operatorTokenToWire,
});

/** What a person is shown of a device that asks. */
export interface ShownDevice {
  readonly userCode: string;
  readonly clientName: string | null;
}

/** The device that waits under a code; undefined for none. Tries are counted: codes are short. */
export async function findDevice(ctx: Context, principalId: string, code: string): Promise<ShownDevice | undefined> {
  await countTry(ctx, peopleThrottles.userCode, 'user-code', principalId);
  return (await ctx.services.db.rows(findStatement.with({ userCode: normalCode(code) })))[0];
}

interface Decided {
  readonly principalId: string;
  readonly decision: 'approve' | 'deny';
  readonly clientName: string | null;
}

/** `POST /agent/v1/operator/session/device/approve`, in the browser of the person. */
export const decideDevice = mutation({
  name: 'operator.decideDevice',
  summary: 'Approve or deny the sign-in of a device by the code that it shows.',
  access: inSession('operator', 'control_plane'),
  forReaders: true,
  input: z.object({
    user_code: z.string().min(1).max(32).describe('The code that the device shows.'),
    decision: z.enum(['approve', 'deny']).describe('What becomes of it.'),
  }),
  async prepare(ctx) {
    // A device that was let in lets no other in.
    if (ctx.session.provenance === 'device')
      throw new ServiceError('FORBIDDEN', { message: 'A device that was approved approves no other.' });
    await countTry(ctx, peopleThrottles.userCode, 'user-code', ctx.session.principal.id);
  },
  async handler(work, { user_code, decision }): Promise<Decided> {
    const { session } = work;
    const principalId = session.principal.id;
    const email = session.email ?? (await emailsOf(work, principalId))[0];
    if (email === undefined)
      throw new ServiceError('VALIDATION_FAILED', {
        message: 'An operator session goes by a verified address, and there is none.',
        details: { reason: 'no_email' },
      });
    const decidedBy = { principalId, email, amrTimes: JSON.stringify(session.amrTimes), sessionId: session.sessionId };
    const [decided] = await work.rows(
      decideStatement.with({ userCode: normalCode(user_code), decision, ...decidedBy }),
    );
    if (decided === undefined) throw new ServiceError('DEVICE_CODE_NOT_FOUND');
    return { principalId, decision, clientName: decided.clientName };
  },
  audit: ({ principalId, decision, clientName }) => ({
    action: decision === 'approve' ? 'device.approved' : 'device.denied',
    object: { kind: 'principal', id: principalId },
    details: { client_name: clientName },
  }),
  wire: z.object({ ok: z.literal(true), decision: z.enum(['approve', 'deny']), client_name: z.string().nullable() }),
  toWire: ({ decision, clientName }) => ({ ok: true as const, decision, client_name: clientName }),
});

const beginStatement = statement(
  'device.begin',
  {
    params: {
      ...pick(deviceFlows, 'deviceHash', 'userCode', 'clientName', 'intervalSeconds'),
      minutes: typed<number>('integer'),
    },
    row: pick(deviceFlows, 'userCode'),
  },
  ({ minutes, ...given }, row) =>
    sql`${insertInto(deviceFlows, {
      ...given,
      createdAt: sql`clock_timestamp()`,
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
    })} on conflict (${nameOf(deviceFlows.userCode)}) do nothing returning ${row}`,
);

// To the right of `returning` is the row as it was left: a decision counts at once, however soon a device asks.
const pollStatement = statement(
  'device.poll',
  {
    params: { deviceHash: deviceFlows.deviceHash, more: typed<number>('integer') },
    row: {
      intervalSeconds: deviceFlows.intervalSeconds,
      state: computed<PollState>(
        'text',
        sql`case
          when ${deviceFlows.redeemedAt} is not null or ${deviceFlows.expiresAt} <= clock_timestamp() then 'expired_token'
          when ${deviceFlows.decision} = 'deny' then 'access_denied'
          when ${deviceFlows.decision} = 'approve' then 'approved'
          when seen.hurried then 'slow_down'
          else 'authorization_pending' end`,
      ),
    },
  },
  ({ deviceHash, more }, row) => sql`with seen as (
      select ${deviceFlows.deviceHash}, ${deviceFlows.polledAt}
        > clock_timestamp() - make_interval(secs => ${deviceFlows.intervalSeconds}) as hurried
      from ${deviceFlows} where ${deviceFlows.deviceHash} = ${deviceHash} for no key update
    )
    update ${deviceFlows} ${setOf(deviceFlows, {
      polledAt: sql`clock_timestamp()`,
      intervalSeconds: sql`${deviceFlows.intervalSeconds} + case
        when seen.hurried and ${deviceFlows.decision} is null and ${deviceFlows.intervalSeconds} < 60
        then ${more}::int else 0 end`,
    })} from seen where ${deviceFlows.deviceHash} = seen.${nameOf(deviceFlows.deviceHash)} returning ${row}`,
);

const redeemStatement = statement(
  'device.redeem',
  {
    params: pick(deviceFlows, 'deviceHash'),
    row: {
      ...pick(deviceFlows, 'provenBy'),
      client: deviceFlows.clientName,
      // A flow that was approved has these.
      principalId: computed<string>('text', sql`${deviceFlows.principalId}`),
      email: computed<string>('text', sql`${deviceFlows.email}`),
      amrTimes: computed<Record<string, number>>('jsonb', sql`${deviceFlows.amrTimes}`),
    },
  },
  ({ deviceHash }, row) => sql`update ${deviceFlows} ${setOf(deviceFlows, { redeemedAt: sql`clock_timestamp()` })}
    from ${principals} where ${deviceFlows.deviceHash} = ${deviceHash} and ${deviceFlows.decision} = 'approve'
      and ${deviceFlows.redeemedAt} is null and ${deviceFlows.expiresAt} > clock_timestamp()
      and ${principals.id} = ${deviceFlows.principalId} and ${principals.disabledAt} is null
    returning ${row}`,
);

const waits = ({ userCode }: { readonly userCode: SQL }): SQL =>
  sql`${deviceFlows.userCode} = ${userCode} and ${deviceFlows.decision} is null
    and ${deviceFlows.expiresAt} > clock_timestamp()`;

const findStatement = statement(
  'device.find',
  { params: pick(deviceFlows, 'userCode'), row: pick(deviceFlows, 'userCode', 'clientName') },
  (given, row) => sql`select ${row} from ${deviceFlows} where ${waits(given)}`,
);

const decideStatement = statement(
  'device.decide',
  {
    params: {
      ...pick(deviceFlows, 'userCode', 'decision', 'principalId', 'email', 'amrTimes'),
      sessionId: sessions.id,
    },
    row: pick(deviceFlows, 'clientName'),
  },
  ({ userCode, decision, principalId, email, amrTimes, sessionId }, row) =>
    sql`update ${deviceFlows} ${setOf(deviceFlows, {
      decision,
      principalId,
      email,
      amrTimes: sql`${amrTimes}::jsonb`,
      provenBy: sql`(select ${sessions.provenBy} from ${sessions} where ${sessions.id} = ${sessionId})`,
    })} where ${waits({ userCode })} returning ${row}`,
);
