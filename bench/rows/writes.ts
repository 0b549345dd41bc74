import pg from 'pg';
import { cpuSeconds, familyCpuSeconds, startWorker } from '../processes.ts';
import type { Round } from '../race.ts';
import { atLeast, compare, type Line } from '../report.ts';
import type { WriteAnswer, WriteCommand } from '../row-writer.ts';
import type { Stage } from '../stage.ts';

const rows = 10_000;

/** Ten thousand rows of 200 bytes in one POST, by the service key and under row security, against COPY of the same. */
export async function bulk(stage: Stage): Promise<Line[]> {
  const { anonKey, serviceKey, loginUrl, database, adminUrl } = await stage.rowProject();
  const inside = new URL(adminUrl);
  inside.pathname = `/${database.databaseName}`;
  const admin = new pg.Client({ connectionString: inside.href });
  await admin.connect();
  const writer = startWorker<WriteCommand, WriteAnswer>('row-writer.ts');
  const { url } = stage.gateway;
  const contenders = {
    copy: { who: 'copy', url: '', key: '' },
    service: { who: 'post', url: `${url}/admin/v1/rest/bulk`, key: serviceKey },
    anon: { who: 'post', url: `${url}/rest/v1/bulk`, key: anonKey },
  } as const;
  type Name = keyof typeof contenders;
  const seen: Record<Name, Round[]> = { copy: [], service: [], anon: [] };
  const write = async (name: Name, seconds: number): Promise<Round> => {
    await admin.query('truncate bulk');
    const [cpu, databaseCpu] = [await cpuSeconds(stage.gateway.pid), await familyCpuSeconds(stage.postmaster)];
    const answer = await writer.ask({ ...contenders[name], loginUrl, rows, seconds });
    // One more was written before the clock ran.
    const times = answer.written + 1;
    return {
      perSecond: answer.written / answer.seconds,
      cpu: (((await cpuSeconds(stage.gateway.pid)) - cpu) / times) * 1e6,
      databaseCpu: (((await familyCpuSeconds(stage.postmaster)) - databaseCpu) / times) * 1e6,
      p50: Number.NaN,
      p99: Number.NaN,
    };
  };
  const names = Object.keys(contenders) as Name[];
  try {
    for (const name of names) await write(name, 1);
    for (let round = 0; round < stage.options.rounds; round++)
      for (const name of names) seen[name].push(await write(name, stage.options.seconds));
  } finally {
    await writer.stop();
    await admin.end();
  }
  return (['service', 'anon'] as const).flatMap((ours) =>
    compare('bulk', seen, {
      name: `10,000 rows in one POST${ours === 'anon' ? ' under row security' : ' by the service key'} : COPY`,
      ours,
      reference: 'copy',
      target: atLeast(0.5),
    }),
  );
}
