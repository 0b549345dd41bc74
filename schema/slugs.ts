import { getOrgBySlug } from '../resolvers/orgs/get-org-by-slug.ts';
import { claimSlug } from '../resolvers/orgs/shared/claim-slug.ts';
import { changeField, readField } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';

readField('organizationBySlug', getOrgBySlug, { type: OrganizationRef });

changeField('claimOrganizationSlug', claimSlug, {
  type: OrganizationRef,
  input: 'What an organization goes by. Needs an idempotency key, here or as a header.',
  argument: 'The slug.',
  result: ({ org }) => ({ ...org, role: 'owner' as const }),
});
