import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { FollowCommand, Followed } from '../live-followers.ts';
import { type LiveProject, makeLiveProject } from '../live-project.ts';
import { familyCpuSeconds, residentKiB, startWorker, type Worker } from '../processes.ts';
import { median, type Round, race } from '../race.ts';
import { atLeast, atMost, below, compare, type Line, line } from '../report.ts';
import { ask, type Stage } from '../stage.ts';

/** The clock of this machine, in microseconds. */
const now = () => Number(process.hrtime.bigint() / 1000n);

const inserted = ({ anonKey }: LiveProject, target: string, row: object, prefer = 'return=minimal') => ({
  method: 'POST' as const,
  path: `/rest/v1/${target}`,
  headers: { apikey: anonKey, 'content-type': 'application/json', prefer },
  body: JSON.stringify(row),
});

/** Rows into a table that is live and one that is not: over REST, and without HTTP around the trigger. */
export async function liveWrite(stage: Stage): Promise<Line[]> {
  const project = await makeLiveProject(stage);
  const requests = (table: string) => [inserted(project, table, { body: 'x'.repeat(200) })];
  const seen = await race(
    stage,
    {
      hinted: { server: stage.gateway, requests: requests('hinted') },
      plain: { server: stage.gateway, requests: requests('plain') },
    },
    clients,
  );
  return [
    ...compare('live-write', seen, {
      name: `rows into a live table over REST, ${clients} clients : into one that is not`,
      ours: 'hinted',
      reference: 'plain',
      target: atLeast(0.8),
    }),
    ...(await writeBare(stage, project, '')),
    ...(await writeBare(stage, project, 'owned_')),
  ];
}

const clients = 16;

/** The same through the driver, straight into PostgreSQL. */
async function writeBare(stage: Stage, { databaseUrl }: LiveProject, owned: '' | 'owned_'): Promise<Line[]> {
  const writers = Array.from({ length: clients }, () => new pg.Client({ connectionString: databaseUrl }));
  await Promise.all(writers.map((writer) => writer.connect()));
  const write = async (table: string, seconds: number): Promise<Round> => {
    const columns = owned === '' ? '(body) values ($1)' : '(body, user_id) values ($1, gen_random_uuid())';
    const query = { name: table, text: `insert into ${table} ${columns}`, values: ['x'.repeat(200)] };
    await writers[0]!.query(`truncate ${table}, _svc.live_hints`);
    const databaseCpu = await familyCpuSeconds(stage.postmaster);
    const startedAt = performance.now();
    let written = 0;
    await Promise.all(
      writers.map(async (writer) => {
        for (; performance.now() - startedAt < seconds * 1_000; written++) await writer.query(query);
      }),
    );
    const took = (performance.now() - startedAt) / 1_000;
    const databaseUsed = (await familyCpuSeconds(stage.postmaster)) - databaseCpu;
    return {
      perSecond: written / took,
      cpu: Number.NaN,
      databaseCpu: (databaseUsed / written) * 1e6,
      p50: Number.NaN,
      p99: Number.NaN,
    };
  };
  const seen: Record<'hinted' | 'plain', Round[]> = { hinted: [], plain: [] };
  const names = ['hinted', 'plain'] as const;
  try {
    for (const name of names) await write(owned + name, 1);
    for (let round = 0; round < stage.options.rounds; round++)
      for (const name of names) seen[name].push(await write(owned + name, stage.options.seconds));
  } finally {
    await Promise.all(writers.map((writer) => writer.end()));
  }
  return compare('live-write', seen, {
    name: `${owned === '' ? 'rows' : 'rows with owners'} into a live table by the driver, ${clients} clients : into one that is not`,
    ours: 'hinted',
    reference: 'plain',
    target: atLeast(0.8),
  }).filter(({ ours }) => !Number.isNaN(ours));
}

type Followers = Worker<FollowCommand, Followed>;

/** Streams over as many projects as their caps ask for. */
const perProject = 200;

async function gather(stage: Stage, followers: Followers, streams: number): Promise<LiveProject[]> {
  const projects: LiveProject[] = [];
  for (let left = streams; left > 0; left -= perProject) {
    const project = await makeLiveProject(stage);
    projects.push(project);
    const url = `${stage.gateway.url}/live/v1?project_id=${project.projectId}&tables=hinted`;
    await followers.ask({ do: 'open', url, apikey: project.anonKey, streams: Math.min(left, perProject) });
  }
  return projects;
}

/** What 1,000 further streams that are told nothing add to the gateway. */
export async function liveIdle(stage: Stage): Promise<Line[]> {
  const followers = startWorker<FollowCommand, Followed>('live-followers.ts');
  try {
    // The first thousand pays for what is compiled and loaded once, and takes what the start has left free: without it the
    // second one would seem to need nothing.
    await gather(stage, followers, 1_000);
    await sleep(5_000);
    const before = await residentKiB(stage.gateway.pid);
    await gather(stage, followers, 1_000);
    await sleep(5_000);
    const added = ((await residentKiB(stage.gateway.pid)) - before) / 1024;
    return [
      line({
        row: 'live-idle',
        name: 'memory of 1,000 further idle live streams over 5 further projects',
        unit: 'MiB',
        ours: added,
        target: below(40),
      }),
    ];
  } finally {
    await followers.stop();
  }
}

/** Statements of one write: they commit together, and each has its hint. */
const batch = 25;

/** From when a write was answered until its hints are there, with 500 who follow and 500 statements a second. */
export async function liveLatency(stage: Stage): Promise<Line[]> {
  const [streams, perSecond] = [500, 500];
  const followers = startWorker<FollowCommand, Followed>('live-followers.ts');
  try {
    const projects = await gather(stage, followers, streams);
    const latencies: number[] = [];
    const reached: number[] = [];
    let id = 0;
    for (let round = -1; round < stage.options.rounds; round++) {
      await followers.ask({ do: 'reset' });
      const answeredAt = new Map<number, number>();
      const startedAt = now();
      const sending: Promise<unknown>[] = [];
      const writes = Math.ceil((perSecond * stage.options.seconds) / batch);
      for (let nth = 0; nth < writes; nth++) {
        const wait = startedAt + (nth * batch * 1e6) / perSecond - now();
        if (wait > 1_000) await sleep(wait / 1_000);
        const ids = Array.from({ length: batch }, () => ++id);
        const write = written(projects[nth % projects.length]!, ids);
        sending.push(
          ask(stage.gateway, write).then(() => {
            const at = now();
            for (const one of ids) answeredAt.set(one, at);
          }),
        );
      }
      await Promise.all(sending);
      // The last write has its share of time, too.
      const seconds = Math.max((now() - startedAt) / 1e6, (writes * batch) / perSecond);
      await sleep(500);
      const { arrivals } = await followers.ask({ do: 'collect' });
      // The first round is for warming up.
      if (round < 0) continue;
      reached.push((writes * batch) / seconds);
      // A hint may be faster than the answer.
      for (const [told, at] of arrivals) latencies.push(Math.max(at - answeredAt.get(told)!, 0));
    }
    if (latencies.length === 0) throw new Error('No hint arrived.');
    latencies.sort((one, other) => one - other);
    const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]! / 1_000;
    const rate = median(reached);
    const name = `commit to hint, ${perSecond} statements/s, ${streams} streams`;
    // Beyond what the machine can do it is the length of the queue that would be judged.
    const judged = rate >= 0.95 * perSecond;
    const said = judged ? '' : ` (overloaded: ${Math.round(rate)} statements/s reached, not judged)`;
    return [
      line({
        row: 'live-latency',
        name: `${name}, p50${said}`,
        unit: 'ms',
        ours: at(0.5),
        ...(judged && { target: below(15) }),
      }),
      line({
        row: 'live-latency',
        name: `${name}, p99${said}`,
        unit: 'ms',
        ours: at(0.99),
        ...(judged && { target: atMost(60) }),
      }),
    ];
  } finally {
    await followers.stop();
  }
}

const written = ({ projectId, serviceKey }: LiveProject, ids: readonly number[]) => ({
  method: 'POST' as const,
  path: `/projects/v1/admin/${projectId}/sql`,
  headers: { authorization: `Bearer ${serviceKey}`, 'content-type': 'text/plain' },
  body: ids.map((id) => `insert into hinted (id, body) values (${id}, 'x');`).join('\n'),
});
