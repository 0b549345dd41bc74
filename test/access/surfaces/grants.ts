import type { Stage, Surfaces } from './surface.ts';

export const grantSurfaces = ({ params, service }: Stage): Surfaces => {
  const { actors } = service;
  /** A grant, or a delegate, of its own for each caller that may end it. */
  const pair = async () => {
    const { grantId, delegateId } = await actors.delegate({
      orgId: params.org_id!,
      projectId: params.id!,
      capabilities: ['read'],
    });
    return { grant_id: grantId, delegate_id: delegateId };
  };
  const project = (selection: string) => () => `{ project(id: "${params.id}") { ${selection} } }`;
  const change = (name: string, given: () => string, selection: string) => () =>
    `mutation { ${name}(input: { project: "${params.id}", ${given()} }) { ${selection} } }`;
  const grant = () => `grant: "${params.grant_id}"`;
  const delegate = () => `delegate: "${params.delegate_id}"`;
  return {
    'POST /projects/v1/:id/grants': {
      cells: 'A + + F N F A F',
      body: () => ({ wallet: actors.wallet().address, capability: 'deploy' }),
      field: change('createGrant', () => `wallet: "${actors.wallet().address}", capability: DEPLOY`, 'grantId'),
    },
    // Who may see the project and not its grants is refused the field alone.
    'GET /projects/v1/:id/grants': { cells: 'A + + + N F A F', field: project('grants { edges { cursor } }') },
    'DELETE /projects/v1/:id/grants/:grant_id': {
      cells: 'A + + F N F A F',
      prepare: pair,
      field: change('revokeGrant', grant, 'grantId'),
    },
    'POST /projects/v1/:id/delegates': {
      cells: 'A + + F N F A F',
      prepare: pair,
      body: () => ({ grant_id: params.grant_id, scope: { v: 1, capabilities: ['read'] } }),
      field: change('createDelegate', () => `${grant()}, scope: { capabilities: [READ] }`, 'delegate { delegateId }'),
    },
    'GET /projects/v1/:id/delegates': { cells: 'A + + + N F A F', field: project('delegates { edges { cursor } }') },
    'POST /projects/v1/:id/delegates/:delegate_id/rotate': {
      cells: 'A + + F N F A F',
      prepare: pair,
      field: change('rotateDelegate', delegate, 'token'),
    },
    'DELETE /projects/v1/:id/delegates/:delegate_id': {
      cells: 'A + + F N F A F',
      prepare: pair,
      field: change('revokeDelegate', delegate, 'delegateId'),
    },
  };
};
