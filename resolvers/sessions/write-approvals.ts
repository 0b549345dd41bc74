import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sha256Hex } from '../../core/keys.ts';
import type { Statement } from '../../db/pool.ts';
import { sessions } from '../../db/schema/identity.ts';
import { textOf } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { orgId, projectId } from '../../kernel/input/fields.ts';
import { approvalMinutes, ceremonyMinutes, ceremonyThrottles } from '../../kernel/limits/limits.ts';
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
import { askAssertion, checkProof, noteProof, OptionsWire, type Proof } from './shared/passkey-ceremonies.ts';
import { restingAlsoOn } from './shared/sessions.ts';
import { countOfNetwork } from './tries.ts';

/** Which field names the target of each action. Contract 01, section 1.10. */
const targets = {
  'org.project.create': 'org_id',
  'project.deploy': 'project_id',
  'project.secret.write': 'project_id',
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
    const values = [id, work.session.sessionId, action, targetId, redirectUri, code_challenge, state];
    const [row] = await work.rows<{ expiresAt: Date }>(beginStatement, [...values, ceremonyMinutes.flow]);
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
 * @throws FLOW_NOT_FOUND for an absent one and for somebody else's alike
 */
export async function findApproval({ services }: Context, id: string, principalId: string): Promise<ShownChallenge> {
  const [found] = isUuid(id) ? await services.db.rows<ShownChallenge>(findStatement, [id, principalId]) : [];
  if (found === undefined) throw new ServiceError('FLOW_NOT_FOUND');
  return found;
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
    const values = [challenge_id, principalId, sha256Hex(code), ceremonyMinutes.code, proof.passkeyId];
    const [confirmed] = await work.rows<Pick<Confirmed, 'state' | 'redirectUri'>>(confirmStatement, values);
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
    await countOfNetwork(ctx, ceremonyThrottles.codeOfNetwork, 'approval-code');
    const [fetched] = await ctx.services.db.rows<Fetched>(redeemStatement, [sha256Hex(code)]);
    if (fetched === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'code_invalid' } });
    if (!verifies(code_verifier, fetched.codeChallenge)) throw new ServiceError('INVALID_PKCE');
    if (state !== fetched.state) throw new ServiceError('INVALID_GRANT', { message: 'The state is another one.' });
    return fetched;
  },
  async handler(work, _input, { sessionId, action, targetId }: Fetched): Promise<NewApproval> {
    const id = work.services.newId('wap');
    const token = newCarriedCode();
    const values = [id, sessionId, sha256Hex(token), action, targetId];
    const [made] = await work.rows<Pick<NewApproval, 'expiresAt' | 'absoluteExpiresAt'>>(makeStatement, [
      ...values,
      approvalMinutes.absolute,
      approvalMinutes.idle,
    ]);
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

const beginStatement: Statement = {
  name: 'approvals.begin',
  text: `insert into approval_challenges
      (id, session_id, action, target_id, redirect_uri, code_challenge, state, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp(), clock_timestamp() + make_interval(mins => $8))
    returning expires_at as "expiresAt"`,
};

/** A challenge of a session that still stands, of its own person. */
const own = `c.expires_at > clock_timestamp() and s.id = c.session_id and s.principal_id = $2
      and ${textOf(sessionStands(alias(sessions, 's')))}`;

const findStatement: Statement = {
  name: 'approvals.find',
  text: `select c.id, c.action, c.target_id as "targetId", c.redirect_uri as "redirectUri", c.state,
      c.expires_at as "expiresAt", c.code_hash is not null as confirmed,
      (select coalesce(p.name, o.display_name) from memberships m join orgs o on o.id = m.org_id
        left join projects p on p.org_id = o.id and p.id = c.target_id and p.deleted_at is null
        where m.principal_id = $2 and m.status = 'active' and c.target_id in (o.id::text, p.id)) as "targetName"
    from approval_challenges c, sessions s where c.id = $1::uuid and ${own}`,
};

// The session that asked rests on the passkey from then on, and ends with it: so does the approval.
const confirmStatement: Statement = {
  name: 'approvals.confirm',
  text: `with confirmed as (
      update approval_challenges c
      set code_hash = $3, code_expires_at = clock_timestamp() + make_interval(mins => $4)
      from sessions s where c.id = $1::uuid and c.code_hash is null and ${own}
      returning c.session_id, c.state, c.redirect_uri
    ), rests as (
      update sessions set proven_by = ${textOf(restingAlsoOn(sql.raw('$5')))} where id = (select session_id from confirmed)
    )
    select state, redirect_uri as "redirectUri" from confirmed`,
};

const redeemStatement: Statement = {
  name: 'approvals.redeem',
  text: `update approval_challenges c set redeemed_at = clock_timestamp()
    from sessions s join principals p on p.id = s.principal_id and p.disabled_at is null
    where c.code_hash = $1 and c.redeemed_at is null and c.code_expires_at > clock_timestamp() and s.id = c.session_id
      and ${textOf(sessionStands(alias(sessions, 's')))}
    returning c.session_id as "sessionId", s.principal_id as "principalId", c.action, c.target_id as "targetId",
      c.code_challenge as "codeChallenge", c.state`,
};

const makeStatement: Statement = {
  name: 'approvals.make',
  text: `insert into write_approvals (id, session_id, token_hash, action, target_id, last_used_at, absolute_expires_at)
    select $1, s.id, $3, $4, $5, clock_timestamp(),
      least(s.absolute_expires_at, clock_timestamp() + make_interval(mins => $6)) from sessions s where s.id = $2
    returning absolute_expires_at as "absoluteExpiresAt",
      least(absolute_expires_at, last_used_at + make_interval(mins => $7)) as "expiresAt"`,
};
