import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { emptyRelease, type ReleasedFunction, type ReleaseState } from '../../../engines/release/model.ts';
import { encodeRelease } from '../../../engines/release/stored.ts';
import type { Stage } from './surface.ts';

/** Code of a function that answers everybody alike. */
const code = Buffer.from('export default () => new Response("hello");');
const sha256 = createHash('sha256').update(code).digest('hex');
const fn: ReleasedFunction = {
  runtime: 'node22',
  files: new Map([['index.mjs', { sha256, size: code.length, contentType: undefined }]]),
  entrypoint: 'index.mjs',
  codeHash: sha256,
  timeoutSeconds: 10,
  memoryMb: 128,
  schedule: null,
  deps: [],
  triggers: [],
  requireAuth: false,
  requireRole: null,
  class: 'standard',
  capabilities: [],
};

/** Makes releases of the project that tables try their paths on. */
export function releasesOf({ params, service }: Pick<Stage, 'params' | 'service'>) {
  const sql = (text: string, values: readonly unknown[]) => service.control.sql(text, [...values]);

  /** A release of the project. @returns its id */
  async function release(
    status: 'active' | 'superseded' | 'staged',
    state: ReleaseState = emptyRelease,
  ): Promise<string> {
    const id = `rel_${randomUUID()}`;
    const { body, site, files } = encodeRelease(state);
    for (const { digest, bytes } of [...site, ...files])
      await sql(
        `insert into release_parts (org_id, project_id, digest, bytes) select org_id, id, $2, $3 from projects where id = $1
         on conflict do nothing`,
        [params.project_id, digest, bytes],
      );
    const digests = [site, files].map((parts) => parts.map(({ digest }) => digest));
    await sql(
      `insert into releases (org_id, id, project_id, operation_id, plan_id, deployment_id, status, digest, manifest_digest,
         static_sha256, body, site_parts, file_parts)
       select org_id, $2, id, 'op_none', 'plan_none', $3, $4, '', '', '', $5, $6, $7 from projects where id = $1`,
      [params.project_id, id, `dpl_${randomUUID()}`, status, JSON.stringify(body), ...digests],
    );
    return id;
  }

  /** The project has a live release, and no deploy is under way. @returns the release */
  async function live(): Promise<string> {
    await sql(
      `update deploy_operations set status = 'failed'
       where project_id = $1 and status not in ('ready', 'planning', 'uploading')`,
      [params.project_id],
    );
    const [known] = await sql('select release_id from live_releases where project_id = $1', [params.project_id]);
    if (known !== undefined) return (known as { release_id: string }).release_id;
    const id = await release('active');
    await sql(
      `insert into live_releases (org_id, project_id, release_id) select org_id, id, $2 from projects where id = $1
       on conflict (org_id, project_id) do update set release_id = excluded.release_id`,
      [params.project_id, id],
    );
    return id;
  }

  /** The project has a live release with a function that answers. @returns the release */
  async function withFunction(name: string): Promise<string> {
    const before = await live();
    // What other paths keep as secrets of a project is none that a function could be given.
    await sql('delete from project_secrets where project_id = $1', [params.project_id]);
    const [known] = await sql(
      `select 1 from release_functions join function_builds using (org_id, project_id, fingerprint)
       where release_id = $1 and name = $2`,
      [before, name],
    );
    if (known !== undefined) return before;
    const { objects } = service.nodes[0]!.services;
    const part = { number: 1, size: code.length };
    const upload = { id: `upl_${randomUUID()}`, size: code.length };
    const put = await objects.putPart(upload, part, Readable.from([code]));
    if (typeof put === 'string') throw new Error(put);
    await objects.finish(upload, { sha256, size: code.length }, [{ number: 1, etag: put.etag }]);
    const id = await release('active', { ...emptyRelease, functions: new Map([[name, fn]]) });
    for (const text of [
      `insert into content_objects (org_id, project_id, sha256, size, released) select org_id, id, $2, ${code.length}, true
       from projects where id = $1 on conflict do nothing`,
      `insert into function_builds (org_id, project_id, fingerprint, code_hash, runtime_version, deps_resolved, bundle_sha256,
         bundle_size, map_sha256) select org_id, id, $2, $2, '3.7.0', '{}', $2, ${code.length}, $2
       from projects where id = $1 on conflict do nothing`,
    ])
      await sql(text, [params.project_id, sha256]);
    await sql(
      `insert into release_functions (org_id, project_id, release_id, name, fingerprint) select org_id, id, $2, $3, $4
       from projects where id = $1`,
      [params.project_id, id, name, sha256],
    );
    await sql('update live_releases set release_id = $2, generation = generation + 1 where project_id = $1', [
      params.project_id,
      id,
    ]);
    // As the feed of its deploys would say.
    for (const { services } of service.nodes) services.sites.heard(`deploys:${params.project_id}`);
    return id;
  }

  return { release, live, withFunction };
}
