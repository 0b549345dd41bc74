import { randomUUID } from 'node:crypto';
import { emptyRelease } from '../../../engines/release/model.ts';
import { encodeRelease } from '../../../engines/release/stored.ts';
import type { Stage } from './surface.ts';

/** A release that holds nothing, as it is kept. */
const { body, site, files } = encodeRelease(emptyRelease);

/** Makes releases of the project that tables try their paths on. */
export function releasesOf({ params, service }: Pick<Stage, 'params' | 'service'>) {
  const sql = (text: string, values: readonly unknown[]) => service.control.sql(text, [...values]);

  /** A release of the project. @returns its id */
  async function release(status: 'active' | 'superseded' | 'staged'): Promise<string> {
    const id = `rel_${randomUUID()}`;
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

  return { release, live };
}
