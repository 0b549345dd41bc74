import { Lru } from '../../core/lru.ts';
import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { liveTables as tablesOfView } from '../../db/project-schema/live.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { authRows, authStatement } from '../auth/shared/auth-rows.ts';
import { makeProjectKey } from '../identity/shared/project-keys.ts';

/** What a page needs to know to use its project; nothing of it is a secret. Contract 01, section 4.1. */
export interface HostConfig {
  readonly project_id: string;
  /** Without a trailing slash. */
  readonly api_base: string;
  readonly anon_key: string;
}

/** @param origin of the project's host that is asked */
export async function hostConfig({ services }: Context, target: ProjectTarget, origin: string): Promise<HostConfig> {
  return {
    project_id: target.projectId,
    api_base: apiBase(services, origin),
    anon_key: await makeProjectKey(services.keys, { id: target.projectId, ...target }, 'anon'),
  };
}

/** Where the API is. Without a public base URL it is where the project's hosts are, under the platform's own name. */
export function apiBase({ settings: { publicBaseUrl, platformDomain } }: Services, origin: string): string {
  if (publicBaseUrl !== undefined) return publicBaseUrl;
  const { protocol, port } = new URL(origin);
  return `${protocol}//${platformDomain}${port === '' ? '' : `:${port}`}`;
}

/** How long the names of live tables are remembered, in milliseconds: every page of every visitor asks. */
const rememberedMs = 2_000;

const remembered = new WeakMap<
  Services,
  Lru<{ readonly tables: Promise<readonly string[]>; readonly until: number }>
>();

/**
 * Tables that can be followed, by name: not what the manifest marks live and is gone, or is so no longer. Contract 01,
 * section 4.2.
 */
export function liveTables({ services }: Context, target: ProjectTarget): Promise<readonly string[]> {
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 2_000, bytes: 2_000 })));
  const found = known.get(target.projectId);
  const now = performance.now();
  if (found !== undefined && found.until > now) return found.tables;
  // Whoever asks meanwhile waits for the same answer, which is therefore nobody's to break off.
  const tables = authRows(services, target, namesStatement.with({}));
  known.set(target.projectId, { tables, until: now + rememberedMs }, 1);
  // What failed is asked for again.
  tables.catch(() => {
    if (known.get(target.projectId)?.tables === tables) known.set(target.projectId, { tables, until: 0 }, 1);
  });
  return tables;
}

const namesStatement = authStatement(
  'live_names',
  { answer: toJson(tablesOfView.name) },
  (_none, answer) => sql`select ${answer} from ${tablesOfView} order by ${tablesOfView.name}`,
);
