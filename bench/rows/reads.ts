import { familyCpuSeconds, startWorker, type Worker } from '../processes.ts';
import { type Round, race } from '../race.ts';
import { atLeast, compare, type Line } from '../report.ts';
import type { ReadAnswer, ReadCommand } from '../row-reader.ts';
import type { Stage } from '../stage.ts';

const columns = 'select=id,title,price,made_at,open';
const ids = (count: number) => Array.from({ length: count }, (_, nth) => 1 + ((nth * 7_919) % 20_000));

/** What is asked for: a row by its key, a page, and a page with its owners and what else they have. */
const shapes = {
  'one row': ids(200).map((id) => `${columns}&id=eq.${id}`),
  'a page of 20 rows': ids(200).map((id) => `${columns},body&id=gt.${id}&order=id&limit=20`),
  'a page of 500 rows': ids(200).map((id) => `${columns},body&id=gt.${id}&order=id&limit=500`),
  '20 rows with what is embedded': ids(200).map((id) => `${columns},owners(name)&id=gt.${id}&order=id&limit=20`),
} as const;

type Who = ReadCommand['who'];

/** The engine with role and claims against the same statement bare, each in a process of its own, without HTTP. */
export async function row(stage: Stage): Promise<Line[]> {
  const project = await stage.rowProject();
  const readers = {
    engine: startWorker<ReadCommand, ReadAnswer>('row-reader.ts'),
    bare: startWorker<ReadCommand, ReadAnswer>('row-reader.ts'),
  };
  const lines: Line[] = [];
  try {
    for (const [name, searches] of Object.entries(shapes)) {
      for (const clients of name === 'one row' ? [1, 16, 64] : [16]) {
        const seen: Record<Who, Round[]> = { engine: [], bare: [] };
        const ask = (who: Who, seconds: number) => readers[who].ask({ project, who, searches, clients, seconds });
        const [ours, theirs] = [await ask('engine', 1), await ask('bare', 1)];
        if (ours.sample !== theirs.sample || ours.sample.length < 20)
          throw new Error(`Answers are not alike: ${ours.sample.slice(0, 200)} and ${theirs.sample.slice(0, 200)}`);
        for (let round = 0; round < stage.options.rounds; round++)
          for (const who of ['engine', 'bare'] as const)
            seen[who].push(await measured(stage, () => ask(who, stage.options.seconds)));
        lines.push(
          ...compare('row', seen, {
            name: `${name} with role and claims, ${clients} clients : the same SELECT bare`,
            ours: 'engine',
            reference: 'bare',
            ...(clients === 1 ? {} : { target: atLeast(name === 'one row' ? 0.9 : 0.85) }),
          }),
        );
      }
    }
  } finally {
    await Promise.all(Object.values(readers).map((reader: Worker<ReadCommand, ReadAnswer>) => reader.stop()));
  }
  return lines;
}

async function measured(stage: Stage, run: () => Promise<ReadAnswer>): Promise<Round> {
  const databaseCpu = await familyCpuSeconds(stage.postmaster);
  const { answered, seconds, cpu } = await run();
  const databaseUsed = (await familyCpuSeconds(stage.postmaster)) - databaseCpu;
  return {
    perSecond: answered / seconds,
    cpu: (cpu / answered) * 1e6,
    databaseCpu: (databaseUsed / answered) * 1e6,
    p50: Number.NaN,
    p99: Number.NaN,
  };
}

/** The same over HTTP, against bare `node:http` with the statement of each shape written by hand. */
export async function restRow(stage: Stage): Promise<Line[]> {
  const { anonKey } = await stage.rowProject();
  const floor = await stage.rowFloor();
  const headers = { apikey: anonKey };
  const lines: Line[] = [];
  for (const name of ['one row', 'a page of 20 rows'] as const) {
    const requests = shapes[name].map((search) => ({
      method: 'GET' as const,
      path: `/rest/v1/items?${search}`,
      headers,
    }));
    for (const clients of name === 'one row' ? [16, 64] : [16]) {
      const seen = await race(
        stage,
        {
          ours: { server: stage.gateway, requests },
          floor: { server: floor, requests },
          pipelined: { server: floor, requests: requests.map((one) => ({ ...one, path: `/pipelined${one.path}` })) },
        },
        clients,
      );
      lines.push(
        ...compare('rest-row', seen, {
          name: `${name} over REST, ${clients} clients : floor`,
          ours: 'ours',
          reference: 'floor',
        }),
        ...compare('rest-row', seen, {
          name: `${name} over REST, ${clients} clients : floor, pipelined`,
          ours: 'ours',
          reference: 'pipelined',
        }),
      );
    }
  }
  return lines;
}
