import { randomBytes } from 'node:crypto';
import type { Stage, Surfaces } from './surface.ts';

export const ciSurfaces = ({ params, service }: Stage): Surfaces => {
  const sql = (text: string, values: readonly unknown[]) => service.control.sql(text, [...values]);
  const idOf = () => `bnd_of_${params.project_id!.slice(4)}`;
  /** A binding as far as its row says: nothing acts for it. */
  const binding = async () => {
    await sql('delete from ci_bindings where project_id = $1', [params.project_id]);
    await sql(
      `insert into ci_bindings (id, org_id, project_id, delegate_id, issuer, subject_match, allowed_events, route_scopes, nonce)
       select $2, org_id, id, gen_random_uuid(), 'https://ci.example.com', 'repo:a/b', '{push}', '{}', $3 from projects where id = $1`,
      [params.project_id, idOf(), randomBytes(16).toString('hex')],
    );
    return { binding_id: idOf() };
  };
  const read = 'A + + + N F A F';
  const change = 'A + + F N F A F';
  const target = () => `binding: "${idOf()}"`;
  return {
    'POST /ci/v1/bindings': {
      cells: 'A D D F N F A F',
      body: () => ({
        project_id: params.project_id,
        subject_match: 'repo:a/b',
        nonce: '0'.repeat(16),
        signed_delegation: 'none',
      }),
      field: () => `mutation { createCiBinding(input: { project: "${params.project_id}", subjectMatch: "repo:a/b",
        nonce: "${'0'.repeat(16)}", signedDelegation: "none" }) { bindingId } }`,
    },
    'GET /ci/v1/bindings': {
      cells: read,
      search: () => `?project=${params.project_id}`,
      prepare: binding,
      field: () => `{ project(id: "${params.project_id}") { ciBindings { bindingId } } }`,
    },
    'GET /ci/v1/bindings/:binding_id': {
      cells: read,
      prepare: binding,
      field: () => `{ ciBinding(binding: "${idOf()}") { bindingId } }`,
    },
    'POST /ci/v1/bindings/:binding_id/asset-scopes': {
      cells: change,
      prepare: binding,
      body: () => ({ asset_key_scopes: ['a/*'] }),
      audited: {
        action: 'ci_binding.asset_scopes_set',
        kind: 'ci_binding',
        objectId: 'id',
        written: 'select xmin::text from ci_bindings where id = $1',
      },
      field: () => `mutation { setCiAssetScopes(input: { ${target()}, assetKeyScopes: ["a/*"] }) { bindingId } }`,
    },
    'POST /ci/v1/bindings/:binding_id/revoke': {
      cells: change,
      prepare: binding,
      audited: {
        action: 'ci_binding.revoked',
        kind: 'ci_binding',
        objectId: 'id',
        written: 'select xmin::text from ci_bindings where id = $1',
      },
      field: () => `mutation { revokeCiBinding(input: { ${target()} }) { bindingId } }`,
    },
  };
};
