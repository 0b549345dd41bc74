import { once } from 'node:events';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { deploy } from '../../clients/sdk/src/deploy/index.ts';
import { connect, createClient } from '../../clients/sdk/src/index.ts';
import { natsProgram } from '../../scripts/lane-programs.ts';
import { startNats } from '../../test/helpers/nats-server.ts';
import { createWallet } from '../../test/helpers/wallet.ts';
import { startInstallation } from '../installation.ts';
import type { Server } from '../processes.ts';
import { percentile } from '../race.ts';
import { atMost, type Line, line } from '../report.ts';
import type { Stage } from '../stage.ts';

/** The 99th of each hundred counts, so that one round has more than it. */
const flipsPerRound = 100;

/**
 * From the answer of a promotion, which has committed its flip, to the first answer of the new release: on both of two nodes
 * that share a database and NATS, each asked again and again for a page. Two releases of one file take turns.
 */
export async function flip({ options, say }: Stage): Promise<Line[]> {
  if (natsProgram() === undefined) {
    say('flip is skipped: nats-server is not installed (apt-get install nats-server)');
    return [];
  }
  const nats = await startNats();
  const installation = await startInstallation({ env: { NATS_URL: nats.url } });
  try {
    const { gateway } = installation;
    const other = await installation.startNode();
    const { promote, releases, host } = await siteOf(gateway);
    const watched = [watch(gateway, host), watch(other, host)];
    const took: number[] = [];
    // The first two find nothing warm.
    for (let round = -2; round < options.rounds * flipsPerRound; round++) {
      const release = releases[(round + 2) % 2]!;
      const seen = watched.map((one) => one.sees(release));
      await promote(release);
      const answeredAt = performance.now();
      const last = Math.max(...(await Promise.all(seen)));
      if (round >= 0) took.push(Math.max(0, last - answeredAt));
    }
    await Promise.all(watched.map((one) => one.stop()));
    await other.stop();
    const name = 'from the answer of a promotion to the new release on both of two nodes';
    return [
      line({ row: 'flip', name: `${name}, p50`, unit: 'ms', ours: percentile(took, 50) }),
      line({
        row: 'flip',
        name: `${name}, p99`,
        unit: 'ms',
        ours: percentile(took, 99),
        target: atMost(50),
        rounds: took,
      }),
    ];
  } finally {
    await installation.stop();
    await nats.stop();
  }
}

/** A project with two releases, of which the second is live. */
async function siteOf({ url: baseUrl }: Server) {
  const wallet = createWallet();
  const credential = {
    headers: async ({ path }: { readonly path: string }) => ({
      'sign-in-with-x': await wallet.header({ baseUrl, path }),
    }),
  };
  const client = createClient({ baseUrl, credential });
  const { orgId } = await client.orgs.create({});
  const { projectId: project } = await client.projects.create({ orgId, name: 'site' });
  const connection = connect({ baseUrl, credential });
  const releases: string[] = [];
  let host = '';
  for (const text of ['one', 'two']) {
    const spec = { site: { replace: { 'index.html': { data: `<!doctype html><title>${text}</title>` } } } };
    const { deploy: done } = await deploy(connection, project, spec, { allowWarnings: true });
    releases.push(done!.release_id!);
    host = new URL(done!.urls!.site!).hostname;
  }
  return { releases, host, promote: (release: string) => client.releases.promote({ project, release }) };
}

/** Asks a node for its page until it is told to stop, one request after the other. */
function watch({ url }: Server, host: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const waiting = new Map<string, (at: number) => void>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const [answer] = (await once(send(url, { agent, headers: { host } }).end(), 'response')) as [IncomingMessage];
      const at = performance.now();
      const release = String(answer.headers['x-svc-release-id']);
      await once(answer.resume(), 'end');
      waiting.get(release)?.(at);
      waiting.delete(release);
    }
    agent.destroy();
  })();
  // What went wrong is told where a release is waited for.
  asking.catch(() => undefined);
  return {
    sees: (release: string): Promise<number> =>
      Promise.race([
        new Promise<number>((resolve) => waiting.set(release, resolve)),
        asking.then(() => Promise.reject(new Error('The node is not asked any more.'))),
      ]),
    stop: () => {
      isOver = true;
      return asking;
    },
  };
}
