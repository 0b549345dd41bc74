import { domain } from '../../kernel/run/domain.ts';
import { createOrg } from './create-org.ts';
import { orgErrors } from './error-codes.ts';
import { getLimits } from './get-limits.ts';
import { getOrg } from './get-org.ts';
import { getOrgBySlug } from './get-org-by-slug.ts';
import { getPayout } from './get-payout.ts';
import { listAllOrgs } from './list-all-orgs.ts';
import { listAudit } from './list-audit.ts';
import { listMembers } from './list-members.ts';
import { listOrgs } from './list-orgs.ts';
import { renameOrg } from './rename-org.ts';
import { setLimits } from './set-limits.ts';
import { setPayoutWallet } from './set-payout-wallet.ts';
import { orgActions } from './shared/actions.ts';
import { claimSlug } from './shared/claim-slug.ts';

export const orgs = domain('orgs', {
  errors: orgErrors,
  actions: orgActions,
  operations: [
    createOrg,
    getOrg,
    listOrgs,
    listMembers,
    setLimits,
    renameOrg,
    setPayoutWallet,
    listAudit,
    claimSlug,
    getOrgBySlug,
    getPayout,
    listAllOrgs,
    getLimits,
  ],
});
