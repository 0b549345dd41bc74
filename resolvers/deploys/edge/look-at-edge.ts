import { inParallel } from '../../../core/in-parallel.ts';
import { Lru } from '../../../core/lru.ts';
import { type JudgedPage, judgePage } from '../../../engines/edge/coherence.ts';
import { type HostProbe, probedBytesMax } from '../../../engines/edge/host-probe.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { edgeRate } from '../../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../../kernel/limits/rate-limit.ts';
import type { Context, Services } from '../../../kernel/run/context.ts';
import type { DeployOperation } from '../deploy-operation.ts';
import { type MutablePages, mutablePages, pagesMax } from './mutable-pages.ts';
import { type ProbedHost, probedHosts } from './probed-hosts.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    readonly hostProbe: HostProbe;
  }
}

/** What the hosts of a project answer, held against a deploy of it. */
export interface EdgeLook {
  readonly pages: readonly JudgedPage[];
  /** Pages that a probe of everything would ask for. */
  readonly total: number;
}

/** A deploy that has gone live. */
export type LiveDeploy = Pick<DeployOperation, 'id' | 'generation'> & { readonly releaseId: string };

/** Hosts that are asked at a time. */
const atOnce = 8;
/** For how long one look serves all who ask, in milliseconds: whoever waits asks again and again. */
const freshMs = 1_000;

const looks = new WeakMap<Services, Lru<{ readonly look: Promise<EdgeLook>; until: number }>>();

/** Asks every host of a project for pages of a deploy's release. @throws RATE_LIMITED */
export function lookAtEdge(ctx: Context & ProjectScope, deploy: LiveDeploy): Promise<EdgeLook> {
  const { services, project } = ctx;
  let known = looks.get(services);
  if (known === undefined) looks.set(services, (known = new Lru({ entries: 1_000, bytes: 1_000 })));
  const found = known.get(deploy.id);
  if (found !== undefined && found.until > performance.now()) return found.look;
  // Hosts are others' servers, too, and the key that asks may be public.
  assertWithinRate(services.rateLimiter.take(`edge:${project.id}`, edgeRate));
  // Nobody's to break off: others wait for it, too.
  const entry = { look: look(ctx, deploy), until: Infinity };
  known.set(deploy.id, entry, 1);
  const settle = (until: number) => () => void (entry.until = until);
  entry.look.then(() => settle(performance.now() + freshMs)(), settle(-Infinity));
  return entry.look;
}

async function look(ctx: Context & ProjectScope, deploy: LiveDeploy): Promise<EdgeLook> {
  const { services, org, project } = ctx;
  const owner = { orgId: org.id, projectId: project.id };
  const [hosts, pages] = await Promise.all([probedHosts(ctx), mutablePages(services, owner, deploy.releaseId)]);
  const each = Math.max(1, Math.floor(pagesMax / hosts.length));
  const judged = await inParallel(hosts, atOnce, (host) => askHost(services, host, deploy, pages.first.slice(0, each)));
  return { pages: judged.flat(), total: pages.total * hosts.length };
}

/** Asks one host page by page. What does not answer once is not asked for the rest. */
async function askHost(
  { hostProbe }: Services,
  { name, origin, isPlatforms }: ProbedHost,
  { releaseId, generation }: LiveDeploy,
  pages: MutablePages['first'],
): Promise<JudgedPage[]> {
  const judged: JudgedPage[] = [];
  let failed: Awaited<ReturnType<HostProbe['ask']>> | undefined;
  for (const { path, sha256, size } of pages) {
    const withBody = size <= probedBytesMax;
    const expected = {
      host: name,
      path,
      releaseId,
      generation: generation === null ? null : Number(generation),
      sha256,
    };
    const answer =
      failed ?? (await hostProbe.ask({ origin, isPlatforms, path, withBody }, new AbortController().signal));
    if (answer.error !== undefined) failed = answer;
    judged.push(await judgePage(expected, answer, withBody));
  }
  return judged;
}
