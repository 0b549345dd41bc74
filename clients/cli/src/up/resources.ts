import type { Cli } from '../cli.ts';
import { Failure, local } from '../failure.ts';
import { call } from '../net/gateway.ts';
import { perform } from '../operation-command.ts';
import { rows as emailRows } from '../operations/email.ts';
import { rows as secretRows } from '../operations/secrets.ts';
import { note } from '../progress.ts';
import { requireOrg } from '../resolve.ts';
import type { AppManifest, WantedMailbox, WantedSecret } from './manifest.ts';

interface ListedProject {
  readonly id: string;
  readonly name: string;
}

/**
 * The project of an application: the one that is named, else the one of its name in the organization.
 *
 * @returns undefined where there is none yet
 * @throws Failure AMBIGUOUS_PROJECT
 */
export async function findOwnProject(
  cli: Cli,
  { app, project }: AppManifest,
  org: string,
): Promise<string | undefined> {
  const wanted = project.name ?? app.name;
  const found: ListedProject[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await call<{ projects: readonly ListedProject[]; next_cursor: string | null }>(cli, {
      method: 'GET',
      path: '/projects/v1',
      query: { org_id: org, limit: '200', cursor },
    });
    found.push(...body.projects.filter(({ name }) => name === wanted));
    if (body.next_cursor === null) break;
    cursor = body.next_cursor;
  }
  if (found.length > 1)
    throw local('AMBIGUOUS_PROJECT', `There are ${found.length} projects called ${wanted}.`, {
      hint: 'Name the one that is meant with --project, or as project.id in svc.json.',
      details: { projects: found.map(({ id }) => id) },
    });
  return found[0]?.id;
}

/**
 * The organization of an application.
 *
 * @returns undefined for a caller that has none yet: its first project makes one
 * @throws Failure AMBIGUOUS_ORG, ORG_REQUIRED
 */
export async function orgOfApp(cli: Cli, named: string | undefined): Promise<string | undefined> {
  try {
    return await requireOrg(cli, { '--org': named });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, details } = error.envelope;
    const { orgs } = (details ?? {}) as { readonly orgs?: readonly unknown[] };
    if (code === 'ORG_REQUIRED' && orgs?.length === 0) return undefined;
    throw error;
  }
}

/** What becomes of secrets: those with a value here are set, others have to be there where they are required. */
export interface SecretsPlan {
  readonly toSet: readonly { readonly key: string; readonly value: string }[];
  /** Required, without a value here, and not in the project. */
  readonly missing: readonly WantedSecret[];
}

/** @param project undefined where it is yet to be made */
export async function planSecrets(
  cli: Cli,
  wanted: readonly WantedSecret[],
  project: string | undefined,
): Promise<SecretsPlan> {
  const toSet = wanted.flatMap(({ key, sourceEnv }) => {
    const value = cli.env[sourceEnv];
    return value === undefined || value === '' ? [] : [{ key, value }];
  });
  const open = wanted.filter(({ key, required }) => required && !toSet.some((one) => one.key === key));
  if (open.length === 0 || project === undefined) return { toSet, missing: open };
  const { secrets } = (await perform(cli, secretRows['secrets.list'], { project })) as unknown as {
    secrets: readonly { readonly key: string }[];
  };
  return { toSet, missing: open.filter(({ key }) => !secrets.some((one) => one.key === key)) };
}

/** @throws Failure MISSING_REQUIRED_SECRET */
export function requireSecrets({ missing }: SecretsPlan): void {
  if (missing.length === 0) return;
  const variables = missing.map(({ sourceEnv }) => sourceEnv).join(', ');
  throw local('MISSING_REQUIRED_SECRET', `Secrets have no value: ${missing.map(({ key }) => key).join(', ')}.`, {
    hint: `Set ${variables} in the environment, or run svc secrets set.`,
    details: { keys: missing.map(({ key }) => key) },
  });
}

/** Sets secrets, one after the other. @returns their keys */
export async function setSecrets(cli: Cli, project: string, { toSet }: SecretsPlan): Promise<string[]> {
  for (const { key, value } of toSet) {
    note(cli, `Setting the secret ${key}`);
    await perform(
      cli,
      secretRows['secrets.set'],
      { project, key, value },
      { approval: () => ({ action: 'project.secret.write', project_id: project }) },
    );
  }
  return toSet.map(({ key }) => key);
}

interface MailboxList {
  readonly mailboxes: readonly { readonly mailbox_id: string; readonly slug: string }[];
}

/** Makes the mailboxes that are not there, and gives them their roles. @returns the slugs of new ones */
export async function ensureMailboxes(cli: Cli, project: string, wanted: readonly WantedMailbox[]): Promise<string[]> {
  if (wanted.length === 0) return [];
  const { mailboxes } = (await perform(cli, emailRows['email.listMailboxes'], { project })) as unknown as MailboxList;
  const made = wanted.filter(({ slug }) => !mailboxes.some((one) => one.slug === slug));
  for (const { slug } of made) {
    note(cli, `Making the mailbox ${slug}`);
    await perform(cli, emailRows['email.createMailbox'], { project, slug });
  }
  const withRole = (role: WantedMailbox['roles'][number]) => wanted.find(({ roles }) => roles.includes(role))?.slug;
  const [outbound, auth] = [withRole('default_outbound'), withRole('auth_sender')];
  if (outbound !== undefined || auth !== undefined)
    await perform(cli, emailRows['email.setMailboxDefaults'], {
      project,
      ...(outbound === undefined ? {} : { default_outbound_mailbox_id: outbound }),
      ...(auth === undefined ? {} : { auth_sender_mailbox_id: auth }),
    });
  return made.map(({ slug }) => slug);
}
