import type { Readable } from 'node:stream';
import { sql } from '../../../db/drizzle.ts';
import { assets } from '../../../db/schema/assets.ts';
import { pick, statement } from '../../../db/sql.ts';
import { storing } from '../../content/shared/storing.ts';
import { JobFailure, type RunningJob } from './job-type.ts';

/** An asset of the job's project: its size in bytes, and its bytes once they are asked for. @throws JobFailure */
export async function assetOfJob({ ctx: { services }, target }: Pick<RunningJob, 'ctx' | 'target'>, key: string) {
  const owner = { orgId: target.orgId, projectId: target.projectId };
  const [asset] = await services.db.rows(assetStatement.with({ ...owner, key }));
  if (asset === undefined) throw new JobFailure('ASSET_NOT_FOUND', `The project has no asset ${key}.`);
  return {
    size: Number(asset.size),
    open: (): Promise<Readable> => storing(services, () => services.objects.read(asset.sha256)),
  };
}

const assetStatement = statement(
  'jobs.asset',
  { params: pick(assets, 'orgId', 'projectId', 'key'), row: pick(assets, 'sha256', 'size') },
  ({ orgId, projectId, key }, row) => sql`select ${row} from ${assets}
    where ${assets.orgId} = ${orgId} and ${assets.projectId} = ${projectId} and ${assets.key} = ${key}`,
);
