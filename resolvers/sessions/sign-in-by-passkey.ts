import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { authenticators, principals } from '../../db/schema/identity.ts';
import { pick, statement } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { assertionResponse } from '../auth/shared/passkeys/passkey-input.ts';
import { activateInvites, emailsOf } from './people.ts';
import { askAssertion, checkProof, noteProof, OptionsWire, type Proof } from './shared/passkey-challenges.ts';
import {
  ControlPlaneTokenWire,
  controlPlaneTokenToWire,
  type MintedSession,
  mintSession,
  OperatorTokenWire,
  operatorTokenToWire,
  sessionBegun,
} from './shared/sessions.ts';

type Domain = 'signin' | 'operator';

const purposeOf = (domain: Domain) => (domain === 'operator' ? 'operator_sign_in' : 'sign_in');

const begin = (domain: Domain) =>
  query({
    name: `${domain}.beginPasskey`,
    summary:
      domain === 'operator'
        ? 'What a browser is to ask an authenticator for, to begin a reading session of an operator.'
        : 'What a browser is to ask an authenticator for, to begin a person’s session.',
    access: anyone(),
    input: z.object({
      email: emailAddress.optional().describe('Whose passkey; without one the browser offers those that it has.'),
      purpose: z.string().max(64).optional().describe('Accepted from old clients, and ignored.'),
    }),
    async handler(ctx, { email }) {
      const purpose = purposeOf(domain);
      if (email === undefined) return askAssertion(ctx, { purpose });
      const [person] = await ctx.services.db.rows(personStatement.with({ email }));
      const asked = await askAssertion(ctx, { purpose, principalId: person?.principalId });
      if (person === undefined || asked.known === 0)
        throw new ServiceError('RESOURCE_NOT_FOUND', {
          message: 'There is no passkey for this address; a link can be mailed to it.',
          nextActions: [
            {
              type: 'authenticate',
              method: 'POST',
              path: `/agent/v1/${domain === 'operator' ? 'operator' : 'control-plane'}/session/email`,
              why: 'Have a link mailed instead.',
            },
          ],
        });
      return asked;
    },
    wire: OptionsWire,
    toWire: ({ options }) => ({ options }),
  });

/** `POST /agent/v1/control-plane/session/passkey/options`. Contract 01, section 5.14. */
export const beginPasskeySignIn = begin('signin');

/** `POST /agent/v1/operator/session/passkey/options`. Contract 01, section 5.13. */
export const beginOperatorPasskey = begin('operator');

const finishInput = z.object({
  email: emailAddress.optional().describe('Whose passkey, as it was asked for.'),
  response: assertionResponse,
});

const finish = <Wire>(domain: Domain, wire: z.ZodType<Wire>, toWire: (session: MintedSession) => Wire) =>
  mutation({
    name: `${domain}.byPasskey`,
    summary:
      domain === 'operator'
        ? 'Begin a reading session of an operator by a passkey.'
        : 'Begin a person’s session by a passkey.',
    credentialBound: true,
    access: anyone(),
    input: finishInput,
    prepare: (ctx, { response }) => checkProof(ctx, response, { purpose: purposeOf(domain) }),
    async handler(work, { email }, proof: Proof): Promise<MintedSession> {
      await noteProof(work, proof);
      const { principalId } = proof;
      const emails = await emailsOf(work, principalId);
      const kind = domain === 'operator' ? 'operator' : 'control_plane';
      // An operator session goes by an address.
      if ((email !== undefined && !emails.includes(email)) || (kind === 'operator' && emails.length === 0))
        throw new ServiceError('INVALID_AUTH', { details: { reason: 'passkey_invalid' } });
      await activateInvites(work, principalId);
      const shown = email ?? emails[0] ?? null;
      return mintSession(work, {
        kind,
        principalId,
        email: shown,
        provenance: 'passkey',
        proven: 'passkey',
        provenBy: [proof.passkeyId],
      });
    },
    audit: sessionBegun,
    wire,
    toWire,
  });

/** `POST /agent/v1/control-plane/session/passkey/verify`. */
export const finishPasskeySignIn = finish('signin', ControlPlaneTokenWire, controlPlaneTokenToWire);

/** `POST /agent/v1/operator/session/passkey/verify`. */
export const finishOperatorPasskey = finish('operator', OperatorTokenWire, operatorTokenToWire);

const personStatement = statement(
  'signin.person',
  { params: { email: authenticators.publicSubject }, row: pick(authenticators, 'principalId') },
  ({ email }, row) => sql`select ${row} from ${authenticators}
    join ${principals} on ${principals.id} = ${authenticators.principalId} and ${principals.disabledAt} is null
    where ${authenticators.kind} = 'email' and ${authenticators.publicSubject} = ${email}
      and ${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null`,
);
