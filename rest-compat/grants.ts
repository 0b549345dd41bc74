import { createDelegate } from '../resolvers/grants/create-delegate.ts';
import { createGrant, type GivenGrant } from '../resolvers/grants/create-grant.ts';
import { listDelegates } from '../resolvers/grants/list-delegates.ts';
import { listGrants } from '../resolvers/grants/list-grants.ts';
import { revokeDelegate } from '../resolvers/grants/revoke-delegate.ts';
import { revokeGrant } from '../resolvers/grants/revoke-grant.ts';
import { rotateDelegate } from '../resolvers/grants/rotate-delegate.ts';
import { route } from './route.ts';

/** Paths of grants on a project and of the delegates that narrow them. Contract 01, sections 6.6 and 6.7. */
export const grantRoutes = [
  route(
    'POST',
    '/projects/v1/:id/grants',
    { usual: 201, of: ({ created }: GivenGrant) => (created ? 201 : 200) },
    createGrant,
    { project: 'path id' },
  ),
  route('GET', '/projects/v1/:id/grants', 200, listGrants, { project: 'path id' }),
  route('DELETE', '/projects/v1/:id/grants/:grant_id', 200, revokeGrant, { project: 'path id' }),
  route('POST', '/projects/v1/:id/delegates', 201, createDelegate, { project: 'path id', grant: 'body grant_id' }),
  route('GET', '/projects/v1/:id/delegates', 200, listDelegates, { project: 'path id' }),
  route('POST', '/projects/v1/:id/delegates/:delegate_id/rotate', 201, rotateDelegate, { project: 'path id' }),
  route('DELETE', '/projects/v1/:id/delegates/:delegate_id', 200, revokeDelegate, { project: 'path id' }),
];
