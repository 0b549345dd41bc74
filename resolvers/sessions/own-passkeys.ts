import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { sessions } from '../../db/schema/identity.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { SessionCaller } from '../../kernel/access/caller.ts';
import { deviceForbidden, requireStepUp } from '../../kernel/access/step-up.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { assertionResponse, label, registrationResponse } from '../auth/shared/passkeys/passkey-input.ts';
import { notifyPosturesOf } from '../members/shared/recovery-posture.ts';
import { notifyPerson } from './notify-person.ts';
import { activateInvites, emailsOf, lockPerson } from './people.ts';
import { inSession } from './session-scope.ts';
import {
  askAssertion,
  askRegistration,
  checkMade,
  checkProof,
  keepPasskey,
  type MadePasskey,
  noteProof,
  OptionsWire,
  type Proof,
  passkeyCount,
} from './shared/passkey-challenges.ts';
import { restingAlsoOn } from './shared/sessions.ts';

/** How long a recovery code lets its session enrol a passkey without another one, in seconds. */
const recoveryEnrolSeconds = 900;

/**
 * The first passkey takes any session of a person; each further one a fresh proof of one. A recovery code stands in for
 * that proof for a while, since whoever needs one has lost the passkeys. A device that was let in by a code it showed
 * never enrols any: whoever sent somebody the code would have a passkey of theirs.
 *
 * @throws STEP_UP_REQUIRED
 */
function requireMayEnrol(ctx: Context, session: SessionCaller, passkeys: number): void {
  if (session.provenance === 'device') throw deviceForbidden('authenticator.register');
  if (passkeys === 0) return;
  const recoveredAt = session.amrTimes.recovery_code;
  const recovered = session.provenance === 'recovery_code' && recoveredAt !== undefined;
  if (recovered && session.askedAt - recoveredAt <= recoveryEnrolSeconds) return;
  if (session.kind === 'operator') throw deviceForbidden('authenticator.register');
  requireStepUp(ctx, session, 'authenticator.register');
}

type Kind = 'control_plane' | 'operator';
const enrolPurpose = (kind: Kind) => (kind === 'operator' ? 'operator_enroll' : 'enroll');

const beginEnrol = (kind: Kind) =>
  query({
    name: kind === 'operator' ? 'operator.beginEnrol' : 'passkeys.beginEnrol',
    summary:
      kind === 'operator'
        ? 'What a browser is to ask an authenticator for, to make an operator its first passkey.'
        : 'What a browser is to ask an authenticator for, to make a person a passkey.',
    access: inSession<object>(kind),
    input: z.object({}),
    async handler(ctx) {
      const { session, services } = ctx;
      const principalId = session.principal.id;
      requireMayEnrol(ctx, session, await passkeyCount(services.db, principalId));
      const name = session.email ?? (await emailsOf(services.db, principalId))[0] ?? principalId;
      const ceremony = { purpose: enrolPurpose(kind), sessionId: session.sessionId, principalId } as const;
      return askRegistration(ctx, ceremony, { handle: principalId, name, principalId });
    },
    wire: OptionsWire,
    toWire: ({ options }) => ({ options }),
  });

/** `POST /agent/v1/control-plane/passkey/enroll/options`. Contract 01, section 5.14. */
export const beginEnrolment = beginEnrol('control_plane');

/** `POST /agent/v1/operator/session/passkey/enroll/options`. Contract 01, section 5.13. */
export const beginOperatorEnrolment = beginEnrol('operator');

interface Enrolled {
  readonly id: string;
  readonly credentialId: string;
  readonly joined: readonly string[];
}

const finishEnrol = (kind: Kind) =>
  mutation({
    name: kind === 'operator' ? 'operator.enrol' : 'passkeys.enrol',
    summary:
      kind === 'operator'
        ? 'Keep the first passkey of an operator.'
        : 'Keep a passkey that an authenticator made; invitations that waited for one become memberships.',
    access: inSession<object>(kind),
    forReaders: true,
    input: z.object({ response: registrationResponse, label: label.optional() }),
    prepare: (ctx, { response }) =>
      checkMade(ctx, response, { purpose: enrolPurpose(kind), sessionId: ctx.session.sessionId }),
    async handler(work, { label }, made: MadePasskey): Promise<Enrolled> {
      const { session } = work;
      const principalId = session.principal.id;
      await lockPerson(work, principalId);
      // Of two that come at once as the first one, one comes second.
      requireMayEnrol(work, session, await passkeyCount(work, principalId));
      const id = await keepPasskey(work, { ...made, principalId, use: 'sign_in', label });
      await notifyPerson(work, principalId, `A passkey was added${label === undefined ? '' : `: ${label}`}.`);
      const joined = await activateInvites(work, principalId);
      await notifyPosturesOf(work, principalId);
      return { id, credentialId: made.made.credentialId.toString('base64url'), joined };
    },
    audit: ({ id }, _input, { session }) => ({
      action: 'passkey.enrolled',
      object: { kind: 'authenticator', id },
      details: { principal_id: session.principal.id },
    }),
    wire: z.object({ status: z.literal('ok'), ok: z.literal(true), credential_id: z.string() }),
    toWire: ({ credentialId }) => ({ status: 'ok' as const, ok: true as const, credential_id: credentialId }),
  });

/** `POST /agent/v1/control-plane/passkey/enroll/verify`. */
export const finishEnrolment = finishEnrol('control_plane');

/** `POST /agent/v1/operator/session/passkey/enroll/verify`. */
export const finishOperatorEnrolment = finishEnrol('operator');

const opClass = z.string().max(64).optional().describe('What it is for; told back to nobody.');

/** `POST /agent/v1/control-plane/step-up/options`. Contract 01, section 1.11. */
export const beginStepUp = query({
  name: 'session.beginStepUp',
  summary: 'What a browser is to ask an authenticator for, to have a person’s session count as freshly proven.',
  access: inSession('control_plane'),
  input: z.object({ op_class: opClass }),
  async handler(ctx) {
    const { session } = ctx;
    const principalId = session.principal.id;
    const asked = await askAssertion(ctx, { purpose: 'step_up', sessionId: session.sessionId, principalId });
    if (asked.known > 0) return asked;
    throw new ServiceError('VALIDATION_FAILED', {
      message: 'There is no passkey yet to step up with.',
      details: { reason: 'no_passkey' },
      nextActions: [
        {
          type: 'authenticate',
          method: 'POST',
          path: '/agent/v1/control-plane/passkey/enroll/options',
          why: 'Enrol a passkey first.',
        },
      ],
    });
  },
  wire: OptionsWire,
  toWire: ({ options }) => ({ options }),
});

/** `POST /agent/v1/control-plane/step-up/verify`: the same bearer is fresh for five minutes. */
export const finishStepUp = mutation({
  name: 'session.stepUp',
  summary: 'Have a person’s session count as freshly proven for five minutes, by a passkey.',
  credentialBound: true,
  access: inSession('control_plane'),
  input: z.object({
    response: assertionResponse,
    op_class: opClass,
    object_kind: z.string().max(64).optional().describe('Accepted from clients that say what it is for.'),
    object_id: z.string().max(256).optional().describe('Accepted from clients that say what it is for.'),
  }),
  prepare: (ctx, { response }) =>
    checkProof(ctx, response, {
      purpose: 'step_up',
      sessionId: ctx.session.sessionId,
      principalId: ctx.session.principal.id,
    }),
  async handler(work, _input, proof: Proof): Promise<{ sessionId: string }> {
    await noteProof(work, proof);
    const { sessionId } = work.session;
    const [fresh] = await work.rows(freshStatement.with({ id: sessionId, passkey: proof.passkeyId }));
    if (fresh === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'session_ended' } });
    return { sessionId };
  },
  audit: ({ sessionId }, { op_class, object_kind, object_id }) => ({
    action: 'session.stepped_up',
    object: { kind: 'session', id: sessionId },
    details: { op_class, object_kind, object_id },
  }),
  wire: z.object({ status: z.literal('ok'), stepped_up: z.literal(true) }),
  toWire: () => ({ status: 'ok' as const, stepped_up: true as const }),
});

const freshStatement = statement(
  'session.step-up',
  { params: { id: sessions.id, passkey: typed<string>('text') }, row: pick(sessions, 'id') },
  ({ id, passkey }, row) =>
    sql`update ${sessions} ${setOf(sessions, {
      amrTimes: sql`${sessions.amrTimes}
      || jsonb_build_object('passkey', floor(extract(epoch from clock_timestamp()))::bigint)`,
      provenBy: restingAlsoOn(passkey),
    })} where ${sessions.id} = ${id} and ${sessions.revokedAt} is null returning ${row}`,
);
