import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { returnPath } from '../../core/return-path.ts';
import { anyone } from '../../kernel/access/access.ts';
import { mailWaits } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { mutation, type Operation } from '../../kernel/run/operation.ts';
import { linkPagePath } from '../identity/shared/page-paths.ts';
import { activateInvites, personOfEmail } from './people.ts';
import { countMail, sendLink, useLink } from './shared/mailed-links.ts';
import {
  ControlPlaneTokenWire,
  controlPlaneTokenToWire,
  type MintedSession,
  mintSession,
  OperatorTokenWire,
  operatorTokenToWire,
  sessionBegun,
} from './shared/sessions.ts';

const SentWire = z.object({ status: z.literal('ok'), message: z.string() });

const sender = <Name extends 'signin' | 'operator'>(domain: Name) => {
  const purpose = domain === 'operator' ? 'operator' : 'control_plane';
  return mutation({
    name: `${domain}.sendLink` as const,
    summary:
      domain === 'operator'
        ? 'Mail a link that begins a reading session of an operator; the answer tells nothing of who is known.'
        : 'Mail a link that begins a person’s session; the answer tells nothing of who is known.',
    access: anyone(),
    input: z.object({
      email: emailAddress.describe('Where the link goes.'),
      return_to: z.string().max(2_048).optional().describe('Path of this server to go on to, from its own pages.'),
    }),
    prepare: (ctx, { email }) => countMail(ctx, email),
    async handler(work, { email, return_to }): Promise<{ email: string }> {
      await sendLink(work, {
        purpose,
        email,
        principalId: null,
        returnTo: return_to === undefined ? null : returnPath(return_to, '/'),
        subject: 'Your link to sign in',
        why: 'Somebody asked to sign in with this address.',
        path: linkPagePath,
      });
      return { email };
    },
    // Anybody can ask, for anybody’s address: nothing has come of it yet.
    audit: () => undefined,
    wire: SentWire,
    toWire: (_sent, { services }) => ({
      status: 'ok' as const,
      message: services.settings.sendsMail
        ? 'If the address can be mailed, a link to sign in is on its way. It is good once, for 15 minutes.'
        : `The link is good once, for 15 minutes. ${mailWaits(services)}`,
    }),
  });
};

/** `POST /agent/v1/control-plane/session/email`. Contract 01, section 5.14. */
export const sendSignInLink = sender('signin');

/** `POST /agent/v1/operator/session/email`. Contract 01, section 5.13. */
export const sendOperatorLink = sender('operator');

const tokenInput = z.object({
  token: z.string().min(1).max(256).meta({ secret: true }).describe('What the mailed link brought along.'),
});

/** A person that a link has signed in. */
export interface LinkSignIn {
  readonly session: MintedSession;
  /** Organizations whose invitations became memberships. */
  readonly joined: readonly string[];
  readonly returnTo: string | null;
}

/**
 * Signs in by a mailed link, whatever kind of session it is for.
 *
 * @throws INVALID_AUTH
 */
async function signInByLink(work: Work, token: string, purposes: readonly ('control_plane' | 'operator')[]) {
  const link = await useLink(work, token, purposes);
  if (link === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'link_invalid' } });
  const { principalId, authenticatorId } = await personOfEmail(work, link.email);
  const joined = await activateInvites(work, principalId);
  const session = await mintSession(work, {
    kind: link.purpose === 'operator' ? 'operator' : 'control_plane',
    principalId,
    email: link.email,
    provenance: 'email',
    proven: 'email',
    provenBy: [authenticatorId],
  });
  return { session, joined, returnTo: link.returnTo } satisfies LinkSignIn;
}

/** `POST /agent/v1/control-plane/session/email/verify`. */
export const verifySignInLink = mutation({
  name: 'signin.byLink',
  summary: 'Begin a person’s session by a mailed link; invitations of the address become memberships.',
  credentialBound: true,
  access: anyone(),
  input: tokenInput,
  handler: (work, { token }): Promise<LinkSignIn> => signInByLink(work, token, ['control_plane']),
  audit: ({ session }) => sessionBegun(session),
  wire: ControlPlaneTokenWire,
  toWire: ({ session }) => controlPlaneTokenToWire(session),
});

/** `POST /agent/v1/operator/session/email/verify`. */
export const verifyOperatorLink = mutation({
  name: 'operator.byLink',
  summary: 'Begin a reading session of an operator by a mailed link.',
  credentialBound: true,
  access: anyone(),
  input: tokenInput,
  handler: (work, { token }): Promise<LinkSignIn> => signInByLink(work, token, ['operator']),
  audit: ({ session }) => sessionBegun(session),
  wire: OperatorTokenWire,
  toWire: ({ session }) => operatorTokenToWire(session),
});

/** What the page of a link sends: the link itself says which kind of session it begins. */
export const openLink = mutation({
  name: 'signin.openLink',
  summary: 'Begin the session that a mailed link is for, in a browser.',
  credentialBound: true,
  access: anyone(),
  input: tokenInput,
  handler: (work, { token }): Promise<LinkSignIn> => signInByLink(work, token, ['control_plane', 'operator']),
  audit: ({ session }) => sessionBegun(session),
  wire: z.object({ status: z.literal('ok') }),
  toWire: () => ({ status: 'ok' as const }),
}) satisfies Operation<typeof tokenInput, object, LinkSignIn, { status: 'ok' }>;
