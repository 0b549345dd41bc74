import { holdHello, helloSha256 as sha256 } from './held-content.ts';
import type { Stage, Surfaces } from './surface.ts';

export const assetSurfaces = (stage: Stage): Surfaces => {
  const { params, service } = stage;
  /** An asset whose bytes the project holds. */
  const asset = async (key = 'a.txt') => {
    await holdHello(stage);
    await service.control.sql(
      `insert into assets (org_id, project_id, key, sha256, size, content_type, visibility, immutable)
       select org_id, id, $3, $2, 5, 'text/plain', 'public', true from projects where id = $1
       on conflict (org_id, project_id, key) do update set content_type = 'text/plain'`,
      [params.project_id, sha256, key],
    );
    const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
      params.project_id,
    ]);
    return { key, asset_url: `http://pr-${row!.public_id}.localhost/_blob/${key}` };
  };
  const project = () => `?project_id=${params.project_id}`;
  const target = () => `project: "${params.project_id}", key: "a.txt"`;
  const url = () => `&url=${encodeURIComponent(params.asset_url!)}`;
  const read = 'A + + + N + A F';
  return {
    'GET /storage/v1/blobs': {
      cells: read,
      prepare: () => asset(),
      search: project,
      field: () => `{ project(id: "${params.project_id}") { assets { edges { node { key } } } } }`,
    },
    'GET /storage/v1/blobs/folders': {
      cells: read,
      addition: { status: 200, reason: 'who shows folders does not read all that is in them' },
      prepare: () => asset('docs/a.txt'),
      search: project,
      field: () => `{ project(id: "${params.project_id}") { assetFolders { edges { node { prefix } } } } }`,
    },
    'GET /storage/v1/blobs/diagnose': {
      cells: read,
      prepare: () => asset(),
      search: () => project() + url(),
      field: () => `{ assetDiagnosis(project: "${params.project_id}", url: "${params.asset_url}") { key } }`,
    },
    'GET /storage/v1/blobs/fresh': {
      cells: read,
      addition: { status: 200, reason: 'the tool that waits for an address is no client’s alone' },
      prepare: () => asset(),
      search: () => `${project()}${url()}&sha256=${sha256}`,
      field: () =>
        `{ assetFreshness(project: "${params.project_id}", url: "${params.asset_url}", sha256: "${sha256}") { fresh } }`,
    },
    'POST /storage/v1/blobs': {
      cells: 'A + W F N + A F',
      addition: { status: 200, reason: 'small assets are published by one request, without a deploy' },
      body: () => ({ project_id: params.project_id, key: 'b.txt', content: 'world' }),
      audited: {
        action: 'asset.changed',
        kind: 'asset',
        objectId: 'key',
        written: 'select xmin::text from assets where key = $1',
      },
      prepare: async () => {
        await service.control.sql(
          `insert into assets (org_id, project_id, key, sha256, size, content_type, visibility, immutable)
           select org_id, id, 'b.txt', $2, 5, 'text/plain', 'public', true from projects where id = $1
           on conflict (org_id, project_id, key) do update set sha256 = excluded.sha256`,
          [params.project_id, sha256],
        );
        return undefined;
      },
      field: () =>
        `mutation { putAsset(input: { project: "${params.project_id}", key: "b.txt", content: "world" }) { key } }`,
    },
    'GET /storage/v1/blob/:key': {
      cells: read,
      prepare: () => asset(),
      search: project,
      field: () => `{ asset(${target()}) { key } }`,
    },
    'DELETE /storage/v1/blob/:key': {
      cells: 'A + + F N + A F',
      prepare: () => asset(),
      search: project,
      audited: {
        action: 'asset.deleted',
        kind: 'asset',
        objectId: 'key',
        // The row itself is gone.
        written: `select xmin::text from audit_events where action = 'asset.deleted' and object_id = $1
          order by id desc limit 1`,
      },
      field: () => `mutation { deleteAsset(input: { ${target()} }) { key } }`,
    },
    'POST /storage/v1/blob/:key/sign': {
      cells: read,
      prepare: () => asset(),
      body: () => ({ project_id: params.project_id }),
      field: () => `{ signedAsset(${target()}) { expiresIn } }`,
    },
  };
};
