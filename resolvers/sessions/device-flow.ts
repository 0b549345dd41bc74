import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import type { Statement } from '../../db/pool.ts';
import { anyone } from '../../kernel/access/access.ts';
import { oneLine } from '../../kernel/input/fields.ts';
import { ceremonyMinutes, ceremonyThrottles, devicePollSeconds } from '../../kernel/limits/limits.ts';
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
const pick = (from: string, count: number) =>
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
  prepare: (ctx) => countOfNetwork(ctx, ceremonyThrottles.flowOfNetwork, 'device'),
  async handler(work, { client_name }): Promise<Begun> {
    const deviceCode = randomBytes(32).toString('base64url');
    for (let attempt = 1; ; attempt++) {
      const userCode = `${pick(letters, 4)}-${pick(digits, 4)}`;
      const values = [sha256Hex(deviceCode), userCode, client_name ?? null, devicePollSeconds.usual];
      const [begun] = await work.rows(beginStatement, [...values, ceremonyMinutes.device]);
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
      expires_in: ceremonyMinutes.device * 60,
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
  const [found] = await services.db.rows<{ state: PollState; interval: number }>(pollStatement, [
    hash,
    devicePollSeconds.more,
  ]);
  if (found === undefined) throw notYet('expired_token');
  if (found.state !== 'approved') throw notYet(found.state, found.interval);
}

interface Approved {
  readonly principalId: string;
  readonly email: string;
  readonly amrTimes: Record<string, number>;
  readonly provenBy: string[] | null;
  readonly client: string | null;
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
    const [approved] = await work.rows<Approved>(redeemStatement, [sha256Hex(device_code)]);
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
  await countTry(ctx, ceremonyThrottles.userCode, 'user-code', principalId);
  return (await ctx.services.db.rows<ShownDevice>(findStatement, [normalCode(code)]))[0];
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
    await countTry(ctx, ceremonyThrottles.userCode, 'user-code', ctx.session.principal.id);
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
    const values = [normalCode(user_code), decision, principalId, email, JSON.stringify(session.amrTimes)];
    const [decided] = await work.rows<{ clientName: string | null }>(decideStatement, [...values, session.sessionId]);
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

const beginStatement: Statement = {
  name: 'device.begin',
  text: `insert into device_flows (device_hash, user_code, client_name, interval_seconds, created_at, expires_at)
    values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + make_interval(mins => $5))
    on conflict (user_code) do nothing returning 1 as begun`,
};

// What stands to the right of `returning` is the row as it was left: a decision counts at once, however soon one asks.
const pollStatement: Statement = {
  name: 'device.poll',
  text: `with seen as (
      select device_hash, polled_at > clock_timestamp() - make_interval(secs => interval_seconds) as hurried
      from device_flows where device_hash = $1 for no key update
    )
    update device_flows d set polled_at = clock_timestamp(),
      interval_seconds = interval_seconds
        + case when seen.hurried and d.decision is null and d.interval_seconds < 60 then $2::int else 0 end
    from seen where d.device_hash = seen.device_hash
    returning d.interval_seconds as interval, case
      when d.redeemed_at is not null or d.expires_at <= clock_timestamp() then 'expired_token'
      when d.decision = 'deny' then 'access_denied'
      when d.decision = 'approve' then 'approved'
      when seen.hurried then 'slow_down'
      else 'authorization_pending' end as state`,
};

const redeemStatement: Statement = {
  name: 'device.redeem',
  text: `update device_flows d set redeemed_at = clock_timestamp() from principals p
    where d.device_hash = $1 and d.decision = 'approve' and d.redeemed_at is null and d.expires_at > clock_timestamp()
      and p.id = d.principal_id and p.disabled_at is null
    returning d.principal_id as "principalId", d.email, d.amr_times as "amrTimes",
      d.proven_by as "provenBy", d.client_name as client`,
};

const waits = 'user_code = $1 and decision is null and expires_at > clock_timestamp()';

const findStatement: Statement = {
  name: 'device.find',
  text: `select user_code as "userCode", client_name as "clientName" from device_flows where ${waits}`,
};

const decideStatement: Statement = {
  name: 'device.decide',
  text: `update device_flows set decision = $2, principal_id = $3, email = $4, amr_times = $5::jsonb,
      proven_by = (select s.proven_by from sessions s where s.id = $6)
    where ${waits} returning client_name as "clientName"`,
};
