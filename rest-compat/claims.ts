import { createClaim } from '../resolvers/rooms/claims/create-claim.ts';
import { listClaims } from '../resolvers/rooms/claims/list-claims.ts';
import { releaseClaim } from '../resolvers/rooms/claims/release-claim.ts';
import { type RestRequest, route } from './route.ts';

const claims = '/orgs/v1/:org_id/rooms/:room_key/claims';

const address = ({ params }: RestRequest) => ({ org: params.org_id, room: params.room_key });

/** Paths of what is claimed in a room. Contract 02, section 2.7. */
export const claimRoutes = [
  route('POST', claims, 201, createClaim, (request) => ({
    ...address(request),
    resource: request.body.resource,
    mode: request.body.mode,
    ttl_seconds: request.body.ttl_seconds,
    note: request.body.note,
    presence_id: request.body.presence_id,
    session_key: request.body.session_key,
    requested_name: request.body.requested_name,
    task: request.body.task,
    program: request.body.program,
    model: request.body.model,
  })),
  route('GET', claims, 200, listClaims, (request) => ({
    ...address(request),
    include_inactive: request.query.include_inactive,
  })),
  route('DELETE', `${claims}/:claim_id`, 200, releaseClaim, (request) => ({
    ...address(request),
    claim: request.params.claim_id,
  })),
];
