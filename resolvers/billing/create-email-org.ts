import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { anyone } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { budgets } from '../../kernel/limits/budgets.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { findOrCreatePrincipal } from '../identity/shared/subject-principal.ts';
import { emailCreditsOf } from '../ledger/shared/email-credits.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { findOrCreateOwnOrg } from '../orgs/shared/own-org.ts';

export interface EmailOrganization {
  readonly org: Org;
  readonly email: string;
  readonly emailCredits: bigint;
  readonly created: boolean;
}

/**
 * `POST /orgs/v1/email`. The organization is the address's own: a person who signs in with it has it, until then a wallet
 * can be linked to it. Contract 04, section 1.4.
 */
export const createEmailOrganization = mutation({
  name: 'billing.createEmailOrganization',
  tool: 'create_email_organization',
  command: 'billing create-email',
  effects: ['idempotent'],
  summary: 'Make the organization of a mail address, or find the one that it has.',
  access: anyone(),
  budget: () => budgets.emailOrgs,
  input: z.object({ email: emailAddress.describe('The mail address; one organization belongs to it.') }),
  async handler(work, { email }): Promise<EmailOrganization> {
    const { principalId, verified } = await findOrCreatePrincipal(
      work,
      { kind: 'email', publicSubject: email },
      networkOf(work.request.address),
    );
    if (verified && principalIdOf(await work.caller()) !== principalId) {
      throw new ServiceError('AUTH_REQUIRED', { message: 'Somebody signs in with this address: sign in to go on.' });
    }
    const { org, created } = await findOrCreateOwnOrg(work, principalId, orgActions['org:billing:read']);
    return { org, email, emailCredits: await emailCreditsOf(work, org.id), created };
  },
  // The making of an organization writes its own entry.
  audit: () => undefined,
  wire: z.object({
    id: z.uuid(),
    email: z.string(),
    email_credits_remaining: z.int(),
    verification_sent: z.literal(false),
    verification_supported: z.literal(false),
  }),
  toWire: ({ org, email, emailCredits }) => ({
    id: org.id,
    email,
    email_credits_remaining: Number(emailCredits),
    verification_sent: false as const,
    verification_supported: false as const,
  }),
});
