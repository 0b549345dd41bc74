import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cli } from '../cli.ts';
import { changeJsonFile } from './change-json-file.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { locked } from './lock.ts';
import { configDir } from './paths.ts';

/** A person's sessions, stored between commands. Contract 04, section 3.7. */
export type SessionKind = 'operator' | 'control-plane';

const variables = {
  operator: 'SVC_OPERATOR_SESSION_PATH',
  'control-plane': 'SVC_CONTROL_PLANE_SESSION_PATH',
  'write-auth': 'SVC_WRITE_AUTH_SESSION_PATH',
} as const;

const fileOf = (cli: Cli, kind: keyof typeof variables) =>
  cli.env[variables[kind]] ?? join(configDir(cli), `${kind}-session.json`);

/** A stored session. Times are ISO 8601. */
export interface KeptSession {
  readonly api_base: string;
  readonly token: string;
  readonly expires_at: string;
  readonly absolute_expires_at?: string;
  /** The members that may be shown. */
  readonly view: Readonly<Record<string, unknown>>;
}

/** The stored session for a gateway, if it has not expired. @throws BAD_FILE, also for a file that others can read */
export async function keptSession(cli: Cli, kind: SessionKind, apiBase: string): Promise<KeptSession | undefined> {
  const found = (await readJsonFile(fileOf(cli, kind), { secret: true })) as unknown as KeptSession | undefined;
  return found !== undefined && found.api_base === apiBase && !isPast(found.expires_at) ? found : undefined;
}

export async function keepSession(cli: Cli, kind: SessionKind, session: KeptSession): Promise<void> {
  const path = fileOf(cli, kind);
  await locked(path, () => writeJsonFile(path, session));
}

/** @param refused the token that the gateway rejected: a newer token, from a sign-in meanwhile, is kept */
export async function forgetSession(cli: Cli, kind: SessionKind, refused?: string): Promise<void> {
  const path = fileOf(cli, kind);
  await locked(path, async () => {
    if (refused !== undefined && (await readJsonFile(path, { secret: true }))?.token !== refused) return;
    await rm(path, { force: true });
  });
}

/** An approval of one action on one target. */
export interface KeptApproval {
  readonly api_base: string;
  readonly action: string;
  readonly org_id?: string | null;
  readonly project_id?: string | null;
  readonly token: string;
  readonly expires_at: string;
}

/** Stored approvals for a gateway that have not expired. */
export const keptApprovals = async (cli: Cli, apiBase: string): Promise<readonly KeptApproval[]> =>
  lasting(await readJsonFile(fileOf(cli, 'write-auth'), { secret: true })).filter((one) => one.api_base === apiBase);

/** Approvals for all gateways that have not expired. */
const lasting = (found: Readonly<Record<string, unknown>> | undefined): readonly KeptApproval[] =>
  ((found?.approvals ?? []) as readonly KeptApproval[]).filter((one) => !isPast(one.expires_at));

export async function keepApproval(cli: Cli, approval: KeptApproval): Promise<void> {
  const isAnother = (one: KeptApproval) =>
    one.api_base !== approval.api_base ||
    one.action !== approval.action ||
    (one.org_id ?? null) !== (approval.org_id ?? null) ||
    (one.project_id ?? null) !== (approval.project_id ?? null);
  await changeJsonFile(
    fileOf(cli, 'write-auth'),
    (found) => ({ approvals: [...lasting(found).filter(isAnother), approval] }),
    { secret: true },
  );
}

export async function forgetApprovals(cli: Cli): Promise<void> {
  const path = fileOf(cli, 'write-auth');
  await locked(path, () => rm(path, { force: true }));
}

const isPast = (moment: string): boolean => !(Date.parse(moment) > Date.now());
