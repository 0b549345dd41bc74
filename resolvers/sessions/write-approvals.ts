import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sha256Hex } from '../../core/keys.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { principals, sessions, writeApprovals } from '../../db/schema/identity.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { approvalChallenges } from '../../db/schema/sign-in-flows.ts';
import { computed, insertInto, insertSelect, pick, setOf, statement, typed } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { orgId, projectId } from '../../kernel/input/fields.ts';
import { approvalMinutes, peopleThrottles, signInMinutes } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation, query, type WriteApproval } from '../../kernel/run/operation.ts';
import { assertionResponse } from '../auth/shared/passkeys/passkey-input.ts';
import { sessionStands } from '../identity/shared/session-stands.ts';
import {
  clientState,
  loopbackUri,
  loopbackWith,
  newCarriedCode,
  pkceChallenge,
  pkceVerifier,
  verifies,
} from './loopback.ts';
import { inSession } from './session-scope.ts';
import { askAssertion, checkProof, noteProof, OptionsWire, type Proof } from './shared/passkey-challenges.ts';
import { restingAlsoOn } from './shared/sessions.ts';
import { countOfNetwork } from './tries.ts';

/** Which field names the target of each action. Contract 01, section 1.10. */
const targets = {
  'org.project.create': 'org_id',
  'project.deploy': 'project_id',
  'project.secret.write': 'project_id',
  'project.snapshots.manage': 'project_id',
  'project.branches.manage': 'project_id',
  'project.archives.export': 'project_id',
} as const satisfies Record<WriteApproval<never>['action'], 'org_id' | 'project_id'>;

export type ApprovedAction = keyof typeof targets;

export const confirmPagePath = (id: string) => `/agent/v1/control-plane/write-auth/confirm/${id}`;

export interface ApprovalChallenge {
  readonly id: string;
  readonly action: ApprovedAction;
  readonly targetId: string;
  readonly redirectUri: string | null;
  readonly state: string;
  readonly expiresAt: Date;
  readonly confirmed: boolean;
}

/** A challenge as the page of it shows it. */
export interface ShownChallenge extends ApprovalChallenge {
  /** What the target is called; null where it has no name, or the person is no member there. */
  readonly targetName: string | null;
}

export const targetWire = ({ action, targetId }: Pick<ApprovalChallenge, 'action' | 'targetId'>) => ({
  org_id: targets[action] === 'org_id' ? targetId : null,
  project_id: targets[action] === 'project_id' ? targetId : null,
});

/** `POST /agent/v1/control-plane/write-auth/challenges`. Contract 01, section 5.14. */
export const beginApproval = mutation({
  name: 'approvals.begin',
  summary: 'Ask a person to approve one action on one target with a passkey, in a browser.',
  credentialBound: true,
  access: inSession('control_plane'),
  input: z.object({
    action: z.enum(Object.keys(targets) as [ApprovedAction, ...ApprovedAction[]]).describe('The one action.'),
    org_id: orgId.optional().describe('The organization, for an action on one.'),
    project_id: projectId.optional().describe('The project, for an action on one.'),
    cli_redirect_uri: z
      .string()
      .max(256)
      .optional()
      .describe('Where the client waits for the code; without it the page tells the window that opened it.'),
    code_challenge: pkceChallenge,
    state: clientState,
  }),
  async handler(work, input): Promise<ApprovalChallenge> {
    const { action, cli_redirect_uri, code_challenge, state } = input;
    const field = targets[action];
    const targetId = input[field];
    if (targetId === undefined) throw invalidField(field, `is what ${action} is about`);
    const other = field === 'org_id' ? 'project_id' : 'org_id';
    if (input[other] !== undefined) throw invalidField(other, `is not what ${action} is about`);
    const redirectUri = cli_redirect_uri === undefined ? null : loopbackUri(cli_redirect_uri);
    const id = randomUUID();
    const asked = { id, sessionId: work.session.sessionId, action, targetId, redirectUri, state };
    const [row] = await work.rows(
      beginStatement.with({ ...asked, codeChallenge: code_challenge, minutes: signInMinutes.flow }),
    );
    return { id, action, targetId, redirectUri, state, expiresAt: row!.expiresAt, confirmed: false };
  },
  audit: () => undefined,
  wire: z.object({
    challenge_id: z.string(),
    confirm_url: z.string(),
    expires_at: z.iso.datetime(),
    action: z.string(),
    org_id: z.string().nullable(),
    project_id: z.string().nullable(),
    delivery: z.enum(['cli_loopback', 'postmessage']),
  }),
  toWire: (challenge, { services, request }) => ({
    challenge_id: challenge.id,
    confirm_url: `${services.settings.publicBaseUrl ?? request.baseUrl}${confirmPagePath(challenge.id)}`,
    expires_at: challenge.expiresAt.toISOString(),
    action: challenge.action,
    ...targetWire(challenge),
    delivery: challenge.redirectUri === null ? ('postmessage' as const) : ('cli_loopback' as const),
  }),
});

/**
 * A challenge as its own person may see it, in whichever session of theirs.
 *
 * @throws FLOW_NOT_FOUND for an absent one and for that of another person alike
 */
export async function findApproval({ services }: Context, id: string, principalId: string): Promise<ShownChallenge> {
  const [found] = isUuid(id) ? await services.db.rows(findStatement.with({ id, principalId })) : [];
  if (found === undefined) throw new ServiceError('FLOW_NOT_FOUND');
  return found as ShownChallenge;
}

const challengeInput = z.string().max(64).describe('The challenge.');

/** `POST /agent/v1/control-plane/write-auth/options`: what the page asks the authenticator for. */
export const askApproval = query({
  name: 'approvals.beginPasskey',
  summary: 'What a browser is to ask an authenticator for, to approve one action.',
  access: inSession('control_plane'),
  input: z.object({ challenge_id: challengeInput }),
  async handler(ctx, { challenge_id }) {
    const { session } = ctx;
    const principalId = session.principal.id;
    const { id } = await findApproval(ctx, challenge_id, principalId);
    const { sessionId } = session;
    const asked = await askAssertion(ctx, { purpose: 'approve', sessionId, principalId, subject: id });
    if (asked.known > 0) return asked;
    throw new ServiceError('VALIDATION_FAILED', {
      message: 'There is no passkey yet to approve with.',
      details: { reason: 'no_passkey' },
    });
  },
  wire: OptionsWire,
  toWire: ({ options }) => ({ options }),
});

interface Confirmed {
  readonly id: string;
  readonly code: string;
  readonly state: string;
  readonly redirectUri: string | null;
}

/** `POST /agent/v1/control-plane/write-auth/verify`: by the person whose session asked, in the browser. */
export const confirmApproval = mutation({
  name: 'approvals.confirm',
  summary: 'Approve one action on one target by a passkey; the answer says where the code is brought to.',
  credentialBound: true,
  access: inSession('control_plane'),
  input: z.object({ challenge_id: challengeInput, response: assertionResponse }),
  prepare: (ctx, { challenge_id, response }) =>
    checkProof(ctx, response, {
      purpose: 'approve',
      sessionId: ctx.session.sessionId,
      principalId: ctx.session.principal.id,
      subject: challenge_id,
    }),
  async handler(work, { challenge_id }, proof: Proof): Promise<Confirmed> {
    await noteProof(work, proof);
    const code = newCarriedCode();
    const principalId = work.session.principal.id;
    const approval = { id: challenge_id, principalId, codeHash: sha256Hex(code), passkey: proof.passkeyId };
    const [confirmed] = await work.rows(confirmStatement.with({ ...approval, minutes: signInMinutes.code }));
    if (confirmed === undefined) {
      await findApproval(work, challenge_id, principalId);
      throw new ServiceError('FLOW_NOT_PENDING');
    }
    return { id: challenge_id, code, ...confirmed };
  },
  audit: ({ id }) => ({ action: 'write_approval.confirmed', object: { kind: 'write_approval_challenge', id } }),
  wire: z.object({
    status: z.literal('ok'),
    redirect_url: z.string().nullable().meta({ secret: true }),
    code: z.string().meta({ secret: true }),
    state: z.string(),
  }),
  toWire: ({ code, state, redirectUri }) => ({
    status: 'ok' as const,
    redirect_url: redirectUri === null ? null : loopbackWith(redirectUri, { code, state }),
    code,
    state,
  }),
});

interface Fetched {
  readonly sessionId: string;
  readonly principalId: string;
  readonly action: string;
  readonly targetId: string;
  readonly codeChallenge: string;
  readonly state: string;
}

interface NewApproval {
  readonly id: string;
  readonly token: string;
  readonly action: string;
  readonly targetId: string;
  readonly expiresAt: Date;
  readonly absoluteExpiresAt: Date;
}

/** `POST /agent/v1/control-plane/write-auth/cli/token`. The code is good once, whatever else the request says. */
export const approvalToken = mutation({
  name: 'approvals.token',
  summary: 'Trade the code of an approval, and its verifier, for the token that goes with the approved request.',
  credentialBound: true,
  access: anyone(),
  input: z.object({
    code: z.string().min(1).max(256).meta({ secret: true }).describe('The code.'),
    code_verifier: pkceVerifier,
    state: z.string().max(512).describe('The state it came with.'),
  }),
  async prepare(ctx, { code, code_verifier, state }): Promise<Fetched> {
    await countOfNetwork(ctx, peopleThrottles.codeOfNetwork, 'approval-code');
    const [fetched] = await ctx.services.db.rows(redeemStatement.with({ codeHash: sha256Hex(code) }));
    if (fetched === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'code_invalid' } });
    if (!verifies(code_verifier, fetched.codeChallenge)) throw new ServiceError('INVALID_PKCE');
    if (state !== fetched.state) throw new ServiceError('INVALID_GRANT', { message: 'The state is another one.' });
    return fetched;
  },
  async handler(work, _input, { sessionId, action, targetId }: Fetched): Promise<NewApproval> {
    const id = work.services.newId('wap');
    const token = newCarriedCode();
    const approval = { id, sessionId, tokenHash: sha256Hex(token), action, targetId };
    const { absolute, idle } = approvalMinutes;
    const [made] = await work.rows(makeStatement.with({ ...approval, minutes: absolute, idleMinutes: idle }));
    return { id, token, action, targetId, ...made! };
  },
  audit: ({ id, action, targetId }) => ({
    action: 'write_approval.given',
    object: { kind: 'write_approval', id },
    details: { action, target_id: targetId },
  }),
  wire: z.object({
    write_auth_token: z.string().meta({ secret: true }),
    token_type: z.literal('write_auth'),
    header: z.literal('X-Svc-Write-Auth'),
    session: z.object({
      write_auth_session_id: z.string(),
      expires_at: z.iso.datetime(),
      absolute_expires_at: z.iso.datetime(),
      amr: z.array(z.string()),
    }),
  }),
  toWire: ({ id, token, expiresAt, absoluteExpiresAt }) => ({
    write_auth_token: token,
    token_type: 'write_auth' as const,
    header: 'X-Svc-Write-Auth' as const,
    session: {
      write_auth_session_id: id,
      expires_at: expiresAt.toISOString(),
      absolute_expires_at: absoluteExpiresAt.toISOString(),
      amr: ['passkey'],
    },
  }),
});

const minutes = typed<number>('integer');
const minutesFromNow = (count: SQL): SQL => sql`clock_timestamp() + make_interval(mins => ${count})`;

const beginStatement = statement(
  'approvals.begin',
  {
    params: {
      ...pick(approvalChallenges, 'id', 'sessionId', 'action', 'targetId', 'redirectUri', 'codeChallenge', 'state'),
      minutes,
    },
    row: pick(approvalChallenges, 'expiresAt'),
  },
  ({ minutes: count, ...given }, row) =>
    sql`${insertInto(approvalChallenges, {
      ...given,
      createdAt: sql`clock_timestamp()`,
      expiresAt: minutesFromNow(count),
    })} returning ${row}`,
);

/** A challenge of the person's own session, which has not ended. */
const isOwn = (principalId: SQL): SQL => sql`${approvalChallenges.expiresAt} > clock_timestamp()
  and ${sessions.id} = ${approvalChallenges.sessionId} and ${sessions.principalId} = ${principalId}
  and ${sessionStands()}`;

const findStatement = statement(
  'approvals.find',
  {
    params: { id: approvalChallenges.id, principalId: sessions.principalId },
    row: {
      ...pick(approvalChallenges, 'id', 'action', 'targetId', 'redirectUri', 'state', 'expiresAt'),
      confirmed: computed<boolean>('boolean', sql`${approvalChallenges.codeHash} is not null`),
      targetName: computed<string | null>(
        'text',
        sql`(select coalesce(${projects.name}, ${orgs.displayName}) from ${memberships}
          join ${orgs} on ${orgs.id} = ${memberships.orgId}
          left join ${projects} on ${projects.orgId} = ${orgs.id} and ${projects.id} = ${approvalChallenges.targetId}
            and ${projects.deletedAt} is null
          where ${memberships.principalId} = ${sessions.principalId} and ${memberships.status} = 'active'
            and ${approvalChallenges.targetId} in (${orgs.id}::text, ${projects.id}))`,
      ),
    },
  },
  ({ id, principalId }, row) => sql`select ${row} from ${approvalChallenges}, ${sessions}
    where ${approvalChallenges.id} = ${id} and ${isOwn(principalId)}`,
);

// The session that asked rests on the passkey from then on, and ends with it: so does the approval.
const confirmStatement = statement(
  'approvals.confirm',
  {
    params: {
      id: approvalChallenges.id,
      principalId: sessions.principalId,
      codeHash: approvalChallenges.codeHash,
      minutes,
      passkey: typed<string>('text'),
    },
    row: {
      state: computed<string>('text', sql`confirmed.state`),
      redirectUri: computed<string | null>('text', sql`confirmed.redirect_uri`),
    },
  },
  ({ id, principalId, codeHash, minutes: count, passkey }, row) => sql`with confirmed as (
      update ${approvalChallenges}
      ${setOf(approvalChallenges, { codeHash, codeExpiresAt: minutesFromNow(count) })} from ${sessions}
      where ${approvalChallenges.id} = ${id} and ${approvalChallenges.codeHash} is null and ${isOwn(principalId)}
      returning ${approvalChallenges.sessionId}, ${approvalChallenges.state}, ${approvalChallenges.redirectUri}
    ), rests as (
      update ${sessions} ${setOf(sessions, { provenBy: restingAlsoOn(passkey) })}
      where ${sessions.id} = (select session_id from confirmed)
    )
    select ${row} from confirmed`,
);

const redeemStatement = statement(
  'approvals.redeem',
  {
    params: { codeHash: typed<string>('text') },
    row: {
      ...pick(approvalChallenges, 'sessionId', 'action', 'targetId', 'codeChallenge', 'state'),
      principalId: sessions.principalId,
    },
  },
  ({ codeHash }, row) => sql`update ${approvalChallenges}
    ${setOf(approvalChallenges, { redeemedAt: sql`clock_timestamp()` })}
    from ${sessions} join ${principals} on ${principals.id} = ${sessions.principalId} and ${principals.disabledAt} is null
    where ${approvalChallenges.codeHash} = ${codeHash} and ${approvalChallenges.redeemedAt} is null
      and ${approvalChallenges.codeExpiresAt} > clock_timestamp() and ${sessions.id} = ${approvalChallenges.sessionId}
      and ${sessionStands()}
    returning ${row}`,
);

const makeStatement = statement(
  'approvals.make',
  {
    params: {
      ...pick(writeApprovals, 'id', 'sessionId', 'tokenHash', 'action', 'targetId'),
      minutes,
      idleMinutes: minutes,
    },
    row: {
      absoluteExpiresAt: computed<Date>('timestamp with time zone', sql`made.absolute_expires_at`),
      expiresAt: computed<Date>('timestamp with time zone', sql`made.expires_at`),
    },
  },
  ({ sessionId, minutes: count, idleMinutes, ...given }, row) => {
    const values = {
      ...given,
      sessionId: sql`${sessions.id}`,
      lastUsedAt: sql`clock_timestamp()`,
      absoluteExpiresAt: sql`least(${sessions.absoluteExpiresAt}, ${minutesFromNow(count)})`,
    };
    const ofSession = sql`from ${sessions} where ${sessions.id} = ${sessionId}`;
    return sql`with made as (
        ${insertSelect(writeApprovals, values, ofSession)}
        returning ${writeApprovals.absoluteExpiresAt}, least(${writeApprovals.absoluteExpiresAt},
          ${writeApprovals.lastUsedAt} + make_interval(mins => ${idleMinutes})) as expires_at
      )
      select ${row} from made`;
  },
);
