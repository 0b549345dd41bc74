import { setTimeout as sleep } from 'node:timers/promises';
import type { FollowCommand, Followed } from '../live-followers.ts';
import { type LiveProject, makeLiveProject } from '../live-project.ts';
import { residentKiB, startWorker, type Worker } from '../processes.ts';
import { race } from '../race.ts';
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

/** Rows into a table that is live and one that is not, over REST. The key is the database's own. */
export async function liveWrite(stage: Stage): Promise<Line[]> {
  const project = await makeLiveProject(stage);
  const requests = (table: string) => [inserted(project, table, { body: 'x'.repeat(200) })];
  const seen = await race(
    stage,
    {
      hinted: { server: stage.gateway, requests: requests('hinted') },
      plain: { server: stage.gateway, requests: requests('plain') },
    },
    16,
  );
  return compare('live-write', seen, {
    name: 'rows into a live table over REST, 16 clients : into one that is not',
    ours: 'hinted',
    reference: 'plain',
    target: atLeast(0.8),
  });
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

/** What 1,000 streams that are told nothing add to the gateway. */
export async function liveIdle(stage: Stage): Promise<Line[]> {
  const followers = startWorker<FollowCommand, Followed>('live-followers.ts');
  try {
    // What the first stream of all needs is there already.
    await gather(stage, followers, 1);
    await sleep(2_000);
    const before = await residentKiB(stage.gateway.pid);
    await gather(stage, followers, 1_000);
    await sleep(5_000);
    const added = ((await residentKiB(stage.gateway.pid)) - before) / 1024;
    return [
      line({
        row: 'live-idle',
        name: 'memory of 1,000 idle live streams over 5 projects',
        unit: 'MB',
        ours: added,
        target: below(40),
      }),
    ];
  } finally {
    await followers.stop();
  }
}

/** From before a row is sent until its hint is there, with 500 who follow and 500 statements a second. */
export async function liveLatency(stage: Stage): Promise<Line[]> {
  const [streams, perSecond] = [500, 500];
  const followers = startWorker<FollowCommand, Followed>('live-followers.ts');
  try {
    const projects = await gather(stage, followers, streams);
    const latencies: number[] = [];
    let last = 0;
    for (let round = -1; round < stage.options.rounds; round++) {
      await followers.ask({ do: 'reset' });
      const startedAt = now();
      const sending: Promise<unknown>[] = [];
      const count = perSecond * stage.options.seconds;
      for (let nth = 0; nth < count; nth++) {
        const dueAt = startedAt + (nth * 1e6) / perSecond;
        const wait = dueAt - now();
        if (wait > 1_000) await sleep(wait / 1_000);
        const project = projects[nth % projects.length]!;
        // Two in one microsecond would have one key.
        last = Math.max(now(), last + 1);
        sending.push(ask(stage.gateway, inserted(project, 'hinted', { id: last, body: 'x' })));
      }
      await Promise.all(sending);
      await sleep(500);
      const { latencies: seen } = await followers.ask({ do: 'collect' });
      // The first round is for warming up.
      if (round >= 0) latencies.push(...seen);
    }
    if (latencies.length === 0) throw new Error('No hint arrived.');
    latencies.sort((one, other) => one - other);
    const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]! / 1_000;
    const name = `row sent to hint, ${perSecond} statements/s, ${streams} streams`;
    return [
      line({ row: 'live-latency', name: `${name}, p50`, unit: 'ms', ours: at(0.5), target: below(15) }),
      line({ row: 'live-latency', name: `${name}, p99`, unit: 'ms', ours: at(0.99), target: atMost(60) }),
    ];
  } finally {
    await followers.stop();
  }
}
