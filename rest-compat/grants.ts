import { createDelegate } from '../resolvers/grants/create-delegate.ts';
import { createGrant, type GivenGrant } from '../resolvers/grants/create-grant.ts';
import { listDelegates } from '../resolvers/grants/list-delegates.ts';
import { listGrants } from '../resolvers/grants/list-grants.ts';
import { revokeDelegate } from '../resolvers/grants/revoke-delegate.ts';
import { revokeGrant } from '../resolvers/grants/revoke-grant.ts';
import { rotateDelegate } from '../resolvers/grants/rotate-delegate.ts';
import { type RestRequest, route } from './route.ts';

const project = ({ params }: RestRequest) => ({ project: params.id });
const delegate = ({ params }: RestRequest) => ({ project: params.id, delegate: params.delegate_id });

/** Paths of grants on a project and of the delegates that narrow them. Contract 01, sections 6.6 and 6.7. */
export const grantRoutes = [
  route(
    'POST',
    '/projects/v1/:id/grants',
    { usual: 201, of: ({ created }: GivenGrant) => (created ? 201 : 200) },
    createGrant,
    (request) => ({
      ...project(request),
      wallet: request.body.wallet,
      capability: request.body.capability,
      policy: request.body.policy,
      expires_at: request.body.expires_at,
    }),
  ),
  route('GET', '/projects/v1/:id/grants', 200, listGrants, project),
  route('DELETE', '/projects/v1/:id/grants/:grant_id', 200, revokeGrant, (request) => ({
    ...project(request),
    grant: request.params.grant_id,
  })),
  route('POST', '/projects/v1/:id/delegates', 201, createDelegate, (request) => ({
    ...project(request),
    grant: request.body.grant_id,
    kind: request.body.kind,
    scope: request.body.scope,
    spend_cap: request.body.spend_cap,
    expires_at: request.body.expires_at,
    public_subject: request.body.public_subject,
  })),
  route('GET', '/projects/v1/:id/delegates', 200, listDelegates, project),
  route('POST', '/projects/v1/:id/delegates/:delegate_id/rotate', 201, rotateDelegate, delegate),
  route('DELETE', '/projects/v1/:id/delegates/:delegate_id', 200, revokeDelegate, delegate),
];
