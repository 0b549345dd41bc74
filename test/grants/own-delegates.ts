import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { Service } from '../helpers/service.ts';

/** Makes projects whose owner holds a grant of its own, with what an owner does with its delegates. */
export function delegatedProjects(service: Service) {
  const call = documentedCalls(service);
  return async (capability = 'read', more: object = {}) => {
    const project = await service.project();
    const { wallet, projectId } = project;
    const path = `/projects/v1/${projectId}/delegates`;
    const grants = `/projects/v1/${projectId}/grants`;
    const given = await call(wallet, 'POST', grants, { body: { wallet: wallet.address, capability, ...more } });
    const grantId: string = given.body.grant_id;
    const scope = { v: 1, capabilities: [capability] };
    return {
      ...project,
      path,
      grantId,
      scope,
      make: (body: object = {}, headers: Record<string, string> = {}, actor: Actor = wallet) =>
        call(actor, 'POST', path, { body: { grant_id: grantId, scope, ...body }, headers }),
      rotate: (id: string, actor: Actor = wallet, headers: Record<string, string> = {}) =>
        call(actor, 'POST', `${path}/${id}/rotate`, { headers }),
      revoke: (id: string, actor: Actor = wallet) => call(actor, 'DELETE', `${path}/${id}`),
      revokeGrant: () => call(wallet, 'DELETE', `${grants}/${grantId}`),
      list: async () => (await call(wallet, 'GET', path)).body.delegates,
      /** How a token is answered when it reads the project. */
      reads: async (token: string) =>
        (await call(service.actors.bearer(token), 'GET', `/projects/v1/${projectId}`)).status,
    };
  };
}
