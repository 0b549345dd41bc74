import { activateDomain } from '../resolvers/hosts/domains/activate-addresses.ts';
import { applyDomain, checkDomain, repairDomain } from '../resolvers/hosts/domains/check-domain.ts';
import { disconnectDomain } from '../resolvers/hosts/domains/disconnect-domain.ts';
import { ensureDomain } from '../resolvers/hosts/domains/ensure-domain.ts';
import { getDomain, listDomains } from '../resolvers/hosts/domains/get-domain.ts';
import { testDomainReceive } from '../resolvers/hosts/domains/test-receive.ts';
import { claimSubdomain } from '../resolvers/hosts/subdomains/claim-subdomain.ts';
import { deleteSubdomain } from '../resolvers/hosts/subdomains/delete-subdomain.ts';
import { listSubdomains } from '../resolvers/hosts/subdomains/list-subdomains.ts';
import { route } from './route.ts';

const domains = '/projects/v1/:project_id/domains';

/** Paths of names below the platform's domain, and of own domains. Contract 03, sections 5.2 and 5.3. */
export const hostRoutes = [
  route('GET', domains, 200, listDomains),
  route('POST', '/subdomains/v1', { usual: 201, of: ({ isNew }) => (isNew ? 201 : 200) }, claimSubdomain, {
    project: ['body project_id', 'body project'],
  }),
  route('GET', '/subdomains/v1', 200, listSubdomains, { project: ['query project_id', 'query project'] }),
  route('DELETE', '/subdomains/v1/:name', 200, deleteSubdomain, {
    project: ['query project_id', 'query project', 'body project_id', 'body project'],
  }),
  route('GET', `${domains}/:domain`, 200, getDomain),
  route('POST', `${domains}/:domain`, { usual: 200, of: ({ isNew }) => (isNew ? 201 : 200) }, ensureDomain),
  route('POST', `${domains}/:domain/actions/check`, 200, checkDomain),
  route('POST', `${domains}/:domain/actions/apply`, 200, applyDomain),
  route('POST', `${domains}/:domain/actions/repair`, 200, repairDomain),
  route('POST', `${domains}/:domain/actions/test_receive`, 201, testDomainReceive),
  route('POST', `${domains}/:domain/actions/activate_mailbox_addresses`, 200, activateDomain),
  route('DELETE', `${domains}/:domain`, 200, disconnectDomain),
];
