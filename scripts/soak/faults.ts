import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './world.ts';

export interface Faults {
  readonly counts: { nodesKilled: number; nodesStopped: number; natsKilled: number };
  /** No more of them; resolves when everything runs again. */
  readonly stop: () => Promise<void>;
}

const kinds = ['kill', 'nats', 'stop', 'kill'] as const;

/** Kills nodes, stops them as an operator would, and takes NATS away, one after the other and at random moments. */
export function startFaults(
  { nodes, nats }: Pick<World, 'nodes' | 'nats'>,
  { runMs, say }: { readonly runMs: number; readonly say: (what: string) => void },
): Faults {
  const counts: Faults['counts'] = { nodesKilled: 0, nodesStopped: 0, natsKilled: 0 };
  const stopping = new AbortController();
  // About twenty in a run, and in a long one every half a minute.
  const meanMs = Math.min(runMs / 20, 30_000);
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  /** Down for a while that others notice. */
  const away = () => sleep(Math.random() * Math.min(meanMs, 3_000));

  const running = (async () => {
    for (let nth = 0; ; nth++) {
      await pause(meanMs * (0.5 + Math.random()));
      if (stopping.signal.aborted) return;
      // In turn, so that a short run has as many kinds as it can.
      const kind = kinds[nth % kinds.length]!;
      if (kind === 'nats' && nats !== undefined) {
        counts.natsKilled++;
        say('kill -9 of NATS');
        await nats.kill();
        await away();
        await nats.start();
        continue;
      }
      const node = nodes[Math.floor(Math.random() * nodes.length)]!;
      const gently = kind === 'stop';
      say(`${gently ? 'stop' : 'kill -9'} of ${node.url}`);
      if (gently) counts.nodesStopped++;
      else counts.nodesKilled++;
      await (gently ? node.stop() : node.kill());
      await away();
      await node.start();
    }
  })();
  return {
    counts,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
