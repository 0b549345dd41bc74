import { createEmailOrganization, type EmailOrganization } from '../resolvers/billing/create-email-org.ts';
import { type LinkedWallet, linkWallet } from '../resolvers/billing/link-wallet.ts';
import { poolOf, projectsOf } from '../resolvers/tiers/shared/pool-usage.ts';
import { builder } from './builder.ts';
import { changeField } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { PoolUsageRef } from './tiers.ts';

const EmailOrganizationRef = builder.objectRef<EmailOrganization>('EmailOrganization').implement({
  description: 'The organization of a mail address.',
  fields: (t) => ({
    orgId: t.string({ description: 'Native id of the organization, a UUID.', resolve: ({ org }) => org.id }),
    email: t.exposeString('email', { description: 'The address.' }),
    emailCredits: t.float({
      description: 'Messages that were paid for.',
      resolve: ({ emailCredits }) => Number(emailCredits),
    }),
    created: t.exposeBoolean('created', { description: 'Whether it was made now.' }),
  }),
});

const LinkedWalletRef = builder.objectRef<LinkedWallet>('LinkedWallet').implement({
  description: 'A wallet that acts for an organization.',
  fields: (t) => ({
    wallet: t.exposeString('wallet', { description: 'Its address, in lower case.' }),
    linked: t.exposeBoolean('linked', { description: 'Whether it was linked now, and not before.' }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The organization; null for a caller that may not see it.',
      resolve: ({ org }) => org.id,
    }),
    poolUsage: t.field({
      type: PoolUsageRef,
      description: 'What all its projects use together.',
      resolve: async ({ org }, _args, { services }) => poolOf(services, org, await projectsOf(services, org.id)),
    }),
  }),
});

changeField('createEmailOrganization', createEmailOrganization, {
  type: EmailOrganizationRef,
  input: 'The organization of a mail address.',
  argument: 'The address.',
});

changeField('linkWalletToOrganization', linkWallet, {
  type: LinkedWalletRef,
  input: 'A wallet to link.',
  argument: 'The wallet.',
});
