import { type InitiatedTransfer, initiateTransfer } from '../resolvers/transfers/initiate-transfer.ts';
import { listIncoming, listOutgoing } from '../resolvers/transfers/read-transfers.ts';
import type { RestRequest } from './rest-request.ts';
import { route } from './route.ts';

/** The role that whoever offers a project keeps, which the body has by itself or in an object. */
function retainedRole({ body }: RestRequest): unknown {
  const { retain_collaborator_role: role, retain_collaborator: retain } = (body ?? {}) as Record<string, unknown>;
  if (role !== undefined) return role;
  return typeof retain === 'object' && retain !== null ? (retain as { readonly role?: unknown }).role : retain;
}

/** Paths of transfers that are not as plain as others. Contract 01, section 5.12. */
export const transferRoutes = [
  route(
    'POST',
    '/projects/v1/:project_id/transfers',
    { usual: 201, of: ({ handedOver }: InitiatedTransfer) => (handedOver === undefined ? 201 : 200) },
    initiateTransfer,
    { retain_collaborator_role: { from: 'body retain_collaborator_role', make: retainedRole } },
  ),
  route('GET', '/agent/v1/transfers/incoming', 200, listIncoming, { before: null, from_end: null }),
  route('GET', '/agent/v1/transfers/outgoing', 200, listOutgoing, { before: null, from_end: null }),
];
