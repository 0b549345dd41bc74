import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { cachedPages } from '../../db/schema/cached-pages.ts';
import { hostNames, projectDomains, subdomains } from '../../db/schema/hosts.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onReceiveTestPassed } from '../mailboxes/shared/receive-tests.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { inspectPage } from './cache/inspect-page.ts';
import { invalidatePages } from './cache/invalidate-pages.ts';
import { forgetGenerationsStatement, forgetPagesStatement } from './cache/page-rows.ts';
import { expiredChallenges } from './certificates/challenges.ts';
import { orderCertificates, orderCertificatesTask } from './certificates/order-certificates.ts';
import { activateDomain } from './domains/activate-addresses.ts';
import { applyDomain, checkDomain, repairDomain } from './domains/check-domain.ts';
import { disconnectDomain } from './domains/disconnect-domain.ts';
import { ensureDomain } from './domains/ensure-domain.ts';
import { getDomain, listDomains } from './domains/get-domain.ts';
import { recheckDomains, recheckDomainsTask } from './domains/recheck-domains.ts';
import { testDomainReceive } from './domains/test-receive.ts';
import { hostErrors } from './error-codes.ts';
import { hostActions } from './shared/actions.ts';
import { giveUpNames } from './shared/give-up-name.ts';
import { claimSubdomain } from './subdomains/claim-subdomain.ts';
import { deleteSubdomain } from './subdomains/delete-subdomain.ts';
import { listSubdomains } from './subdomains/list-subdomains.ts';

// A project is served nowhere after its end.
onProjectDeletion(async (work, project) => {
  await giveUpNames(work, project);
  await work.rows(forgetStatement.with(project));
  await work.rows(forgetDomainsStatement.with(project));
  await work.rows(forgetPagesStatement.with(project));
  await work.rows(forgetGenerationsStatement.with(project));
});

// What a test says of the mail of a domain shows at the next look.
onReceiveTestPassed(async (work, { orgId, projectId, domain: name }) => {
  await work.rows(lookSoonStatement.with({ orgId, projectId, name }));
  await work.addJob(recheckDomainsTask, {}, { key: recheckDomainsTask });
});

export const hosts = domain('hosts', {
  errors: hostErrors,
  actions: hostActions,
  operations: [
    listSubdomains,
    claimSubdomain,
    deleteSubdomain,
    listDomains,
    getDomain,
    ensureDomain,
    checkDomain,
    applyDomain,
    repairDomain,
    testDomainReceive,
    activateDomain,
    disconnectDomain,
    inspectPage,
    invalidatePages,
  ],
  jobs: [
    { task: recheckDomainsTask, run: recheckDomains, everyMinutes: 5 },
    { task: orderCertificatesTask, run: orderCertificates, everyMinutes: 5 },
  ],
  expires: [
    { table: subdomains, when: isPast(subdomains.restsUntil) },
    { table: cachedPages, when: isPast(cachedPages.expiresAt) },
    expiredChallenges,
  ],
});

const forgetStatement = statement(
  'hosts.forget',
  { params: pick(hostNames, 'orgId', 'projectId') },
  ({ orgId, projectId }) => sql`delete from ${hostNames}
    where ${hostNames.orgId} = ${orgId} and ${hostNames.projectId} = ${projectId}`,
);

const lookSoonStatement = statement(
  'domains.look-soon',
  { params: pick(projectDomains, 'orgId', 'projectId', 'name') },
  ({ orgId, projectId, name }) => sql`update ${projectDomains} ${setOf(projectDomains, { nextCheckAt: sql`now()` })}
    where ${projectDomains.orgId} = ${orgId} and ${projectDomains.projectId} = ${projectId} and ${projectDomains.name} = ${name}`,
);

const forgetDomainsStatement = statement(
  'domains.forget',
  { params: pick(projectDomains, 'orgId', 'projectId') },
  ({ orgId, projectId }) => sql`delete from ${projectDomains}
    where ${projectDomains.orgId} = ${orgId} and ${projectDomains.projectId} = ${projectId}`,
);
