import { getOrgBySlug } from '../resolvers/orgs/get-org-by-slug.ts';
import { claimSlug } from '../resolvers/orgs/shared/claim-slug.ts';
import { builder } from './builder.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { run } from './run.ts';

builder.queryField('organizationBySlug', (t) =>
  t.field({
    type: OrganizationRef,
    nullable: true,
    ...fieldOf(getOrgBySlug),
    authScopes: { credential: true },
    args: { slug: t.arg.string({ description: 'Slug, as it was claimed.' }) },
    resolve: (_root, { slug }, ctx) => run(getOrgBySlug, ctx, { slug }),
  }),
);

const ClaimOrganizationSlugInput = builder.inputType('ClaimOrganizationSlugInput', {
  description: 'What an organization goes by. Needs an idempotency key, here or as a header.',
  fields: (t) => ({
    ...orgField(t),
    slug: t.string({ description: '1 to 39 lower-case letters, digits and hyphens.' }),
    ...keyField(t),
  }),
});

builder.mutationField('claimOrganizationSlug', (t) =>
  t.field({
    type: OrganizationRef,
    nullable: true,
    ...fieldOf(claimSlug),
    authScopes: { credential: true },
    args: { input: t.arg({ type: ClaimOrganizationSlugInput, description: 'The slug.' }) },
    resolve: async (_root, { input: { org, slug, idempotencyKey } }, ctx) => {
      const given = { org: nativeId('Organization', org), slug };
      const claimed = await run(claimSlug, keyed(ctx, idempotencyKey ?? undefined), given);
      return { ...claimed.org, role: 'owner' as const };
    },
  }),
);
