import type { Stage, Surfaces } from './surface.ts';

export const credentialSurfaces = ({ params, service }: Stage): Surfaces => {
  let made = 0;
  const name = () => `walked ${(made += 1)}`;
  /** A credential of its own for each caller that may end it; no more of them than a project may have. */
  const credential = async () => {
    const id = service.app.services.newId('pcr');
    await service.control.sql('delete from project_credentials where project_id = $1', [params.project_id]);
    await service.control.sql(
      `insert into project_credentials (org_id, project_id, id, kind, name)
       select org_id, id, $2, 'anon', 'to go' from projects where id = $1`,
      [params.project_id, id],
    );
    return { credential_id: id };
  };
  const project = (selection: string) => () => `{ project(id: "${params.project_id}") { ${selection} } }`;
  const change = (field: string, given: () => string, selection: string) => () =>
    `mutation { ${field}(input: { project: "${params.project_id}", ${given()} }) { ${selection} } }`;
  const one = () => `credential: "${params.credential_id}"`;
  const row = {
    kind: 'credential',
    objectId: 'credential_id',
    written: 'select xmin::text from project_credentials where id = $1',
  };
  return {
    'POST /projects/v1/:project_id/credentials': {
      cells: 'A + + F N F A F',
      prepare: credential,
      body: () => ({ kind: 'anon', name: name() }),
      field: change('issueProjectCredential', () => `kind: ANON, name: "${name()}"`, 'secret'),
      audited: { ...row, action: 'credential.issued' },
    },
    'GET /projects/v1/:project_id/credentials': {
      cells: 'A + + + N F A F',
      field: project('credentials { edges { cursor } }'),
    },
    'GET /projects/v1/:project_id/credential-status': {
      cells: 'A + + + N F A F',
      field: project('credentialStatus { state }'),
    },
    'POST /projects/v1/:project_id/credentials/:credential_id/rotate': {
      cells: 'A + + F N F A F',
      prepare: credential,
      field: change('rotateProjectCredential', one, 'secret'),
      audited: { ...row, action: 'credential.rotated' },
    },
    'DELETE /projects/v1/:project_id/credentials/:credential_id': {
      cells: 'A + + F N F A F',
      prepare: credential,
      field: change('revokeProjectCredential', one, 'revokedAt'),
      audited: { ...row, action: 'credential.revoked' },
    },
    'POST /projects/v1/:project_id/tokens': {
      cells: 'A + + F N F A F',
      body: () => ({ kind: 'anon' }),
      field: change('issueProjectToken', () => 'kind: ANON', 'secret'),
      audited: {
        ...row,
        action: 'credential.token_issued',
        // It has no row of its own.
        written: `select xmin::text from audit_events where action = 'credential.token_issued' and object_id = $1`,
      },
    },
  };
};
